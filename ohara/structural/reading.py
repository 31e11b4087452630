"""Reads the items of a file, or of what is inside of an item, out of a tree."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import field
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from ohara.records import dataclass
from ohara.structural.outline import Item, Part, Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ast_grep_py import SgNode

    from ohara.structural.found import Found
    from ohara.structural.matcher import Shape

_LARGE = 32  # lines: smaller items are parsed as a whole

_COMMENT = ("#", "//")

_SCRIPT = frozenset({"program", "statement_block", "class_body", "object", "array", "switch_body"})
_TYPES = frozenset({"interface_body", "object_type"})
# In these nodes, nodes follow each other that do not depend on those before and behind them.
CONTAINERS: Final = {
    "c": frozenset({
        "translation_unit", "compound_statement", "preproc_if", "preproc_ifdef", "preproc_else",
        "declaration_list", "initializer_list",
    }),
    "go": frozenset({"source_file", "statement_list", "literal_value"}),
    "java": frozenset({"program", "class_body", "block"}),
    "javascript": _SCRIPT,
    "python": frozenset({"module", "block", "list", "dictionary"}),
    "rust": frozenset({"source_file", "declaration_list", "block", "match_block"}),
    "tsx": _SCRIPT | _TYPES,
    "typescript": _SCRIPT | _TYPES,
}  # fmt: skip


@dataclass(slots=True)
class Parsed:
    """A text that was parsed: the matches in it, the lines of errors, both in order."""

    text: str
    found: Sequence[Found]
    errors: Sequence[tuple[int, int]]
    _sums: list[int] = field(init=False)
    _found_lines: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._sums = list(accumulate(map(len, self.text.split("\n")), initial=0))
        self._found_lines = [match.first_line for match in self.found]

    def lines(self, first: int, last: int) -> str:
        """Some lines, with their ends."""
        return self.text[self._sums[first] + first : self._sums[last + 1] + last + 1]

    def is_blank(self, first: int, end: int) -> bool:
        """Whether the lines from one to before another are empty, or comments on one line."""
        lines = self.lines(first, end - 1).split("\n") if end > first else ()
        return end >= first and all(not line or line.startswith(_COMMENT) for line in map(str.strip, lines))

    def before(self, line: int, column: int) -> str:
        """What stands before a column of a line."""
        start = self._sums[line] + line
        return self.text[start : start + column]

    def behind(self, line: int, column: int) -> str:
        """What stands behind a column of a line."""
        return self.text[self._sums[line] + line + column : self._sums[line + 1] + line]

    def found_in(self, first: int, last: int) -> Sequence[Found]:
        """The matches that begin in some lines."""
        return self.found[bisect_left(self._found_lines, first) : bisect_left(self._found_lines, last + 1)]

    def is_broken(self, first: int, last: int) -> bool:
        """Whether an error stands in some lines."""
        return any(begins <= last and ends >= first for begins, ends in self.errors)


class _Group(NamedTuple):
    """Nodes that share lines, with the comments above them: the first that is none, and their lines."""

    node: SgNode
    lead: int  # where that node begins
    first: int
    last: int


class Reader:
    """Reads items; knows which nodes a pattern may match, and so what must not be read in parts."""

    def __init__(self, language: str, shape: Shape) -> None:
        self._containers = CONTAINERS.get(language, frozenset())
        self._shape = shape

    def items(self, node: SgNode, parsed: Parsed, first: int, last: int) -> list[Item] | None:
        """The items that follow each other in a node, which are just some lines; None when they are not."""
        groups, (begins, ends) = self._content(node, parsed) or ((), (0, 0))
        if not groups:
            return None
        if node.parent() is not None and (ends != last or not parsed.is_blank(first, begins)):
            return None
        return list(self._items(groups, (first, last), parsed))

    def _items(self, groups: Sequence[_Group], content: tuple[int, int], parsed: Parsed) -> Iterator[Item]:
        first, last = content
        for number, group in enumerate(groups):
            ends = last if number + 1 == len(groups) else group.last
            yield self._item(group, parsed, first, ends)
            first = ends + 1

    def _item(self, group: _Group, parsed: Parsed, first: int, last: int) -> Item:
        found = parsed.found_in(first, last)
        parts: list[Part] = []
        if group.last - group.lead >= _LARGE:
            for path, groups, content in self._inside([group.node], parsed):
                parts.append(self._part(path, groups, content, parsed, (first, last)))
        if found and parts:
            inside = [(first + part.lines_above, last - part.lines_below) for part in parts]
            own = [match for match in found if not any(b <= match.first_line <= e for b, e in inside)]
        else:
            own = list(found)
        return Item(
            parsed.lines(first, last),
            group.node.kind(),
            group.lead - first,
            tuple(match.moved(-first) for match in own),
            tuple(parts),
            bool(parsed.errors) and parsed.is_broken(first, last),
        )

    def _part(
        self,
        path: Sequence[SgNode],
        groups: Sequence[_Group],
        content: tuple[int, int],
        parsed: Parsed,
        lines: tuple[int, int],
    ) -> Part:
        first, last = lines
        steps = tuple(
            Step(node.kind(), begins - first, last - ends)
            for node, (begins, ends) in zip(path, map(lines_of, path), strict=True)
        )
        return Part(
            steps,
            parsed.lines(first, content[0] - 1) if content[0] > first else "",
            parsed.lines(content[1] + 1, last) if content[1] < last else "",
            tuple(self._items(groups, content, parsed)),
        )

    def _inside(
        self, path: list[SgNode], parsed: Parsed
    ) -> Iterator[tuple[list[SgNode], Sequence[_Group], tuple[int, int]]]:
        """The large nodes from the last of a path on whose nodes may be parsed without the others."""
        if path[-1].kind() in self._containers and self._may_split(path):
            groups, content = self._content(path[-1], parsed) or ((), (0, -1))
            if groups and not _crosses(parsed, content, lines_of(path[0])):
                yield path, groups, content
                return
        for child in path[-1].children():
            begins, ends = lines_of(child)
            if ends - begins >= _LARGE - 2:
                yield from self._inside([*path, child], parsed)

    def _may_split(self, path: Sequence[SgNode]) -> bool:
        """Whether no node around what is in the last one can match, whatever stands there."""
        return all(
            node.kind() not in self._shape.kinds or len(path) - 1 - above > self._shape.depth
            for above, node in enumerate(path)
        )

    def _content(self, node: SgNode, parsed: Parsed) -> tuple[Sequence[_Group], tuple[int, int]] | None:
        """What follows each other in a node, without its first and last token, and which lines that is."""
        children = node.children()
        groups = _groups(children)
        if not groups:
            return None
        head = not children[0].is_named() and len(children) > 1
        foot = not children[-1].is_named() and len(children) > 1
        first, last = groups[0].first, groups[-1].last
        if head:
            first = groups.pop(0).last + 1
        if foot and groups:
            last = groups.pop().first - 1
        if not groups:
            return None
        if not head:
            start = children[0].range().start
            if parsed.before(start.line, start.column).strip():
                return None
        if not foot:
            end = children[-1].range().end
            if end.column and parsed.behind(end.line, end.column).strip():
                return None
        return groups, (first, last)


def _crosses(parsed: Parsed, content: tuple[int, int], lines: tuple[int, int]) -> bool:
    """Whether a match begins outside of some lines and ends in or behind them, or the other way about."""
    first, last = content
    return any(
        match.last_line >= first if match.first_line < first else match.last_line > last
        for match in parsed.found_in(lines[0], last)
    )


def _groups(nodes: Sequence[SgNode]) -> list[_Group]:
    """Nodes by the lines that they share, comments with what stands below them."""
    groups: list[_Group] = []
    comments = -1
    for node, (first, last) in zip(nodes, map(lines_of, nodes), strict=True):
        if groups and first <= groups[-1].last:
            groups[-1] = groups[-1]._replace(last=max(last, groups[-1].last))
        elif node.kind().endswith("comment"):
            comments = first if comments < 0 else comments
        else:
            groups.append(_Group(node, first, first if comments < 0 else comments, last))
            comments = -1
    return groups


def lines_of(node: SgNode) -> tuple[int, int]:
    """The first and the last line of a node; of one that ends with its line's end, that line."""
    at = node.range()
    end = at.end
    first, last = at.start.line, end.line
    return first, last - 1 if last > first and not end.column else last

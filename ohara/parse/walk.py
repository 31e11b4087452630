"""Walks a syntax tree once and collects what it defines, driven by its language's table.

Iterative, because hostile nesting would overflow a recursive walk; by cursor, and past what cannot hold
a definition, because it runs over every version of every file.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Final

from ohara.parse.tables import marks_of
from ohara.records import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node, Tree, TreeCursor

    from ohara.model import SymbolKind
    from ohara.parse.rules import Defined
    from ohara.parse.tables import Marks

_MAX_DEPTH: Final = 1_000  # of the tree; definitions stand far above, and hostile nesting below
_MAX_SCOPES: Final = 16  # names within names; deeper ones are a generator's work
_MAX_NAME: Final = 200  # characters; longer ones are text that broken syntax took for a name
_MAX_MARGIN: Final = 1_000  # bytes looked back for the start of a line


@dataclass(slots=True)
class Scope:
    """A named thing the walk is inside of, and what it has found there."""

    depth: int
    prefix: str
    kind: SymbolKind | None
    names: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Found:
    """A definition, before it is known what stands beside it."""

    kind: SymbolKind
    name: str
    qualified: str
    first_line: int
    last_line: int
    scope: Scope
    place: int


def definitions(
    tree: Tree, source: bytes, language: str, within: tuple[int, int] | None = None
) -> list[Found]:
    """The definitions in a tree, in the order of its nodes; with `within`, those that reach into these bytes.

    A definition reaches from the comment above it. Names of siblings are known only as far as the walk went.
    """
    walk = _Walk(source, marks_of(language))
    if within is None:
        walk.run(tree, 0, len(source))
    else:
        walk.run(tree, *within)
    return walk.found


def _enter(cursor: TreeCursor, first: int) -> bool:
    """Go to the first child, or to the first that does not end before a byte."""
    return cursor.goto_first_child_for_byte(first) is not None if first else cursor.goto_first_child()


class _Walk:
    """Goes through a tree once, keeping the scopes it is inside of and the comments it has just passed."""

    def __init__(self, source: bytes, marks: Marks) -> None:
        self.found: list[Found] = []
        self._source = source
        self._marks = marks
        self._scopes = [Scope(-1, "", None)]
        self._floor = -1  # the depth of the innermost scope
        self._wrapper = (-1, 0, 0)  # depth, first byte and end of the wrapper last seen
        self._lead = (-1, -1)  # first byte and end of the comments and attributes just passed

    def run(self, tree: Tree, first: int, last: int) -> None:
        """Visit every node that spans lines, and those on one line that the table names, within two bytes."""
        cursor, source = tree.walk(), self._source
        known, dull = self._marks.known, self._marks.dull
        depth = 0
        while (node := cursor.node) is not None:
            kind = node.kind_id
            past = (start := node.start_byte) > last and not self._continues(start, depth, first, last)
            if past or kind in dull:
                enter = False
            elif kind in known:
                enter = self._visit(node, depth)
            else:
                enter = source.find(b"\n", start, node.end_byte) >= 0
            if enter and depth < _MAX_DEPTH and _enter(cursor, first):
                depth += 1
                continue
            while past or not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                depth -= 1
                past = False
            if self._floor >= depth:
                self._leave(depth)

    def _continues(self, start: int, depth: int, first: int, last: int) -> bool:
        """True when what starts here belongs to a decorator or a comment that lies within two bytes."""
        wrapper_depth, wrapper_start, wrapper_end = self._wrapper
        is_wrapped = wrapper_depth == depth - 1 and wrapper_start <= start < wrapper_end
        begins = wrapper_start if is_wrapped else start
        return begins <= last or (self._lead[1] >= first and self._adjoins(self._lead[1], begins))

    def _leave(self, depth: int) -> None:
        """Forget the scopes that the walk has left."""
        while self._scopes[-1].depth >= depth:
            self._scopes.pop()
        self._floor = self._scopes[-1].depth

    def _visit(self, node: Node, depth: int) -> bool:
        """Note what a node means; True when its children are to be visited."""
        kind = node.kind_id
        if rule := self._marks.rules.get(kind):
            defined = rule(node, self._source, self._scopes[-1].kind)
            if defined:
                return self._define(node, depth, defined)
        if kind in self._marks.leads:
            self._note_lead(node)
            return False
        if kind in self._marks.wrappers:
            self._wrapper = (depth, self._wrapped_start(node, depth), node.end_byte)
        return kind in self._marks.entered or self._spans_lines(node)

    def _spans_lines(self, node: Node) -> bool:
        return self._source.find(b"\n", node.start_byte, node.end_byte) >= 0

    def _define(self, node: Node, depth: int, defined: tuple[Defined, ...]) -> bool:
        around = self._scopes[-1]
        if len(self._scopes) > _MAX_SCOPES:
            return False
        first_line, last_line = self._lines(node, depth)
        opened: Scope | None = None
        for each in defined:
            path = " ".join(each.path.split())
            if len(path) > _MAX_NAME:
                continue
            qualified = f"{around.prefix}.{path}" if around.prefix and path else path or around.prefix
            if each.kind is not None:
                name = path.rpartition(".")[2] or path
                self.found.append(
                    Found(each.kind, name, qualified, first_line, last_line, around, len(around.names))
                )
                around.names.append(name)
            if each.opens is not None and opened is None:
                opened = Scope(depth, qualified, each.opens)
        if opened is not None:
            self._scopes.append(opened)
            self._floor = depth
        return opened is not None or self._spans_lines(node)

    def _lines(self, node: Node, depth: int) -> tuple[int, int]:
        """The first and last line of a definition, with its decorators, attributes and comments."""
        start = node.start_byte
        first = self._wrapped_start(node, depth)
        lead_start, lead_end = self._lead
        if lead_start >= 0 and lead_end <= first and self._adjoins(lead_end, first):
            first = lead_start
        row = node.start_point[0] - self._source.count(b"\n", first, start)
        end_row, end_column = node.end_point
        # Some grammars count a line's end to the node: the next line is not part of it.
        last_row = end_row - 1 if end_column == 0 and end_row > row else end_row
        return row + 1, last_row + 1

    def _wrapped_start(self, node: Node, depth: int) -> int:
        """Where a node begins, or the wrapper that it stands in."""
        wrapper_depth, start, end = self._wrapper
        inside = wrapper_depth == depth - 1 and start <= node.start_byte < end
        return start if inside else node.start_byte

    def _note_lead(self, node: Node) -> None:
        start, end = node.start_byte, node.end_byte
        if self._source[end - 1 : end] == b"\n":
            end -= 1
        lead_start, lead_end = self._lead
        if lead_start >= 0 and lead_end <= start and self._adjoins(lead_end, start):
            self._lead = (lead_start, end)
            return
        line = self._source.rfind(b"\n", max(0, start - _MAX_MARGIN), start) + 1
        stands_alone = not self._source[line:start].strip() and self._source[start : start + 2] != b"#!"
        self._lead = (start if stands_alone else -1, end)

    def _adjoins(self, lead_end: int, start: int) -> bool:
        """True when only blanks stand between a comment and the line that begins a definition."""
        line = self._source.rfind(b"\n", max(lead_end, start - _MAX_MARGIN), start)
        between = self._source[lead_end : start if line < 0 else line]
        return len(between) < _MAX_MARGIN and not between.strip() and b"\n" not in between

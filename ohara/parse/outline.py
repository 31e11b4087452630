"""The syntactic outline of source lines: how deep each line begins, and inside of which definition.

Looks only into nodes too large for one piece, so that a walk costs what the pieces cost and not what
the file does. Knows lines and nodes; nothing of hunks.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ohara.parse.languages import dialect, has_grammar, line_starts, parse
from ohara.parse.tables import marks_of
from ohara.records import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

MAX_DEPTH: Final = 60  # deeper lines are as good or bad as each other
_MARGIN: Final = b" \t\f)]};,"
_SIGNATURE_BYTES: Final = 4_000  # annotations and return types before a name end within these


@dataclass(frozen=True, slots=True)
class Outline:
    """Of some lines of a file: the depth of the outermost node that begins each, and what is defined.

    Lines count from 0. A definition is the line of its signature and its last line, outer ones first.
    """

    depths: dict[int, int]
    definitions: list[tuple[int, int]]

    def enclosing(self, line: int) -> int | None:
        """The signature's line of the innermost definition that a line is inside of, below its signature."""
        around = (sign for sign, last in self.definitions if sign < line <= last)
        return max(around, default=None)


@dataclass(frozen=True, slots=True)
class _Parsed:
    tree: Tree
    language: str
    line_starts: list[int]


def outline(source: bytes, language: str, span: tuple[int, int], *, chars: int, lines: int) -> Outline | None:
    """The outline of a file from its first to its last given line; None when it cannot be parsed.

    Nodes of at most so many bytes and lines are not looked into.
    """
    if not has_grammar(language):
        return None
    parsed = _parsed(source, language)
    return None if parsed is None else _Outliner(source, parsed, span, chars, lines).run()


@lru_cache(maxsize=1)  # a file's long hunks follow each other
def _parsed(source: bytes, language: str) -> _Parsed | None:
    spoken = dialect(source, language)
    tree = parse(source, spoken)
    if tree is None:
        return None
    return _Parsed(tree, spoken, line_starts(source))


class _Outliner:
    """One walk over the part of a tree that holds the given lines."""

    def __init__(self, source: bytes, parsed: _Parsed, span: tuple[int, int], chars: int, lines: int) -> None:
        self._source, self._tree, self._starts = source, parsed.tree, parsed.line_starts
        self._rules = marks_of(parsed.language).rules
        self._chars, self._lines = chars, lines
        first, after = (min(line, len(self._starts) - 1) for line in (span[0], span[1] + 1))
        self._begin = self._starts[first]
        self._end = self._starts[after] if after > first else len(source)
        self._depths: dict[int, int] = {}
        self._definitions: list[tuple[int, int]] = []

    def run(self) -> Outline:
        cursor = self._tree.walk()
        depth = 0
        while (node := cursor.node) is not None:
            if (
                node.start_byte < self._end
                and self._note(node, depth)
                and depth < MAX_DEPTH
                and cursor.goto_first_child_for_byte(self._begin) is not None
            ):
                depth += 1
                continue
            past = node.start_byte >= self._end
            while past or not cursor.goto_next_sibling():
                past = False
                if not cursor.goto_parent():
                    return Outline(self._depths, self._definitions)
                depth -= 1
        return Outline(self._depths, self._definitions)

    def _note(self, node: Node, depth: int) -> bool:
        """Note the line that a node begins; True when the node is too large for one piece."""
        start, end = node.start_byte, node.end_byte
        line = bisect_right(self._starts, start) - 1
        if line not in self._depths:
            # A node that begins further right leaves its line inside another one, unless that ends here.
            is_first = not self._source[self._starts[line] : start].strip(_MARGIN)
            self._depths[line] = depth if is_first else MAX_DEPTH
        is_large = end - start > self._chars or self._lines_of(line, end) > self._lines
        if is_large and node.kind_id in self._rules:
            self._note_definition(node, line)
        return is_large

    def _lines_of(self, line: int, end: int) -> int:
        return bisect_right(self._starts, end - 1) - line

    def _note_definition(self, node: Node, line: int) -> None:
        defined = self._rules[node.kind_id](node, self._source, None)
        if not defined or not defined[0].path or defined[0].opens is None:
            return
        name = defined[0].path.rpartition(".")[2].encode("utf-8", "replace")
        at = self._source.find(name, node.start_byte, node.start_byte + _SIGNATURE_BYTES)
        signature = bisect_right(self._starts, at) - 1 if at >= 0 else line
        self._definitions.append((signature, line + self._lines_of(line, node.end_byte) - 1))

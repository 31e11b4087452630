"""Which symbols a file defines, and which of them a change touches.

Broken syntax gives what can be had; what cannot be parsed within the limits gives nothing. Names are
joined by dots in every language. Local variables, parameters and imports are no symbols.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ohara.model import Symbol
from ohara.parse.languages import Former, dialect, has_grammar, parse, parse_version
from ohara.parse.line_starts import LineStarts
from ohara.parse.walk import definitions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tree_sitter import Tree

    from ohara.parse.hostile import Part
    from ohara.parse.walk import Found

MAX_SIBLINGS: Final = 24  # enough to tell two `close` apart by their company, little enough to store for each


def symbols_in(source: bytes, language: str) -> tuple[Symbol, ...]:
    """The symbols a file defines, in the order it defines them; none when the language has no grammar."""
    if not has_grammar(language):
        return ()
    spoken = dialect(source, language)
    tree = parse(source, spoken)
    if tree is None:
        return ()
    return tuple(
        Symbol(it.kind, it.name, it.qualified, it.first_line, it.last_line, _siblings(it))
        for it in definitions(tree, source, spoken)
    )


class SyntaxTree:
    """A parsed file that can be asked more than once which symbols a change touches."""

    def __init__(
        self, source: bytes, language: str, former: SyntaxTree | None = None, parts: Sequence[Part] = ()
    ) -> None:
        """Parse a file; of a `former` version that differs in some parts, all that can be is taken over."""
        self.source = source
        self.language = dialect(source, language)
        known = None
        if former is not None and former.tree is not None and former.language == self.language:
            known = Former(former.source, former.tree, parts, former.nesting)
        parsed = parse_version(source, self.language, known)
        self.tree: Tree | None = parsed.tree
        self.nesting: int = parsed.nesting
        self.starts: LineStarts = (
            former.starts.in_version(source, parts[0][0]) if former and parts else LineStarts(source)
        )

    @property
    def size(self) -> int:
        """How many bytes of source it was made from."""
        return len(self.source)

    def _bytes_of(self, first_line: int, last_line: int) -> tuple[int, int]:
        """Where some lines begin and end."""
        first, end = self.starts.of(first_line - 1), self.starts.of(last_line)
        if first is None:  # below the last line: that is where the walk is to begin
            first = self.source.rfind(b"\n") + 1
        return first, len(self.source) if end is None else end

    def touched(self, spans: Sequence[tuple[int, int]]) -> tuple[Symbol, ...]:
        """As `touched` says of all the file's symbols, looking only at the part of the tree that matters."""
        if self.tree is None or not spans:
            return ()
        lines = min(first for first, _ in spans), max(last for _, last in spans)
        found = definitions(self.tree, self.source, self.language, self._bytes_of(*lines))
        return touched(
            (Symbol(it.kind, it.name, it.qualified, it.first_line, it.last_line) for it in found), spans
        )


def _siblings(found: Found) -> tuple[str, ...]:
    """The nearest names in the same scope, in order, each once and without the symbol's own."""
    names = found.scope.names
    first = max(0, min(found.place - MAX_SIBLINGS // 2, len(names) - MAX_SIBLINGS - 1))
    near = dict.fromkeys(names[first : first + MAX_SIBLINGS + 1])
    near.pop(found.name, None)
    return tuple(near)


def touched(symbols: Iterable[Symbol], spans: Sequence[tuple[int, int]]) -> tuple[Symbol, ...]:
    """The symbols of a file whose own lines are among the changed ones, innermost first.

    A symbol's own lines are those of its span that lie in no symbol inside it: a change to a method's
    body touches the method and not its class, one to the line `class Cart:` touches the class. Symbols
    with the very same lines (`A, B = 1, 2`) are touched together. Spans are first and last line.
    """
    if not spans:
        return ()
    lowest, highest = min(first for first, _ in spans), max(last for _, last in spans)
    by_lines: dict[tuple[int, int], list[Symbol]] = {}
    for symbol in symbols:
        if symbol.first_line <= highest and symbol.last_line >= lowest:
            by_lines.setdefault((symbol.first_line, symbol.last_line), []).append(symbol)
    # Outer spans sort before those they hold, so the open ones form a stack.
    found: list[tuple[int, int, list[Symbol]]] = []
    inner: dict[tuple[int, int], list[tuple[int, int]]] = {lines: [] for lines in by_lines}
    open_spans: list[tuple[int, int]] = []
    depths: dict[tuple[int, int], int] = {}
    for lines in sorted(by_lines, key=lambda it: (it[0], -it[1])):
        while open_spans and open_spans[-1][1] < lines[1]:
            open_spans.pop()
        if open_spans:
            inner[open_spans[-1]].append(lines)
        depths[lines] = len(open_spans)
        open_spans.append(lines)
    for lines, here in by_lines.items():
        if any(_reaches(span, lines, inner[lines]) for span in spans):
            found.append((-depths[lines], lines[0], here))
    found.sort(key=lambda it: it[:2])
    return tuple(symbol for _, _, here in found for symbol in here)


def _reaches(span: tuple[int, int], lines: tuple[int, int], inside: list[tuple[int, int]]) -> bool:
    """True when a changed span meets these lines outside of the spans that lie inside them, in order."""
    at, last = max(span[0], lines[0]), min(span[1], lines[1])
    for inner_first, inner_last in inside:
        if at > last or at < inner_first:
            break
        at = max(at, inner_last + 1)
    return at <= last

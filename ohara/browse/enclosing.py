"""Which symbol a changed line stands in, by the file as it was then.

A hunk knows all symbols that it touches, not which of its lines touches which. Versions of one file that
follow each other in an answer differ little: each is parsed from the one before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.git.regions import unequal
from ohara.languages import language_of
from ohara.parse.languages import has_grammar
from ohara.parse.symbols import SyntaxTree

if TYPE_CHECKING:
    from ohara.browse.span import Spans
    from ohara.git.repo import Repository


class Enclosing:
    """Finds the symbols around lines; remembers the version that was asked about last."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._blob = ""
        self._tree: SyntaxTree | None = None

    def around(self, lines: Spans, path: str, blob: str) -> str | None:
        """The innermost symbol of the first of these lines, else of all; None where they stand in none."""
        tree = self._parsed(path, blob) if lines else None
        if tree is None:
            return None
        first = lines[0].first
        symbols = tree.touched([(first, first)]) or tree.touched(lines)
        return symbols[0].qualified if symbols else None

    def _parsed(self, path: str, blob: str) -> SyntaxTree | None:
        """The version with what it is parsed to; None where it cannot be read."""
        if blob == self._blob:
            return self._tree
        language = language_of(path)
        source = self._repository.read_blob(blob) if blob and has_grammar(language) else None
        if source is None or language is None:
            return None
        former = self._tree
        parts = unequal(former.source, source) if former is not None else ()
        self._blob, self._tree = blob, SyntaxTree(source, language, former, parts)
        return self._tree

"""What the derived passes of an index were made with, and which of them are stale."""

from __future__ import annotations

from ohara.model import Pass
from ohara.records import dataclass

LINES_VERSION = 2  # how lines are followed
PIECES_VERSION = 1  # what is true of every stored piece of a hunk: it holds a changed line


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The versions of everything that a derived pass depends on, and of how hunks are stored in pieces."""

    words: int
    parser: int
    embedder: str
    vectors: int
    pieces: int
    lines: int


def stale_passes(stored: Fingerprint | None, wanted: Fingerprint) -> frozenset[Pass]:
    """The passes that must begin again; nothing stored means nothing is stale."""
    if stored is None:
        return frozenset()
    stale: set[Pass] = set()
    if stored.words != wanted.words:
        stale |= {Pass.TEXT, Pass.SYMBOL}  # symbol names are words too
    if stored.parser != wanted.parser:
        stale.add(Pass.SYMBOL)
    if (stored.embedder, stored.vectors) != (wanted.embedder, wanted.vectors):
        stale.add(Pass.VECTOR)
    if stored.lines != wanted.lines:
        stale.add(Pass.LINES)
    return frozenset(stale)

"""What the derived passes were made with, and which of them are stale.

Stale passes are made again from stored bodies, one by one; the others keep serving meanwhile, and so do the
vectors of an embedder that is being replaced.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ohara.model import Pass
from ohara.store.sqlite.generations import FINGERPRINT, change_embedder
from ohara.store.sqlite.meta import read_meta
from ohara.store.sqlite.passes import restart
from ohara.store.sqlite.pieces import join_context

if TYPE_CHECKING:
    from ohara.store.sqlite.writer import Writer


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The versions of everything that a derived pass depends on, and of how hunks are stored in pieces."""

    words: int
    parser: int
    embedder: str
    vectors: int
    pieces: int


def stale_passes(stored: object, wanted: Fingerprint) -> frozenset[Pass]:
    """The passes that must begin again; nothing stored means nothing is stale."""
    if not isinstance(stored, dict):
        return frozenset()
    stale: set[Pass] = set()
    if stored.get("words") != wanted.words:
        stale |= {Pass.TEXT, Pass.SYMBOL}  # symbol names are words too
    if stored.get("parser") != wanted.parser:
        stale.add(Pass.SYMBOL)
    if (stored.get("embedder"), stored.get("vectors")) != (wanted.embedder, wanted.vectors):
        stale.add(Pass.VECTOR)
    return frozenset(stale)


def reconcile(writer: Writer, wanted: Fingerprint) -> frozenset[Pass]:
    """Restart stale passes and record what the index is made with from now on; which passes have to work.

    Where pieces of hunks were joined, the text pass has.
    """
    stored = read_meta(writer.connection, FINGERPRINT)
    is_cut_anew = (
        isinstance(stored, dict) and stored.get("pieces") != wanted.pieces and join_context(writer) > 0
    )
    stale = stale_passes(stored, wanted)
    for stage in sorted(stale):
        if stage is Pass.VECTOR:
            change_embedder(writer, wanted.embedder)
        else:
            restart(writer, stage)
    if stored != asdict(wanted):
        writer.set_meta(FINGERPRINT, asdict(wanted))
    writer.commit()
    return stale | {Pass.TEXT} if is_cut_anew else stale

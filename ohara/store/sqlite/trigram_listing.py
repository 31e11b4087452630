"""Lists all that lists of trigrams say, for who compares indexes or looks for faults; not for searching."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.arrays import np
from ohara.store.sqlite.trigram_lists import codes_of, contents_of, decode
from ohara.store.sqlite.trigram_pieces import kept_members, read_dropped, read_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ohara.store.sqlite.connection import Connection


def listed_trigrams(connection: Connection) -> Iterator[tuple[int, list[int]]]:
    """Each content with the numbers of its trigrams, in order."""
    dropped = read_dropped(connection)
    for piece in read_pieces(connection):
        blocks = [decode(piece.block(connection, at)) for at in range(len(piece.firsts))]
        entries = np.concatenate([np.zeros(0, np.int64), *blocks])
        entries = entries[np.argsort(contents_of(entries), kind="stable")]
        contents = contents_of(entries)
        for content in kept_members(connection, piece.number, dropped):
            begin, end = np.searchsorted(contents, [content, content + 1])
            yield content, codes_of(entries[begin:end]).tolist()

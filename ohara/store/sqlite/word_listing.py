"""Lists all that postings say, for who compares indexes or looks for faults; not for searching."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.store.sqlite.posting_codec import COLUMNS, decode
from ohara.store.sqlite.word_blocks import string_of
from ohara.store.sqlite.word_pieces import read_dropped, read_pieces, read_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ohara.store.sqlite.connection import Connection

_POSTINGS = """SELECT word, change, message, change_places, message_places FROM posting
  WHERE piece = ? ORDER BY word"""


def listed_words(connection: Connection) -> Iterator[tuple[str, int, str, int]]:
    """Each word, with a hunk that holds it, the column, and how often it stands there."""
    dropped = read_dropped(connection)
    for piece, _, _ in read_pieces(connection):
        texts = read_texts(connection, piece)
        kept = dropped.kept(texts.hunks, piece)
        for word, *strings in connection.execute(_POSTINGS, (piece,)):
            change, message, places, message_places = (
                string_of(connection, piece, each) or b"" for each in strings
            )
            if change:
                read = decode([change], is_message=False, places=[places])
                for text, counts in zip(read.texts.tolist(), read.counts().tolist(), strict=True):
                    if kept is None or kept[text]:
                        hunk = int(texts.hunks[text])
                        yield from (
                            (word, hunk, column, times)
                            for column, times in zip(COLUMNS, counts, strict=True)
                            if times
                        )
            if message:
                said = decode([message], is_message=True, places=[message_places])
                of_units, owners = texts.of_units(said.texts)
                for text, times in zip(of_units.tolist(), said.codes[owners].tolist(), strict=True):
                    if kept is None or kept[text]:
                        yield word, int(texts.hunks[text]), "message", times

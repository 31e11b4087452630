"""Where the writer puts the words of hunks: into postings, and meanwhile into the table of former versions.

An index of a former version is searched by its FTS5 table until postings are there of all its commits. They
are made commit by commit, in the order of their numbers (`convert`); how far that is stands in `meta`. Until
the end what is new goes into that table, and into postings too if its commit is already converted.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from ohara.store.sqlite import former_words, word_merge
from ohara.store.sqlite.soundness import sound
from ohara.store.sqlite.word_writer import WordWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.sqlite.connection import Connection
    from ohara.store.vocabulary import Packed, Vocabulary

_CONVERTED = "words_converted"  # in meta: the highest commit whose words are in postings, too
_READ = "SELECT value FROM meta WHERE key = ?"
_RECORD = "INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)"
_FORGET = "DELETE FROM meta WHERE key = ?"
_UNCONVERTED = "SELECT id FROM commits WHERE id > ? AND passes & 1 ORDER BY id"


class TextRow(NamedTuple):
    """A hunk with its commit and the words of its columns."""

    vocabulary: Vocabulary
    hunk: int
    commit: int
    message: Packed
    path: Packed = b""
    header: Packed = b""
    added: Packed = b""
    removed: Packed = b""
    context: Packed = b""


class HunkWords:
    """The words of hunks, as the writer writes them; all of it belongs to the open batch."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._postings = WordWriter(connection)
        self.is_merged_late = False
        self._load()

    def _load(self) -> None:
        self.is_former = former_words.are_there(self._connection)
        row = self._connection.execute(_READ, (_CONVERTED,)).fetchone()
        self._converted = int(json.loads(row[0])) if row else 0

    def add(self, rows: Sequence[TextRow]) -> None:
        """Add the words of hunks that have none yet."""
        converted = rows
        if self.is_former:
            former = [(row.hunk, *map(row.vocabulary.text, row[3:])) for row in rows]
            self._connection.executemany(former_words.INSERT, former)
            converted = [row for row in rows if row.commit <= self._converted]
        self._postings.add(converted)

    def drop(self, hunks: Iterable[int]) -> None:
        """Take the words of hunks away."""
        gone = list(hunks)
        if self.is_former:
            self._connection.executemany(former_words.DELETE, [(hunk,) for hunk in gone])
        with sound(self._connection.filename):
            self._postings.drop(gone)

    def restart(self) -> None:
        """Take all words away."""
        self._postings.drop_all()
        self.end_conversion()

    def finish(self) -> None:
        """Write what was added; before the batch ends."""
        self._postings.finish()
        if not self.is_merged_late:
            with sound(self._connection.filename):
                word_merge.merge_crowded(self._connection)

    def undo(self) -> None:
        """Forget what was added in a batch that was rolled back."""
        self._postings.undo()
        self._load()

    def compact(self) -> None:
        """Merge pieces, so that there are few."""
        self._postings.finish()
        with sound(self._connection.filename):
            word_merge.compact(self._connection)

    @property
    def need_compaction(self) -> bool:
        """True when much was dropped that pieces still speak of."""
        return word_merge.needs_compaction(self._connection)

    def join(self) -> None:
        """Merge all pieces to one, unless that is much."""
        self._postings.finish()
        with sound(self._connection.filename):
            word_merge.join(self._connection)

    def tidy(self) -> None:
        """Give up the room of what was dropped."""
        self._postings.finish()
        with sound(self._connection.filename):
            word_merge.tidy(self._connection)

    # -- indexes of former versions --------------------------------------------------------------

    def unconverted(self) -> list[int]:
        """The commits whose words are only in the table of former versions, in the order to convert them."""
        if not self.is_former:
            return []
        return [row[0] for row in self._connection.execute(_UNCONVERTED, (self._converted,))]

    def convert(self, rows: Sequence[TextRow], until: int) -> None:
        """Write the postings of commits whose words are in that table; the last of them is `until`."""
        self._postings.add(rows)
        self._converted = until
        self._connection.execute(_RECORD, (_CONVERTED, json.dumps(until)))

    def end_conversion(self) -> None:
        """Drop the table of former versions: all is in postings."""
        self._connection.execute(f"DROP TABLE IF EXISTS {former_words.TABLE}")
        self._connection.execute(_FORGET, (_CONVERTED,))
        self.is_former = False
        self._converted = 0

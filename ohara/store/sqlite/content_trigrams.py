"""Where the writer puts the trigrams of contents: into lists, piece by piece.

An index of a former version has them in an FTS5 table. Those follow commit by commit, in the order of their
numbers (`convert`); how far that is stands in `meta`. What is new goes into lists at once; until the end both
are searched.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ohara.store.sqlite import former_trigrams, trigram_merge
from ohara.store.sqlite.soundness import sound
from ohara.store.sqlite.trigram_writer import TrigramWriter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.store.sqlite.connection import Connection
    from ohara.store.trigram_codes import Packed

_CONVERTED = "trigrams_converted"  # in meta: the highest commit whose trigrams are all in lists
_READ = "SELECT value FROM meta WHERE key = ?"
_RECORD = "INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)"
_FORGET = "DELETE FROM meta WHERE key = ?"
_UNCONVERTED = "SELECT id FROM commits WHERE id > ? AND passes & 2 ORDER BY id"


class ContentTrigrams:
    """The trigrams of contents, as the writer writes them; all of it belongs to the open batch."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lists = TrigramWriter(connection)
        self.is_merged_late = False
        self._load()

    def _load(self) -> None:
        self.is_former = former_trigrams.are_there(self._connection)
        row = self._connection.execute(_READ, (_CONVERTED,)).fetchone()
        self._converted = int(json.loads(row[0])) if row else 0

    def add(self, rows: Iterable[tuple[int, Packed]]) -> None:
        """Add the trigrams of contents that have none yet."""
        for content, trigrams in rows:
            self._lists.add(content, trigrams)

    def has(self, content: int) -> bool:
        """True when the trigrams of a content are in lists."""
        with sound(self._connection.filename):
            return self._lists.has(content)

    def drop(self, contents: Iterable[int]) -> None:
        """Take the trigrams of contents away."""
        gone = list(contents)
        if self.is_former:
            former_trigrams.drop(self._connection, gone)
        with sound(self._connection.filename):
            self._lists.drop(gone)

    def restart(self) -> None:
        """Take all trigrams away."""
        self._lists.drop_all()
        self.end_conversion()

    def finish(self) -> None:
        """Write what was added; before the batch ends."""
        self._lists.finish()
        if not self.is_merged_late:
            with sound(self._connection.filename):
                trigram_merge.merge_crowded(self._connection)

    def undo(self) -> None:
        """Forget what was added in a batch that was rolled back."""
        self._lists.undo()
        self._load()

    def compact(self) -> None:
        """Merge pieces, so that there are few."""
        self._lists.finish()
        with sound(self._connection.filename):
            trigram_merge.compact(self._connection)

    def join(self) -> None:
        """Merge all pieces to one, unless that is much."""
        self._lists.finish()
        with sound(self._connection.filename):
            trigram_merge.join(self._connection)

    def tidy(self) -> None:
        """Give up the room of what was dropped."""
        self._lists.finish()
        with sound(self._connection.filename):
            trigram_merge.tidy(self._connection)

    # -- indexes of former versions --------------------------------------------------------------

    def unconverted(self) -> list[int]:
        """The commits of which some trigrams may be in the table alone, in the order to convert them."""
        if not self.is_former:
            return []
        return [row[0] for row in self._connection.execute(_UNCONVERTED, (self._converted,))]

    def converted(self, until: int) -> None:
        """All commits up to this one have their trigrams in lists."""
        self._converted = until
        self._connection.execute(_RECORD, (_CONVERTED, json.dumps(until)))

    def end_conversion(self) -> None:
        """Drop the table of former versions: all is in lists."""
        self._connection.execute(f"DROP TABLE IF EXISTS {former_trigrams.TABLE}")
        self._connection.execute(_FORGET, (_CONVERTED,))
        self.is_former = False
        self._converted = 0

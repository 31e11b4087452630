"""The pieces that postings are kept in: each is whole in itself, written once and never changed.

    word_piece(piece, hunks, words, texts)           which hunks it is about, and how long their texts are
    posting(piece, word, hunks, change, message, …)  which of them hold a word (`posting_codec`)
    dropped_words(hunk, piece)                       a hunk that the pieces up to this one no longer speak of

A batch adds a piece; small pieces are merged to larger ones, and then what was dropped is left out. Within a
piece a text goes by its place in it, from 0. Hunks of one commit that come one after the other are a unit:
they share a message, whose words are kept once for all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.arrays import np
from ohara.records import dataclass
from ohara.store.sqlite.posting_codec import closed, opened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ohara.store.sqlite.connection import Connection
    from ohara.store.sqlite.posting_codec import Postings
    from ohara.store.sqlite.varints import Numbers

_ADD = "INSERT INTO word_piece(hunks, words, texts) VALUES(?, ?, ?) RETURNING piece"
_PIECES = "SELECT piece, hunks, words FROM word_piece ORDER BY piece"
_TEXTS = "SELECT texts FROM word_piece WHERE piece = ?"
_DROPPED = "SELECT hunk, piece FROM dropped_words ORDER BY hunk"

INSERT_POSTING = "INSERT INTO posting VALUES(?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True, eq=False)
class Dropped:
    """Hunks that were dropped, in order, and up to which piece what is said of each no longer counts."""

    hunks: Numbers
    pieces: Numbers

    def kept(self, hunks: Numbers, pieces: Numbers | int) -> NDArray[np.bool_] | None:
        """Which of some hunks, each in a piece, still count there; None when all do."""
        if not len(self.hunks):
            return None
        at = np.minimum(np.searchsorted(self.hunks, hunks), len(self.hunks) - 1)
        kept: NDArray[np.bool_] = (self.hunks[at] != hunks) | (self.pieces[at] < pieces)
        return None if kept.all() else kept


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """The texts of a piece: whose they are, how many words each has, and how many make up each unit."""

    hunks: Numbers
    lengths: Numbers
    units: Numbers

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        return int(self.hunks.nbytes + self.lengths.nbytes + self.units.nbytes)

    @property
    def unit_starts(self) -> Numbers:
        """The first text of each unit."""
        return np.cumsum(self.units) - self.units

    def of_units(self, units: Numbers) -> tuple[Numbers, Numbers]:
        """The texts of some units, one unit after the other, and which of these each belongs to."""
        if not _are_within(units, len(self.units)):
            raise ValueError("a message of no text")
        sizes = self.units[units]
        owners = np.repeat(np.arange(len(units)), sizes)
        within = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return self.unit_starts[units][owners] + within, owners


class AllTexts:
    """The texts of all pieces, one piece after the other, and so their units."""

    def __init__(self, pieces: Sequence[tuple[int, Texts]]) -> None:
        nothing = np.zeros(0, np.int64)
        self.pieces = {piece: at for at, (piece, _) in enumerate(pieces)}
        self.hunks = np.concatenate([nothing, *(texts.hunks for _, texts in pieces)])
        self.lengths = np.concatenate([nothing, *(texts.lengths for _, texts in pieces)])
        self.units = np.concatenate([nothing, *(texts.units for _, texts in pieces)])
        self.unit_starts = np.cumsum(self.units) - self.units
        self.unit_of_text: NDArray[np.int32] = np.repeat(
            np.arange(len(self.units), dtype=np.int32), self.units
        )
        self.text_bounds = np.cumsum([0, *(len(texts.hunks) for _, texts in pieces)])
        self.unit_bounds = np.cumsum([0, *(len(texts.units) for _, texts in pieces)])

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        texts = self.hunks.nbytes + self.lengths.nbytes + self.unit_of_text.nbytes
        return int(texts + 2 * self.units.nbytes)

    def kept(self, dropped: Dropped) -> NDArray[np.bool_] | None:
        """Which texts still count; None when all do."""
        pieces = np.array(list(self.pieces), np.int64)
        return dropped.kept(self.hunks, np.repeat(pieces, np.diff(self.text_bounds)))

    def of_units(self, units: Numbers) -> Numbers:
        """The texts of some units, one unit after the other."""
        sizes = self.units[units]
        firsts = np.cumsum(sizes) - sizes
        of_all: Numbers = np.repeat(self.unit_starts[units] - firsts, sizes)
        return of_all + np.arange(len(of_all))

    def placed(self, pieces: Numbers, texts: Numbers, *, is_message: bool) -> Numbers:
        """Texts of some pieces, or units for messages, by their place among all."""
        bounds = self.unit_bounds if is_message else self.text_bounds
        found: Numbers = texts + bounds[pieces]
        if len(texts) and (int(texts.min()) < 0 or (found >= bounds[pieces + 1]).any()):
            raise ValueError("a posting names a text that is not there")
        return found


def _are_within(numbers: Numbers, size: int) -> bool:
    return not len(numbers) or (int(numbers.min()) >= 0 and int(numbers.max()) < size)


def pack(texts: Texts) -> bytes:
    """Texts as one string."""
    steps = np.diff(texts.hunks, prepend=0)
    turned = np.where(steps < 0, -2 * steps - 1, 2 * steps)
    sizes = np.array([len(texts.hunks) + 1, len(texts.units)], np.int64)
    return closed(np.concatenate((sizes, turned, texts.lengths, texts.units)))


def unpack(packed: bytes) -> Texts:
    """The texts of a string; raises ValueError for what `pack` did not make."""
    numbers = opened(packed)
    if len(numbers) < 2:
        raise ValueError("a piece says nothing")
    count, units = int(numbers[0]) - 1, int(numbers[1])
    if len(numbers) != 2 + 2 * count + units:
        raise ValueError("a piece is not as long as it says")
    turned, lengths, sizes = np.split(numbers[2:], [count, 2 * count])
    hunks = np.cumsum(np.where(turned & 1, -(turned + 1) // 2, turned // 2))
    if int(sizes.sum()) != count or (hunks < 1).any():
        raise ValueError("the units of a piece do not add up")
    return Texts(hunks, lengths, sizes)


def read_texts(connection: Connection, piece: int) -> Texts:
    """The texts of a piece."""
    return unpack(connection.execute(_TEXTS, (piece,)).get)


def read_dropped(connection: Connection) -> Dropped:
    """Which hunks were dropped, and up to which piece."""
    rows = np.array(connection.execute(_DROPPED).fetchall(), np.int64).reshape(-1, 2)
    return Dropped(rows[:, 0], rows[:, 1])


def read_pieces(connection: Connection) -> list[tuple[int, int, int]]:
    """Each piece, how many texts it has, and how many words they have together."""
    return [(int(piece), int(hunks), int(words)) for piece, hunks, words in connection.execute(_PIECES)]


def add_piece(connection: Connection, texts: Texts) -> int:
    """Add a piece without postings; its number, which no other ever has."""
    row = (len(texts.hunks), int(texts.lengths.sum()), pack(texts))
    return int(connection.execute(_ADD, row).get)


def hunks_holding(change: Postings, message: Postings, texts: Texts, rows: int) -> Numbers:
    """How many texts hold the word of each row, in their change, their message or both."""
    count = len(texts.hunks)
    changed = change.rows * count + change.texts
    said, owners = texts.of_units(message.texts)
    of_rows = message.rows[owners]
    wanted = of_rows * count + said
    at = np.searchsorted(changed, wanted)
    found = np.zeros(len(wanted), bool)
    inside = at < len(changed)
    found[inside] = changed[at[inside]] == wanted[inside]
    return np.bincount(change.rows, minlength=rows) + np.bincount(of_rows[~found], minlength=rows)


def hunks_with_words(connection: Connection) -> list[int]:
    """The hunks that have a text, be it an empty one."""
    dropped = read_dropped(connection)
    found: list[int] = []
    for piece, _, _ in read_pieces(connection):
        texts = read_texts(connection, piece)
        kept = dropped.kept(texts.hunks, piece)
        found += (texts.hunks if kept is None else texts.hunks[kept]).tolist()
    return found

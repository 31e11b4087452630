"""Finds and scores hunks by the postings of words (`word_pieces`), with arrays: BM25 as FTS5 computes it.

A question is answered within one snapshot. Texts go by their place among those of all pieces, one piece after
the other; what a word is worth is computed for all texts at once.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ohara.arrays import np
from ohara.store.bm25 import K1, B, idf
from ohara.store.sqlite.held_words import Held, Weighting
from ohara.store.sqlite.phrases import phrase
from ohara.store.sqlite.posting_codec import COLUMNS, NOTHING, decode, of_some, small, split, with_places
from ohara.store.sqlite.soundness import sound
from ohara.store.sqlite.word_blocks import string_of
from ohara.store.sqlite.word_pieces import AllTexts, read_dropped, read_pieces, read_texts
from ohara.store.tokens import words as words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ohara.store.answers import Weights, WordQuery
    from ohara.store.sqlite.filters import FtsFilter
    from ohara.store.sqlite.posting_codec import Postings
    from ohara.store.sqlite.session import Session
    from ohara.store.sqlite.varints import Numbers

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

_MESSAGE = "message"  # the first column; the others are those of a change

# One look-up in each piece, one piece after the other.
_OF_WORD = """SELECT {} FROM word_piece CROSS JOIN posting
  ON posting.piece = word_piece.piece AND posting.word = ?"""
_POSTINGS = _OF_WORD.format("posting.hunks, posting.piece, change, message") + " ORDER BY word_piece.piece"
_PLACES = tuple(
    f"SELECT {places} FROM posting WHERE piece = ? AND word = ?"
    for places in ("change_places", "message_places")
)
_HELD = _OF_WORD.format("coalesce(sum(posting.hunks), 0)")
_SIMILAR = """SELECT word, hunks FROM posting WHERE piece = ? AND word >= ? AND word < ?
  AND length(word) BETWEEN ? AND ?"""


class WordPostings(NamedTuple):
    """The postings of a word in changes and in messages; of a phrase nobody has counted the hunks."""

    change: Postings
    message: Postings
    hunks: int | None = None

    def of(self, which: int) -> Postings:
        """Those in changes (0) or in messages (1)."""
        return self.message if which else self.change

    @property
    def size(self) -> int:
        """How many bytes they take."""
        return self.change.size + self.message.size


class WordSearch:
    """The words of an index in its present state; to be used within one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._rows = session.connection.execute
        pieces = read_pieces(session.connection)
        self._texts = self._read_texts([piece for piece, _, _ in pieces])
        self._size = len(self._texts.hunks)
        # Not for every question: a run that makes words again drops as many hunks as it writes.
        self._kept = session.noted("kept texts", lambda: self._texts.kept(read_dropped(session.connection)))
        gone = self._texts.lengths[~self._kept] if self._kept is not None else np.zeros(0, np.int64)
        self._count = self._size - len(gone)
        self._words = sum(words for _, _, words in pieces) - int(gone.sum())

    # -- what is asked ---------------------------------------------------------------------------

    def scored(
        self,
        words: WordQuery,
        weightings: Sequence[tuple[Weights, float]],
        allowed: FtsFilter,
        limit: int,
    ) -> list[tuple[int, tuple[float, ...]]]:
        """The hunks that hold words, with their BM25 under each weighting, best mixture first."""
        columns = named_columns(words.columns)
        held, found = self._selected(words, columns, allowed)
        if not len(found):
            return []
        scores = self._scores(held, found, columns, [weights for weights, _ in weightings])
        mixed = np.zeros(len(found))
        for of_one, (_, share) in zip(scores, weightings, strict=True):
            mixed = mixed + share * of_one / max(float(of_one.max()), 1e-9)
        hunks = self._hunks(found)
        best = best_of(mixed, hunks, limit)
        found_scores = np.stack(scores)[:, best].T.tolist()
        return list(zip(_listed(hunks[best]), map(tuple, found_scores), strict=True))

    def holding_any(self, phrases: Iterable[str], columns: Sequence[str]) -> list[int]:
        """The hunks that hold at least one of some phrases in one of the columns."""
        there = named_columns(columns)
        return _listed(self._hunks(self._holding(self._held(list(phrases), there), there)))

    def holding_flags(self, phrases: Sequence[str], columns: Sequence[str]) -> bytes:
        """The same as a byte for each hunk from number 1 on: 1 for those that hold one."""
        there = named_columns(columns)
        hunks = self._hunks(self._holding(self._held(phrases, there), there))
        found = np.zeros(int(hunks.max(initial=0)), np.uint8)
        found[hunks - 1] = 1
        return found.tobytes()

    def holding_all(self, phrases: Sequence[str], columns: Sequence[str]) -> list[int]:
        """The hunks that hold each of some phrases in one of the columns."""
        there = named_columns(columns)
        found: Numbers | None = None
        for each in self._held(phrases, there):
            some = self._holding([each], there)
            found = some if found is None else np.intersect1d(found, some, assume_unique=True)
            if not len(found):
                break
        return _listed(self._hunks(found)) if found is not None else []

    def frequency(self, word: str) -> int:
        """How many hunks hold a word."""
        if self._kept is None:
            return int(self._rows(_HELD, (word,)).get)
        there = named_columns(())
        return len(self._holding(self._held([word], there), there))

    def similar(self, low: str, high: str, shortest: int, longest: int) -> dict[str, int]:
        """The words between two of some length, and about how many hunks hold each."""
        found: dict[str, int] = {}
        for piece in self._texts.pieces:
            for word, hunks in self._rows(_SIMILAR, (piece, low, high, shortest, longest)):
                found[word] = found.get(word, 0) + hunks
        return found

    def _selected(self, words: WordQuery, columns: Floats, allowed: FtsFilter) -> tuple[list[Held], Numbers]:
        """Where words stand, and the texts that those which select find; without any, no others are read."""
        held = self._held(words.selecting, columns)
        found = self._allowed(held, columns, allowed)
        if len(found):
            held += self._held(words.common, columns)
        return held, found

    def _allowed(self, held: Sequence[Held], columns: Floats, allowed: FtsFilter) -> Numbers:
        """The texts in which something stands, of those that may answer."""
        found = self._holding(held, columns)
        if not allowed.everything and len(found):
            found = found[self._passing(allowed, self._hunks(found))]
        return found

    # -- where words stand -----------------------------------------------------------------------

    def _held(self, written: Sequence[str], columns: Floats) -> list[Held]:
        """Where some phrases stand; those of one word are read together."""
        cut = [words_of(each) for each in written]
        with sound(self._session.database):
            read = self._kept_or_read({words[0] for words in cut if len(words) == 1})
            return [
                self._made(read[words[0]] if len(words) == 1 else self._phrase(words), columns)
                for words in cut
            ]

    @property
    def _state(self) -> tuple[object, ...]:
        """Of which pieces postings are kept for all readers: a piece never changes."""
        return self._session.stamp.identity, "postings", tuple(self._texts.pieces)

    def _kept_or_read(self, words: Iterable[str]) -> dict[str, WordPostings]:
        """The postings of words, in memory or read."""
        state = self._state
        found: dict[str, WordPostings] = {}
        for word in words:
            known: WordPostings | None = self._session.kept((state, word))
            if known is not None:
                found[word] = known
        missing = [word for word in words if word not in found]
        for word, read in zip(missing, self._read(missing), strict=True):
            found[word] = WordPostings(small(read.change), small(read.message), read.hunks)
            self._session.keep((state, word), found[word])
        return found

    def _made(self, both: WordPostings, columns: Floats) -> Held:
        change, message, hunks = both
        if not columns[1:].any():
            change = NOTHING
        if not columns[0]:
            message = NOTHING
        # What the index has counted holds for all columns, and for the hunks that were there then.
        counted = hunks if columns.all() and self._kept is None else None
        return Held(change.texts, change.codes, change.far, message.texts, message.codes, counted)

    def _phrase(self, words: Sequence[str]) -> WordPostings:
        """The postings of words that stand one after the other, in memory or found by their places."""
        if not words:
            return WordPostings(NOTHING, NOTHING)
        key = (self._state, *words)
        known: WordPostings | None = self._session.kept(key)
        if known is None:
            read = self._kept_or_read(words)
            change, message = (small(self._one_after_the_other(words, read, at)) for at in (0, 1))
            known = WordPostings(change, message)
            self._session.keep(key, known)
        return known

    def _one_after_the_other(
        self, words: Sequence[str], read: Mapping[str, WordPostings], which: int
    ) -> Postings:
        """Where words follow each other, in changes (0) or messages (1); texts that lack one are not read."""
        size = (self._size, len(self._texts.units))[which]
        among = _in_all([read[word].of(which) for word in words], size)
        if not among.any():
            return NOTHING
        placed = [self._placed(word, read[word].of(which), among, which) for word in words]
        return phrase(placed, is_message=which == 1)

    def _placed(self, word: str, postings: Postings, among: Flags, which: int) -> Postings:
        """Those postings of a word that are in some texts, or units, with their places."""
        self._session.check()
        wanted = among[postings.texts]
        bounds = (self._texts.text_bounds, self._texts.unit_bounds)[which]
        starts = np.searchsorted(postings.texts, bounds).tolist()
        used = np.zeros(len(wanted), bool)
        strings: list[bytes] = []
        for piece, (start, end) in zip(self._texts.pieces, pairwise(starts), strict=True):
            if wanted[start:end].any():
                used[start:end] = True
                kept = self._rows(_PLACES[which], (piece, word)).get
                strings.append(string_of(self._session.connection, piece, kept) or b"")
        return with_places(of_some(postings, used), strings, wanted[used], is_message=which == 1)

    def _read(self, words: Sequence[str]) -> list[WordPostings]:
        """The postings of words, in changes and in messages."""
        rows: list[tuple[int, int, list[bytes | None]]] = []
        counted = [0] * len(words)
        for at, word in enumerate(words):
            self._session.check()
            for hunks, piece, *kept in self._rows(_POSTINGS, (word,)):
                counted[at] += hunks
                strings = [string_of(self._session.connection, piece, each) for each in kept]
                rows.append((at, self._texts.pieces[piece], strings))
        changes, messages = (self._decoded(rows, len(words), which) for which in (0, 1))
        return list(map(WordPostings, changes, messages, counted))

    def _decoded(
        self, rows: Sequence[tuple[int, int, list[bytes | None]]], words: int, which: int
    ) -> list[Postings]:
        """The postings of each word, of its rows (word, piece, strings) in all pieces."""
        is_message = which == 1
        used = [row for row in rows if row[2][which]]
        if not used:
            return [NOTHING] * words
        read = decode([row[2][which] or b"" for row in used], is_message=is_message)
        of_words, pieces = (np.array([row[at] for row in used], np.int64) for at in (0, 1))
        texts = self._texts.placed(pieces[read.rows], read.texts, is_message=is_message)
        return split(read, of_words[read.rows], texts, words, is_message=is_message)

    def _holding(self, held: Sequence[Held], columns: Floats) -> Numbers:
        """The texts in which something stands, in order."""
        found = np.zeros(self._size, bool)
        for each in held:
            found[self._changed(each, columns)] = True
            found[self._texts.of_units(each.units)] = True
        if self._kept is not None:
            found &= self._kept
        return np.flatnonzero(found)

    @staticmethod
    def _changed(held: Held, columns: Floats) -> Numbers:
        return held.changed if columns[1:].all() else held.changed[held.weighted(Weighting(columns)) > 0]

    # -- what they are worth ---------------------------------------------------------------------

    def _scores(
        self, held: Sequence[Held], found: Numbers, columns: Floats, weightings: Sequence[Weights]
    ) -> list[Floats]:
        """The BM25 of some texts under each weighting."""
        average = (self._words / self._count if self._count else 0.0) or 1.0
        norms = K1 * (1.0 - B + B * self._texts.lengths[found] / average)
        is_found = np.zeros(self._size, bool)
        is_found[found] = True
        places = np.empty(self._size, np.int64)  # among those found; of others it says nothing
        places[found] = np.arange(len(found))
        units = self._texts.unit_of_text[found]
        scores = [np.zeros(len(found)) for _ in weightings]
        weighed = [Weighting.of(weights, columns) for weights in weightings]
        for each in held:
            holding = each.hunks if each.hunks is not None else len(self._holding([each], columns))
            worth = idf(self._count, holding)
            # The words that most texts hold are the longest to go through: only what was found is looked at.
            some = each.narrowed(is_found)
            changed, said = places.take(some.changed), each.said(units, len(self._texts.units))
            is_said = said != 0
            spoken = np.flatnonzero(is_said)  # of flags this takes a tenth of what it takes of numbers
            is_said[changed] = False
            only_said = np.flatnonzero(is_said) if len(spoken) else spoken
            for at, weighting in enumerate(weighed):
                of_message = weighting.weights[0]
                if not weighting.of_change:
                    where, times = spoken, of_message * said[spoken]
                elif not of_message or not len(spoken):
                    where, times = changed, some.weighted(weighting)
                else:  # in the change, and then in the message alone
                    of_changed = of_message * said[changed]
                    of_changed += some.weighted(weighting)
                    where = np.concatenate((changed, only_said))
                    times = np.concatenate((of_changed, of_message * said[only_said]))
                worths = times * (K1 + 1.0)
                worths /= times + norms[where]
                worths *= worth
                scores[at][where] += worths
        return scores

    def _passing(self, allowed: FtsFilter, hunks: Numbers) -> Flags:
        """Which of some hunks a filter lets through."""
        let_through = np.frombuffer(allowed.passing(self._session, _listed(hunks)), np.uint8)
        passing = np.zeros(len(hunks), bool)
        known = hunks <= len(let_through)
        passing[known] = let_through[hunks[known] - 1] == 1
        return passing

    # -- texts -----------------------------------------------------------------------------------

    def _read_texts(self, pieces: Sequence[int]) -> AllTexts:
        """The texts of pieces, which never change: read once for all readers."""
        session = self._session
        with sound(session.database):
            return session.shared(
                (session.stamp.identity, "texts", tuple(pieces)),
                lambda: AllTexts([(piece, read_texts(session.connection, piece)) for piece in pieces]),
            )

    def _hunks(self, texts: Numbers) -> Numbers:
        """Whose texts these are."""
        return self._texts.hunks[texts]


def _in_all(words: Sequence[Postings], size: int) -> Flags:
    """Which of so many texts, or units, hold all of some words."""
    held = np.zeros(size, np.int32)
    for each in words:
        held[each.texts] += 1
    return np.equal(held, len(words))


def _listed(numbers: Numbers) -> list[int]:
    listed: list[int] = numbers.tolist()
    return listed


def named_columns(named: Sequence[str]) -> Floats:
    """1 for each column that may hold words, message first; none named means all."""
    return np.array([float(not named or each in named) for each in (_MESSAGE, *COLUMNS)])


def best_of(mixed: Floats, hunks: Numbers, limit: int) -> Numbers:
    """The places of the best, the best first; of equals those with the lower number."""
    if len(mixed) > limit:
        bound = np.partition(mixed, len(mixed) - limit)[len(mixed) - limit] if limit else np.inf
        among = np.flatnonzero(mixed >= bound)
    else:
        among = np.arange(len(mixed))
    return among[np.lexsort((hunks[among], -mixed[among]))][:limit]

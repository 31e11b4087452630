"""Finds the contents that hold trigrams, by the lists of all pieces; without numpy, which takes long to load.

A formula is looked up piece by piece. Of several trigrams the rarest is read first, and others only as long
as reading them costs less than looking at the contents that they may rule out.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from ohara.errors import InternalError
from ohara.store.sql.literal import TrigramTable
from ohara.store.sqlite import former_trigrams
from ohara.store.sqlite.number_runs import NumberRun
from ohara.store.sqlite.soundness import sound
from ohara.store.sqlite.trigram_pieces import are_there, piece_numbers, read_piece
from ohara.store.trigram_codes import codes_of
from ohara.store.trigram_query import All, Either

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.sqlite.session import Session
    from ohara.store.sqlite.trigram_pieces import Piece
    from ohara.store.trigram_query import Formula

# To look at a content takes as long as to read a hundred entries of a list, and a list that is so much longer
# than what is left rules out a part of it.
_ENTRIES_A_CONTENT = 15
_SHORT = 4_000  # entries: a fifth of a millisecond
_FEW = 8  # contents: to look at them takes no longer than to open more lists
_SIDE_BY_SIDE = 3  # trigrams of a text share no character with the third after them


class _List:
    """The contents that hold one trigram, not read yet."""

    __slots__ = ("_begin", "_run", "length")

    def __init__(self, run: NumberRun, begin: int, length: int) -> None:
        self._run = run
        self._begin = begin
        self.length = length

    def contents(self) -> Iterable[int]:
        """The contents, in order."""
        return self._run.sums(self._begin, self._begin + self.length)


class _Block:
    """A block of lists."""

    def __init__(self, string: bytes) -> None:
        self._run = run = NumberRun(string)
        (lists,) = run.some(0, 1)
        self._codes = list(run.sums(1, 1 + lists))
        self._counts = run.some(1 + lists, 1 + 2 * lists)

    def find(self, code: int) -> _List | None:
        """The list of a trigram; None when no content holds it."""
        at = bisect_left(self._codes, code)
        if at == len(self._codes) or self._codes[at] != code:
            return None
        begin = 1 + 2 * len(self._codes) + sum(self._counts[:at])
        return _List(self._run, begin, self._counts[at])


def _length(one: _List | None) -> int:
    return -1 if one is None else one.length


def trigram_table(session: Session, formula: Formula) -> TrigramTable:
    """The contents that may hold what a formula asks for, as a table."""
    connection = session.connection
    found: set[int] = set()
    if former_trigrams.are_there(connection):
        found = former_trigrams.holding(session, formula)
    if are_there(connection):
        with sound(session.database):
            for number in piece_numbers(connection):
                session.check()
                found |= _OfPiece(session, _kept_or_read(session, number)).holding(formula)
    # In order, so that hunks are looked up one beside the other.
    return TrigramTable("numbers(?) AS found", "found.value", "1 = 1", (session.listed(sorted(found)),))


def _kept_or_read(session: Session, number: int) -> Piece:
    """A piece, which never changes: read once for all readers."""
    return session.shared(
        (session.stamp.identity, "trigrams", number), lambda: read_piece(session.connection, number)
    )


class _OfPiece:
    """One piece, with the blocks that were read of it."""

    def __init__(self, session: Session, piece: Piece) -> None:
        self._connection = session.connection
        self._piece = piece
        self._blocks: dict[int, _Block] = {}

    def holding(self, formula: Formula) -> set[int]:
        match formula:
            case str():
                return self._in_all(codes_of(formula), ())
            case All(parts):
                trigrams = [part for part in parts if isinstance(part, str)]
                codes = dict.fromkeys(code for trigram in trigrams for code in codes_of(trigram))
                return self._in_all(list(codes), [part for part in parts if not isinstance(part, str)])
            case Either(parts):
                return set().union(*map(self.holding, parts))

    def _in_all(self, codes: Sequence[int], others: Sequence[Formula]) -> set[int]:
        """The contents that hold all of some trigrams and formulas, of which there is at least one."""
        if not codes and not others:
            raise InternalError("nothing is required: there is nothing to ask for")
        found = self._with_all(codes) if codes else None
        for other in others:
            if found is None:
                found = self.holding(other)
            elif found:
                found &= self.holding(other)
        return found or set()

    def _with_all(self, codes: Sequence[int]) -> set[int]:
        """The contents that hold some trigrams, in the order in which a text has these."""
        found: set[int] | None = None
        # Those side by side first: the ones across them rule out little more.
        for begin in range(_SIDE_BY_SIDE):
            if found is not None and len(found) <= _FEW:
                break
            lists = [self._find(code) for code in codes[begin::_SIDE_BY_SIDE]]
            for each in sorted(lists, key=_length):
                if each is None:
                    return set()
                if found is None:
                    found = set(each.contents())
                elif each.length > max(_SHORT, len(found) * _ENTRIES_A_CONTENT):
                    break
                else:
                    found.intersection_update(each.contents())
        return found or set()

    def _find(self, code: int) -> _List | None:
        at = bisect_right(self._piece.firsts, code) - 1
        if at < 0:
            return None
        block = self._blocks.get(at)
        if block is None:
            block = self._blocks[at] = _Block(self._piece.block(self._connection, at))
        return block.find(code)

"""Words as they stand in columns of texts, put in order and written as strings of postings (`posting_codec`).

In numpy, where sorting numbers puts the places of every word together, or compiled, where they are counted:
the same strings either way.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ohara.arrays import np
from ohara.records import dataclass
from ohara.speedups import compiled
from ohara.store.sqlite.ordering import ordered_by_range
from ohara.store.sqlite.posting_codec import (
    CODED,
    COLUMNS,
    Postings,
    codes_of,
    compressed,
    encode,
    encode_places,
)
from ohara.store.sqlite.word_pieces import hunks_holding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ohara.store.sqlite.varints import Numbers
    from ohara.store.sqlite.word_pieces import Texts

    Strings = Sequence[bytes | None]

_WIDTH = len(COLUMNS)

TEXT_BITS = 17
"""Of the number of a text: a word, a text, a column and a place are sorted as one number."""
_COLUMN_BITS, _PLACE_BITS = 3, 21
_LAST_PLACE = (1 << _PLACE_BITS) - 1


class Written(NamedTuple):
    """Of some words: the strings of each, and how many texts hold it in their change, their message or both.

    The strings are those of the change, of the message, and of the places in each.
    """

    strings: Sequence[Strings]
    held: Sequence[int]


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Words by their ranks, one column behind the other, and how many words each column has."""

    ranks: NDArray[np.int32]
    sizes: Numbers


def written(change: Standing, message: Standing, texts: Texts, cuts: Sequence[int]) -> Iterator[Written]:
    """The words of ranks from each cut to the next, of changes with columns and messages with but one."""
    if max(int(each.sizes.max(initial=0)) for each in (change, message)) > _LAST_PLACE:
        raise ValueError("a column has too many words")
    if compiled is None:
        of_changes, of_messages = _keys(change, _WIDTH, cuts), _keys(message, 1, cuts)
        for (first, last), changes, messages in zip(pairwise(cuts), of_changes, of_messages, strict=True):
            yield written_of(_postings(changes, _WIDTH), _postings(messages, 1), texts, last - first)
        return
    standing = [compiled.Standing(each.ranks, each.sizes, cuts[-1]) for each in (change, message)]
    for first, last in pairwise(cuts):
        changed, said, *places, held = compiled.written(*standing, texts.units, first, last)
        yield Written((compressed(changed), compressed(said), *map(compressed, places)), held)


def written_of(
    change: Postings, message: Postings, texts: Texts, rows: int, places: Sequence[Strings] = ()
) -> Written:
    """What the postings of words, each a row, are written as; `places` are those of both if encoded."""
    return Written(
        (
            encode(change, rows, is_message=False),
            encode(message, rows, is_message=True),
            *(
                places
                or (
                    encode_places(change, rows, is_message=False),
                    encode_places(message, rows, is_message=True),
                )
            ),
        ),
        hunks_holding(change, message, texts, rows).tolist(),
    )


def _keys(standing: Standing, width: int, cuts: Sequence[int]) -> Iterator[Numbers]:
    """Word, text, column and place in one number, sorted: words from each cut to the next, from 0 on."""
    begins = np.cumsum(standing.sizes) - standing.sizes
    column_of = np.repeat(np.arange(len(standing.sizes), dtype=np.int32), standing.sizes)
    for first, where in zip(cuts, ordered_by_range(standing.ranks, cuts), strict=False):
        columns = column_of[where].astype(np.int64)
        texts, column = np.divmod(columns, width)
        places = where - begins[columns]
        ranks = standing.ranks[where].astype(np.int64) - first
        yield ((ranks << TEXT_BITS | texts) << _COLUMN_BITS | column) << _PLACE_BITS | places


def _postings(keys: Numbers, width: int) -> Postings:
    """The postings that sorted keys make up."""
    runs = keys >> _PLACE_BITS
    begins = np.flatnonzero(np.diff(runs, prepend=-1))
    times = np.diff(begins, append=len(keys))
    runs = runs[begins]
    of_texts = runs >> _COLUMN_BITS
    first = np.diff(of_texts, prepend=-1) != 0
    owners = of_texts[first]
    columns = runs & ((1 << _COLUMN_BITS) - 1)
    codes, far = _codes(first, columns, times) if width > 1 else (times, np.zeros((0, _WIDTH), np.int64))
    texts = owners & ((1 << TEXT_BITS) - 1)
    rows = owners >> TEXT_BITS
    return Postings(rows, texts, codes, far, keys & _LAST_PLACE, (begins, of_texts >> TEXT_BITS))


def _codes(first: NDArray[np.bool_], columns: Numbers, times: Numbers) -> tuple[Numbers, NDArray[np.int64]]:
    """The codes of texts, of each of which one or more columns hold a word so many times.

    Most words stand in one column of a text, a few times: what these have for a code is looked up.
    """
    simple = _codes_of_one_column()
    begins = np.flatnonzero(first)
    codes = simple[columns[begins], np.minimum(times[begins], simple.shape[1] - 1)]
    codes[np.diff(begins, append=len(first)) > 1] = 0
    others = np.cumsum(codes == 0) - 1
    texts = np.cumsum(first) - 1
    wanted = codes[texts] == 0
    counts = np.zeros((int(others[-1]) + 1 if len(others) else 0, _WIDTH), np.int64)
    counts[others[texts[wanted]], columns[wanted]] = times[wanted]
    found, far = codes_of(counts)
    codes[codes == 0] = found
    return codes, far


@cache
def _codes_of_one_column() -> NDArray[np.int64]:
    """By column and times; 0 for as many times as have no code."""
    times = CODED + 2
    counts = np.zeros((_WIDTH * times, _WIDTH), np.int64)
    counts[np.arange(len(counts)), np.arange(len(counts)) // times] = np.arange(len(counts)) % times
    return codes_of(counts)[0].reshape(_WIDTH, times)

"""How postings are written: which texts hold a word, how often in which column, and where. Pure.

The postings of a word are one string of numbers (`varints`): how many texts there are; for each the distance
from the one before; for each a code of how often the word stands in each column; and the counts that have no
code. Most counts are small: a code is the rank of the counts among all with a sum of at most fifteen, those
with the smallest sum first, so that one byte tells up to four, and two bytes all of them. Where the word
stands is a string of its own, which only phrases need: for each text, column and time the distance from the
time before. Long strings are compressed.
"""

from __future__ import annotations

from functools import cache
from itertools import chain, combinations, pairwise
from math import comb
from typing import TYPE_CHECKING, cast

import zstandard

from ohara.arrays import np
from ohara.records import dataclass
from ohara.store.sqlite import varints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ohara.store.sqlite.varints import Numbers

COLUMNS = ("path", "header", "added", "removed", "context")
"""The columns of a change; a message has postings of its own."""

_WIDTH = len(COLUMNS)
CODED = 15  # the largest sum of counts that has a code
_COMPRESSED = b"\0"  # no string begins with it: there is at least one text, and places count from one
_WORTH_COMPRESSING = 160  # bytes: of less than that little is saved, and it takes as long
_LEVEL = 3
_SHORT = (1 << 16) - 1
_LARGEST = 1 << 28  # bytes of one string: a hundred million texts


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Which texts hold words: for each row (a word) and text a code, in order of rows.

    `far` has the counts of those with code 0, in order. `places` has where they stand, text by text, column
    by column, from 0; None when nobody asked.
    """

    rows: Numbers
    texts: Numbers
    codes: Numbers
    far: NDArray[np.int64]
    places: Numbers | None = None
    runs: tuple[Numbers, Numbers] | None = None  # where those of one text and column begin, and their rows

    @property
    def size(self) -> int:
        """How many bytes they take, without rows and places."""
        return int(self.texts.nbytes + self.codes.nbytes + self.far.nbytes)

    def counts(self) -> NDArray[np.int64]:
        """How often each stands in each column."""
        found = counts_by_code()[self.codes].astype(np.int64)
        found[self.codes == 0] = self.far
        return found


_NONE = np.zeros(0, np.int64)
NOTHING = Postings(_NONE, _NONE, _NONE, np.zeros((0, _WIDTH), np.int64), _NONE)


def split(
    postings: Postings, rows: Numbers, texts: Numbers, count: int, *, is_message: bool
) -> list[Postings]:
    """Postings cut into those of each of so many rows, told anew which row and text each is of."""
    bounds = np.searchsorted(rows, np.arange(count + 1))
    far_bounds = (
        np.concatenate(([0], np.cumsum(postings.codes == 0)))[bounds] if not is_message else bounds * 0
    )
    times = postings.codes if is_message else None
    if postings.places is not None:
        times = postings.codes if is_message else postings.counts().sum(axis=1)
        place_bounds = np.concatenate(([0], np.cumsum(times)))[bounds]
    return [
        Postings(
            rows[start:end],
            texts[start:end],
            postings.codes[start:end],
            postings.far[slice(*far_bounds[at : at + 2])],
            None if postings.places is None else postings.places[slice(*place_bounds[at : at + 2])],
        )
        for at, (start, end) in enumerate(pairwise(bounds.tolist()))
    ]


def small(postings: Postings) -> Postings:
    """The same of one row in a fourth of the room, without places: to be kept."""
    texts = cast("Numbers", postings.texts.astype(np.int32))
    narrow = np.int32 if postings.codes.max(initial=0) > _SHORT else np.uint16
    return Postings(_NONE, texts, cast("Numbers", postings.codes.astype(narrow)), postings.far.copy())


def of_some(postings: Postings, wanted: NDArray[np.bool_]) -> Postings:
    """Some of the postings of one row."""
    texts = postings.texts[wanted].astype(np.int64)
    far = postings.far[wanted[postings.codes == 0]] if len(postings.far) else postings.far
    return Postings(np.zeros(len(texts), np.int64), texts, postings.codes[wanted].astype(np.int64), far)


@cache
def counts_by_code() -> NDArray[np.uint8]:
    """The counts that a code stands for; code 0 stands for none."""
    all_of_them = chain.from_iterable(combinations(range(CODED + _WIDTH), _WIDTH))
    chosen = np.fromiter(all_of_them, np.int64).reshape(-1, _WIDTH)
    counts = np.diff(chosen, axis=1, prepend=-1) - 1
    made = np.empty((len(counts), _WIDTH), np.uint8)
    made[_ranks(counts)] = counts
    return made


@cache
def _times_by_code() -> Numbers:
    times: Numbers = counts_by_code().sum(axis=1, dtype=np.int64)
    return times


def _ranks(counts: NDArray[np.int64]) -> Numbers:
    """The rank of small counts: numbers of combinations, the sum of all counts deciding first."""
    highest = np.cumsum(counts, axis=1) + np.arange(_WIDTH)
    ranks = np.zeros(len(counts), np.int64)
    for at in range(_WIDTH):
        ranks += _binomials(at + 1)[highest[:, at]]
    return ranks


@cache
def _binomials(below: int) -> Numbers:
    return np.array([comb(above, below) for above in range(CODED + _WIDTH)], np.int64)


def codes_of(counts: NDArray[np.int64]) -> tuple[Numbers, NDArray[np.int64]]:
    """The codes of counts, and those counts that have none."""
    near = counts.sum(axis=1) <= CODED
    codes = np.zeros(len(counts), np.int64)
    codes[near] = _ranks(counts[near])
    return codes, counts[~near]


# -- rows of a table -----------------------------------------------------------------------------


def encode(postings: Postings, rows: int, *, is_message: bool) -> list[bytes | None]:
    """The string of each of so many rows; None for a row without texts. A message's codes are its counts."""
    sizes = np.bincount(postings.rows, minlength=rows)
    far_rows = np.repeat(postings.rows[postings.codes == 0], _WIDTH) if not is_message else postings.rows[:0]
    more = np.bincount(far_rows, minlength=rows)
    used = sizes > 0
    lengths = np.where(used, 1 + 2 * sizes + more, 0)
    starts = np.cumsum(lengths) - lengths
    numbers = np.empty(int(lengths.sum()), np.int64)
    numbers[starts[used]] = sizes[used]
    within = _within(sizes)
    gaps = np.diff(postings.texts, prepend=-1)
    first = within == 0
    gaps[first] = postings.texts[first] + 1
    at = starts[postings.rows] + 1 + within
    numbers[at] = gaps
    numbers[at + sizes[postings.rows]] = postings.codes
    if len(far_rows):
        numbers[starts[far_rows] + 1 + 2 * sizes[far_rows] + _within(more)] = postings.far.reshape(-1)
    return _cut(numbers, lengths)


def encode_places(postings: Postings, rows: int, *, is_message: bool) -> list[bytes | None]:
    """The string of places of each row."""
    if postings.places is None:
        raise ValueError("places were not read")
    begins, of_rows = postings.runs or _runs(postings, is_message=is_message)[1:]
    places = np.diff(postings.places, prepend=0)
    places[begins] = postings.places[begins] + 1
    first = np.flatnonzero(np.diff(of_rows, prepend=-1))
    lengths = np.zeros(rows, np.int64)
    lengths[of_rows[first]] = np.diff(begins[first], append=len(places))
    return _cut(places, lengths)


def compressed(strings: list[bytes | None]) -> list[bytes | None]:
    """The strings, of which those that are worth it are compressed."""
    compressor = _compressor()
    for at, string in enumerate(strings):
        if string is not None and len(string) >= _WORTH_COMPRESSING:
            strings[at] = _closed(string, compressor)
    return strings


def join_places(rows: Sequence[int], strings: Sequence[bytes], count: int) -> list[bytes | None]:
    """The string of places of each of so many rows, made of one or more strings each, in order."""
    made: list[bytes | None] = [None] * count
    several: set[int] = set()
    for row, string in zip(rows, strings, strict=True):
        before = made[row]
        if before is None:
            made[row] = string
        else:
            made[row] = (before if row in several else _opened(before)) + _opened(string)
            several.add(row)
    compressor = _compressor()
    for row in several:
        made[row] = _closed(made[row] or b"", compressor)
    return made


def _runs(postings: Postings, *, is_message: bool) -> tuple[Numbers, Numbers, Numbers]:
    """How many places there are of each text and column, where they begin, and in which row they are."""
    counts = postings.codes[:, None] if is_message else postings.counts()
    flat = counts.reshape(-1)
    used = np.flatnonzero(flat)
    sizes = flat[used]
    return sizes, np.cumsum(sizes) - sizes, postings.rows[used // counts.shape[1]]


def decode(strings: Sequence[bytes], *, is_message: bool, places: Sequence[bytes] | None = None) -> Postings:
    """The postings of some rows; raises ValueError for what `encode` did not make."""
    if len(strings) == 1 and places is None:
        return _decode_one(varints.unpack(_opened(strings[0])), is_message=is_message)
    opened = [_opened(each) for each in strings]
    numbers = varints.unpack(b"".join(opened))
    lengths = _lengths(opened, len(numbers))
    starts = np.cumsum(lengths) - lengths
    sizes = numbers[starts]
    if (sizes < 1).any() or (sizes > lengths).any() or (1 + 2 * sizes > lengths).any():
        raise ValueError("postings are not as long as they say")
    within = _within(sizes)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    at = starts[rows] + 1 + within
    running = np.cumsum(numbers[at])
    before = np.zeros(len(sizes), np.int64)
    before[1:] = running[np.cumsum(sizes)[:-1] - 1]
    texts = running - before[rows] - 1
    codes = numbers[at + sizes[rows]]
    more = lengths - 1 - 2 * sizes
    far_rows = np.repeat(np.arange(len(sizes)), more)
    far = numbers[starts[far_rows] + 1 + 2 * sizes[far_rows] + _within(more)]
    found = Postings(rows, texts, codes, _far(far, codes, is_message=is_message))
    return found if places is None else _with_places(found, places, is_message=is_message)


def _decode_one(numbers: Numbers, *, is_message: bool) -> Postings:
    """The postings of one row: what most questions need, in a third of the time."""
    size = int(numbers[0]) if len(numbers) else 0
    if size < 1 or 1 + 2 * size > len(numbers):
        raise ValueError("postings are not as long as they say")
    codes = numbers[1 + size : 1 + 2 * size]
    far = _far(numbers[1 + 2 * size :], codes, is_message=is_message)
    return Postings(np.zeros(size, np.int64), np.cumsum(numbers[1 : 1 + size]) - 1, codes, far)


def _far(numbers: Numbers, codes: Numbers, *, is_message: bool) -> NDArray[np.int64]:
    """The counts that have no code."""
    expected = 0 if is_message else _WIDTH * int((codes == 0).sum())
    if len(numbers) != expected or (not is_message and int(codes.max()) >= len(counts_by_code())):
        raise ValueError("counts are missing")
    return numbers.reshape(-1, _WIDTH)


def _with_places(postings: Postings, strings: Sequence[bytes], *, is_message: bool) -> Postings:
    return with_places(postings, strings, np.ones(len(postings.texts), bool), is_message=is_message)


def with_places(
    postings: Postings, strings: Sequence[bytes], wanted: NDArray[np.bool_], *, is_message: bool
) -> Postings:
    """Those postings that are wanted, with their places, of the strings that all of them have."""
    times = postings.codes if is_message else _times_by_code()[postings.codes]
    far = postings.far
    if not is_message:
        times[postings.codes == 0] = far.sum(axis=1)
        far = far[wanted[postings.codes == 0]]
    some = Postings(postings.rows[wanted], postings.texts[wanted], postings.codes[wanted], far)
    packed = b"".join(map(_opened, strings))
    if (times > len(packed)).any():
        raise ValueError("places are missing")
    which = np.repeat((np.cumsum(times) - times)[wanted], times[wanted]) + _within(times[wanted])
    numbers, total = varints.unpack_some(packed, which)
    if total != int(times.sum()):
        raise ValueError("places are missing")
    sizes, begins, of_rows = _runs(some, is_message=is_message)
    running = np.cumsum(numbers)
    before = np.zeros(len(sizes), np.int64)
    before[1:] = running[begins[1:] - 1]
    places = running - np.repeat(before, sizes) - 1
    return Postings(some.rows, some.texts, some.codes, far, places, (begins, of_rows))


def _within(sizes: Numbers) -> Numbers:
    """0, 1, 2 … for each of some groups."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) - np.repeat(ends - sizes, sizes)


def _cut(numbers: Numbers, lengths: Numbers) -> list[bytes | None]:
    """The strings of rows of which each has so many numbers."""
    packed, ends = varints.pack(numbers)
    bounds = np.concatenate(([0], ends))[np.concatenate(([0], np.cumsum(lengths)))]
    return compressed([packed[start:end] or None for start, end in pairwise(bounds.tolist())])


def _lengths(opened: Sequence[bytes], total: int) -> Numbers:
    """How many numbers each string has."""
    if len(opened) == 1:
        return np.array([total])
    ends = np.concatenate(([0], np.cumsum(np.fromiter(map(len, opened), np.int64, len(opened)))))
    finished = varints.ends_of(b"".join(opened))
    bounds = np.searchsorted(finished, ends, side="right")
    if (finished[bounds[1:] - 1] != ends[1:]).any():
        raise ValueError("a number goes over the end of a word")
    return np.diff(bounds)


def _compressor() -> zstandard.ZstdCompressor:
    return zstandard.ZstdCompressor(level=_LEVEL, write_content_size=True)


def _closed(string: bytes, compressor: zstandard.ZstdCompressor) -> bytes:
    if len(string) < _WORTH_COMPRESSING:
        return string
    compressed = _COMPRESSED + compressor.compress(string)
    return compressed if len(compressed) < len(string) else string


def _opened(string: bytes) -> bytes:
    if string[:1] != _COMPRESSED:
        return string
    try:
        if zstandard.frame_content_size(string[1:]) not in range(_LARGEST):
            raise ValueError("a string is too long")
        return zstandard.ZstdDecompressor().decompress(string[1:])
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error


def closed(numbers: Numbers) -> bytes:
    """One string of numbers."""
    packed, _ = varints.pack(numbers)
    return _closed(packed, _compressor())


def opened(string: bytes) -> Numbers:
    """The numbers of one string."""
    return varints.unpack(_opened(string))

"""How lists of contents are written: for each trigram, which contents hold it. Pure.

An entry is a trigram and a content in one number. Lists lie in blocks of numbers (`number_arrays`), some
thousand entries in each: how many lists there are; for each the distance of its trigram from the one before;
for each how long it is; and for each entry of each list the distance from the content before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.arrays import np
from ohara.store.sqlite.number_arrays import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ohara.store.sqlite.varints import Numbers

CONTENT_BITS = 32
_CONTENTS = (1 << CONTENT_BITS) - 1

_ENTRIES = 8_000  # of a block: to read one list of it takes little longer than to find it
_LISTS = 512  # of a block: they are walked through, in Python


def entries_of(codes: Numbers, contents: Numbers) -> Numbers:
    """Trigrams and the contents that hold them as entries."""
    return codes << CONTENT_BITS | contents


def codes_of(entries: Numbers) -> Numbers:
    """The trigrams of entries."""
    return entries >> CONTENT_BITS


def contents_of(entries: Numbers) -> Numbers:
    """The contents of entries."""
    return entries & _CONTENTS


def portions(entries: Numbers, most: int) -> Iterator[Numbers]:
    """All entries, which are sorted, in parts of about so many; a list is never cut."""
    begin = 0
    while begin < len(entries):
        end = len(entries)
        if end - begin > most:
            code = int(entries[begin + most]) >> CONTENT_BITS
            end = int(np.searchsorted(entries, code << CONTENT_BITS))
            if end <= begin:
                end = int(np.searchsorted(entries, (code + 1) << CONTENT_BITS))
        yield entries[begin:end]
        begin = end


def encode(entries: Numbers) -> Iterator[tuple[int, bytes]]:
    """The blocks of sorted entries, each with its first trigram."""
    codes = codes_of(entries)
    begins = np.flatnonzero(np.diff(codes, prepend=-1))
    counts = np.diff(begins, append=len(entries))
    steps = np.diff(entries, prepend=0)
    steps[begins] = contents_of(entries[begins])
    codes = codes[begins]
    bounds = np.append(begins, len(entries))
    first = 0
    while first < len(codes):
        last = int(np.searchsorted(bounds, bounds[first] + _ENTRIES))
        last = min(max(last, first + 1), first + _LISTS, len(codes))
        numbers = np.concatenate(
            (
                [last - first],
                np.diff(codes[first:last], prepend=0),
                counts[first:last],
                steps[bounds[first] : bounds[last]],
            )
        )
        yield int(codes[first]), pack(numbers)
        first = last


def decode(block: bytes) -> Numbers:
    """The entries of a block, sorted; raises ValueError for what is no block."""
    numbers = unpack(block)
    lists = int(numbers[0]) if len(numbers) else 0
    if lists < 1 or 1 + 2 * lists > len(numbers):
        raise ValueError("a block of trigrams is not as long as it says")
    codes = np.cumsum(numbers[1 : 1 + lists])
    counts = numbers[1 + lists : 1 + 2 * lists]
    steps = numbers[1 + 2 * lists :]
    if int(counts.sum()) != len(steps) or not counts.all():
        raise ValueError("a block of trigrams is not as long as it says")
    begins = np.cumsum(counts) - counts
    running = np.cumsum(steps)
    contents = running - np.repeat(running[begins] - steps[begins], counts)
    if len(contents) and int(contents.max()) > _CONTENTS:
        raise ValueError("a trigram stands in a content that cannot be")
    return entries_of(np.repeat(codes, counts), contents)

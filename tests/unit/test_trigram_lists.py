"""Lists of contents in blocks of numbers: what is written is read again, and nothing else is believed."""

from __future__ import annotations

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from ohara.arrays import np
from ohara.store.sqlite import number_arrays, trigram_lists
from ohara.store.sqlite.number_runs import NumberRun
from ohara.store.sqlite.trigram_lists import decode, encode, entries_of, portions

_NUMBERS = st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 300), max_size=60)
_ENTRIES = st.sets(
    st.tuples(st.integers(0, 40) | st.integers(0, 2**24 - 1), st.integers(1, 2**31)), max_size=80
)


@given(_NUMBERS, st.data())
def test_numbers_are_read_as_arrays_and_in_parts(numbers: list[int], data: st.DataObject) -> None:
    packed = number_arrays.pack(np.array(numbers, np.int64))
    assert number_arrays.unpack(packed).tolist() == numbers
    run = NumberRun(packed)
    begin = data.draw(st.integers(0, len(numbers)))
    end = data.draw(st.integers(begin, len(numbers)))
    assert len(run) == len(numbers)
    assert run.some(begin, end) == numbers[begin:end]
    assert list(run.sums(begin, end)) == np.cumsum(numbers[begin:end]).tolist()


@pytest.mark.parametrize(
    "plain", [b"", b"\1\0\0", b"\5\0\0\0ab", b"\1\0\0\0\xff", b"\1\0\0\0a" + b"behind"], ids=repr
)
def test_what_is_no_run_of_numbers_is_refused(plain: bytes) -> None:
    string = zstandard.compress(plain)
    for read in (NumberRun, number_arrays.unpack):
        with pytest.raises(ValueError, match="number"):
            read(string)
    with pytest.raises(ValueError, match=r"frame|size|long"):
        NumberRun(b"no frame")


@given(_ENTRIES)
def test_entries_survive_their_blocks(entries: set[tuple[int, int]]) -> None:
    codes, contents = (np.array([each[at] for each in sorted(entries)], np.int64) for at in (0, 1))
    made = entries_of(codes, contents)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trigram_lists, "_ENTRIES", 9)
        patch.setattr(trigram_lists, "_LISTS", 4)
        blocks = [block for some in portions(made, 20) for block in encode(some)]
    read = [decode(block) for _, block in blocks]
    assert [int(each[0]) >> 32 for each in read] == [first for first, _ in blocks]
    assert np.concatenate([np.zeros(0, np.int64), *read]).tolist() == made.tolist()


@pytest.mark.parametrize("numbers", [[], [0], [2, 5], [1, 7, 3, 1], [1, 7, 0], [1, 7, 1, 2**32 - 1, 5]])
def test_what_is_no_block_is_refused(numbers: list[int]) -> None:
    with pytest.raises(ValueError, match="trigram"):
        decode(number_arrays.pack(np.array(numbers, np.int64)))

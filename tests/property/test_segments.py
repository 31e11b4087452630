"""Origins of lines, packed for keeping."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohara.fate.file_tree import Version
from ohara.fate.segments import ENDLESS, UNKNOWN, pack, unpack

_NUMBERS = st.integers(0, 2**31 - 1) | st.integers(2**31, ENDLESS)


@given(st.lists(st.tuples(_NUMBERS, _NUMBERS, _NUMBERS)))
def test_segments_are_packed_without_loss(segments: list[tuple[int, int, int]]) -> None:
    assert unpack(pack(segments)) == segments


def test_a_version_tells_the_segments_it_was_given_and_holds_twelve_bytes_for_each() -> None:
    segments = [(3, 70_000 + at, at) for at in range(1_000)]
    version = Version.of("ab" * 20, segments, made_by=4, formerly=("old.py",))
    assert version.segments == segments
    assert len(version.packed) * version.packed.itemsize == 12 * len(segments)
    assert Version.of("", UNKNOWN, 0).segments == UNKNOWN

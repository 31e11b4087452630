"""Lines carried back through a change are the lines that were there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohara.browse.span import Carried, Span, carry
from ohara.git.hunks import Group, groups

TEXT = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=14)


@given(TEXT, TEXT, st.integers(0, 13), st.integers(0, 13))
def test_a_span_that_was_not_touched_is_the_same_text_before(
    old: list[str], new: list[str], one: int, other: int
) -> None:
    first, last = sorted((one % len(new), other % len(new)))
    changes = groups(_bytes(old), _bytes(new))
    carried = carry(Span(first + 1, last + 1), changes)
    changed = {at for group in changes for at in range(group.new, group.new_end)}
    inside = any(group.new_lines == 0 and first < group.new <= last for group in changes)
    assert carried.touched == (inside or bool(changed & set(range(first, last + 1))))
    if not carried.touched:
        assert carried.before is not None
        assert old[carried.before.first - 1 : carried.before.last] == new[first : last + 1]
    if carried.before is not None:
        assert 1 <= carried.before.first <= carried.before.last <= len(old)
        kept = [new[at] for at in range(first, last + 1) if at not in changed]
        assert _contains(old[carried.before.first - 1 : carried.before.last], kept)
    assert 1 <= carried.near <= len(old) + 1


def test_what_was_replaced_is_where_it_came_from_and_what_was_added_came_from_nowhere() -> None:
    replaced = [Group(old=4, old_lines=2, new=4, new_lines=3)]
    assert carry(Span(6, 6), replaced) == Carried(Span(5, 6), touched=True, near=5)
    added = [Group(old=4, old_lines=0, new=4, new_lines=3)]
    assert carry(Span(5, 7), added) == Carried(None, touched=True, near=5)
    assert carry(Span(9, 10), added) == Carried(Span(6, 7), touched=False, near=6)


def _bytes(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _contains(lines: list[str], wanted: list[str]) -> bool:
    rest = iter(lines)
    return all(line in rest for line in wanted)

"""Origins of merged lines: as looking at each line in each parent tells them."""

from __future__ import annotations

from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from ohara.fate.merging import NOWHERE, Merged, Origin, Side, kept_lines, merge_lines
from ohara.git.hunks import Group

_texts = st.lists(st.sampled_from("abc"), max_size=12)
_origins = st.tuples(st.integers(0, 3), st.integers(0, 3))


def groups(old: list[str], new: list[str]) -> list[Group]:
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [Group(a, b - a, c, d - c) for kind, a, b, c, d in codes if kind != "equal"]


@st.composite
def merges(draw: st.DrawFn) -> tuple[int, list[Side], dict[int, Origin]]:
    merged = draw(_texts)
    sides = []
    for _ in range(draw(st.integers(0, 3))):
        text = draw(st.one_of(st.just(merged), _texts))
        # Of a version that was read in part, fewer origins are known than it has lines.
        known = draw(st.lists(_origins, max_size=len(text)))
        sides.append(Side(known, groups(text, merged)))
    own = draw(st.dictionaries(st.integers(0, 12), _origins, max_size=3))
    return len(merged), sides, own


def line_by_line(lines: int, sides: list[Side], own: dict[int, Origin]) -> Merged:
    origins: list[Origin] = []
    joined: dict[Origin, Origin] = {}
    for line in range(lines):
        olds = [(side.origins, kept_lines(side.groups, lines)[line]) for side in sides]
        found = [of_side[old] for of_side, old in olds if 0 <= old < len(of_side)]
        known = [*(each for each in found if each[0]), *([own[line]] if line in own else [])]
        origins.append(known[0] if known else NOWHERE)
        if origins[-1][0]:
            joined.update((other, origins[-1]) for other in known[1:] if other != origins[-1])
    return Merged(origins, joined)


@given(merges())
def test_each_line_comes_from_the_first_parent_that_has_it(
    merge: tuple[int, list[Side], dict[int, Origin]],
) -> None:
    assert merge_lines(*merge) == line_by_line(*merge)

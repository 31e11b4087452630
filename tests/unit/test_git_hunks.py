"""Hunks between two texts: they turn one into the other, and are those of a diff of the whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pygit2
from hypothesis import example, given
from hypothesis import strategies as st
from pygit2.enums import DiffOption

from ohara.git import combined_diff, decode, hunks, regions, xdiff
from ohara.model import Hunk

if TYPE_CHECKING:
    import pytest

LINES = st.sampled_from(["", "a", "b", "    c", "def f():", "x = 1", "}", "é"])
TEXTS = st.lists(LINES, max_size=60).map(lambda lines: "\n".join(lines).encode())


@st.composite
def edited(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A long text and a version of it with a few small edits, near or far from each other."""
    size = draw(st.integers(min_value=1, max_value=1500))
    # Few distinct lines make runs that match in several places; many make every run unique.
    variety = draw(st.sampled_from([3, 40, 10_000]))
    width = draw(st.sampled_from([1, 20, 400]))
    old = [f"{'    ' * (number % 3)}line {number % variety} {'x' * width}" for number in range(size)]
    new = list(old)
    for _ in range(draw(st.integers(min_value=1, max_value=6))):
        place = draw(st.integers(min_value=0, max_value=len(new)))
        gone = draw(st.integers(min_value=0, max_value=20))
        come = draw(st.lists(st.sampled_from(["new", "", "line 1 x", "    deeper"]), max_size=12))
        new[place : place + gone] = come
    ends = draw(st.tuples(st.sampled_from(["", "\n"]), st.sampled_from(["", "\n"])))
    return ("\n".join(old) + ends[0]).encode(), ("\n".join(new) + ends[1]).encode()


def signed_lines(body: str) -> list[tuple[str, str]]:
    """A hunk's lines by sign, each with its newline unless git remarks that it has none."""
    lines: list[tuple[str, str]] = []
    for line in body.split("\n"):
        if line == hunks.NO_NEWLINE:
            sign, text = lines[-1]
            lines[-1] = (sign, text.removesuffix("\n"))
        else:
            lines.append((line[0], line[1:] + "\n"))
    return lines


def applied(old: bytes, found: list[Hunk]) -> bytes:
    """What the hunks make of the old text; fails where they do not fit it."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", decode.text(old))
    result: list[str] = []
    at = 0
    for hunk in found:
        start = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
        result += lines[at:start]
        assert len(result) == (hunk.new_start - 1 if hunk.new_lines else hunk.new_start)
        body = signed_lines(hunk.body)
        removed = [text for sign, text in body if sign in " -"]
        added = [text for sign, text in body if sign in " +"]
        assert (len(removed), len(added)) == (hunk.old_lines, hunk.new_lines)
        assert lines[start : start + len(removed)] == removed
        result += added
        at = start + len(removed)
    return "".join(result + lines[at:]).encode()


@given(edited())
@example((b"a\n", b"a"))
@example((b"", b"a\n"))
def test_hunks_turn_the_old_text_into_the_new(pair: tuple[bytes, bytes]) -> None:
    old, new = pair
    assert applied(old, hunks.between(old, new) if old != new else []) == new


@given(TEXTS, TEXTS)
def test_unrelated_texts_too(old: bytes, new: bytes) -> None:
    if old != new:
        assert applied(old, hunks.between(old, new)) == new


@given(edited())
def test_regions_leave_out_only_what_is_equal(pair: tuple[bytes, bytes]) -> None:
    old, new = pair
    if old == new:
        return
    old_at = new_at = 0
    for region in regions.differing(old, new):
        for text, start, end in (
            (old, region.old_start, region.old_end),
            (new, region.new_start, region.new_end),
        ):
            assert start == 0 or text[start - 1 : start] == b"\n"
            assert end == len(text) or text[end - 1 : end] == b"\n"
        assert old[old_at : region.old_start] == new[new_at : region.new_start]
        old_at, new_at = region.old_end, region.new_end
    assert old[old_at:] == new[new_at:]


@given(edited())
def test_what_is_unequal_leaves_out_only_what_is_equal(pair: tuple[bytes, bytes]) -> None:
    old, new = pair
    old_at = new_at = 0
    for region in regions.unequal(old, new):
        assert old[old_at : region.old_start] == new[new_at : region.new_start]
        old_at, new_at = region.old_end, region.new_end
    assert old[old_at:] == new[new_at:]


def test_far_apart_edits_are_unequal_each_for_itself() -> None:
    lines = [f"line {number}" for number in range(3000)]
    old = "\n".join(lines).encode()
    for place in (40, 1499, 2990):
        lines[place] = f"edited {place}"
    new = "\n".join(lines).encode()
    found = regions.unequal(old, new)
    assert [old[each.old_start : each.old_end] for each in found] == [b"line", b"line", b"line"]
    assert [new[each.new_start : each.new_end] for each in found] == [b"edited"] * 3


def test_few_edits_in_a_huge_text_are_placed_as_a_diff_of_the_whole_places_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(regions, "_WHOLE_BYTES", 10_000)
    lines = [
        f"def function_{number}():" if number % 10 == 0 else f"    step({number})" for number in range(3000)
    ]
    old = "\n".join(lines).encode() + b"\n"
    for place in (0, 5, 11, 1499, 1500, 2990, 2999):
        lines[place] = f"    edited {place}"
    del lines[700:703]
    lines.insert(2000, "    inserted()")
    new = "\n".join(lines).encode() + b"\n"
    flags = DiffOption.INDENT_HEURISTIC | DiffOption.FORCE_TEXT
    whole = pygit2.Patch.create_from(old, new, flag=flags)
    expected = [
        (
            each.old_start,
            each.old_lines,
            each.new_start,
            each.new_lines,
            each.header.partition(" @@")[2].strip(),
        )
        for each in whole.hunks
    ]
    found = hunks.between(old, new)
    assert [(h.old_start, h.old_lines, h.new_start, h.new_lines, h.header) for h in found] == expected
    assert len(list(regions.differing(old, new))) > 3


def test_a_change_in_a_file_of_ordinary_size_is_compared_whole_unless_it_is_small() -> None:
    lines = [f"line {number}" for number in range(3000)]
    old = "\n".join(lines).encode()
    small = old.replace(b"line 7\n", b"seven\n")
    assert [region.old_end < len(old) for region in regions.differing(old, small)] == [True]
    large = b"".join(b"%s!\n" % line for line in old.split(b"\n"))
    assert list(regions.differing(old, large)) == [regions.Region(0, len(old), 0, len(large))]


@given(edited())
def test_blobs_and_buffers_are_compared_alike(pair: tuple[bytes, bytes]) -> None:
    old, new = (b"first\n" * 400 + text for text in pair)
    expected = pygit2.Patch.create_from(
        old, new, context_lines=3, flag=DiffOption.INDENT_HEURISTIC | DiffOption.FORCE_TEXT
    ).data
    assert xdiff.patch(old, new, 3).partition(b"\n--- ")[2] == expected.partition(b"\n--- ")[2]


def test_texts_too_large_to_compare_are_shown_as_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hunks, "_MAX_COMPARED_BYTES", 10_000)
    monkeypatch.setattr(regions, "_WHOLE_BYTES", 10_000)
    kept = "".join(f"kept {number}\n" for number in range(3000)).encode()
    old, new = (b"".join(b"%s %d\n" % (word, number) for number in range(1000)) for word in (b"old", b"new"))
    before, after = b"first\n" + kept + old + kept, b"FIRST\n" + kept + new + kept
    found = hunks.between(before, after)
    assert applied(before, found) == after
    assert [(hunk.old_lines > 1000, hunk.body.startswith(" kept")) for hunk in found] == [
        (False, False),
        (True, False),
    ]
    assert hunks.groups(b"", new)[0].new_lines == 1000


def test_the_function_above_is_the_nearest_line_that_starts_like_a_name() -> None:
    text = b"first\n    in first\n_second = 1\n\t in second\n0third\n" + b"    deep\n" * 5000 + b"$last\n"
    lines = hunks.FunctionLines(text)
    assert lines.above(0) == ""
    assert lines.above(text.index(b"_second")) == "first"
    assert lines.above(text.index(b"0third")) == "_second = 1"
    assert lines.above(text.index(b"$last")) == "_second = 1"
    assert lines.above(len(text)) == "$last"
    long = "name " + "é" * 60 + "\n    body\n"
    assert hunks.FunctionLines(long.encode()).above(len(long.encode())) == ("name " + "é" * 37)


def test_a_whole_file_is_one_hunk() -> None:
    assert hunks.whole(b"", "+") is None
    assert hunks.whole(b"a\n\nb\n", "+") == Hunk(0, 0, 1, 3, "", "+a\n+\n+b")
    assert hunks.whole(b"a\nb", "-") == Hunk(1, 2, 0, 0, "", "-a\n-b\n\\ No newline at end of file")
    assert hunks.whole(b"\n", "+") == Hunk(0, 0, 1, 1, "", "+")


@given(TEXTS, TEXTS, TEXTS)
def test_a_merges_own_hunks_are_true_of_both_texts(first: bytes, second: bytes, merged: bytes) -> None:
    old, new = (decode.text(text).removesuffix("\n").split("\n") for text in (first, merged))
    for hunk in combined_diff.own_hunks([first, second], 0, merged):
        body = [line for line in hunk.body.split("\n") if not line.startswith("\\")]
        removed = [line[1:] for line in body if line[0] in " -"]
        added = [line[1:] for line in body if line[0] in " +"]
        assert (len(removed), len(added)) == (hunk.old_lines, hunk.new_lines)
        if removed:
            assert old[hunk.old_start - 1 :][: len(removed)] == removed
        if added:
            assert new[hunk.new_start - 1 :][: len(added)] == added


@given(TEXTS, TEXTS)
def test_a_merge_that_equals_a_parent_has_nothing_of_its_own(first: bytes, second: bytes) -> None:
    assert combined_diff.own_hunks([first, second], 0, second) == ()
    assert combined_diff.own_hunks([first, second], 0, first) == ()


def test_a_merge_of_changes_that_lie_far_apart_is_told_without_a_line_diff(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = [b"line %d" % number for number in range(400)]
    ours, theirs = [*lines], [*lines]
    ours[10], theirs[390] = b"ours", b"theirs"
    merged = [*ours[:200], *theirs[200:]]
    parents = [b"\n".join(ours), b"\n".join(theirs)]
    assert combined_diff.own_hunks(parents, 0, b"\n".join([*merged[:200], b"own", *merged[201:]])) != ()
    monkeypatch.setattr(hunks, "groups", None)  # nobody may ask it
    assert combined_diff.own_hunks(parents, 0, b"\n".join(merged)) == ()

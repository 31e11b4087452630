"""Searching many bodies at once finds exactly what searching each changed line alone would find."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import re2
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ohara.errors import QueryError
from ohara.model import Match, Pattern, Polarity
from ohara.retrieve.head_lines import count_lines
from ohara.retrieve.matching import ADDED, REMOVED, Matcher
from ohara.retrieve.scan import OutOfTime, Scan

lines = st.builds(str.__add__, st.sampled_from("+- \\"), st.text("ab+- \t\ré_", max_size=6))
bodies = st.lists(lines, min_size=1, max_size=6).map("\n".join)
PLACES = r"^ $ \b \B \A \z (^|a) (?m)^a (?-m:^a) ^a|b (a|^b)$ ^^a ^+ (^) ^?b"
REPEATS = r".{0,9} a{1,3} (ab){0,2} (a|b){2,3} b+? \Qa\E* a{2}{2} (?i:b)?"
TEXTS = r"a b ab é . .* \s [^a] a|b x* \+ - [+-] (?i)A \C \n (?s:.)"
pieces = st.sampled_from([" ", *PLACES.split(), *REPEATS.split(), *TEXTS.split()])
sources = st.lists(pieces, min_size=1, max_size=4).map("".join)
patterns = st.one_of(
    st.builds(
        Pattern,
        sources,
        st.just(True),
        st.sampled_from(["", "i", "s", "m", "ism"]),
        st.sampled_from(Polarity),
    ),
    st.builds(Pattern, st.text("ab+- é", min_size=1, max_size=3), polarity=st.sampled_from(Polarity)),
)


def line_by_line(pattern: Pattern, body: str) -> int:
    """The plain meaning: each changed line, without its sign, by itself."""
    source = pattern.text if pattern.is_regex else re2.escape(pattern.text)
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = "i" not in pattern.flags
    compiled = re2.compile(source, options)
    sides = 0
    for line in body.split("\n"):
        side = {"+": ADDED, "-": REMOVED}.get(line[0], 0)
        if side and pattern.polarity is not {ADDED: Polarity.REMOVED, REMOVED: Polarity.ADDED}[side]:
            sides |= side if compiled.search(line[1:].encode()) else 0
    return sides


@settings(max_examples=800)
@given(patterns, st.lists(bodies, max_size=4))
@example(Pattern("x*", True), ["+", "-", " "])
@example(Pattern("^", True), ["+", " ", "-a"])
@example(Pattern("+"), ["+", "++", " +\n-+"])
@example(Pattern(r"a\s", True), ["+a\n-b"])
def test_the_fast_way_is_the_plain_way(pattern: Pattern, texts: list[str]) -> None:
    try:
        matcher = Matcher(pattern)
    except QueryError:
        assume(False)
    expected = [line_by_line(pattern, text) for text in texts]
    assert matcher.sides([text.encode() for text in texts]) == expected


@pytest.mark.parametrize("text", [r"\C", r"a\C", r"\\\C", r"\Qx\E\C"])
def test_half_a_character_is_not_looked_for(text: str) -> None:
    with pytest.raises(QueryError, match="a byte"):
        Matcher(Pattern(text, is_regex=True))


@pytest.mark.parametrize("text", [r"\\C", r"C", r"\Q\C\E"])
def test_a_c_is_looked_for(text: str) -> None:
    assert Matcher(Pattern(text, is_regex=True)).marks("+é \\C") == [Match(0, 2 + (text == "C"), 4)]


@given(patterns, bodies)
def test_marks_stand_on_the_lines_that_match(pattern: Pattern, body: str) -> None:
    try:
        matcher = Matcher(pattern)
    except QueryError:
        assume(False)
    marked = matcher.marks(body)
    assert bool(marked) == bool(line_by_line(pattern, body))
    by_number = body.split("\n")
    for mark in marked:
        assert isinstance(mark, Match)
        assert by_number[mark.line][0] in "+-"
        assert 0 <= mark.start <= mark.end <= len(by_number[mark.line]) - 1
        if not pattern.is_regex:
            assert by_number[mark.line][1:][mark.start : mark.end] == pattern.text


@given(patterns, st.lists(st.text("ab+- \t\ré_", max_size=6), max_size=8).map("\n".join), st.integers(1, 64))
@example(Pattern("a"), "a\n\na\n", 64)
@example(Pattern("^$", True), "\n\n", 1)
@example(Pattern("^a", True), "a\na\n+a\n", 2)
def test_lines_of_a_file_are_counted_one_by_one(pattern: Pattern, text: str, piece: int) -> None:
    """A file's lines have no signs, and whether a pattern asks for added or removed ones does not matter."""
    try:
        matcher = Matcher(pattern)
    except QueryError:
        assume(False)
    scan = Scan(matcher, math.inf, lambda: None)
    scan.piece_bytes = piece
    plain = replace(pattern, polarity=Polarity.ANY)
    each = ["+" + line for line in text.removesuffix("\n").split("\n")] if text else []
    assert count_lines(text.encode(), scan) == sum(line_by_line(plain, line) > 0 for line in each)


def test_counting_lines_ends_with_its_time() -> None:
    with pytest.raises(OutOfTime):
        count_lines(b"a\n" * 100, Scan(Matcher(Pattern("a")), 0.0, lambda: None))


@given(patterns, st.lists(lines, min_size=1, max_size=9))
@settings(max_examples=300)
def test_marks_of_a_long_body_are_those_of_its_lines(pattern: Pattern, some: list[str]) -> None:
    """A long body is searched in several runs of lines, and a line in it may be longer than a run."""
    try:
        matcher = Matcher(pattern)
    except QueryError:
        assume(False)
    long = [some[number % len(some)] + "é" * (number % 7 * 500) for number in range(40)]
    marked = [(number, mark) for number, line in enumerate(long) for mark in matcher.marks(line)]
    assert matcher.marks("\n".join(long)) == [Match(at, mark.start, mark.end) for at, mark in marked]

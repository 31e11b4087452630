from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, timedelta, timezone

import pytest
from hypothesis import assume, example, given, reject
from hypothesis import strategies as st

from ohara.dates import render_date
from ohara.errors import QueryError
from ohara.model import Filters, Mode, Polarity, Query
from ohara.query import parse, parse_date, path_pattern, to_source
from ohara.query.values import ALL_NAMES, GUESSED_NAMES
from ohara.suggest import nearest

NOW = 1_718_000_000  # 2024-06-10T06:13:20Z, a Monday

modes = st.sampled_from(Mode)
zones = st.integers(-14 * 4, 14 * 4).map(lambda quarters: timezone(timedelta(minutes=15 * quarters)))

# Pieces that collide with each other's syntax, glued with or without spaces and newlines.
named = [
    "author:",
    "path:",
    "-path:",
    "lang:py",
    "since:2024",
    "until:2023-05",
    'since:"2 weeks ago"',
    "until:3h",
    "before:2023",
    "ext:.py",
    "commit:HEAD~3",
]
sides = [
    "added:",
    "removed:",
    "ref:main",
    "message:",
    "symbol:",
    "kind:added",
    "-author:bob",
    "-lang:go",
    "-since:2020",
    "-until:2001",
    "-message:",
    "-kind:added",
    "-is:gone",
    "-removed:",
    "auther:x",
    "http://x",
    "a::b",
    "fix:",
]
marks = [
    '"',
    '""',
    '"two words"',
    "/",
    "/re/",
    "/re/i",
    '-"x y"',
    "-/re/",
    '-"',
    r"/a\/b c/",
    "//",
    "/*",
    "*/",
    "\\",
    "\\/",
    '\\"',
    "\\author:",
]
plain = [
    "x",
    "get_user",
    "foo()",
    "foo($X)",
    "$A =",
    "src/a.py",
    "#12",
    "deadbeef1",
    " ",
    " ",
    " ",
    "\n",
    "\t",
    "é",
    "-",
    ":",
    "\u2028",
]
lines = ["def f(x):", "x = 1;", "+x = y", "@@ -1 +1 @@", "return x"]
pieces = st.sampled_from([*named, *sides, *marks, *plain, *lines])
soup = st.lists(pieces, max_size=14).map("".join)
sources = st.one_of(soup, st.text(max_size=80))


def parsed(source: str, mode: Mode = Mode.AUTO, *, flags: Filters = Filters()) -> Query:  # noqa: B008
    try:
        return parse(source, now=NOW, mode=mode, flags=flags, tz=UTC)
    except QueryError:
        reject()


@given(sources, modes)
def test_parsing_gives_a_query_or_a_query_error_with_a_hint(source: str, mode: Mode) -> None:
    answer: Query | QueryError
    try:
        answer = parse(source, now=NOW, mode=mode, tz=UTC)
    except QueryError as refused:
        answer = refused
    if isinstance(answer, QueryError):
        assert answer.message
        assert answer.hint
    else:
        assert (answer.source, answer.mode) == (source, mode)
        assert answer.words or answer.patterns or answer.structure or answer.is_filtered


@given(sources, modes)
@example("/foo author:x/y bar/", Mode.AUTO)
@example(r"\/foo author:x/y bar/", Mode.AUTO)
@example('\\""x \\author:bob \\removed: removed:', Mode.AUTO)
@example(r"/usr/lib/x", Mode.REGEX)
@example(r"a\/b", Mode.REGEX)
@example('path:"a b" x\ny = foo()\nz = bar();', Mode.AUTO)
def test_a_query_written_down_reads_the_same(source: str, mode: Mode) -> None:
    query = parsed(source, mode)
    written = to_source(query, tz=UTC)
    assert replace(parse(written, now=NOW, mode=mode, tz=UTC), source=source) == replace(query, notes=())


words = st.text(alphabet=st.characters(codec="utf-8", exclude_characters='"/\\:'), min_size=1)


@given(words)
def test_text_without_syntax_is_kept_word_for_word(source: str) -> None:
    assume("\n" not in source)
    query = parsed(source)
    assert query.words == " ".join(source.split())
    assert query.patterns == ()
    assert query.filters == Filters()


@given(
    st.from_regex(re.compile(r"[a-z]{1,12}", re.ASCII), fullmatch=True),
    st.sampled_from(["x", "(", "-1", "é"]),
)
def test_an_unknown_name_is_text(name: str, value: str) -> None:
    assume(name not in ALL_NAMES and nearest(name, GUESSED_NAMES, within=1) is None)
    query = parsed(f"{name}:{value}")
    assert query.words == f"{name}:{value}"
    assert query.filters == Filters()


@given(st.sampled_from(GUESSED_NAMES), st.data())
def test_a_name_one_letter_away_is_an_error_that_names_the_filter(name: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(name) - 1))
    letter = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyzABC"))
    near = data.draw(
        st.sampled_from(
            [name[:at] + letter + name[at + 1 :], name[:at] + letter + name[at:], name[:at] + name[at + 1 :]]
        )
    )
    assume(near not in ALL_NAMES and nearest(near.lower(), GUESSED_NAMES) == name)
    with pytest.raises(QueryError) as refused:
        parse(f"{near}:bob", now=NOW, tz=UTC)
    assert f"did you mean {name}:" in refused.value.hint


@given(st.text(min_size=1).filter(lambda text: "\n" not in text), st.sampled_from(["", "added:", "removed:"]))
def test_anything_can_be_quoted(text: str, bound: str) -> None:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    query = parsed(f'{bound}"{escaped}"')
    assert [pattern.text for pattern in query.patterns] == [text]
    assert query.patterns[0].polarity is Polarity(bound[:-1] or "any")
    assert query.words == ""


@given(st.text(min_size=1).filter(lambda text: "\n" not in text and text.strip()))
def test_literal_mode_takes_a_quoted_text_whole(text: str) -> None:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    query = parsed(f'path:src/ "{escaped}" author:bob', Mode.LITERAL)
    assert [pattern.text for pattern in query.patterns] == [text]
    assert query.filters == Filters(paths=("src/",), authors=("bob",))


@given(soup, st.lists(st.sampled_from(["bob", "al ice", 'q"x']), max_size=3), st.booleans())
def test_flags_add_to_inline_filters(source: str, authors: list[str], dated: bool) -> None:
    bare = parsed(source)
    flags = Filters(authors=tuple(dict.fromkeys(authors)), since=0 if dated else None)
    query = parsed(source, flags=flags)
    assert set(query.filters.authors) == {*bare.filters.authors, *authors}
    assert query.filters.since == (0 if dated else bare.filters.since)
    assert (query.words, query.patterns) == (bare.words, bare.patterns)


@given(st.integers(0, NOW), zones, st.booleans())
def test_every_moment_has_a_date_that_names_it(moment: int, zone: timezone, end: bool) -> None:
    text = render_date(moment, tz=zone, end=end)
    assert parse_date(text, now=NOW, tz=zone, end=end) == moment


@given(st.dates(min_value=date(1971, 1, 1), max_value=date(2098, 12, 31)), zones)
def test_a_day_lasts_a_day(day: date, zone: timezone) -> None:
    later = parse_date("2099", now=5_000_000_000, tz=UTC)
    first = parse_date(str(day), now=later, tz=zone)
    assert parse_date(str(day), now=later, tz=zone, end=True) == first + 86_399


# -- path globs against a plain, slow reading of the same rules ----------------------------------

names = st.text(alphabet="ab", min_size=1, max_size=3)
paths = st.lists(names, min_size=1, max_size=4).map("/".join)
globs = st.lists(
    st.one_of(
        st.just("**"), st.text(alphabet="ab*?", min_size=1, max_size=4).filter(lambda name: "**" not in name)
    ),
    min_size=1,
    max_size=4,
).map("/".join)


def slowly(glob: list[str], path: list[str]) -> bool:
    """Whether the segments match the path or a folder that it is in."""
    if not glob:
        return True
    if glob[0] == "**":
        if len(glob) == 1:
            return bool(path)
        return slowly(glob[1:], path) or (bool(path) and slowly(glob, path[1:]))
    if not path:
        return False
    segment = "".join({"*": ".*", "?": "."}.get(char, re.escape(char)) for char in glob[0])
    return re.fullmatch(segment, path[0]) is not None and slowly(glob[1:], path[1:])


@given(globs, paths, st.sampled_from(["", "/"]))
def test_globs_match_as_the_rules_say(glob: str, path: str, root: str) -> None:
    anchored = bool(root) or "/" in glob
    segments = glob.split("/") if anchored else ["**", *glob.split("/")]
    assert (path_pattern(root + glob).fullmatch(path) is not None) == slowly(segments, path.split("/"))


@given(st.integers(1, 60))
def test_hostile_globs_cost_no_more_than_their_length(stars: int) -> None:
    # Backtracking over these would not end within the suite's time limit.
    assert not path_pattern("*a" * stars + "*b").fullmatch("a" * 200)
    assert not path_pattern("**/a/" * stars + "b").fullmatch("a/" * 200 + "c")

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from ohara.dates import render_date
from ohara.errors import QueryError
from ohara.model import ChangeKind
from ohara.query import (
    parse_author,
    parse_date,
    parse_kind,
    parse_lang,
    parse_path_glob,
    parse_ref,
    parse_symbol,
    path_pattern,
)

NOW = 1_718_000_000
BERLIN = ZoneInfo("Europe/Berlin")

NOT_DATES = ["", "soon", "tomorrow", "next week", "3", "3m", "5 weeks", "2 fortnights ago", "99y", "9999y"]
NOT_DATES += ["0000", "1969", "9999", "9999-12-31", "24-05-01", "2024-13", "2024-02-30"]
NOT_DATES += ["2024-05-01T25:00", "2024-05-01T12:00+99:00"]


@pytest.mark.parametrize(
    "value",
    NOT_DATES,
)
def test_what_is_not_a_date(value: str) -> None:
    with pytest.raises(QueryError, match="is not a date") as refused:
        parse_date(value, now=NOW, tz=UTC)
    assert "2024-05-01" in refused.value.hint


@pytest.mark.parametrize("value", ["2024-06-11", "2025", "2024-07", "2024-06-10T06:14Z"])
def test_the_future_is_an_error(value: str) -> None:
    with pytest.raises(QueryError, match="lies in the future"):
        parse_date(value, now=NOW, tz=UTC)


def test_days_are_days_of_the_zone_and_may_have_25_hours() -> None:
    first = parse_date("2023-10-29", now=NOW, tz=BERLIN)
    assert first == parse_date("2023-10-28T22:00Z", now=NOW, tz=BERLIN)
    assert parse_date("2023-10-29", now=NOW, tz=BERLIN, end=True) - first == 25 * 3600 - 1
    assert render_date(first, tz=BERLIN) == "2023-10-29"
    assert render_date(first, tz=UTC) == "2023-10-28T22:00Z"


def test_without_a_zone_the_local_one_holds() -> None:
    # The suite runs in UTC.
    assert parse_date("2024-05-01", now=NOW) == parse_date("2024-05-01", now=NOW, tz=UTC)
    assert parse_date("2024-05-01T01:02:03", now=NOW) == parse_date("2024-05-01T01:02:03Z", now=NOW)
    assert parse_date("today", now=NOW, tz=UTC) == parse_date("today", now=NOW)


def test_a_month_before_the_31st_is_the_months_last_day() -> None:
    march = parse_date("2024-03-31T12:00Z", now=NOW, tz=UTC)
    assert render_date(parse_date("1 month ago", now=march, tz=UTC), tz=UTC) == "2024-02-29"


@pytest.mark.parametrize(
    ("name", "canonical"), [("py", "python"), ("C++", "cpp"), (" Golang ", "go"), ("go", "go")]
)
def test_languages_by_any_name(name: str, canonical: str) -> None:
    assert parse_lang(name) == canonical


def test_kinds_in_any_case() -> None:
    assert parse_kind("Renamed") is ChangeKind.RENAMED


def test_symbols_lose_the_parentheses_of_a_call() -> None:
    assert parse_symbol("Foo::bar()") == "Foo::bar"


@pytest.mark.parametrize("value", ["", "  ", "a\x1bb", "a\nb"])
def test_empty_values_and_control_characters_are_errors(value: str) -> None:
    with pytest.raises(QueryError):
        parse_author(value)


@pytest.mark.parametrize("value", ["a b", "main..topic", "--output=x"])
def test_what_cannot_be_a_ref(value: str) -> None:
    with pytest.raises(QueryError, match="branch, tag or commit"):
        parse_ref(value)


@pytest.mark.parametrize(
    ("value", "glob"),
    [("./src//a", "src/a"), ("src/", "src/"), ("/docs", "/docs"), (r"a\*b", r"a\*b"), ("././x", "x")],
)
def test_globs_in_normal_form(value: str, glob: str) -> None:
    assert parse_path_glob(value) == glob


@pytest.mark.parametrize(
    "value", ["/", "./", ".", "a/../b", "a/./b", r"src\a.py", r"C:\x", "C:/x", "{a,b}" * 7]
)
def test_what_cannot_be_a_path(value: str) -> None:
    with pytest.raises(QueryError):
        parse_path_glob(value)


def test_an_escaped_star_is_a_star() -> None:
    assert path_pattern(r"a\*b").fullmatch("a*b")
    assert not path_pattern(r"a\*b").fullmatch("axb")


def test_dots_and_brackets_are_plain() -> None:
    assert not path_pattern("a.py").fullmatch("aXpy")
    assert path_pattern("(app)/[id]/+page.ts").fullmatch("(app)/[id]/+page.ts")

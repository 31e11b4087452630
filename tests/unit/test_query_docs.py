"""Runs every table of docs/query-language.md."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ohara.errors import QueryError
from ohara.model import Filters, Mode, Polarity, Query
from ohara.query import (
    FILTER_NAMES,
    filter_sources,
    parse,
    parse_date,
    path_pattern,
    pattern_source,
    to_source,
)
from ohara.query.intent import read_intent

PAGE = (Path(__file__).parents[2] / "docs" / "query-language.md").read_text("utf-8")
NOW = 1_718_000_000


def rows(*header: str) -> list[list[str]]:
    """The cells of every row of the tables with this header."""
    found: list[list[str]] = []
    for table in re.findall(
        rf"^\| {re.escape(' | '.join(header))} \|\n\|[- |]+\|\n((?:\|.*\|\n)+)", PAGE, re.MULTILINE
    ):
        found += [[cell.strip() for cell in row[1:-1].split(" |")] for row in table.splitlines()]
    assert found
    return found


def spans(cell: str) -> list[str]:
    return re.findall("`([^`]*)`", cell)


def span(cell: str) -> str:
    return spans(cell)[0] if cell else ""


def required(query: Query) -> list[str]:
    terms = [*map(pattern_source, query.patterns), *(f"-{pattern_source(each)}" for each in query.excluded)]
    alone = [
        to_source(Query("", "", (pattern,), Filters(), Mode.AUTO, query.query_class))
        for pattern in query.patterns
    ]
    assert terms[: len(alone)] == alone
    return terms


@pytest.mark.parametrize(
    ("source", "class_", "words", "terms", "filters"), rows("Query", "Class", "Words", "Required", "Filters")
)
def test_examples(source: str, class_: str, words: str, terms: str, filters: str) -> None:
    query = parse(span(source), now=NOW, tz=UTC)
    assert query.query_class == class_
    assert query.words == span(words)
    assert required(query) == spans(terms)
    assert list(filter_sources(query.filters, tz=UTC)) == spans(filters)
    assert query.polarity is Polarity.ANY


@pytest.mark.parametrize(("source", "intent", "about"), rows("Question", "Intent", "About"))
def test_examples_of_intents(source: str, intent: str, about: str) -> None:
    assert parse(span(source), now=NOW, tz=UTC).intent == intent
    assert " ".join(read_intent(span(source)).thing) == span(about)


@pytest.mark.parametrize(
    ("source", "polarity", "words", "terms"), rows("Query", "Polarity", "Words", "Required")
)
def test_examples_of_polarity(source: str, polarity: str, words: str, terms: str) -> None:
    query = parse(span(source), now=NOW, tz=UTC)
    assert (query.polarity, query.words, required(query)) == (Polarity(polarity), span(words), spans(terms))


@pytest.mark.parametrize(("source", "message", "hint"), rows("Query", "Error", "Hint"))
def test_examples_of_errors(source: str, message: str, hint: str) -> None:
    with pytest.raises(QueryError) as refused:
        parse(span(source), now=NOW, tz=UTC)
    assert (refused.value.message, refused.value.hint) == (message, hint)


@pytest.mark.parametrize(("mode", "source", "terms", "filters"), rows("Mode", "Query", "Required", "Filters"))
def test_examples_of_modes(mode: str, source: str, terms: str, filters: str) -> None:
    query = parse(span(source), now=NOW, mode=Mode(mode), tz=UTC)
    assert query.query_class == mode
    assert query.words == ""
    assert required(query) == spans(terms)
    assert list(filter_sources(query.filters, tz=UTC)) == spans(filters)


@pytest.mark.parametrize(("written", "since", "until"), rows("Written", "since", "until"))
def test_examples_of_dates(written: str, since: str, until: str) -> None:
    def moment(*, end: bool) -> str:
        seconds = parse_date(span(written), now=NOW, tz=UTC, end=end)
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    assert (moment(end=False), moment(end=True)) == (since, until)


@pytest.mark.parametrize(("glob", "matches", "misses"), rows("Glob", "Matches", "Does not match"))
def test_examples_of_globs(glob: str, matches: str, misses: str) -> None:
    pattern = path_pattern(span(glob))
    assert [path for path in spans(matches) if not pattern.fullmatch(path)] == []
    assert [path for path in spans(misses) if pattern.fullmatch(path)] == []


def test_every_filter_is_documented_and_no_other() -> None:
    documented = [span(name).partition(":")[0].lstrip("-") for name, _ in rows("Filter", "Lets through")]
    assert set(documented) == set(FILTER_NAMES)


def test_the_snippet_is_a_snippet() -> None:
    source = re.findall(r"```\n(.*?)```", PAGE, re.DOTALL)[0]
    query = parse(source, now=NOW, tz=UTC)
    assert query.query_class == "snippet"
    assert query.filters == Filters(paths=("src/",), since=parse_date("2023", now=NOW, tz=UTC))
    assert query.words.startswith("-    if timeout is None:\n")
    assert query.patterns == ()

"""What decides without drawing: queries in the making, the timeline, visits, sessions, phrases."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.errors import IndexMissing, QueryError
from ohara.model import Pass, Progress
from ohara.query import parse
from ohara.wire import JobState
from tests.tui.hits import COMMIT
from tui.actions import remapped
from tui.advice import advise, progress_line
from tui.formats import age, author_day, day, duration, ordinal
from tui.query_draft import QueryDraft, lift_filters, parse_draft
from tui.screens.filters import chips_from, fields_of
from tui.search_state import SearchState
from tui.session import MOST_QUERIES, Session
from tui.timeline import bars
from tui.visits import CommitVisit, Visits

if TYPE_CHECKING:
    from ohara.model import Query

NOW = 1_750_000_000
TOKENS = st.sampled_from(
    [
        *(
            "retry",
            "with_backoff",
            '"exact text"',
            "/re.x/",
            "author:ada",
            "lang:py",
            "path:src/",
            "-path:a b",
        ),
        *(
            'message:"two words"',
            "since:2020",
            "until:2024-05",
            "added:",
            'removed:"x y"',
            "kind:added",
            "[/]",
        ),
    ]
)


def meaning(source: str) -> Query | None:
    try:
        return replace(parse(source, now=NOW), source="")
    except QueryError:
        return None


@given(st.lists(TOKENS, max_size=6))
def test_a_query_taken_apart_means_the_same(tokens: list[str]) -> None:
    source = " ".join(tokens)
    assert meaning(parse_draft(source, now=NOW).source) == meaning(source)


@given(st.lists(TOKENS, min_size=1, max_size=6), st.sampled_from(["", " ", " auth"]))
def test_lifting_filters_out_of_what_is_typed_changes_no_meaning(tokens: list[str], end: str) -> None:
    typed = QueryDraft(" ".join(tokens) + end)
    assert meaning(lift_filters(typed, now=NOW).source) == meaning(typed.source)


def test_a_filter_is_lifted_once_it_is_typed_to_its_end() -> None:
    assert lift_filters(QueryDraft("fix author:ada"), now=NOW) == QueryDraft("fix author:ada")
    assert lift_filters(QueryDraft("fix author:ada "), now=NOW) == QueryDraft("fix ", ("author:ada",))
    assert lift_filters(QueryDraft('message:"a '), now=NOW) == QueryDraft('message:"a ')
    assert lift_filters(QueryDraft("std::vector "), now=NOW) == QueryDraft("std::vector ")


def test_a_period_replaces_another() -> None:
    draft = QueryDraft("x", ("author:a", "since:2020", "until:2021"))
    assert draft.within("2022-05", "2022-05").chips == ("author:a", "since:2022-05", "until:2022-05")
    assert draft.within("", "").chips == ("author:a",)


@given(st.lists(st.integers(0, 2_000_000_000), max_size=60), st.integers(1, 90))
def test_every_hit_stands_in_one_bar_and_bars_follow_each_other(moments: list[int], width: int) -> None:
    found = bars(moments, width)
    assert len(found) <= width
    assert all(
        left.first_month + left.months == right.first_month for left, right in itertools.pairwise(found)
    )
    if len(found) and found[0].months < 120:
        assert sum(bar.hits for bar in found) == len(moments)


@given(st.integers(0, 1_700_000_000), st.integers(1, 40))
def test_a_bar_is_a_period_that_the_grammar_reads_and_its_hits_lie_in(moment: int, width: int) -> None:
    spread = [moment, max(0, moment - 40_000_000)]
    for bar in bars(spread, width):
        filters = parse(f"since:{bar.since} until:{bar.until}", now=NOW + 400_000_000, tz=None).filters
        assert filters.since is not None
        assert filters.until is not None
        inside = [each for each in spread if filters.since <= each <= filters.until]
        assert len(inside) == bar.hits


@given(st.lists(st.sampled_from(["visit a", "visit b", "visit c", "back", "forward"]), max_size=30))
def test_back_undoes_a_visit_and_forward_undoes_back(steps: list[str]) -> None:
    visits = Visits()
    for step in steps:
        if step.startswith("visit "):
            before = visits
            commit = CommitVisit("/repo", step.removeprefix("visit "))
            visits = visits.add(commit)
            assert visits.current == commit
            assert visits is before or visits.forward() is None
        else:
            moved = visits.back() if step == "back" else visits.forward()
            if moved is not None:
                undone = moved.forward() if step == "back" else moved.back()
                assert undone == visits
                visits = moved


def test_queries_are_remembered_newest_first_each_once() -> None:
    session = Session()
    for source in ["a", "b", "a", " ", *map(str, range(MOST_QUERIES + 5))]:
        session = session.with_query("/repo", source)
    assert len(session.queries) == MOST_QUERIES
    assert session.recent("/repo")[0] == str(MOST_QUERIES + 4)
    assert session.recent("/other") == ()


@pytest.mark.parametrize(
    ("fields", "chips"),
    [
        ({}, ()),
        ({"author": "ada  bob"}, ("author:ada", "author:bob")),
        ({"author": '"ada l"', "lang": "py"}, ('author:"ada l"', "lang:python")),
        ({"side": "added", "-path": "tests/"}, ("added:", "-path:tests/")),
        ({"since": "2020", "until": "2021-05"}, ("since:2020", "until:2021-05")),
    ],
)
def test_the_dialog_makes_chips_and_reads_them_back(fields: dict[str, str], chips: tuple[str, ...]) -> None:
    assert chips_from(fields, now=NOW) == chips
    assert chips_from(fields_of(chips), now=NOW) == chips


@pytest.mark.parametrize("fields", [{"lang": "klingon"}, {"kind": "x"}, {"since": "2999"}, {"side": "up"}])
def test_the_dialog_refuses_what_the_grammar_refuses(fields: dict[str, str]) -> None:
    with pytest.raises(QueryError):
        chips_from(fields, now=NOW)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-3_600, "soon"), (5, "now"), (90, "1m"), (7_200, "2h"), (86_400 * 3, "3d"), (86_400 * 800, "2y")],
)
def test_ages_are_short(seconds: int, said: str) -> None:
    assert age(NOW - seconds, now=NOW) == said


def test_durations_are_rounded_as_one_says_them() -> None:
    assert [duration(each) for each in (0.2, 42, 600, 9_000)] == ["a second", "42 s", "10 min", "2.5 h"]


@pytest.mark.parametrize("state", ["queued", "running"])
def test_an_index_job_that_has_not_begun_is_told_in_whole_sentences(state: str) -> None:
    job = JobState(repository="/r", state=state, reason="asked")
    advice = advise(SearchState(repository="/r", job=job), (), remapped({}))
    waiting = SearchState(repository="/r", job=job, error=IndexMissing("none", hint=""))
    for line in (*advice.lines, *advise(waiting, (), remapped({})).lines):
        assert line.endswith(".")
        assert ".." not in line


def test_what_waits_to_be_indexed_says_for_whom() -> None:
    here = SearchState(repository="/src/mine").job_changed(JobState("/src/mine/.git", "queued", "asked"))
    assert here.is_waiting
    assert progress_line(here) == "Waiting for its turn to be indexed"
    progress = Progress(Pass.LINES, 4_200, 13_110, 0, 21.0)
    behind = here.other_job_changed(JobState("/src/other/.git", "progress", "moved", progress))
    assert progress_line(behind) == "Next in turn, after other (lines 4,200 of 13,110)"
    over = behind.other_job_changed(JobState("/src/other/.git", "done", "moved"))
    assert progress_line(over) == "Waiting for its turn to be indexed"


def test_a_day_is_that_of_the_author() -> None:
    late = replace(COMMIT, author_time=1_600_041_000, author_offset=120)  # 23:50 in Greenwich
    assert (day(late.author_time), author_day(late)) == ("2020-09-13", "2020-09-14")
    assert author_day(replace(late, author_offset=10**9)) == "2020-09-13"


@pytest.mark.parametrize(
    ("number", "said"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (22, "22nd"), (1_113, "1,113th")]
)
def test_places_are_said_in_words(number: int, said: str) -> None:
    assert ordinal(number) == said

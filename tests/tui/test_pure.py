"""What decides without drawing: queries in the making, the timeline, visits, sessions, phrases."""

from __future__ import annotations

import itertools
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.errors import IndexMissing, QueryError
from ohara.model import IndexStatus, Pass, Progress
from ohara.query import parse
from ohara.wire import JobState
from tests.tui.hits import COMMIT
from tui.actions import remapped
from tui.advice import advise, progress_line
from tui.formats import age, author_day, day, duration, ordinal
from tui.link import LinkState
from tui.query_draft import QueryDraft, lift_filters, parse_draft
from tui.screens.filters import FIELDS, chips_from, edited, fields_of, has_field
from tui.search_state import SearchState
from tui.session import MOST_QUERIES, Session
from tui.timeline import bars
from tui.visits import CommitVisit, Visits

if TYPE_CHECKING:
    from collections.abc import Iterator

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


@given(st.lists(st.integers(-(2**40), 2**60), max_size=60), st.integers(1, 90))
def test_every_hit_stands_in_one_bar_and_bars_follow_each_other(moments: list[int], width: int) -> None:
    found = bars(moments, width, now=NOW)
    assert len(found) <= width
    assert all(
        left.first_month + left.months == right.first_month for left, right in itertools.pairwise(found)
    )
    if len(found) and found[0].months < 120:
        assert sum(bar.hits for bar in found) == len(moments)


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"])
@given(st.integers(86_400, 2 * NOW), st.integers(1, 40))
def test_a_bar_is_a_period_that_the_grammar_reads_and_its_hits_lie_in(
    zone: str, moment: int, width: int
) -> None:
    spread = [moment, max(86_400, moment - 40_000_000)]
    with local_zone(zone):
        for bar in bars(spread, width, now=NOW):
            period = f"since:{bar.since}" + (f" until:{bar.until}" if bar.until else "")
            filters = parse(period, now=NOW, tz=None).filters
            assert filters.since is not None
            assert bar.reaches_now is (filters.until is None)
            last = filters.until if filters.until is not None else max(spread)
            assert len([each for each in spread if filters.since <= each <= last]) == bar.hits


@contextmanager
def local_zone(zone: str) -> Iterator[None]:
    """The zone that the user is in."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(
    ("width", "label"),
    [
        (200, "2025-06"),
        (60, "2025-04 to today"),
        (15, "2025"),
        (5, "2025-01 to today"),
        (3, "2020-01 to today"),
    ],
)
def test_the_newest_bar_ends_today(width: int, label: str) -> None:
    newest = bars([NOW - 12 * 365 * 86_400, NOW], width, now=NOW)[-1]
    assert (newest.label, newest.until) == (label, "")


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
        ({"message": r'"say \"hi\" there" wip'}, (r'message:"say \"hi\" there"', "message:wip")),
        ({"side": "added", "-path": "tests/"}, ("added:", "-path:tests/")),
        ({"since": "2020", "until": "2021-05"}, ("since:2020", "until:2021-05")),
    ],
)
def test_the_dialog_makes_chips_and_reads_them_back(fields: dict[str, str], chips: tuple[str, ...]) -> None:
    assert chips_from(fields, now=NOW) == chips
    assert chips_from(fields_of(chips), now=NOW) == chips


def test_every_filter_that_the_dialog_cannot_show_stays_where_it_is() -> None:
    source = "added: -author:bob is:gone lang:python -lang:c repo:kit since:2020 -message:wip -path:tests/"
    chips = parse_draft(f"{source} retry", now=NOW).chips
    assert {chip for chip in chips if not has_field(chip)} == {
        "is:gone",
        "-author:bob",
        "-lang:c",
        "repo:kit",
        "-message:wip",
    }
    assert edited(chips, chips_from(shown(chips), now=NOW)) == chips
    changed = edited(("is:gone", "lang:c", "-ext:md", "ext:h"), ("lang:c", "author:ada"))
    assert changed == ("is:gone", "lang:c", "-ext:md", "author:ada")


def shown(chips: tuple[str, ...]) -> dict[str, str]:
    """What the fields of the dialog hold."""
    return {name: fields_of(chips).get(name, "") for name, _, _ in FIELDS}


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


def test_while_a_first_run_goes_on_nobody_is_told_of_no_commits() -> None:
    none = IndexStatus("/r", 5_465, 0, 5_465, 0, 0, 0, 4096, (), (), (), (), None)
    progress = Progress(Pass.TEXT, 1_008, 5_465, 0, 1.0)
    job = JobState(repository="/r", state="progress", reason="asked", progress=progress)
    running = SearchState(repository="/r", status=none, job=job, link=LinkState.CONNECTED)
    (line,) = advise(running, (), remapped({})).lines
    assert line.startswith("Indexing: text 1,008 of 5,465 commits")
    ended = replace(running, job=None, status=replace(none, indexed=5_465, hunks=20_000))
    assert advise(ended, (), remapped({})).lines == ("5,465 commits, 20,000 hunks",)


def test_what_waits_to_be_indexed_says_for_whom() -> None:
    here = SearchState(repository="/src/mine").job_changed(JobState("/src/mine/.git", "queued", "asked"))
    assert here.is_waiting
    assert progress_line(here) == "Waiting for its turn to be indexed"
    progress = Progress(Pass.LINES, 4_200, 13_110, 0, 21.0)
    behind = here.other_job_changed(JobState("/src/other/.git", "progress", "moved", progress))
    assert progress_line(behind) == "Next in turn, after other (lines 4,200 of 13,110)"
    files = Progress(Pass.SYMBOL, 34, 68, 0, 2.0, of_head=True)
    reading = here.job_changed(JobState("/src/mine/.git", "progress", "asked", files))
    assert progress_line(reading) == "Indexing: symbol 34 of 68 files of HEAD, 2 s left"
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

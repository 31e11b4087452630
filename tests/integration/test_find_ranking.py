"""Ranked search over a scripted project: filters, pins, pages, faults and what each answer says of itself."""

from __future__ import annotations

import json
import shutil
import time
from contextlib import closing
from dataclasses import dataclass, replace
from threading import Event
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import anyio
import anyio.to_thread
import pytest

from fixtures import histories
from fixtures.script import History
from fixtures.tree import Edit
from ohara.embed.encoder import TextKind
from ohara.embed.quantise import Bits, Probe
from ohara.embed.static_model import StaticEmbedder
from ohara.errors import QueryError, StoreError, UsageError
from ohara.index.job import IndexOptions
from ohara.model import Filters, HunkId, LaneStatus, Mode, Pass, SearchOptions, Sha
from ohara.query import parse
from ohara.retrieve import rerank as reranking
from ohara.retrieve import word_choice
from ohara.retrieve.lane import Lane
from ohara.retrieve.lanes import text, vector
from ohara.retrieve.profile import REFERENCE, Blend, lane_weights
from ohara.retrieve.ranking import Candidate, Ranking
from ohara.retrieve.registry import LANES
from ohara.retrieve.run_lanes import run_lanes
from ohara.store.answers import WordQuery
from ohara.store.sql import ancestry
from ohara.store.sqlite.filters import EVERYTHING, compile_filters
from ohara.store.sqlite.pool import ReaderPool
from ohara.store.sqlite.reader import Reader
from ohara.store.sqlite.shared_memory import SharedMemory
from tests.indexing import index, wholly_indexed
from tests.process import python

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.embed.encoder import Matrix
    from ohara.engine import Engine
    from ohara.model import Results, VectorBlock
    from ohara.retrieve.lane import LaneQuery
    from ohara.store import reading as store

NOW = 1_735_689_600
WORDS_ONLY = IndexOptions(passes=frozenset({Pass.TEXT, Pass.LITERAL, Pass.SYMBOL}), lock_wait_s=10)


@pytest.fixture(scope="module")
def engine(shared_project: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with wholly_indexed(shared_project, tmp_path_factory.mktemp("ranking")) as indexed:
        yield indexed


@pytest.fixture(scope="module")
def reader(engine: Engine) -> Iterator[Reader]:
    opened = Reader(engine.location.database)
    yield opened
    opened.close()


def ask(engine: Engine, query: str, k: int = 5, **options: object) -> Results:
    return engine.find_pattern(query, SearchOptions(k=k, rerank=False, now=NOW, **options))  # type: ignore[arg-type]


def commits(results: Results, repo: Repo) -> list[str]:
    return [repo.key_of(hit.commit.sha) for hit in results.hits]


# -- what an answer says of itself ---------------------------------------------------------------


def test_an_answer_says_what_was_searched_and_which_lanes_answered(engine: Engine) -> None:
    results = ask(engine, "retry with backoff")
    whole = engine.status()
    assert (results.index.commits, results.index.indexed, results.index.behind) == (
        whole.commits,
        whole.indexed,
        0,
    )
    assert results.index.passes == whole.passes
    lanes = {lane.name: lane for lane in results.lanes}
    assert list(lanes) == ["vector", "text", "symbol", "commit", "commit_text", "rerank"]
    assert {name: lane.status for name, lane in lanes.items()} == {
        "vector": LaneStatus.OK,
        "text": LaneStatus.OK,
        "symbol": LaneStatus.OK,
        "commit": LaneStatus.OK,
        "commit_text": LaneStatus.OK,
        "rerank": LaneStatus.OFF,
    }
    assert results.fusion == "convex"
    assert [hit.rank for hit in results.hits] == [1, 2, 3, 4, 5]
    scores = [hit.score for hit in results.hits]
    assert scores == sorted(scores, reverse=True)
    first = results.hits[0]
    assert first.lanes["text"] == 1
    assert first.fused == 1.0
    assert first.rerank is None


def test_what_git_has_and_the_index_has_not_is_said(small_project: Repo) -> None:
    engine = index(small_project, WORDS_ONLY)
    small_project.git(
        "-c", "user.name=N", "-c", "user.email=n@e.org", "commit", "-q", "--allow-empty", "-m", "New"
    )
    status = ask(engine, "retry").index
    assert (status.behind, status.commits) == (1, status.indexed + 1)
    assert {one.stage: one.done for one in status.passes}[Pass.VECTOR] == 0


def test_nothing_relevant_is_said_with_what_to_try(engine: Engine) -> None:
    results = ask(engine, "zyzzyva quokka xylophone")
    assert results.hits == ()
    assert "try other words" in results.notes[0]


def test_without_vectors_the_lane_says_so_and_the_others_answer(small_project: Repo) -> None:
    results = ask(index(small_project, WORDS_ONLY), "retry with backoff")
    lanes = {lane.name: lane for lane in results.lanes}
    for lane in ("vector", "commit"):
        assert lanes[lane].status is LaneStatus.EMPTY
        assert "no vectors yet" in lanes[lane].detail
    assert commits(results, small_project)[0] == "retry"


# -- modes and classes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "lanes"),
    [(Mode.TEXT, {"text"}), (Mode.SEMANTIC, {"vector", "commit"}), (Mode.SYMBOL, {"symbol"})],
)
def test_a_mode_asks_its_own_lanes_only(engine: Engine, mode: Mode, lanes: set[str]) -> None:
    results = ask(engine, "retry upload", mode=mode)
    assert {hit_lane for hit in results.hits for hit_lane in hit.lanes} == lanes
    off = {report.name for report in results.lanes if report.status is LaneStatus.OFF}
    assert off == {"vector", "text", "symbol", "commit", "commit_text", "rerank"} - lanes


def test_an_exact_name_ranks_above_everything_else(engine: Engine, shared_project: Repo) -> None:
    results = ask(engine, "with_retries", 20)
    named = ["with_retries" in hit.excerpt or "with_retries" in (hit.symbol or "") for hit in results.hits]
    assert named[0]
    assert named == sorted(named, reverse=True)
    assert not all(named)
    assert "retry" in commits(results, shared_project)[:3]


def test_a_commits_name_lists_its_hunks_in_order(engine: Engine, shared_project: Repo) -> None:
    wanted = shared_project.sha["drop-python2"]
    results = ask(engine, wanted[:9].upper(), 50)
    assert {hit.commit.sha for hit in results.hits} == {wanted}
    assert len(results.hits) > 1
    paths = [hit.path for hit in results.hits]
    assert paths == sorted(paths)


def test_a_commits_name_that_nobody_has_is_searched_as_text(engine: Engine, shared_project: Repo) -> None:
    reverted = shared_project.sha["rate-limit"]
    missing = ("0" if reverted[0] != "0" else "1") + reverted[1:9]
    results = ask(engine, missing)
    assert results.hits == ()
    assert "no indexed commit begins with" in results.notes[0]
    searched = {lane.name for lane in results.lanes if lane.status is not LaneStatus.OFF}
    assert searched <= {"text", "rerank"}


def test_filters_alone_list_what_they_let_through_newest_first(engine: Engine, shared_project: Repo) -> None:
    results = ask(engine, "author:renovate", 50)
    assert set(commits(results, shared_project)) | {
        shared_project.key_of(sha) for hit in results.hits for sha in hit.also_in
    } == {"lock", "lock-again"}
    times = [hit.commit.committer_time for hit in ask(engine, "lang:python", 50).hits]
    assert times == sorted(times, reverse=True)


def test_quoted_text_is_required_and_the_other_words_rank(engine: Engine, shared_project: Repo) -> None:
    results = ask(engine, 'upload "hashlib.md5"', 20)
    assert set(commits(results, shared_project)) == {"checksum", "sha256"}
    assert results.lanes[0].name == "literal"
    assert results.literal is not None
    assert all("hashlib.md5" in hit.excerpt for hit in results.hits)
    assert ask(engine, 'upload "nobody ever wrote this"').hits == ()


# -- filters in every lane -----------------------------------------------------------------------


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.TEXT, Mode.SEMANTIC, Mode.SYMBOL])
@pytest.mark.parametrize(
    ("filters", "holds"),
    [
        ("path:web/**", lambda hit: hit.path.startswith("web/")),
        ("-path:*.py", lambda hit: not hit.path.endswith(".py")),
        ("lang:go", lambda hit: hit.path.endswith(".go")),
        ("kind:added", lambda hit: hit.kind.value == "added"),
        ("since:2022", lambda hit: hit.commit.committer_time >= 1_640_995_200),
        ("until:2021", lambda hit: hit.commit.committer_time < 1_640_995_200),
        ("message:retry", lambda hit: "retry" in hit.commit.message.lower()),
        ("symbol:with_retries", lambda hit: hit.commit is not None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_filters_hold_in_every_lane(
    engine: Engine, mode: Mode, filters: str, holds: Callable[[object], bool]
) -> None:
    results = ask(engine, f"retry upload progress file {filters}", 30, mode=mode)
    assert all(holds(hit) for hit in results.hits)
    if mode is Mode.AUTO:
        assert results.hits


def test_filters_apply_before_the_best_are_taken(engine: Engine) -> None:
    """A lane that cut to its best first would leave nothing of an author who is rarely the best."""
    everyone = ask(engine, "file", 1)
    results = ask(engine, f"file -path:{everyone.hits[0].path}", 1)
    assert len(results.hits) == 1
    assert results.hits[0].path != everyone.hits[0].path


def test_authors_and_messages_are_compared_without_regard_to_case(reader: Reader) -> None:
    def allowed(filters: Filters) -> set[int]:
        found: set[int] = {at.hunk for at in reader.recent(reader.allow(filters))}
        assert found
        return found

    assert allowed(Filters(authors=("RENOVATE",))) == allowed(Filters(authors=("renovate",)))
    assert allowed(Filters(messages=("GOODBYE",))) == allowed(Filters(messages=("goodbye",)))


def test_values_of_one_filter_are_alternatives_and_filters_combine(reader: Reader) -> None:
    def allowed(**filters: tuple[str, ...]) -> set[int]:
        allowed = reader.allow(Filters(**filters))  # type: ignore[arg-type]
        return {at.hunk for at in reader.recent(allowed)}

    go, python_ = allowed(langs=("go",)), allowed(langs=("python",))
    assert allowed(langs=("go", "python")) == go | python_
    assert allowed(langs=("go",), paths=("cmd/**",)) == go & allowed(paths=("cmd/**",))
    assert allowed(langs=("go",), not_paths=("cmd/**",)) == go - allowed(paths=("cmd/**",))
    assert allowed(authors=("nobody at all",)) == set()


def test_a_language_includes_its_dialects(tmp_path: Path) -> None:
    with History(tmp_path / "dialects") as history:
        history.commit("Begin", {"a.ts": "let parcel = 1\n"}, key="plain")
        history.commit("View", {"b.tsx": "let parcel = <Parcel />\n"}, key="view")
        history.commit("Script", {"c.js": "let parcel = 3\n"}, key="script")
    engine = index(history.repo, WORDS_ONLY)
    assert set(commits(ask(engine, "parcel lang:ts"), history.repo)) == {"plain", "view"}
    assert commits(ask(engine, "parcel lang:tsx"), history.repo) == ["view"]


def test_no_filters_cost_nothing(reader: Reader) -> None:
    assert compile_filters(reader, Filters()) == EVERYTHING
    assert EVERYTHING.on("rowid") == ""


def test_a_path_filter_finds_a_renamed_file_by_either_name(engine: Engine) -> None:
    before = ask(engine, "path:web/src/client.ts kind:renamed", 5).hits
    assert before
    after = ask(engine, f"path:{before[0].path} kind:renamed", 5).hits
    assert {hit.hunk for hit in before} <= {hit.hunk for hit in after}


def test_a_ref_bounds_the_answer_to_what_it_reaches(tmp_path: Path) -> None:
    with History(tmp_path / "refs") as history:
        history.commit("Begin", {"a.py": "parcel = 1\n"}, key="begin")
        history.branch("old")
        history.switch("main")
        history.commit("Parcel again", {"a.py": "parcel = 2\n"}, key="again")
    engine = index(history.repo, WORDS_ONLY)
    assert commits(ask(engine, "parcel ref:old"), history.repo) == ["begin"]
    assert set(commits(ask(engine, "parcel ref:main"), history.repo)) == {"begin", "again"}
    assert commits(ask(engine, '"parcel = 2" ref:old'), history.repo) == []
    with pytest.raises(QueryError, match="no branch, tag or commit named odl") as caught:
        ask(engine, "parcel ref:odl")
    assert caught.value.hint == "did you mean old?"


def test_commits_that_were_rewritten_away_never_answer(small_project: Repo) -> None:
    rewrite = histories.rewrite_branch(small_project)
    small_project.git("branch", "-f", "before", rewrite.old[0])
    small_project.git("symbolic-ref", "HEAD", "refs/heads/before")
    engine = index(small_project, IndexOptions(lock_wait_s=10))
    gone = set(rewrite.old)
    assert gone & {hit.commit.sha for hit in ask(engine, "compress with gzip", 20).hits}
    small_project.git("symbolic-ref", "HEAD", f"refs/heads/{rewrite.branch}")
    small_project.git("branch", "-D", "before")
    index(small_project, IndexOptions(lock_wait_s=10))
    for mode in (Mode.AUTO, Mode.TEXT, Mode.SEMANTIC, Mode.SYMBOL):
        found = ask(engine, "compress with gzip", 20, mode=mode)
        named = {sha for hit in found.hits for sha in (hit.commit.sha, *hit.also_in)}
        assert not gone & named
    assert set(rewrite.new) & {hit.commit.sha for hit in ask(engine, "compress with gzip", 20).hits}


# -- diversity and pages -------------------------------------------------------------------------


def test_one_hit_for_each_commit_unless_all_hunks_are_wanted(engine: Engine) -> None:
    results = ask(engine, "retry upload", 20)
    shas = [hit.commit.sha for hit in results.hits]
    assert len(shas) == len(set(shas))
    assert any(hit.more_in_commit for hit in results.hits)
    every = ask(engine, "retry upload", 50, all_hunks=True)
    assert len({hit.commit.sha for hit in every.hits}) < len(every.hits)
    assert all(hit.more_in_commit == 0 for hit in every.hits)


def test_identical_changes_are_collapsed_whichever_was_indexed_first(tmp_path: Path) -> None:
    answers = []
    for number, order in enumerate((("stable", "main"), ("main", "stable"))):
        with History(tmp_path / f"picks{number}") as history:
            history.commit("Begin", {"a.py": "one = 1\n", "b.py": "two = 2\n"}, key="begin")
            history.branch("stable")
            history.switch("main")
            history.commit(
                "Fix the parcel",
                {"a.py": Edit("one = 1", "one = parcel")},
                key="fix",
                at="2021-03-01 12:00",
            )
            history.switch("stable")
            history.cherry_pick("fix", key="picked", at="2021-04-01 12:00")
            history.switch("main")
            history.merge("Join", "stable", key="join", at="2021-05-01 12:00")
        repo = history.repo
        for ref in order:
            repo.git("symbolic-ref", "HEAD", f"refs/heads/{ref}")
            engine = index(repo, WORDS_ONLY)
        repo.git("symbolic-ref", "HEAD", "refs/heads/main")
        engine = index(repo, WORDS_ONLY)
        shown = ask(engine, '"one = parcel"').hits
        answers.append(
            [(repo.key_of(hit.commit.sha), [repo.key_of(sha) for sha in hit.also_in]) for hit in shown]
        )
        ranked = ask(engine, "fix parcel").hits[0]
        answers.append([(repo.key_of(ranked.commit.sha), [repo.key_of(sha) for sha in ranked.also_in])])
    assert answers[0] == answers[2] == [("picked", ["fix"])]
    assert answers[1] == answers[3]
    assert {answers[1][0][0], *answers[1][0][1]} == {"fix", "picked"}


def test_a_commit_that_shares_one_hunk_with_another_is_listed_by_itself(tmp_path: Path) -> None:
    with History(tmp_path / "shared") as history:
        history.commit("Begin", {"a.py": "one = 1\n"}, key="begin")
        history.commit("Both", {"b.py": "import parcel\n", "c.py": "import parcel.post\n"}, key="both")
        history.commit("Away", {"b.py": None}, key="away")
        history.commit("Again", {"b.py": "import parcel\n"}, key="again")
    engine = index(history.repo, WORDS_ONLY)
    listed = [
        (history.repo.key_of(hit.commit.sha), hit.also_in) for hit in ask(engine, '"import parcel"').hits
    ]
    assert listed == [("again", ()), ("away", ()), ("both", ())]


def test_tests_and_docs_do_not_stand_in_for_the_change_they_came_with(tmp_path: Path) -> None:
    with History(tmp_path / "kinds") as history:
        history.commit("Begin", {"src/app.py": "x = 1\n"}, key="begin")
        history.commit(
            "Widen the gadget",
            {
                "docs/gadget.md": "widen gadget\n",
                "src/gadget.py": "def widen_gadget():\n    return 2\n",
                "tests/test_gadget.py": "def test_widen_gadget():\n    assert widen_gadget()\n",
            },
            key="widen",
        )
        history.commit("Widen gadget docs", {"docs/gadget.md": "how to widen a gadget\n"}, key="docs")
    engine = index(history.repo, WORDS_ONLY)
    results = ask(engine, "widen gadget")
    assert commits(results, history.repo) == ["widen", "docs"]
    assert results.hits[0].path == "src/gadget.py"
    assert results.hits[0].more_in_commit == 2
    assert commits(ask(engine, "widen gadget docs"), history.repo)[0] == "docs"


def test_a_merge_without_lines_does_not_outrank_what_it_merges(tmp_path: Path) -> None:
    with History(tmp_path / "merges") as history:
        history.commit("Begin", {"a.py": "x = 1\n" * 30}, key="begin")
        history.branch("topic")
        history.commit("Other work", {"b.py": "y = 2\n"}, key="other")
        history.switch("topic")
        history.commit(
            "Frobnicate the widget cache\n\nThe cache of widgets was cold after a restart.\n",
            {"cache.py": "def frobnicate(widget):\n    return warm(widget)\n" + "pass\n" * 20},
            key="work",
        )
        history.switch("main")
        history.merge("Merge branch 'frobnicate-widget-cache'", "topic", key="merge")
    engine = index(history.repo, WORDS_ONLY)
    found = commits(ask(engine, "frobnicate widget cache"), history.repo)
    assert found[:2] == ["work", "merge"]


@pytest.mark.parametrize("order", ["date", "newest", "oldest"])
def test_an_order_of_time_lists_all_that_hold_every_word(engine: Engine, reader: Reader, order: str) -> None:
    listed = ask(engine, "retry upload", 60, order=order)
    times = [hit.commit.committer_time for hit in listed.hits]
    assert times == sorted(times, reverse=order != "oldest")
    holding = reader.holding_all(
        ("retri", "upload"),
        ("message", "path", "header", "added", "removed"),
        EVERYTHING,
        oldest=True,
        limit=1_000,
    )
    commits_of_hits = {hit.commit.sha for hit in listed.hits} | {
        sha for hit in listed.hits for sha in hit.also_in
    }
    assert commits_of_hits == {at.sha.hex() for at in holding}


@pytest.mark.parametrize("order", ["date", "oldest"])
def test_where_nothing_holds_every_word_the_best_are_put_in_order_of_time(engine: Engine, order: str) -> None:
    by_rank = ask(engine, "retry upload blockchain", 60)
    by_date = ask(engine, "retry upload blockchain", 60, order=order)
    assert {hit.hunk for hit in by_rank.hits} == {hit.hunk for hit in by_date.hits}
    times = [hit.commit.committer_time for hit in by_date.hits]
    assert times == sorted(times, reverse=order != "oldest")


def test_an_order_that_there_is_not_is_refused(engine: Engine) -> None:
    with pytest.raises(UsageError, match="no order 'size'"):
        ask(engine, "retry", order="size")


@pytest.mark.parametrize("query", ["retry upload file", '"import"', "lang:python", "/^def /"])
def test_pages_follow_one_another_without_repeats_or_gaps(engine: Engine, query: str) -> None:
    pages: list[Results] = [ask(engine, query, 4)]
    while (after := pages[-1].next_cursor) is not None:
        pages.append(ask(engine, query, 4, after=after))
    hunks = [hit.hunk for page in pages for hit in page.hits]
    assert len(hunks) == len(set(hunks))
    assert [hit.rank for page in pages for hit in page.hits] == list(range(1, len(hunks) + 1))
    assert len(pages) > 2
    assert all(len(page.hits) == 4 for page in pages[:-1])
    if not query.startswith("retry"):
        assert [hit.hunk for hit in ask(engine, query, 1_000).hits] == hunks


def test_a_cursor_belongs_to_its_query_and_its_index(small_project: Repo) -> None:
    engine = index(small_project, WORDS_ONLY)
    after = ask(engine, "lang:python", 2).next_cursor
    with pytest.raises(QueryError, match="another query"):
        ask(engine, "lang:go", 2, after=after)
    small_project.git(
        "-c", "user.name=N", "-c", "user.email=n@e.org", "commit", "-q", "--allow-empty", "-m", "New"
    )
    index(small_project, WORDS_ONLY)
    with pytest.raises(QueryError, match="has changed"):
        ask(engine, "lang:python", 2, after=after)


def test_zero_asks_for_everything_that_matches(engine: Engine) -> None:
    everything = ask(engine, '"import"', 0)
    assert everything.next_cursor is None
    assert everything.hits == ask(engine, '"import"', 1_000).hits


def test_the_same_question_at_the_same_moment_has_the_same_answer(
    small_project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OHARA_HOME", str(tmp_path / "piecemeal"))
    small_project.git("checkout", "-q", "--detach", small_project.sha["retry"])
    index(small_project, WORDS_ONLY)
    small_project.git("checkout", "-q", "main")
    piecemeal = index(small_project, WORDS_ONLY)
    monkeypatch.setenv("OHARA_HOME", str(tmp_path / "whole"))
    whole = index(small_project, WORDS_ONLY)
    for query in ("retry with backoff", "upload progress", "with_retries", "fix", "parcel/auth.py", "#12"):
        told = [
            [(hit.commit.sha, hit.path, hit.line, hit.score) for hit in ask(one, query, 20).hits]
            for one in (piecemeal, whole, whole)
        ]
        assert told[0] == told[1] == told[2]


def test_bytes_that_are_no_text_name_no_symbol(engine: Engine) -> None:
    for query in ("symbol:\udcff", "symbol:Journal.\udcff"):
        assert ask(engine, query).hits == ()
    assert {lane.status for lane in ask(engine, "\udcff_name").lanes} <= {*LaneStatus} - {LaneStatus.FAILED}


# -- faults --------------------------------------------------------------------------------------


@dataclass
class Scripted(Lane):
    """A lane that answers as it is told."""

    name: str  # type: ignore[misc]  # each of these has a name of its own
    answer: Callable[[], Awaitable[Ranking]]
    modes = frozenset()

    async def search(self, asked: LaneQuery) -> Ranking:
        del asked
        return await self.answer()


NOTHING_ASKED = cast("LaneQuery", None)


def test_a_lane_that_fails_or_dawdles_leaves_a_report_and_the_others_answer() -> None:
    found = Ranking("good", (Candidate(HunkId(1), 1.0, 0, b""),))

    async def good() -> Ranking:
        return found

    async def slow() -> Ranking:
        await anyio.sleep(60)
        return found

    async def broken() -> Ranking:
        raise StoreError("the disk is gone")

    async def never() -> Ranking:
        raise AssertionError("not asked")

    lanes = [
        Scripted("slow", slow),
        Scripted("broken", broken),
        Scripted("good", good),
        Scripted("off", never),
    ]

    async def run() -> Sequence[tuple[str, LaneStatus, str]]:
        answers = await run_lanes(lanes, NOTHING_ASKED, chosen={"slow", "broken", "good"}, timeout_s=0.05)
        return [(one.report.name, one.report.status, one.report.detail) for one in answers]

    assert anyio.run(run) == [
        ("slow", LaneStatus.TIMEOUT, "took longer than 0.05 s"),
        ("broken", LaneStatus.FAILED, "the disk is gone"),
        ("good", LaneStatus.OK, ""),
        ("off", LaneStatus.OFF, ""),
    ]


@pytest.mark.parametrize("at_once", [2, 4])
def test_no_more_lanes_run_at_once_than_are_told(at_once: int) -> None:
    running: list[int] = [0]

    async def answer() -> Ranking:
        running.append(running[-1] + 1)
        await anyio.sleep(0.01)
        running.append(running[-1] - 1)
        return Ranking("any", (Candidate(HunkId(1), 1.0, 0, b""),))

    async def run() -> list[LaneStatus]:
        lanes = [Scripted(name, answer) for name in "abcd"]
        answers = await run_lanes(lanes, NOTHING_ASKED, chosen=set("abcd"), timeout_s=9, at_once=at_once)
        return [one.report.status for one in answers]

    assert anyio.run(run) == [LaneStatus.OK] * 4
    assert max(running) == at_once


@dataclass
class InOneVisit(Lane):
    """A lane that answers in a thread as it is told."""

    name: str  # type: ignore[misc]  # each of these has a name of its own
    answer: Callable[[Reader], Ranking | None]
    modes = frozenset()

    def find(self, reader: store.Reader, asked: LaneQuery) -> Ranking | None:
        del asked
        return self.answer(cast("Reader", reader))


class CountedVisits:
    """Readers that count how often one is lent."""

    def __init__(self, pool: ReaderPool) -> None:
        self.visits = 0
        self._pool = pool

    async def read(self, work: Callable[[Reader], object]) -> object:
        self.visits += 1
        return await self._pool.read(work)


def lanes_in_one_visit(
    engine: Engine, lanes: Sequence[Lane], *, timeout_s: float = 9.0
) -> tuple[list[tuple[str, LaneStatus]], int, list[tuple[str, ...]]]:
    """How each lane ended, the visits that took, and what was told to what goes on with the answers."""
    told: list[tuple[str, ...]] = []

    async def run(pool: CountedVisits) -> list[tuple[str, LaneStatus]]:
        answers = await run_lanes(
            lanes,
            cast("LaneQuery", SimpleNamespace(pool=pool)),
            chosen={lane.name for lane in lanes} - {"off"},
            timeout_s=timeout_s,
            then=lambda _, found: told.append(tuple(one.report.name for one in found)),
        )
        return [(one.report.name, one.report.status) for one in answers]

    with ReaderPool(engine.location.database) as pool:
        counted = CountedVisits(pool)
        return anyio.run(run, counted), counted.visits, told


def found_by(name: str) -> Callable[[Reader], Ranking]:
    return lambda _: Ranking(name, (Candidate(HunkId(1), 1.0, 0, b""),))


def test_lanes_answer_in_one_visit_to_a_thread_and_what_follows_is_done_there(engine: Engine) -> None:
    lanes = [InOneVisit(name, found_by(name)) for name in ("one", "two", "off")]
    answers, visits, told = lanes_in_one_visit(engine, lanes)
    assert answers == [("one", LaneStatus.OK), ("two", LaneStatus.OK), ("off", LaneStatus.OFF)]
    assert visits == 1
    assert told == [("one", "two", "off")]


def test_lanes_of_a_very_large_index_are_asked_side_by_side(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ohara.retrieve.run_lanes.IN_ONE_VISIT", 0)
    lanes = [InOneVisit(name, found_by(name)) for name in ("one", "two")]
    answers, visits, told = lanes_in_one_visit(engine, lanes)
    assert answers == [("one", LaneStatus.OK), ("two", LaneStatus.OK)]
    assert visits == 1 + 2  # to look how large it is, and one for each lane
    assert told == []


def test_a_lane_that_fails_in_one_visit_is_asked_again_with_those_behind_it(engine: Engine) -> None:
    def broken(_: Reader) -> Ranking:
        raise OSError("the disk is gone")

    lanes = [
        InOneVisit("one", found_by("one")),
        InOneVisit("broken", broken),
        InOneVisit("last", found_by("last")),
    ]
    answers, visits, told = lanes_in_one_visit(engine, lanes)
    assert answers == [("one", LaneStatus.OK), ("broken", LaneStatus.FAILED), ("last", LaneStatus.OK)]
    assert visits == 3  # those that answered are not asked again
    assert told == []


def test_a_lane_that_dawdles_in_one_visit_is_left_out_and_the_others_answer(engine: Engine) -> None:
    def endless(reader: Reader) -> Ranking:
        reader.rows(ENDLESS)
        return Ranking("endless")

    lanes = [
        InOneVisit("one", found_by("one")),
        InOneVisit("endless", endless),
        InOneVisit("last", found_by("last")),
    ]
    answers, _, told = lanes_in_one_visit(engine, lanes, timeout_s=0.1)
    assert answers == [("one", LaneStatus.OK), ("endless", LaneStatus.TIMEOUT), ("last", LaneStatus.OK)]
    assert told == []


def test_a_mistake_of_the_user_in_one_visit_is_told(engine: Engine) -> None:
    def mistaken(_: Reader) -> Ranking:
        raise QueryError("missing )", hint="close it")

    with pytest.raises(QueryError, match="missing"):
        lanes_in_one_visit(engine, [InOneVisit("mistaken", mistaken)])


def test_a_later_question_takes_five_visits_to_a_thread(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(engine, "retry with backoff")
    visits: list[object] = []
    run_sync = anyio.to_thread.run_sync

    async def counted(*given: Any, **options: Any) -> Any:  # noqa: ANN401 - whatever it is called with
        visits.append(given[0])
        return await run_sync(*given, **options)

    monkeypatch.setattr(anyio.to_thread, "run_sync", counted)
    assert ask(engine, "flush the cache").hits
    assert len(visits) == 5  # is it the index, what may answer, the ranking, the hits, is it still the index


def test_a_lane_is_one_object_and_one_row_of_weights(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = ask(engine, "with_retries", k=1).hits[0]
    told = Candidate(
        elsewhere.hunk, 1.0, elsewhere.commit.committer_time, bytes.fromhex(elsewhere.commit.sha)
    )

    async def answer() -> Ranking:
        return Ranking("oracle", (told,))

    more = (*LANES, Scripted("oracle", answer))
    monkeypatch.setattr("ohara.retrieve.rank.LANES", more)
    monkeypatch.setattr("ohara.retrieve.pool.LANES", more)
    plan = engine.search.plan(SearchOptions(now=NOW, k=3, rerank=False))
    profile = replace(plan.profile, lanes=lane_weights(**plan.profile.lanes, oracle=9.0))
    query = parse("changelog wording", now=NOW)
    results = anyio.run(engine.search.find, query, replace(plan, profile=profile))
    assert results.hits[0].hunk == elsewhere.hunk
    assert results.hits[0].lanes["oracle"] == 1
    assert [report.name for report in results.lanes if report.status is LaneStatus.OK][-1] == "oracle"
    without = anyio.run(engine.search.find, query, plan)
    assert [report.status for report in without.lanes if report.name == "oracle"] == [LaneStatus.OFF]


def test_a_mistake_in_the_query_is_no_lanes_fault() -> None:
    async def mistaken() -> Ranking:
        raise QueryError("missing )")

    async def run() -> None:
        await run_lanes([Scripted("literal", mistaken)], NOTHING_ASKED, chosen={"literal"}, timeout_s=1)

    with pytest.raises(QueryError, match="missing"):
        anyio.run(run)


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


def test_a_deadline_interrupts_sqlite_and_leaves_the_connection_usable(engine: Engine) -> None:
    async def run(pool: ReaderPool) -> int:
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            await pool.read(lambda reader: reader.connection.execute(ENDLESS).get, timeout_s=0.1)
        assert time.monotonic() - started < 30
        return await pool.read(lambda reader: int(reader.connection.execute("SELECT 41 + 1").get))

    with ReaderPool(engine.location.database, size=1) as pool:
        assert anyio.run(run, pool) == 42
        assert anyio.run(run, pool) == 42


def test_a_cancelled_scope_interrupts_work_of_many_statements(engine: Engine) -> None:
    def work(reader: Reader) -> None:
        while True:
            reader.rows("SELECT 1")

    async def run(pool: ReaderPool) -> bool:
        with anyio.move_on_after(0.1) as scope:
            await pool.read(work)
        return scope.cancelled_caught

    with ReaderPool(engine.location.database, size=1) as pool:
        assert anyio.run(run, pool)
        assert anyio.run(run, pool)


def test_a_reader_that_is_open_is_read_in_one_visit_to_a_thread(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    visits: list[object] = []
    to_thread = anyio.to_thread.run_sync

    async def counted(*given: Any, **named: Any) -> object:  # noqa: ANN401 - whatever is run
        visits.append(given)
        return await to_thread(*given, **named)

    async def run(pool: ReaderPool) -> list[int]:
        await pool.read(lambda reader: reader.hunk_count())
        monkeypatch.setattr(anyio.to_thread, "run_sync", counted)
        return [await pool.read(lambda reader: reader.hunk_count()) for _ in range(3)]

    with ReaderPool(engine.location.database, size=1) as pool:
        assert len(set(anyio.run(run, pool))) == 1
    assert len(visits) == 3


def test_who_leaves_before_a_reader_was_free_loses_none(engine: Engine) -> None:
    async def run(pool: ReaderPool) -> int:
        opened = await pool.read(id)
        release = Event()
        async with anyio.create_task_group() as group:
            group.start_soon(pool.read, lambda _: release.wait(30))
            await anyio.sleep(0.01)
            with anyio.move_on_after(0.05) as scope:
                await pool.read(lambda reader: reader.rows("SELECT 1"))
            assert scope.cancelled_caught
            release.set()
        assert await pool.read(id) == opened
        return await pool.read(lambda reader: int(reader.rows("SELECT 41 + 1")[0][0]))

    with ReaderPool(engine.location.database, size=1) as pool:
        assert anyio.run(run, pool) == 42


def test_all_readers_compare_with_one_copy_of_the_vectors(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    gathered: list[object] = []
    gather = Probe.gather

    def counted(self: Probe, blocks: Sequence[VectorBlock]) -> Bits:
        gathered.append(blocks)
        return gather(self, blocks)

    monkeypatch.setattr(Probe, "gather", counted)
    embedder = StaticEmbedder()
    probe = Probe.of(embedder.embed(["retry with backoff"], TextKind.QUERY)[0], embedder)
    assert probe is not None
    memory = SharedMemory()
    with (
        closing(Reader(engine.location.database, memory)) as one,
        closing(Reader(engine.location.database, memory)) as other,
    ):
        assert one.state() == other.state()  # both have looked at the index
        found = [reader.nearest_contents(probe, embedder.id, EVERYTHING, 5) for reader in (one, other)]
        near = dict(found[0] or ())
        likeness = other.content_likeness(probe, [*near, 1 << 40], embedder.id)
    assert found[0] == found[1]
    assert likeness == pytest.approx(near)
    assert len(near) == 5
    assert len(gathered) == 1


def test_a_content_that_was_near_before_is_not_embedded_again(reader: Reader) -> None:
    embedded: list[str] = []

    class Counting(StaticEmbedder):
        def embed(self, texts: Sequence[str], kind: TextKind) -> Matrix:
            embedded.extend(texts if kind is TextKind.DOCUMENT else ())
            return super().embed(texts, kind)

    embedder = Counting()
    found: list[tuple[Candidate, ...]] = []
    for words in ("retry with backoff", "back off and retry", "retry with backoff"):
        probe = Probe.of(embedder.embed([words], TextKind.QUERY)[0], embedder)
        assert probe is not None
        ranked = vector.rank(reader, embedder, probe, EVERYTHING, limit=8)
        assert ranked is not None
        found.append(ranked.candidates)
    assert found[0] == found[2] != found[1]
    assert len(embedded) == len({one.hunk for one in (*found[0], *found[1])}) < 16


def test_all_readers_remember_together_until_the_index_changes(engine: Engine) -> None:
    memory = SharedMemory()
    with (
        closing(Reader(engine.location.database, memory)) as one,
        closing(Reader(engine.location.database, memory)) as other,
    ):
        assert one.state() == other.state()
        assert one.log_order() is other.log_order()
        assert one.remembered("anything", lambda: "first") == "first"
        assert other.remembered("anything", lambda: "second") == "first"
        memory.forget()
        assert other.remembered("anything", lambda: "second") == "second"


def test_what_the_indexed_tip_leads_to_is_all_that_is_shown(
    shared_project: Repo, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = shared_project.git("log", "--format=%H", "HEAD").split()
    with closing(Reader(engine.location.database)) as reader:
        older = reader.ancestors({Sha(log[-2])})
        assert older is not None
        monkeypatch.setattr(ancestry, "_follow", None)  # not followed commit by commit
        every = reader.ancestors({Sha(log[0])})
        assert every is not None
        assert set(every) == set(reader.indexed(list(map(Sha, log))).values())
    assert (
        len(every) == len(log) > len(older) == len(shared_project.git("log", "--format=%H", log[-2]).split())
    )


def test_an_error_of_the_work_comes_out_as_it_is(engine: Engine) -> None:
    def work(_: Reader) -> None:
        raise QueryError("no such thing")

    async def run(pool: ReaderPool) -> None:
        await pool.read(work)

    with ReaderPool(engine.location.database) as pool, pytest.raises(QueryError, match="no such thing"):
        anyio.run(run, pool)


def test_many_queries_at_once_share_a_few_connections(engine: Engine) -> None:
    plan = engine.search.plan(SearchOptions(now=NOW, k=3, rerank=False))
    from ohara.query import parse

    queries = [parse(words, now=NOW) for words in ("retry", "upload", "token", "progress", "cache") * 4]
    answers: dict[int, list[str]] = {}

    async def run() -> None:
        async def one(place: int) -> None:
            results = await engine.search.find(queries[place], plan)
            answers[place] = [hit.commit.sha for hit in results.hits]

        async with anyio.create_task_group() as group:
            for place in range(len(queries)):
                group.start_soon(one, place)

    anyio.run(run)
    assert len(answers) == 20
    assert all(answers[place] == answers[place % 5] for place in range(20))
    assert all(answers.values())


def test_a_reader_cannot_write(reader: Reader) -> None:
    with pytest.raises(Exception, match=r"readonly|read-only"):
        reader.connection.execute("DELETE FROM commits")
    with pytest.raises(Exception, match=r"readonly|read-only"):
        reader.connection.execute("CREATE TEMP TABLE sneaky(x)")


# -- words ---------------------------------------------------------------------------------------


def test_rare_words_select_and_common_ones_score(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = reader.document_frequencies(["retri", "upload", "parcel", "def", "import", "absentword"])
    assert rows["absentword"] == 0
    known = [word for word in sorted(rows, key=lambda word: rows[word]) if rows[word]]
    monkeypatch.setattr(text, "SELECTED_ROWS", 1)
    most = reader.hunk_count() // 2
    half = [word for word in known[3:] if rows[word] > most]
    assert half
    assert text.choose_words(reader, list(rows)).common == tuple(
        word for word in known[3:] if word not in half
    )
    monkeypatch.setattr(word_choice, "_HALF", 1)
    words = text.choose_words(reader, list(rows))
    assert words.selecting == tuple(known[:3])
    assert words.common == tuple(known[3:])
    monkeypatch.setattr(text, "MOST_ROWS", rows[known[0]] + rows[known[1]])
    assert text.choose_words(reader, list(rows)).selecting == tuple(known[:2])
    monkeypatch.setattr(text, "MOST_ROWS", 1)
    assert text.choose_words(reader, list(rows)) == WordQuery(tuple(known[:1]), tuple(known[1:]))
    monkeypatch.setattr(text, "SCORED_ROWS", rows[known[1]] + rows[known[2]])
    assert text.choose_words(reader, list(rows)).common == tuple(known[1:3])
    monkeypatch.undo()
    monkeypatch.setattr(text, "SELECTED_ROWS", 10**9)
    assert text.choose_words(reader, list(rows)).common == ()


def test_selecting_by_rare_words_changes_no_score(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    query = "retry the upload of a large file when the server fails"
    monkeypatch.setattr(text, "SELECTED_ROWS", 10**9)
    all_select = ask(engine, query, 2, mode=Mode.TEXT)
    monkeypatch.setattr(text, "SELECTED_ROWS", 1)
    few_select = ask(engine, query, 2, mode=Mode.TEXT)
    assert [hit.hunk for hit in all_select.hits] == [hit.hunk for hit in few_select.hits]
    for one, other in zip(all_select.hits, few_select.hits, strict=True):
        assert one.score == pytest.approx(other.score, rel=1e-6)


@pytest.mark.parametrize(
    "query",
    [r"\" OR 1", "a* NEAR(b)", "{added} : x", "NOT AND OR", "'; DROP TABLE hunk; --", "^x", "a" * 5_000],
)
def test_no_query_is_ever_syntax(engine: Engine, query: str) -> None:
    results = ask(engine, query, mode=Mode.HYBRID)
    assert not [lane for lane in results.lanes if lane.status is LaneStatus.FAILED]


def test_an_index_that_grows_is_seen_by_connections_that_are_open(small_project: Repo) -> None:
    engine = index(small_project, WORDS_ONLY)
    assert ask(engine, "zyzzyva").hits == ()
    (small_project.path / "zyzzyva.py").write_text("zyzzyva = 1\n")
    small_project.git("add", "zyzzyva.py")
    small_project.git("-c", "user.name=N", "-c", "user.email=n@e.org", "commit", "-q", "-m", "Weevil")
    index(small_project, WORDS_ONLY)
    assert [hit.path for hit in ask(engine, "zyzzyva").hits] == ["zyzzyva.py"]


# -- rerank --------------------------------------------------------------------------------------


class Backwards:
    """Likes best what stands last."""

    name = "backwards"
    id = "backwards@1"

    def score(self, query: str, documents: Sequence[str]) -> list[float]:
        assert query == "retry with backoff"
        assert all(documents)
        return [float(place) for place in range(len(documents))]


class Broken:
    """Cannot answer."""

    name = "broken"
    id = "broken@1"

    def score(self, _query: str, _documents: Sequence[str]) -> list[float]:
        raise RuntimeError("no weights")


def reranked(engine: Engine, monkeypatch: pytest.MonkeyPatch, model: object, k: int = 60) -> Results:
    monkeypatch.setattr(engine.search, "_reranker", model)
    return engine.find_pattern("retry with backoff", SearchOptions(k=k, now=NOW))


def test_a_model_refines_the_order_and_does_not_overrule_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = ask(engine, "retry with backoff", 60)
    results = reranked(engine, monkeypatch, Backwards())
    report = next(lane for lane in results.lanes if lane.name == reranking.NAME)
    assert report.status is LaneStatus.OK
    assert report.count == min(reranking.DEPTH, report.count)
    assert all(hit.rerank is not None and 0 < hit.rerank < 1 for hit in results.hits[:10])
    assert results.hits[0].commit.sha == plain.hits[0].commit.sha


def test_how_far_a_model_changes_the_order_is_the_profiles_choice(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.search, "_reranker", Backwards())
    plain = [hit.commit.sha for hit in ask(engine, "retry with backoff", 60).hits]
    orders = []
    for blend in (Blend(fused=1.0, model=0.0), Blend(fused=1.0, model=1.0), Blend(fused=0.0, model=1.0)):
        plan = engine.search.plan(SearchOptions(now=NOW, k=60))
        plan = replace(plan, profile=replace(plan.profile, blend=blend))
        results = anyio.run(engine.search.find, parse("retry with backoff", now=NOW), plan)
        orders.append([hit.commit.sha for hit in results.hits])
    assert orders[0] == plain
    assert orders[1] != plain
    assert orders[2].index(plain[0]) > len(plain) // 2


def test_wording_counts_beside_the_model(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.search, "_reranker", Backwards())
    plan = engine.search.plan(SearchOptions(now=NOW, k=60))
    plan = replace(plan, profile=replace(plan.profile, blend=Blend(fused=0.0, model=0.0, held=1.0)))
    hits = anyio.run(engine.search.find, parse("retry with backoff", now=NOW), plan).hits
    by_value = {hit.rerank: f"{hit.commit.message}\n{hit.excerpt}".lower() for hit in hits}
    assert len(by_value) > 2
    most = by_value[max(value for value in by_value if value is not None)]
    assert "retr" in most
    assert "backoff" in most


def test_a_broken_model_leaves_the_fused_order_and_a_report(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = ask(engine, "retry with backoff", 60)
    results = reranked(engine, monkeypatch, Broken())
    report = next(lane for lane in results.lanes if lane.name == reranking.NAME)
    assert (report.status, report.detail) == (LaneStatus.FAILED, "RuntimeError: no weights")
    assert [hit.hunk for hit in results.hits] == [hit.hunk for hit in plain.hits]
    assert all(hit.rerank is None for hit in results.hits)


def test_a_reranker_that_is_switched_off_says_so(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.search, "_reranker", None)
    settings = replace(engine.settings, models=replace(engine.settings.models, reranker="none"))
    monkeypatch.setattr(engine.search, "_settings", settings)
    results = engine.find_pattern("retry with backoff", SearchOptions(now=NOW))
    report = next(lane for lane in results.lanes if lane.name == reranking.NAME)
    assert (report.status, report.detail) == (LaneStatus.OFF, "the reranker is switched off")


@pytest.mark.parametrize("scores", [[1.0, 1.0], [-11.0, 4.0, 11.0], [0.0]])
def test_opinions_lie_between_zero_and_one_and_keep_their_order(scores: list[float]) -> None:
    opinions = reranking.squashed(scores)
    assert all(0 < one < 1 for one in opinions)
    assert sorted(range(len(scores)), key=lambda place: scores[place]) == sorted(
        range(len(scores)), key=lambda place: opinions[place]
    )


WITHOUT_RERANK = """
import sys
from ohara.engine import Engine
from ohara.model import SearchOptions
results = Engine.open(sys.argv[1]).find_pattern("retry with backoff", SearchOptions(k=3, rerank=False))
assert {lane.name: lane.status.value for lane in results.lanes}["vector"] == "ok", results.lanes
loaded = {name.partition(".")[0] for name in sys.modules}
print(len(results.hits), sorted(loaded & {"fastembed", "onnxruntime"}))
"""


def test_without_rerank_nothing_of_fastembed_is_loaded_and_the_vector_lane_answers(
    shared_project: Repo, engine: Engine
) -> None:
    home = engine.location.folder.parents[2]
    done = python("-c", WITHOUT_RERANK, str(shared_project.path), env={"OHARA_HOME": str(home)})
    assert (done.stdout, done.stderr) == ("3 []\n", "")


COLD = """
import gc, json, sys
from ohara.cli.entry import main
begun = [each["collections"] for each in gc.get_stats()]
sys.argv = ["ohara", "find", "--no-daemon", "--no-rerank", "--repo", sys.argv[1], "retry with backoff"]
code = main()
collections = [each["collections"] - before for each, before in zip(gc.get_stats(), begun)]
print(json.dumps([code, collections, gc.get_count()[0] < 1_000, sorted(sys.modules)]), file=sys.stderr)
"""


def test_a_search_in_a_new_process_loads_and_collects_little_and_leaves_nothing_open(
    shared_project: Repo, engine: Engine, tmp_path: Path
) -> None:
    engine.close()
    home = engine.location.folder.parents[2]
    folder = tmp_path / "home" / engine.location.folder.relative_to(home)  # which nobody else reads
    shutil.copytree(home, tmp_path / "home")
    done = python("-c", COLD, str(shared_project.path), env={"OHARA_HOME": str(tmp_path / "home")})
    assert done.stdout.startswith("1. ")
    code, collections, is_frozen, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    assert collections[1:] == [0, 0]
    assert is_frozen
    assert [name for name in ("index.db-wal", "index.db-shm") if (folder / name).exists()] == []
    unwanted = {
        "fastembed",
        "onnxruntime",
        "tree_sitter",
        "pathspec",
        "msgspec",
        "platformdirs",
    }
    assert {name.partition(".")[0] for name in modules} & unwanted == set()
    later = {"ohara.index.run", "ohara.browse.browser", "ohara.daemon.server", "ohara.federation.searcher"}
    of_patterns = {"ohara.retrieve.lanes.literal", "ohara.retrieve.matching", "ohara.structural.pool"}
    assert (later | of_patterns) & set(modules) == set()


# -- profiles ------------------------------------------------------------------------------------


def test_the_textbook_pipeline_reads_the_diff_alone(engine: Engine, shared_project: Repo) -> None:
    plan = replace(engine.search.plan(SearchOptions(now=NOW, k=20, rerank=False)), profile=REFERENCE)
    results = anyio.run(engine.search.find, parse("goodbye", now=NOW), plan)
    assert results.fusion == "rrf"
    assert "drop-python2" not in commits(results, shared_project)
    assert commits(ask(engine, "goodbye"), shared_project)[0] == "drop-python2"


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Removed the exponential backoff helper of the uploader", "tidy up"),
        ("The exponential backoff helper of the uploader has been removed", "tidy up"),
        ("Give the uploader a helper for exponential backoff with jitter", "wip"),
    ],
)
def test_a_removal_that_is_described_is_found_where_its_lines_went(
    query: str, first: str, tmp_path: Path
) -> None:
    brought = "def exponential_backoff_helper(uploader):\n    return uploader.exponential_backoff_helper\n"
    with History(tmp_path / "removal.git", bare=True) as history:
        for number in range(20):
            history.commit(f"Carry crate {number}", {f"crate{number}.py": f"crate = {number}\n"})
        history.commit("wip", {"uploader.py": brought + "# exponential backoff of the uploader\n"})
        for number in range(20):
            history.commit(f"Carry barrel {number}", {f"barrel{number}.py": f"barrel = {number}\n"})
        history.commit("tidy up", {"uploader.py": "# of the uploader\n"})
    found = index(history.repo, WORDS_ONLY).find_pattern(query, SearchOptions(k=2, rerank=False, now=NOW))
    assert found.hits[0].commit.subject == first
    assert {hit.commit.subject for hit in found.hits} == {"wip", "tidy up"}

"""Walking an answer page by page gives the hits of one large answer: none twice, none lost, in its order."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import anyio
import pytest

from fixtures.git import Repo
from fixtures.large import many_commits
from ohara import client, wire
from ohara.engine import Engine
from ohara.errors import QueryError
from ohara.index.job import IndexOptions
from ohara.model import SearchOptions
from ohara.query import parse
from ohara.retrieve import cursor
from tests.daemon import end_whatever_runs
from tests.indexing import index
from tests.process import ROOT, ohara
from tui.finder import Finder
from tui.link import Link
from tui.query_draft import QueryDraft

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ohara.model import Results

EVERYTHING = 1_000
PROSE = "add a step that returns a number"
QUERIES = [
    (PROSE, 10, False),
    (PROSE, 45, True),
    ("step_17", 45, False),
    ('"return 1"', 10, False),
    ('step "return 1"', 25, False),
    ("path:steps/", 10, True),
    ("add step steps/part_03.py", 45, False),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where a history lies that no one tier of a ranking holds, indexed for ranking, with a service."""
    place = tmp_path_factory.mktemp("pages")
    many_commits(place / "steps.git", 120)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(place / "home"))
        patch.setenv("PYTHONPATH", str(ROOT))
        (place / "home" / "config").mkdir(parents=True)
        (place / "home" / "config" / "config.toml").write_text("[find]\nlane_timeout_s = 60\n")
        index(place / "steps.git", IndexOptions(lock_wait_s=10))
        client.connect(start=True).close()
        yield place
        end_whatever_runs(place / "home")


@pytest.fixture
def steps(place: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("OHARA_HOME", str(place / "home"))
    return Repo(place / "steps.git", {})


def asked(repo: Repo, source: str, **options: object) -> Results:
    engine = Engine.open(repo.path)
    after = options.get("after")
    now = cursor.asked_at(after if isinstance(after, str) else None) or int(time.time())
    return anyio.run(
        engine.search.find,
        parse(source, now=now),
        engine.search.plan(SearchOptions(now=now, **options)),  # type: ignore[arg-type]
    )


def walked(repo: Repo, source: str, k: int, **options: object) -> list[Results]:
    pages = [asked(repo, source, k=k, **options)]
    while pages[-1].next_cursor is not None:
        assert len(pages) < EVERYTHING
        pages.append(asked(repo, source, k=k, after=pages[-1].next_cursor, **options))
    return pages


@pytest.mark.parametrize(("source", "k", "all_hunks"), QUERIES)
def test_pages_make_up_the_whole_answer(steps: Repo, source: str, k: int, *, all_hunks: bool) -> None:
    whole = asked(steps, source, k=EVERYTHING, all_hunks=all_hunks)
    assert whole.next_cursor is None
    assert len(whole.hits) > 20
    pages = walked(steps, source, k, all_hunks=all_hunks)
    assert tuple(hit for page in pages for hit in page.hits) == whole.hits
    assert len({hit.hunk for hit in whole.hits}) == len(whole.hits)


def test_what_stands_first_does_not_depend_on_how_many_are_asked_for(steps: Repo) -> None:
    whole = asked(steps, PROSE, k=EVERYTHING)
    reranked = [hit for hit in whole.hits if hit.rerank is not None]
    assert 10 < len(reranked) < len(whole.hits)
    for k in (5, 30, 70):
        assert asked(steps, PROSE, k=k).hits == whole.hits[:k]


def test_newest_first_is_walked_like_any_other(steps: Repo) -> None:
    pages = walked(steps, PROSE, 20, order="date")
    hits = [hit for page in pages for hit in page.hits]
    assert len({hit.commit.sha for hit in hits}) == len(hits) > 20
    assert hits == sorted(hits, key=lambda hit: (hit.commit.committer_time, hit.commit.sha), reverse=True)


@pytest.mark.parametrize(
    "other", [{"rerank": False}, {"all_hunks": True}, {"order": "date"}], ids=lambda other: next(iter(other))
)
def test_a_cursor_is_refused_with_other_options(steps: Repo, other: dict[str, object]) -> None:
    after = asked(steps, PROSE, k=10).next_cursor
    with pytest.raises(QueryError, match="belongs to another query"):
        asked(steps, PROSE, k=10, after=after, **other)
    assert asked(steps, PROSE, k=3, context=0, after=after).hits[0].rank == 11


def test_a_page_keeps_to_the_lanes_of_the_first(steps: Repo) -> None:
    first = asked(steps, PROSE, k=10)
    assert first.next_cursor is not None
    page, name, state = cursor._decoded(first.next_cursor) or pytest.fail("no cursor")
    assert page.lanes == frozenset({"vector", "text", "symbol", "commit", "commit_text", "rerank"})
    without = cursor.Page(page.start, page.depth, page.now, frozenset({"text", "symbol"}))
    fused = asked(steps, PROSE, k=10, after=cursor.write(without, name, state))
    assert {lane.name for lane in fused.lanes if lane.count} <= {"text", "symbol"}
    assert all(hit.rerank is None for hit in fused.hits)


def test_the_command_line_and_the_service_walk_alike(steps: Repo) -> None:
    whole = asked(steps, PROSE, k=EVERYTHING)
    for way in ((), ("--no-daemon",)):
        found, after = [], None
        for _ in range(2):
            more = ("--after", after) if after else ()
            words = ("find", "--repo", str(steps.path), "--json", "-k", "40", *way, *more, PROSE)
            said = json.loads(ohara(*words).stdout)
            found += [(hit["rank"], hit["hunk"]) for hit in said["hits"]]
            after = said["next"]
        assert found == [(hit.rank, hit.hunk) for hit in whole.hits[:80]]
    with client.connect() as there:
        page = there.send(wire.Find(repo=str(steps.path), query=PROSE, options=SearchOptions(k=40))).results
        again = there.send(
            wire.Find(repo=str(steps.path), query=PROSE, options=SearchOptions(k=40, after=page.next_cursor))
        ).results
        assert [hit.hunk for hit in (*page.hits, *again.hits)] == [hit.hunk for hit in whole.hits[:80]]


def test_a_date_that_counts_back_in_hours_means_the_same_on_every_page(steps: Repo) -> None:
    asking = f"{PROSE} until:2h"
    first = asked(steps, asking, k=10)
    time.sleep(1.1)  # the clock goes on: two hours ago is another second now
    assert asked(steps, asking, k=10, after=first.next_cursor).hits[0].rank == 11


@pytest.mark.parametrize("reranks", [True, False])
def test_the_terminal_ui_walks_alike(steps: Repo, *, reranks: bool) -> None:
    whole = asked(steps, PROSE, k=EVERYTHING, rerank=reranks)

    async def walk() -> list[int]:
        link = Link(lambda *_: None)
        finder = Finder(link, lambda _: None)
        finder.use_repository(str(steps.path))
        async with anyio.create_task_group() as group:
            group.start_soon(link.run)
            await finder.ask(QueryDraft(PROSE), order="rank", reranks=reranks)
            while finder.state.cursor is not None:
                await finder.more()
            assert not finder.state.complaint
            group.cancel_scope.cancel()
        return [hit.hunk for hit in finder.state.hits]

    assert anyio.run(walk) == [hit.hunk for hit in whole.hits]

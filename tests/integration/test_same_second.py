"""Commits of one second, as a rebase makes them: what leads to a commit is older, whatever its sha."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import anyio
import pytest

from fixtures.script import History
from ohara.federation.scope import choose
from ohara.federation.searcher import Federation
from ohara.model import Filters, Order, SearchOptions
from ohara.query import parse
from tests.indexing import index

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.engine import Engine
    from ohara.model import Results

NOW = int(time.time())
KEYS = ("start", "one", "two", "three", "four", "end")
MOST = 100


def written(path: Path, word: str) -> Repo:
    """Four commits of one second, of which neither the oldest nor the newest is told by the shas, and one on
    either side of them; each has a line with the word in a file of its own, and `moth.py` comes and goes.
    """
    moment = "2021-03-01 09:12"
    lines = {key: {f"{key}.py": f"{word} = '{key}'\n"} for key in KEYS}
    with History(path) as history:
        history.commit("Start", lines["start"], key="start", at="2021-02-01 10:00")
        moth, other = ({"moth.py": f"def moth():\n    {body}\n"} for body in ("pass", "return 1"))
        history.commit("Add gnat 7", {**lines["one"], **moth}, key="one", at=moment)
        history.commit("Drop moth", {**lines["two"], "moth.py": None}, key="two", at=moment)
        history.commit("Use moth", {**lines["three"], "use.py": "moth()\n"}, key="three", at=moment)
        history.commit("Add wasp", {**lines["four"], **other}, key="four", at=moment)
        history.commit("End", lines["end"], key="end", at="2021-04-01 10:00")
    return history.repo


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("second")


@pytest.fixture(scope="module")
def repo(place: Path) -> Repo:
    return written(place / "series", "beetle")


@pytest.fixture(scope="module")
def engine(place: Path, repo: Repo) -> Iterator[Engine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(place / "home"))
        patch.setenv("OHARA_FIND_LANE_TIMEOUT_S", "60")
        index(written(place / "other", "beetle"))
        engine = index(repo)
        yield engine
        engine.close()


def asked(engine: Engine, source: str, **options: object) -> Results:
    plan = engine.search.plan(SearchOptions(now=NOW, **options))  # type: ignore[arg-type]
    return anyio.run(engine.search.find, parse(source, now=NOW), plan)


def keys(repo: Repo, results: Results) -> list[str]:
    names = {sha: key for key, sha in repo.sha.items()}
    return [names[hit.commit.sha] for hit in results.hits]


def paged(engine: Engine, repo: Repo, source: str, **options: object) -> list[str]:
    found: list[str] = []
    after: str | None = None
    for _ in range(MOST):
        page = asked(engine, source, k=1, after=after, **options)
        found += keys(repo, page)
        after = page.next_cursor
        if after is None:
            break
    return found


def test_the_shas_tell_another_order(repo: Repo) -> None:
    series = [repo.sha[key] for key in KEYS[1:-1]]
    assert min(series) != series[0]
    assert max(series) != series[-1]


LISTS = ('"beetle"', "beetle = $X", "/beet.e/", "since:2021-01", "path:*.py")


@pytest.mark.parametrize(
    ("source", "order"),
    [
        *((source, order) for source in LISTS for order in Order),
        *(("beetle", order) for order in Order if order is not Order.RANK),
    ],
)
def test_a_list_and_its_pages_go_by_what_leads_to_what(
    engine: Engine, repo: Repo, source: str, order: Order
) -> None:
    wanted = list(KEYS) if order is Order.OLDEST else list(reversed(KEYS))
    assert keys(repo, asked(engine, source, k=MOST, order=order)) == wanted
    assert paged(engine, repo, source, order=order) == wanted


@pytest.mark.parametrize("words", ['"beetle"', "beetle"])
def test_the_first_and_the_last_of_a_series(engine: Engine, repo: Repo, words: str) -> None:
    source = f"{words} since:2021-02-15 until:2021-03-15"
    assert keys(repo, asked(engine, source, k=1, order=Order.OLDEST)) == ["one"]
    assert keys(repo, asked(engine, source, k=1, order=Order.NEWEST)) == ["four"]


def test_the_first_hit_is_what_introduced_the_text(engine: Engine, repo: Repo) -> None:
    results = asked(engine, '"moth"', k=1, order=Order.OLDEST)
    assert results.literal is not None
    assert results.literal.introduced == repo.sha["one"] == results.hits[0].commit.sha


def test_a_file_that_came_back_in_the_second_in_which_it_went_is_not_gone(engine: Engine, repo: Repo) -> None:
    assert keys(repo, asked(engine, "moth.py", k=MOST)) == ["four", "two", "one"]


def test_who_added_it_is_the_first(engine: Engine, repo: Repo) -> None:
    assert keys(repo, asked(engine, "who added moth", k=1, rerank=False)) == ["one"]


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("order", [Order.RANK, Order.OLDEST])
def test_pages_of_several_repositories_make_up_the_whole(
    place: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch, order: Order
) -> None:
    monkeypatch.setenv("OHARA_HOME", str(place / "home"))
    searcher = Federation(choose([str(repo.path), str(place / "other")], Filters(), folder=place))
    whole = searcher.find_pattern('"beetle"', SearchOptions(k=MOST, now=NOW, order=order))
    found: list[tuple[str, str]] = []
    after: str | None = None
    for _ in whole.hits:
        page = searcher.find_pattern('"beetle"', SearchOptions(k=1, after=after, now=NOW, order=order))
        found += _named(page)
        after = page.next_cursor
    assert after is None
    assert found == _named(whole)
    for name in {name for name, _ in found}:
        own = [sha for each, sha in found if each == name]
        assert own == [repo.sha[key] for key in (KEYS if order is Order.OLDEST else KEYS[::-1])]


def _named(results: Results) -> Sequence[tuple[str, str]]:
    return [(hit.repository, hit.commit.sha) for hit in results.hits]

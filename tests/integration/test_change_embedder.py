"""Another embedder takes over: its vectors are made behind the former ones, which serve until then."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from fixtures import histories
from ohara.cli import freshness
from ohara.cli.main import main
from ohara.embed import installed
from ohara.embed.add_model import add_folder
from ohara.engine import Engine
from ohara.index import derived_passes
from ohara.index.job import IndexOptions
from ohara.model import LaneStatus, Pass, SearchOptions
from ohara.store.sqlite.connected import Connected
from ohara.store.sqlite.connection import connect_reader
from ohara.store.sqlite.generations import generations
from tests import onnx_bytes
from tests.indexing import facts_of, facts_of_a_fresh_index, index
from tests.process import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.model import LaneReport, Results
    from ohara.store.sqlite.connection import Connection
    from ohara.store.sqlite.generations import Generations

pytestmark = pytest.mark.filterwarnings("default")  # fastembed's dependencies warn as they are imported

ALL = IndexOptions(lock_wait_s=10)
QUERY = "print hello world with python"
NOW = 1_760_000_000

# Ends like a kill, after so many vector moments; in a process of its own.
KILLED = """
import os, signal, sys
from ohara.engine import Engine
from ohara.index import derived_passes
derived_passes._SLOW = derived_passes._Pace(1, 1)
left = int(sys.argv[2])
for moment in Engine.open(sys.argv[1]).index():
    left -= moment.stage == "vector"
    if left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def _models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tiny embedders beside the one that ships, and passes that write after every commit."""
    for name, dimensions in (("first", 8), ("second", 16)):
        add_folder(onnx_bytes.write_folder(tmp_path / name, onnx_bytes.embedder(dimensions)))
    monkeypatch.setattr(derived_passes, "_SLOW", derived_passes._Pace(1, 1))
    monkeypatch.setattr(derived_passes, "_QUICK", derived_passes._Pace(1, 1))
    monkeypatch.setenv("OHARA_MODELS_RERANKER", "none")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return histories.three_commits(tmp_path / "three")


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Use:
    return Use(monkeypatch)


class Use:
    """Chooses the embedder."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def __call__(self, name: str) -> None:
        self._patch.setenv("OHARA_MODELS_EMBEDDER", name)


def index_until(repo: Repo, vectors: int) -> None:
    """Index and stop, in good order, after so many moments of the vector pass."""
    with closing(Engine.open(repo.path).index(ALL)) as moments:
        for moment in moments:
            vectors -= moment.stage is Pass.VECTOR
            if vectors <= 0:
                return
    raise AssertionError("the run came to its end")


def held(engine: Engine) -> Generations:
    return generations(Connected(engine.location.database, opened(engine)))


def opened(engine: Engine) -> Connection:
    return connect_reader(engine.location.database)


def ask(repo: Repo) -> tuple[Results, LaneReport]:
    with closing(Engine.open(repo.path)) as engine:
        results = engine.find_pattern(QUERY, SearchOptions(k=20, now=NOW, all_hunks=True))
    (report,) = [lane for lane in results.lanes if lane.name == "vector"]
    return results, report


def scores(results: Results) -> dict[object, float]:
    return {hit.hunk: hit.lane_scores["vector"] for hit in results.hits if "vector" in hit.lane_scores}


def test_the_old_vectors_serve_until_the_new_are_all_made(
    repo: Repo, use: Use, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = index(repo, ALL)
    before, report = ask(repo)
    assert (report.status, report.detail) == (LaneStatus.OK, "")
    assert scores(before)

    use("first")  # chosen, and nothing made yet
    answer, report = ask(repo)
    assert scores(answer) == scores(before)
    assert report.detail.startswith("by the vectors of ohara-static@")
    assert " until those of first@" in report.detail

    index_until(repo, 1)  # one commit of three is made
    vectors = held(engine)
    assert vectors.kept is not None
    assert vectors.current is not None
    assert (vectors.kept.embedder[:13], vectors.current.embedder[:6]) == ("ohara-static@", "first@")
    assert count(engine, vectors.current.table) > 0
    answer, report = ask(repo)
    assert scores(answer) == scores(before)
    assert " until those of first@" in report.detail
    assert engine.status().passes[-1].done == 1

    index(repo, ALL)
    assert held(engine).kept is None
    answer, report = ask(repo)
    assert report.detail == ""
    assert scores(answer) != scores(before)
    assert facts_of(engine) == facts_with("first", repo, tmp_path, monkeypatch)


def test_a_search_has_the_vectors_made_in_the_background(
    repo: Repo, use: Use, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = index(repo, ALL)
    started: list[Path] = []
    monkeypatch.setattr(freshness, "start_indexer", lambda repository, _log: started.append(repository))
    command = ["find", "--no-daemon", "--repo", str(repo.path), QUERY]
    said = "another embedder was chosen: its vectors are being made in the background (ohara status)"
    assert main(command) == 0
    assert said not in capsys.readouterr().err
    use("first")
    assert main(command) == 0
    assert said in capsys.readouterr().err.splitlines()
    assert started == [engine.repository.common_dir]
    index(repo, ALL)
    assert main(command) == 0
    assert said not in capsys.readouterr().err
    assert len(started) == 1


def facts_with(name: str, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What an index says that never knew another embedder."""
    home = tmp_path / "fresh"
    with monkeypatch.context() as patch:
        patch.setenv("OHARA_HOME", str(home))
        for model in ("first", "second"):
            add_folder(tmp_path / model)
        patch.setenv("OHARA_MODELS_EMBEDDER", name)
        return facts_of_a_fresh_index(repo, home, patch, ALL)


@pytest.mark.parametrize("after", [1, 2, 3])
def test_killed_anywhere_the_next_run_ends_the_same(
    repo: Repo, use: Use, after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = index(repo, ALL)
    before, _ = ask(repo)
    assert scores(before)
    use("first")
    died = subprocess.run(
        [sys.executable, "-c", KILLED, str(repo.path), str(after)], cwd=ROOT, timeout=60, check=False
    )
    assert died.returncode == -signal.SIGKILL
    answer, report = ask(repo)
    assert (report.status, scores(answer)) == (LaneStatus.OK, scores(before))
    index(repo, ALL)
    assert facts_of(engine) == facts_with("first", repo, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "steps",
    [
        ["first 1", "embedded"],
        ["first 1", "embedded 1", "first"],
        ["first", "second 1", "first"],
        ["first 1", "second 2", "embedded 1", "second"],
        ["first 1", "none", "first"],
        ["none", "second"],
        ["first 2", "commit", "second 1", "commit", "first 1", "embedded"],
        ["commit", "first 1", "commit", "amend", "gc", "first"],
        ["first 1", "amend", "gc", "commit", "embedded"],
    ],
    ids=" → ".join,
)
def test_any_changes_of_mind_end_as_if_there_had_been_none(
    repo: Repo, use: Use, steps: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = index(repo, ALL)
    name = "embedded"
    for number, step in enumerate(steps):
        name, moments = act(repo, engine, use, (number, step), name)
        if moments:
            index_until(repo, moments)
        else:
            index(repo, ALL)
        for table in ("vec_hunk", "vec_hunk_other"):
            assert count(engine, table, "rowid NOT IN (SELECT id FROM content)") == 0
        for table in ("vec_commit", "vec_commit_other"):
            assert count(engine, table, "id NOT IN (SELECT id FROM commits)") == 0
    assert held(engine).kept is None
    assert facts_of(engine) == facts_with(name, repo, tmp_path, monkeypatch)


def act(repo: Repo, engine: Engine, use: Use, numbered: tuple[int, str], name: str) -> tuple[str, int]:
    """Do one step; the embedder in use after it, and how many vector moments to index (0: all)."""
    number, step = numbered
    word, _, moments = step.partition(" ")
    if word == "gc":
        engine.gc()
        return name, 0
    if word in {"commit", "amend"}:
        (repo.path / "new.py").write_text(f"one = two({number})\n")
        repo.git("add", "new.py")
        repo.git("commit", "-q", "-m", f"step {number}", *(["--amend"] if word == "amend" else []))
        return name, 1
    use(word)
    return word, int(moments or 0)


def count(engine: Engine, table: str, condition: str = "1") -> int:
    """How many vectors a table holds; none when it does not exist."""
    connection = opened(engine)
    if not connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = ?", (table,)).get:
        return 0
    return int(connection.execute(f"SELECT count(*) FROM {table} WHERE {condition}").get)


def test_when_the_former_model_is_gone_the_new_vectors_serve_as_far_as_they_are(repo: Repo, use: Use) -> None:
    use("first")
    engine = index(repo, ALL)
    use("embedded")
    index_until(repo, 1)
    assert " until those of ohara-static@" in ask(repo)[1].detail
    installed.remove_folder("first")
    answer, report = ask(repo)
    assert report.detail == ""
    assert len({hit.commit.sha for hit in answer.hits if "vector" in hit.lane_scores}) == 1
    assert held(engine).kept is not None


def test_vectors_whose_model_is_gone_are_not_asked_with_another(repo: Repo, use: Use) -> None:
    use("first")
    index(repo, ALL)
    installed.remove_folder("first")
    use("second")
    answer, report = ask(repo)
    assert scores(answer) == {}
    assert report.status is LaneStatus.EMPTY
    assert report.detail.startswith("the vectors are of first@")
    assert "ohara index makes those of second@" in report.detail


def test_other_weights_under_the_same_name_are_another_model(repo: Repo, use: Use, tmp_path: Path) -> None:
    use("first")
    engine = index(repo, ALL)
    made_by = held(engine).current
    installed.remove_folder("first")
    add_folder(tmp_path / "second", "first")
    assert ask(repo)[1].detail.startswith("the vectors are of first@")
    index(repo, ALL)
    now = held(engine).current
    assert made_by is not None
    assert now is not None
    assert now.embedder != made_by.embedder
    assert ask(repo)[1].status is LaneStatus.OK


def test_without_an_embedder_there_are_no_vectors(repo: Repo, use: Use) -> None:
    engine = index(repo, ALL)
    use("none")
    index(repo, ALL)
    vectors = held(engine)
    assert (vectors.current, vectors.kept) == (None, None)
    assert ask(repo)[1].detail == "the embedder is switched off"

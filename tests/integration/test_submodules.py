"""Submodules: a file of one line, the commit that is named, wherever lines and histories are told."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import pytest

from fixtures.script import History
from fixtures.tree import FILE, Entry, MovedFrom, gitlink
from ohara.browse.annotate import annotate
from ohara.engine import Engine
from ohara.index.portable import export, take_over
from ohara.index.push import push
from ohara.model import ExplainOptions, Fate, FateState, Role, SearchOptions
from ohara.store.sqlite.connection import connect_writer
from tests.indexing import facts_of, facts_of_a_fresh_index, index

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.model import Annotation, Results

ONE, TWO, THREE = ("1" * 40, "2" * 40, "3" * 40)

# What an earlier version kept: no commits of submodules, and none of their lines.
_FORMER = (
    "UPDATE file SET old_blob = NULL WHERE length(old_blob) = 21",
    "UPDATE file SET new_blob = NULL WHERE length(new_blob) = 21",
    "DELETE FROM head_line WHERE version_id IN (SELECT id FROM head_version WHERE length(blob) = 21)",
    "DELETE FROM head_version WHERE length(blob) = 21",
    "DELETE FROM meta WHERE key = 'submodules'",
)


def make_former(engine: Engine) -> None:
    """Turn an index into one of an earlier version."""
    with closing(connect_writer(engine.location.database)) as connection:
        for statement in _FORMER:
            connection.execute(statement)


def bumped(path: Path) -> History:
    history = History(path)
    history.commit("Begin", {"a.py": "print(1)\n"}, key="begin")
    history.commit("Add the library", {"lib": gitlink(ONE)}, key="add")
    history.commit("Bump the library", {"lib": gitlink(TWO)}, key="bump")
    return history


def indexed(history: History) -> Engine:
    history.flush()
    return index(history.repo)


def told(repo: Repo, results: Results) -> list[tuple[str, Role | None]]:
    return [
        (repo.key_of(hit.commit.sha), hit.explained.role if hit.explained else None) for hit in results.hits
    ]


def explain(engine: Engine, place: str) -> Results:
    return engine.explain(place, ExplainOptions(k=0))


def subjects(engine: Engine, query: str) -> list[str]:
    hits = engine.find_pattern(query, SearchOptions(k=0, all_hunks=True)).hits
    return [hit.commit.subject for hit in hits]


def fate(engine: Engine, sha: str) -> Fate:
    (hit,) = engine.show(sha)
    assert hit.fate is not None
    return replace(hit.fate, returned=None)


def test_a_submodule_is_explained_by_the_commits_that_git_lists(tmp_path: Path) -> None:
    history = bumped(tmp_path / "repo")
    engine = indexed(history)
    found = explain(engine, "lib")
    assert told(history.repo, found) == [("bump", Role.CHANGED), ("add", Role.BEGAN)]
    assert not found.notes
    listed = history.repo.git("log", "--format=%H", "main", "--", "lib").split()
    assert [hit.commit.sha for hit in found.hits] == listed
    assert told(history.repo, explain(engine, "lib:1")) == [("bump", Role.CHANGED), ("add", Role.BEGAN)]


def test_the_line_of_a_submodule_is_alive_as_long_as_head_has_it(tmp_path: Path) -> None:
    history = bumped(tmp_path / "repo")
    engine = indexed(history)
    sha = history.repo.sha
    assert fate(engine, sha["bump"]) == Fate(FateState.ALIVE, 1, 1, "lib", 1)
    gone = fate(engine, sha["add"])
    assert (gone.state, gone.by) == (FateState.GONE, sha["bump"])
    assert subjects(engine, '"Subproject commit" is:alive') == ["Bump the library"]
    assert subjects(engine, '"Subproject commit" is:gone') == ["Add the library"]


def test_lines_of_submodules_at_head_are_counted(tmp_path: Path) -> None:
    engine = indexed(bumped(tmp_path / "repo"))
    results = engine.find_pattern('"Subproject commit"', SearchOptions(k=0))
    assert results.literal is not None
    assert results.literal.head is not None
    assert (results.literal.head.lines, results.literal.head.files) == (1, 1)


def test_the_line_of_a_submodule_is_annotated(tmp_path: Path) -> None:
    history = bumped(tmp_path / "repo")
    engine = indexed(history)

    async def ask() -> Annotation:
        with closing(engine.store.readers()) as readers:
            return await readers.read(lambda reader: annotate(engine.repository, reader, "HEAD", "lib"))

    annotated = anyio.run(ask)
    assert [(run.first, run.lines, run.commit) for run in annotated.lines] == [(1, 1, 0)]
    assert [commit.sha for commit in annotated.commits] == [history.repo.sha["bump"]]


def test_a_submodule_is_followed_through_a_move_and_to_its_end(tmp_path: Path) -> None:
    history = bumped(tmp_path / "repo")
    history.commit("Move the library", {"third/lib": MovedFrom("lib")}, key="move")
    engine = indexed(history)
    assert fate(engine, history.repo.sha["bump"]) == Fate(FateState.ALIVE, 1, 1, "third/lib", 1)
    assert told(history.repo, explain(engine, "third/lib")) == [
        ("move", Role.RENAMED), ("bump", Role.CHANGED), ("add", Role.BEGAN)
    ]  # fmt: skip
    history.commit("Do without it", {"third/lib": None}, key="drop")
    engine = indexed(history)
    found = explain(engine, "third/lib")
    assert told(history.repo, found)[0] == ("drop", Role.REMOVED)
    assert found.notes == (f"third/lib was deleted in {history.repo.sha['drop'][:10]}",)
    assert fate(engine, history.repo.sha["bump"]).by == history.repo.sha["drop"]


def test_a_file_in_the_place_of_a_submodule_ends_its_line(tmp_path: Path) -> None:
    history = bumped(tmp_path / "repo")
    history.commit("Take the library in", {"lib": Entry(FILE, b"of our own\n")}, key="file")
    history.commit("Give it back", {"lib": gitlink(THREE)}, key="back")
    engine = indexed(history)
    assert fate(engine, history.repo.sha["bump"]).by == history.repo.sha["file"]
    assert [hit.fate.state for hit in engine.show(history.repo.sha["back"]) if hit.fate] == [
        FateState.REMOVAL,
        FateState.ALIVE,
    ]
    assert [key for key, _ in told(history.repo, explain(engine, "lib"))] == ["back", "file", "bump", "add"]


@pytest.mark.parametrize("resolved", [THREE, "4" * 40])
def test_a_merge_takes_a_submodule_from_a_side_or_sets_it_itself(tmp_path: Path, resolved: str) -> None:
    history = bumped(tmp_path / "repo")
    history.branch("topic")
    history.commit("Bump it on a branch", {"lib": gitlink(THREE)}, key="topic")
    history.switch("main")
    history.commit("Say two", {"a.py": "print(2)\n"})
    changes = {} if resolved == THREE else {"lib": gitlink(resolved)}
    history.merge("Merge topic", "topic", changes=changes, key="merge")
    engine = indexed(history)
    taken = fate(engine, history.repo.sha["topic"])
    if resolved == THREE:
        assert taken == Fate(FateState.ALIVE, 1, 1, "lib", 1)
    else:
        assert (taken.state, taken.by) == (FateState.GONE, history.repo.sha["merge"])
        assert fate(engine, history.repo.sha["merge"]).state is FateState.ALIVE
    expected = ["topic", "bump", "add"] if resolved == THREE else ["merge", "topic", "bump", "add"]
    assert [key for key, _ in told(history.repo, explain(engine, "lib"))] == expected


def test_a_submodule_of_a_name_with_a_language_has_no_symbols(tmp_path: Path) -> None:
    history = bumped(tmp_path / "repo")
    history.commit("Add charts", {"chart.py": gitlink(THREE)}, key="charts")
    engine = indexed(history)
    assert fate(engine, history.repo.sha["charts"]) == Fate(FateState.ALIVE, 1, 1, "chart.py", 1)
    assert not engine.status().failures


def test_an_index_of_an_earlier_version_comes_right_by_its_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = bumped(tmp_path / "repo")
    history.commit("Move the library", {"third/lib": MovedFrom("lib")}, key="move")
    make_former(indexed(history))
    engine = indexed(history)
    assert fate(engine, history.repo.sha["bump"]) == Fate(FateState.ALIVE, 1, 1, "third/lib", 1)
    assert [key for key, _ in told(history.repo, explain(engine, "third/lib"))] == ["move", "bump", "add"]
    assert facts_of(engine) == facts_of_a_fresh_index(history.repo, tmp_path / "fresh", monkeypatch)


def test_lines_of_an_index_without_submodules_are_not_followed_anew(tmp_path: Path) -> None:
    history = History(tmp_path / "repo")
    history.commit("Begin", {"a.py": "print(1)\n"})
    engine = indexed(history)
    make_former(engine)
    with closing(connect_writer(engine.location.database)) as connection:
        connection.execute("UPDATE line_count SET solid = 7")  # what another pass would put right
    engine = indexed(history)
    with closing(connect_writer(engine.location.database)) as connection:
        assert connection.execute("SELECT solid FROM line_count").fetchall() == [(7,)]
        assert connection.execute("SELECT value FROM meta WHERE key = 'submodules'").fetchall() == [("true",)]


def test_a_pushed_index_of_an_earlier_version_comes_right_by_the_next_push(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = bumped(tmp_path / "repo")
    engine = indexed(history)
    monkeypatch.setenv("OHARA_HOME", str(tmp_path / "other"))
    target = Engine.open(history.repo.path)
    target.location.prepare()
    for _ in push(engine.store, target.store):
        pass
    make_former(target)
    make_former(engine)
    for _ in push(engine.store, target.store):
        pass  # the source has nothing to tell yet
    monkeypatch.undo()
    engine = indexed(history)
    for _ in push(engine.store, target.store):
        pass
    assert fate(target, history.repo.sha["bump"]) == Fate(FateState.ALIVE, 1, 1, "lib", 1)
    assert facts_of(target) == facts_of(engine)


def test_submodules_travel_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = bumped(tmp_path / "repo")
    engine = indexed(history)
    export(engine.repository, engine.store, tmp_path / "file", derived=True)
    monkeypatch.setenv("OHARA_HOME", str(tmp_path / "other"))
    other = Engine.open(history.repo.path)
    take_over(other.repository, other.store, tmp_path / "file", replace=False, progress=lambda _: None)
    assert fate(other, history.repo.sha["bump"]) == Fate(FateState.ALIVE, 1, 1, "lib", 1)

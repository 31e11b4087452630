"""What no history may do to an index run: never end, take all memory, or hold up the commits beside it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from fixtures.bombs import chain, commit_tree, empty_folders, git_bomb, nested
from fixtures.git import init
from fixtures.large import many_commits, many_files
from fixtures.script import History
from ohara.engine import Engine
from ohara.git import tree
from ohara.git.repo import Repository
from ohara.model import SearchOptions
from ohara.store.sqlite.schema import open_reader
from tests.indexing import WITHOUT_VECTORS, facts_of, facts_of_a_fresh_index, index, moments
from tests.process import ROOT, ohara

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from fixtures.git import Repo
    from ohara.model import Sha


def subjects(engine: Engine, query: str) -> set[str]:
    return {hit.commit.subject for hit in engine.find_pattern(query, SearchOptions(k=20, rerank=False)).hits}


def reasons(engine: Engine) -> dict[Sha, str]:
    return {failure.sha: failure.reason for failure in engine.status().failures}


def test_a_bomb_is_left_out_and_everything_beside_it_is_found(tmp_path: Path) -> None:
    repo = git_bomb(tmp_path / "bomb.git")
    engine = index(repo)
    status = engine.status()
    assert (status.indexed, status.behind) == (6, 0)
    assert subjects(engine, "bombshell") == {"Plant a bombshell"}
    assert subjects(engine, "relabel charge") >= {"Relabel the charge"}
    assert subjects(engine, '"return 1"') == {"Walk past it", "Return home"}
    assert subjects(engine, '"elsewhere"') == {"Take a detour", "Return home"}
    assert subjects(engine, '"boom"') == set()
    said = "bomb/ left out: more than 2,000,000 files, or nested too deep"
    assert reasons(engine) == {repo.sha["bomb"]: said, repo.sha["leaf"]: said}
    assert said in ohara("status", "--repo", str(repo.path)).stdout
    assert moments(repo) == []  # what is left out for good is not read again


def test_the_symbols_of_head_are_read_beside_a_bomb(tmp_path: Path) -> None:
    repo = git_bomb(tmp_path / "bomb.git")
    engine = index(repo)
    connection = open_reader(engine.location.database)
    try:
        paths = list(connection.execute("SELECT path FROM head_file JOIN path ON path.id = path_id"))
    finally:
        connection.close()
    assert paths == [("near.py",)]


def test_folders_without_files_and_folders_nested_without_end_are_left_out(tmp_path: Path) -> None:
    repo = init(tmp_path / "odd.git", bare=True)
    void = commit_tree(repo, empty_folders(repo, 10), "Make room for nothing")
    deep = commit_tree(repo, chain(repo, 300), "Dig a well", void)
    engine = index(repo)
    assert engine.status().indexed == 2
    assert subjects(engine, "room nothing") == {"Make room for nothing"}
    assert subjects(engine, "dig well") == {"Dig a well"}
    # The second commit removes the folders of the first, too.
    assert reasons(engine)[void].startswith("0/ and 9 more folders left out")
    assert reasons(engine)[deep].startswith("0/ and 10 more folders left out")
    assert moments(repo) == []


def test_a_large_commit_is_no_bomb(tmp_path: Path) -> None:
    repo = many_files(tmp_path / "many.git", 21_000)  # more than are listed uncounted
    opened = Repository.open(repo.path)
    root = opened.links(repo.sha["all"]).tree
    beyond: set[bytes] = set()
    assert sum(1 for _ in tree.files(opened.objects, root, set())) == 21_000
    found = [delta.path for delta in tree.compare(opened.objects, None, root, set(), beyond, most=20_500)]
    assert len(found) == 20_000  # the last folder does not fit any more
    assert beyond == {b"part020/"}


def test_what_two_trees_share_is_not_counted(tmp_path: Path) -> None:
    repo = init(tmp_path / "same.git", bare=True)
    folder = nested(repo, "same", 10)
    opened = Repository.open(repo.path)
    first = bytes.fromhex(folder)
    second = bytes.fromhex(nested(repo, "other", 10))
    beyond: set[bytes] = set()
    assert list(tree.compare(opened.objects, first, first, set(), beyond)) == []
    assert beyond == set()
    assert list(tree.compare(opened.objects, first, second, set(), beyond)) == []
    assert len(beyond) == 10
    assert list(tree.unlike_all(opened.objects, (first, second), second, set(), beyond)) == []


def test_a_commit_that_takes_too_much_memory_is_given_up_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with History(tmp_path / "heavy.git", bare=True) as history:
        for number in range(40):  # enough for a run to have workers
            if number == 20:
                for key, end in (("lift", ""), ("heavy", "!")):
                    lines = "".join(f"{line}{end}\n" for line in range(1_000_000))
                    history.commit(f"Heave a rock{end}", {"rock.txt": lines}, key=key)
            history.commit(f"Carry pebble {number}", {f"p{number}.txt": f"pebble {number}\n"})
    monkeypatch.setenv("OHARA_INDEX_MAX_BLOB_BYTES", str(64 << 20))
    monkeypatch.setattr("ohara.index.run.MEMORY_BYTES", 120 << 20)
    engine = index(history.repo)
    assert reasons(engine)[history.repo.sha["heavy"]] == "reading it takes more than 120 MiB of memory"
    assert set(reasons(engine)) <= {history.repo.sha["heavy"], history.repo.sha["lift"]}
    assert len(subjects(engine, "/pebble 3[0-9]/")) == 10


def test_a_commit_that_takes_too_long_is_recorded_and_tried_again_after_the_others(
    small_project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ohara.index.run.COMMIT_SECONDS", -1.0)
    engine = index(small_project)
    failed = reasons(engine)
    assert failed
    assert set(failed.values()) == {"it takes longer than -1 s"}
    assert engine.status().behind == len(failed)
    monkeypatch.undo()
    engine = index(small_project)
    assert reasons(engine) == {}
    assert facts_of(engine) == facts_of_a_fresh_index(small_project, tmp_path / "fresh", monkeypatch)


def test_a_worker_that_falls_silent_is_given_up_while_another_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = many_commits(tmp_path / "many.git", 60)
    stuck = repo.sha["30"]
    (tmp_path / "custom").mkdir()
    (tmp_path / "custom" / "sitecustomize.py").write_text(STUCK.replace("SHA", stuck))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'custom'}:{ROOT}")
    monkeypatch.setattr("ohara.index.pool._SILENCE_S", 2.0)
    engine = index(repo, replace(WITHOUT_VECTORS, jobs=2))
    assert engine.status().indexed == 59
    assert list(reasons(engine)) == [stuck]
    assert reasons(engine)[stuck].startswith("reading it takes longer than ")


def test_a_run_that_was_stopped_for_longer_than_a_worker_may_be_silent_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = many_commits(tmp_path / "many.git", 60)
    (tmp_path / "custom").mkdir()
    begun = tmp_path / "begun"
    (tmp_path / "custom" / "sitecustomize.py").write_text(
        SLOW.replace("SHA", repo.sha["30"]).replace("BEGUN", str(begun))
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'custom'}:{ROOT}")
    run = subprocess.Popen(
        [sys.executable, "-m", "ohara", "index", "-q", "--jobs", "2", "--repo", str(repo.path)],
        start_new_session=True,
    )
    until = time.monotonic() + 30
    while not begun.exists() and time.monotonic() < until:
        time.sleep(0.01)
    os.killpg(run.pid, signal.SIGSTOP)
    time.sleep(6)
    os.killpg(run.pid, signal.SIGCONT)
    assert run.wait(timeout=60) == 0
    status = Engine.open(repo.path).status()
    assert (status.indexed, status.failures) == (60, ())
    assert begun.read_text() == "again", "no worker was given up"


SLOW = """
import sys, time
if "ohara.index.worker" in " ".join(sys.orig_argv):
    from ohara.index import extract
    prepare = extract.Extractor.prepare
    def slow(self, sha):
        if sha == "SHA":
            open("BEGUN", "a").write("again")
            for _ in range(15):
                time.sleep(0.1)
        return prepare(self, sha)
    extract.Extractor.prepare = slow
else:
    from ohara.index import pool
    pool._SILENCE_S, pool._LOOK_S = 5.0, 0.5
"""

STUCK = """
import sys, time
if "ohara.index.worker" in " ".join(sys.orig_argv):
    from ohara.index import extract
    prepare = extract.Extractor.prepare
    def stuck(self, sha):
        while sha == "SHA":
            time.sleep(1)
        return prepare(self, sha)
    extract.Extractor.prepare = stuck
"""

"""What is stored and cannot be read is a damaged index: told as such, with the way to mend it."""

from __future__ import annotations

import random
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from ohara import client, wire
from ohara.engine import Engine
from ohara.errors import IndexCorrupt
from ohara.index.job import IndexOptions
from ohara.model import Pass, SearchOptions
from ohara.store.sqlite.connection import connect_writer
from tests.daemon import service
from tests.indexing import index
from tests.process import ohara

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

FRAME = b"\x28\xb5\x2f\xfd"  # how every frame of zstd begins
GARBAGE = {
    "nothing": b"",
    "short": b"\x28\xb5",
    "noise": random.Random(7).randbytes(200),  # noqa: S311 - noise, not a secret
    "another dictionary": FRAME + b"\x23" + bytes(range(40)),
    "a huge frame": FRAME + b"\xe0" + b"\xff" * 8 + b"\x00" * 20,
}
HINT = "ohara index --rebuild"


def damage(repo: Repo, garbage: bytes) -> None:
    """Replace every stored body, and make the next run analyse them anew."""
    writer = connect_writer(Engine.open(repo.path).location.database)
    writer.execute("UPDATE content SET body = ?", (garbage,))
    writer.close()


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_whatever_is_in_place_of_a_body_is_damage(three_commits: Repo, garbage: bytes) -> None:
    engine = index(three_commits)
    damage(three_commits, garbage)
    for query in ('"world"', "/w.rld/", "greet the world", three_commits.tip[:12]):
        with pytest.raises(IndexCorrupt, match="is damaged: a stored hunk cannot be opened") as told:
            engine.find_pattern(query, SearchOptions(rerank=False))
        assert HINT in told.value.hint
    engine.close()


@pytest.mark.parametrize("jobs", [1, 2])
def test_passes_over_damaged_bodies_say_so_with_and_without_workers(
    small_project: Repo, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if jobs > 1:
        monkeypatch.setattr("ohara.index.inline.SMALL_RUN_COMMITS", 0)
    index(small_project, IndexOptions(passes=frozenset({Pass.TEXT, Pass.LITERAL})))
    damage(small_project, GARBAGE["noise"])
    with pytest.raises(IndexCorrupt, match="a stored hunk cannot be opened") as told:
        index(small_project, IndexOptions(passes=frozenset(Pass) - {Pass.VECTOR}, jobs=jobs))
    assert HINT in told.value.hint


def test_damage_is_told_the_same_by_commands_and_by_the_service_and_a_rebuild_mends_it(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    where = ("--repo", str(three_commits.path))
    index(three_commits)
    damage(three_commits, GARBAGE["noise"])
    for words in (("find", "--no-daemon", '"world"'), ("find", "greet"), ("show", "HEAD~")):
        told = ohara(*words, *where)
        assert (told.returncode, told.stdout) == (2, ""), words
        first, hint = told.stderr.splitlines()
        assert "the index is damaged: a stored hunk cannot be opened" in first
        assert HINT in hint
    with service(ohara_home, monkeypatch), client.connect() as there:
        there.send(wire.Pause())
        with pytest.raises(IndexCorrupt, match="cannot be opened"):
            there.send(wire.Find(repo=str(three_commits.path), query='"world"'))
        with pytest.raises(IndexCorrupt, match="cannot be opened"):
            there.send(wire.Show(repo=str(three_commits.path), commit="HEAD~"))
        with pytest.raises(IndexCorrupt, match="cannot be opened"):
            there.send(
                wire.HistoryRequest(
                    repo=str(three_commits.path), commit="HEAD", path="hello.py", first=1, last=1
                )
            )
        told = ohara("find", *where, '"world"')
        assert (told.returncode, told.stdout) == (2, "")
        assert HINT in told.stderr
        assert ohara("index", "--rebuild", "-q", *where).returncode == 0
        assert ohara("find", *where, "-q", '"world"').returncode == 0


UNREADABLE = {
    "a fact": """UPDATE meta SET value = '{"HEAD' WHERE key = 'tips'""",
    "its identity": "UPDATE meta SET value = '\"12' WHERE key = 'identity'",
    "its fingerprint": "UPDATE meta SET value = x'ff7b' WHERE key = 'fingerprint'",
    "messages": "UPDATE commits SET message = CAST(x'77c3' AS TEXT)",
    "names": "UPDATE person SET name = CAST(x'fffe' AS TEXT)",
    "kinds": "UPDATE file SET kind = 'modifiet'",
    "reasons": "UPDATE path SET left_out = 'mimified'",
    "ends of lines": "UPDATE line_end SET how = 77",
    "paths": "UPDATE path SET path = CAST(x'80' AS TEXT) || id",
}


@pytest.mark.parametrize("statement", UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_damage(three_commits: Repo, statement: str) -> None:
    where = ("--repo", str(three_commits.path))
    engine = index(three_commits)
    engine.close()
    with closing(connect_writer(engine.location.database)) as writer:
        writer.execute(statement)
    told = [
        ohara(*words, *where)
        for words in (("find", "--no-daemon", "greet"), ("show", "HEAD"), ("status",), ("index", "-q"))
    ]
    assert [done.stderr for done in told if "fault" in done.stderr] == []
    refused = [done for done in told if done.returncode == 2]
    assert refused
    for done in refused:
        first, hint = done.stderr.splitlines()
        assert "is damaged" in first
        assert HINT in hint
    assert ohara("index", "--rebuild", "-q", *where).returncode == 0
    assert ohara("find", "--no-daemon", "-q", "greet", *where).returncode == 0


def test_a_fact_that_does_not_fit_counts_as_nothing(three_commits: Repo) -> None:
    engine = index(three_commits)
    with closing(connect_writer(engine.location.database)) as writer:
        writer.execute("""UPDATE meta SET value = '{"startd": 5}' WHERE key = 'last_run'""")
        writer.execute("""INSERT OR REPLACE INTO meta VALUES('refs', '{"name": ["main"]}')""")
    assert engine.status().last_run is None
    index(three_commits)
    last = engine.status().last_run
    assert last is not None
    assert last.outcome == "finished"

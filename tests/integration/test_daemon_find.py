"""`ohara find` gives the same answer through the service as without it, and loads next to nothing for it."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest

from ohara import client, wire
from ohara.errors import UsageError
from ohara.model import SearchOptions
from tests.daemon import alive, service, wait_until
from tests.indexing import index
from tests.process import ohara, python

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

# Runs a search inside an interpreter that afterwards tells what it has loaded.
TELLTALE = """
import contextlib, io, json, sys
from ohara.cli.entry import main
with contextlib.redirect_stdout(io.StringIO()) as out:
    code = main(json.loads(sys.argv[1]))
print(json.dumps({"code": code, "out": out.getvalue(), "modules": sorted(sys.modules)}))
"""

QUERIES = [
    ("retry",),
    ('"import"', "-k", "0"),
    ("/def +\\w+/", "-k", "4", "--all-hunks"),
    ("--author", "ada", "parser", "--explain"),
    ("HEAD",),
    ("zzznothingzzz",),
]


def timeless(text: str) -> object:
    """An answer without what the clock put into it: durations, and the last digits of ages."""
    said = json.loads(text, parse_float=lambda number: round(float(number), 3))
    del said["took_ms"], said["next"]
    for lane in said["lanes"]:
        del lane["ms"]
    return said


def test_the_answer_is_the_same_either_way(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, small_project: Repo
) -> None:
    index(small_project)
    with service(ohara_home, monkeypatch):
        for query in QUERIES:
            words = ("find", "--repo", str(small_project.path), "--json", *query)
            through = ohara(*words)
            alone = ohara(*words, "--no-daemon")
            assert (through.returncode, through.stderr) == (alone.returncode, alone.stderr), query
            assert timeless(through.stdout) == timeless(alone.stdout), query
        with client.connect() as there:
            assert there.send(wire.HealthCheck()).requests >= len(QUERIES)
        shown = ohara("find", "--repo", str(small_project.path), "retry")
        alone = ohara("find", "--repo", str(small_project.path), "retry", "--no-daemon")
        assert (shown.stdout, shown.stderr) == (alone.stdout, alone.stderr)
        wrong = ohara("find", "--repo", str(small_project.path), "auther:bob x")
        assert (
            wrong.stderr
            == ohara("find", "--no-daemon", "--repo", str(small_project.path), "auther:bob x").stderr
        )


def test_a_commit_of_this_moment_is_found_either_way(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    index(three_commits)
    with service(ohara_home, monkeypatch), client.connect() as there:
        there.send(wire.Pause())
        (three_commits.path / "new.txt").write_text("quokka\n")
        three_commits.git("add", "new.txt")
        three_commits.git("commit", "-q", "-m", "Meet the quokka")
        (hit,) = there.send(wire.Find(repo=str(three_commits.path), query='"quokka"')).results.hits
        assert (hit.commit.sha, hit.path) == (three_commits.tip, "new.txt")


def test_a_search_through_the_service_loads_nothing_heavy(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    index(three_commits)
    with service(ohara_home, monkeypatch):
        done = python(
            "-c", TELLTALE, json.dumps(["find", "--repo", str(three_commits.path), "greeting", "--json"])
        )
        told = json.loads(done.stdout)
        assert (told["code"], json.loads(told["out"])["index"]["indexed"]) == (0, 3)
        loaded = {name.partition(".")[0] for name in told["modules"]}
        assert (
            loaded & {"rich", "pygit2", "apsw", "numpy", "asyncio", "anyio", "subprocess", "tree_sitter"}
            == set()
        )
        assert not any(
            name.startswith(("ohara.engine", "ohara.store", "ohara.git")) for name in told["modules"]
        )


def test_a_time_in_milliseconds_is_refused_in_words(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    index(three_commits)
    with service(ohara_home, monkeypatch), client.connect() as there:
        for query in ("world", "world since:2020"):
            for now in (1_763_000_000_000, -(10**12)):
                asked = wire.Find(repo=str(three_commits.path), query=query, options=SearchOptions(now=now))
                with pytest.raises(UsageError, match=f"{now} is no time") as told:
                    there.send(asked)
                assert told.value.hint == "give `now` in seconds since 1970"


def test_settings_of_one_shell_are_honoured(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, small_project: Repo
) -> None:
    index(small_project)
    with service(ohara_home, monkeypatch):
        done = ohara("find", "--json", "--repo", str(small_project.path), "fix", env={"OHARA_FIND_K": "2"})
        assert len(json.loads(done.stdout)["hits"]) == 2
        (small_project.path / ".ohara.toml").write_text("[find]\nk = 3\n")
        refused = ohara("find", "--json", "--repo", str(small_project.path), "fix")
        assert refused.returncode == 2
        assert "a repository may not set find.k" in refused.stderr


def test_without_a_service_or_with_one_that_is_stuck_it_answers_by_itself(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    index(three_commits)
    words = ("find", "--repo", str(three_commits.path), "--json", "greeting")
    with service(ohara_home, monkeypatch) as pid:
        expected = timeless(ohara(*words, "--no-daemon").stdout)
        os.kill(pid, signal.SIGSTOP)
        try:
            stuck = ohara(*words)
        finally:
            os.kill(pid, signal.SIGCONT)
        assert timeless(stuck.stdout) == expected
        assert stuck.stderr == "answered without the daemon: the daemon does not answer\n"
        os.kill(pid, signal.SIGKILL)
        assert wait_until(lambda: not alive(pid))
        dead = ohara(*words)
        assert (timeless(dead.stdout), dead.stderr) == (expected, "")

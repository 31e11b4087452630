"""Four hours of use in a few minutes: does the service keep what it should have let go?"""

from __future__ import annotations

import os
import random
import re
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ohara import client, wire
from ohara.errors import RepositoryError
from ohara.model import SearchOptions
from tests.bench.load import copied
from tests.bench.report import Table, megabytes, talk
from tests.bench.serving import settle

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

HOURS = 4
# What a busy hour holds: a question every eight seconds, a commit every three minutes.
AN_HOUR = {
    "questions": 300,
    "exact texts": 100,
    "regular expressions": 50,
    "commits shown": 60,
    "commits described": 30,
    "lines blamed": 20,
    "histories of lines": 15,
    "looks at the index": 30,
    "commits made": 20,
    "commits rewritten": 3,
    "clients that left in the middle": 120,
    "histories indexed from nothing": 2,
}
_LOOKS = 12  # of which the first comes after caches are warm
_SEED = 7
_AT_ONCE = 8  # more than a repository has connections to its database


@dataclass(frozen=True, slots=True)
class Look:
    """What the service held at one moment."""

    requests: int
    memory_bytes: int
    threads: int
    descriptors: int


@dataclass(frozen=True, slots=True)
class Soak:
    """What was done, how often, and what the service held as it went on."""

    done: Mapping[str, int]
    elapsed_s: float
    looks: tuple[Look, ...]


def measure_soak(
    there: client.Client, repo: Path, work: Path, texts: Sequence[str], *, scale: float = 1.0
) -> Soak:
    """Do all that in a shuffled order that is the same every time; `scale` makes it shorter."""
    chance = random.Random(_SEED)  # noqa: S311 - the same order twice
    project = _project(work / "soak-project")
    counts = {act: max(1, int(count * HOURS * scale)) for act, count in AN_HOUR.items()}
    acts = [act for act, count in counts.items() for _ in range(count)]
    chance.shuffle(acts)
    there.send(wire.Index(repo=str(project)))
    settle(there)
    with ThreadPoolExecutor(_AT_ONCE) as askers:  # until caches are as they stay, of every connection
        list(askers.map(lambda number: _warm(texts[number::_AT_ONCE], repo, project), range(_AT_ONCE)))
    looks: list[Look] = []
    started = time.perf_counter()
    for number, act in enumerate(acts):
        _do(act, number, there, repo=repo, project=project, work=work, text=chance.choice(texts))
        if number % max(1, len(acts) // (_LOOKS - 1)) == 0:
            looks.append(_look(there))
    settle(there)
    looks.append(_look(there))
    elapsed = time.perf_counter() - started
    talk(f"  {len(acts):,} acts in {elapsed:.0f} s")
    return Soak(counts, elapsed, tuple(looks))


def _warm(texts: Sequence[str], *repositories: Path) -> None:
    with client.connect() as there:
        for text in texts:
            for repository in repositories:
                there.send(wire.Find(repo=str(repository), query=text, options=SearchOptions(k=10)))


def _do(
    act: str, number: int, there: client.Client, *, repo: Path, project: Path, work: Path, text: str
) -> None:
    asked = repo if number % 3 else project
    word = max(text.split(), key=len, default="x").strip('"/\\')
    queries = {
        "questions": text,
        "exact texts": f'"{word}"',
        "regular expressions": f"/{re.escape(word)}\\w*/i",
    }
    match act:
        case _ if act in queries:
            there.send(wire.Find(repo=str(asked), query=queries[act], options=SearchOptions(k=10)))
        case "commits made":
            _commit(project, number)
        case "commits rewritten":
            _git("-C", str(project), "commit", "-q", "--amend", "-m", f"Act {number}, again")
        case "clients that left in the middle":
            _leave(repo, text, number)
        case "histories indexed from nothing":
            there.send(wire.Index(repo=str(copied(project, work / "soak-copy.git"))))
        case _:
            with suppress(RepositoryError):  # a file that was not written yet
                _browse(act, there, asked, project, f"file_{number % 10}.py")


def _browse(act: str, there: client.Client, asked: Path, project: Path, path: str) -> None:
    match act:
        case "commits shown":
            there.send(wire.Show(repo=str(asked), commit="HEAD"))
        case "commits described":
            there.send(wire.Describe(repo=str(asked), commit="HEAD"))
        case "lines blamed":
            there.send(wire.Blame(repo=str(project), commit="HEAD", path=path, line=1))
        case "histories of lines":
            there.send(wire.HistoryRequest(repo=str(project), commit="HEAD", path=path, first=1, last=1))
        case "looks at the index":
            there.send(wire.Status(repo=str(asked)))
        case _:
            raise ValueError(f"nobody can do {act!r}")


def _leave(repo: Path, text: str, number: int) -> None:
    """Ask, and hang up before the answer or in the middle of it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(client.socket_path()))
        connection.sendall(wire.frame(wire.Hello(id=1, protocol=wire.PROTOCOL, version="0")))
        connection.sendall(
            wire.frame(wire.Find(id=2, repo=str(repo), query=text[:200], options=SearchOptions(k=10)))
        )
        if number % 2:
            connection.recv(1_000)


def _project(folder: Path) -> Path:
    """A work tree of its own, in which commits can be made."""
    if not folder.exists():
        _git("init", "-q", str(folder))
    _commit(folder, 0)
    return folder


def _commit(project: Path, number: int) -> None:
    (project / f"file_{number % 10}.py").write_text(f"def act_{number}():\n    return {number}\n")
    _git("-C", str(project), "add", ".")
    _git("-C", str(project), "commit", "-q", "--allow-empty", "-m", f"Act {number}")


def _git(*arguments: str) -> None:
    who = {f"GIT_{role}_{part}": "soak" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    subprocess.run(["git", *arguments], env=os.environ | who, check=True)


def _look(there: client.Client) -> Look:
    vitals = there.send(wire.HealthCheck())
    return Look(vitals.requests, vitals.memory_bytes, vitals.threads, vitals.descriptors)


def soak_table(measured: Soak) -> Table:
    """What the service held from the beginning to the end, at even intervals."""
    done = ", ".join(f"{count:,} {act}" for act, count in measured.done.items())
    return Table(
        f"{HOURS} hours of use, compressed",
        ("requests", "memory", "threads", "files"),
        tuple(
            (f"{look.requests:,}", megabytes(look.memory_bytes), str(look.threads), str(look.descriptors))
            for look in measured.looks
        ),
        (f"{done}, in {measured.elapsed_s:.0f} s.",),
    )

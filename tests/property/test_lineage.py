"""Lines are followed to the same commits as `git log -L` finds, on random histories with merges."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import anyio
import pytest

from fixtures.script import History
from fixtures.tree import MovedFrom
from ohara.browse.lineage import Position, Trail
from ohara.browse.span import Span
from tests.indexing import index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fixtures.git import Repo
    from ohara.model import Sha
    from ohara.store.reading import Reader

SEEDS = range(6)
COMMITS = 30
SPANS = 6


def random_history(path: Path, chance: random.Random) -> tuple[Repo, str]:
    """A file that is edited on several branches, which are merged crosswise and three at a time, and renamed.

    Every line is written once, so that there is one way to tell which is which.
    """
    numbers = iter(range(1_000_000))
    with History(path) as history:
        name = "a.txt"
        lines = {"main": [f"line {next(numbers)}" for _ in range(14)]}
        history.commit("Begin", {name: _text(lines["main"])})
        branches = ["main"]
        for number in range(COMMITS):
            act = chance.random()
            branch = chance.choice(branches)
            history.switch(branch)
            if act < 0.12 and len(branches) < 4:
                history.branch(f"b{number}", branch)
                branches.append(f"b{number}")
            elif act < 0.3 and len(branches) > 1:
                others = [each for each in branches if each != branch]
                chosen = chance.sample(others, chance.choice([1, 1, 1, min(2, len(others))]))
                _merge(history, f"Merge {number}", name, chosen)
            elif act < 0.34 and "/" not in name and len(branches) == 1:
                old, name = name, f"moved/{name}"
                history.commit(f"Move {number}", {name: MovedFrom(old)})
            else:
                text = _lines(history.tree(branch)[name].data)
                history.commit(f"Edit {number}", {name: _text(_edited(text, chance, numbers))})
        history.switch("main")
        for branch in branches[1:]:
            _merge(history, f"Merge {branch}", name, [branch])
    return history.repo, name


def _merge(history: History, message: str, name: str, others: list[str]) -> None:
    """Merges line by line, as git does; of lines that both sides changed it keeps both."""
    text = history.tree(history.current)[name].data
    for other in others:
        base = history.tree(history.merge_base(history.current, other))[name].data
        text = _merged(text, base, history.tree(other)[name].data)
    history.merge(message, *others, changes={name: text}, keep_ours=True)


def _merged(ours: bytes, base: bytes, theirs: bytes) -> bytes:
    with TemporaryDirectory() as folder:
        files = [Path(folder) / each for each in ("ours", "base", "theirs")]
        for file, text in zip(files, (ours, base, theirs), strict=True):
            file.write_bytes(text)
        command = ["git", "merge-file", "-p", "--union", *map(str, files)]
        return subprocess.run(command, check=True, capture_output=True).stdout


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _lines(data: bytes) -> list[str]:
    return data.decode().splitlines()


def _edited(lines: list[str], chance: random.Random, numbers: Iterator[int]) -> list[str]:
    new = list(lines)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(new) + 1)
        fresh = [f"line {next(numbers)}" for _ in range(chance.randint(0, 3))]
        new[at : at + chance.randint(0, 2)] = fresh
    return new if new and new != lines else [*lines, f"line {next(numbers)}"]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_commits_as_git_log(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)  # noqa: S311
    repo, path = random_history(tmp_path / "repo", chance)
    engine = index(repo)
    count = len(repo.git("show", f"HEAD:{path}").splitlines())
    spans = [sorted((chance.randint(1, count), chance.randint(1, count))) for _ in range(SPANS)]

    def ours(reader: Reader) -> list[list[Sha]]:
        head = engine.repository.commit_named("HEAD")
        found = []
        for first, last in spans:
            trail = Trail(engine.repository, reader)
            found.append([step.sha for step in trail.follow(Position(head, path, (Span(first, last),)))])
            assert not trail.lost
        return found

    readers = engine.store.readers(size=1)
    followed = anyio.run(readers.read, ours)
    readers.close()
    merges = set(repo.git("log", "--format=%H", "--merges").split())
    for (first, last), shas in zip(spans, followed, strict=True):
        said = repo.git("log", "--format=%H", "-s", "--no-merges", f"-L{first},{last}:{path}").split()
        assert sorted(set(shas) - merges) == sorted(said), (seed, first, last)
        assert len(shas) == len(set(shas))

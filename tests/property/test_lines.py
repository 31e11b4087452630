"""Where every line comes from, held against `git blame` on histories of chance."""

from __future__ import annotations

import random
from itertools import count
from typing import TYPE_CHECKING

import pytest

from fixtures.git import git_bytes
from fixtures.script import History
from ohara.index.job import IndexOptions
from ohara.model import Pass
from ohara.store.engines import index_at
from tests.indexing import facts_of, facts_of_a_fresh_index, index

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.engine import Engine

ONLY_LINES = IndexOptions(passes=frozenset({Pass.TEXT, Pass.LITERAL, Pass.LINES}), lock_wait_s=10)


class Chance:
    """Writes a history of edits, renames and merges; every line that it writes is another one."""

    def __init__(self, path: Path, seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - not a secret
        self.history = History(path)
        self.numbers = count()
        self.files: dict[str, dict[str, str]] = {"main": {}}  # by branch
        self.play_commit()

    def line(self) -> str:
        number = next(self.numbers)
        return "" if number % 11 == 7 else f"line {number} of {number * 7919 % 10007}"

    def edited(self, text: str) -> str:
        ending = "\r\n" if "\r\n" in text else "\n"
        lines = text.split(ending)
        last = lines.pop() if lines and not lines[-1] else None
        for _ in range(self.rng.randint(1, 3)):
            at = self.rng.randint(0, len(lines))
            gone = self.rng.choice((0, 0, 1, 2))
            lines[at : at + gone] = [self.line() for _ in range(self.rng.choice((0, 1, 3)))]
        if self.rng.random() < 0.2:
            last = None if last is not None else ""
        return ending.join(lines) + (ending if last is not None and lines else "")

    def play_commit(self) -> None:
        files = self.files[self.history.current]
        changes: dict[str, str | None] = {}
        for name in self.rng.sample(sorted(files), min(len(files), self.rng.randint(0, 2))):
            if self.rng.random() < 0.15:
                new = f"{name.split('-')[0]}-{next(self.numbers)}"
                changes[name], changes[new] = None, files[name]
            else:
                changes[name] = self.edited(files[name])
        if len(files) < 3 or self.rng.random() < 0.1 or not changes:
            ending = self.rng.choice(("\n", "\r\n"))
            fresh = ending.join(self.line() for _ in range(self.rng.randint(6, 30))) + ending
            changes[f"file{next(self.numbers)}"] = fresh
        self.history.commit(f"commit {next(self.numbers)}", changes)
        self.read()

    def read(self) -> None:
        self.history.flush()
        tip = self.history.branches[self.history.current]
        repo = self.history.repo.path
        names = git_bytes(repo, "ls-tree", "-r", "--name-only", tip).decode().split()
        self.files[self.history.current] = {
            name: git_bytes(repo, "show", f"{tip}:{name}").decode() for name in names
        }

    def play_branch(self) -> None:
        name = f"branch{next(self.numbers)}"
        self.files[name] = dict(self.files[self.history.current])
        self.history.branch(name)
        self.play_commit()

    def play_switch(self) -> None:
        self.history.switch(self.rng.choice(sorted(self.files)))

    def play_merge(self) -> None:
        others = [name for name in sorted(self.files) if name != self.history.current]
        if others:
            chosen = self.rng.sample(others, min(len(others), self.rng.choice((1, 1, 1, 2))))
            self.history.merge(f"merge {next(self.numbers)}", *chosen, keep_ours=True)
            self.read()

    def play(self, steps: int) -> None:
        acts = (self.play_commit, self.play_commit, self.play_commit, self.play_branch, self.play_switch)
        for _ in range(steps):
            self.rng.choice((*acts, self.play_merge, self.play_merge))()
        self.history.switch("main")
        for name in sorted(self.files):
            if name != "main":
                self.history.merge(f"merge {name}", name, keep_ours=True)
        self.read()
        self.history.flush()
        self.history.checkout()


def blamed(repo: Path, path: str) -> list[str]:
    said = git_bytes(repo, "blame", "-s", "-l", "--root", "HEAD", "--", path).decode()
    return [line[:40] for line in said.split("\n") if line]


def followed(engine: Engine) -> dict[str, list[str]]:
    """The commit of every line of HEAD, by what is stored."""
    found: dict[str, list[str]] = {}
    with index_at(engine.location).line_history() as history:
        shas = {link.commit: link.sha for link in history.links()}
        for path, blob in history.head_versions():
            hunks: list[int] = []
            for lines, hunk, _ in history.head_origins(path, blob) or []:
                hunks += [hunk] * lines if hunk else []
            commits = history.commits_of(set(hunks))
            found[path] = [shas[commits[hunk]] for hunk in hunks]
    return found


@pytest.mark.parametrize("seed", range(8))
def test_every_line_of_head_comes_from_where_git_blame_says(seed: int, tmp_path: Path) -> None:
    chance = Chance(tmp_path / "repo", seed)
    chance.play(25)
    repo = chance.history.repo.path
    found = followed(index(repo, ONLY_LINES))
    names = git_bytes(repo, "ls-tree", "-r", "--name-only", "HEAD").decode().split()
    assert found == {name: blamed(repo, name) for name in names}


@pytest.mark.parametrize("seed", range(100, 103))
def test_lines_followed_step_by_step_equal_those_followed_at_once(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = Chance(tmp_path / "repo", seed)
    for _ in range(6):
        chance.play(4)
        engine = index(chance.history.repo.path, ONLY_LINES)
    fresh = facts_of_a_fresh_index(chance.history.repo.path, tmp_path / "fresh", monkeypatch, ONLY_LINES)
    assert facts_of(engine) == fresh

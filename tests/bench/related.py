"""What changes together, on commits that were held out: predict a commit's other files from one of them.

The newest commits that change several files are hidden, with everything as new as they are. Each of their
files in turn is the question; the answer is right as far as the first five files are among the others.
Beside it: the files of the same folder, those changed last first, and those changed most often first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from ohara.history.cochange import MOST_FILES, Change, cochanges
from tests.bench import machine
from tests.bench.githistory import git
from tests.bench.report import Report, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.bench.workspace import Subject

HELD_OUT = 200
FIRST = 5
_COMMIT = "\x01"


class _Commit(NamedTuple):
    """A commit, its time, and the files it changed."""

    number: int
    time: int
    paths: frozenset[str]


class _Known:
    """The history before what is held out."""

    def __init__(self, commits: Sequence[_Commit]) -> None:
        self.commits = len(commits)
        self.of: dict[str, list[_Commit]] = defaultdict(list)
        self.last: dict[str, int] = {}
        self.often: Counter[str] = Counter()
        for commit in commits:  # newest first
            for path in commit.paths:
                self.of[path].append(commit)
                self.last.setdefault(path, commit.time)
                self.often[path] += 1
        self.folders: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.often):
            self.folders[path.rpartition("/")[0]].append(path)

    def together(self, path: str) -> list[str]:
        """As `ohara related` answers."""
        changes = [
            Change(each.number, each.time, len(each.paths), frozenset(each.paths)) for each in self.of[path]
        ]
        found = cochanges(changes, {path}, lambda thing: self.often[str(thing)] / self.commits, limit=FIRST)
        return [str(each.thing) for each in found]

    def beside_recent(self, path: str) -> list[str]:
        """The files of the same folder, changed last first."""
        others = [each for each in self.folders[path.rpartition("/")[0]] if each != path]
        return sorted(others, key=lambda each: (-self.last[each], each))[:FIRST]

    def beside_frequent(self, path: str) -> list[str]:
        """The files of the same folder, changed most often first."""
        others = [each for each in self.folders[path.rpartition("/")[0]] if each != path]
        return sorted(others, key=lambda each: (-self.often[each], each))[:FIRST]


def measure_related(subject: Subject) -> Report:
    """Recall of the others among the first five, for each way to answer."""
    commits = _history(subject)
    held = [commit for commit in commits if 2 <= len(commit.paths) <= MOST_FILES][:HELD_OUT]
    cut = min(commit.time for commit in held)
    known = _Known([commit for commit in commits if commit.time < cut])
    ways: dict[str, Callable[[str], list[str]]] = {
        "`ohara related`": known.together,
        "same folder, changed last": known.beside_recent,
        "same folder, changed most often": known.beside_frequent,
    }
    recalls = {name: _recall(held, way) for name, way in ways.items()}
    askable = sum(path in known.often for commit in held for path in commit.paths)
    asked = sum(len(commit.paths) for commit in held)
    table = Table(
        f"The other files of {len(held)} commits of {subject.name}, from one of them",
        ("", f"recall@{FIRST}"),
        tuple((name, f"{value:.3f}") for name, value in recalls.items()),
        (f"{asked:,} questions, {askable:,} about files that {known.commits:,} commits before know.",),
    )
    return Report(f"related.{subject.name}", machine.look(), (table,), {"recall": recalls})


def _recall(held: Sequence[_Commit], answer: Callable[[str], list[str]]) -> float:
    """The mean over commits of the mean over their files."""
    total = 0.0
    for commit in held:
        found = [
            len(commit.paths.intersection(answer(path)) - {path}) / (len(commit.paths) - 1)
            for path in sorted(commit.paths)
        ]
        total += sum(found) / len(found)
    return total / len(held)


def _history(subject: Subject) -> list[_Commit]:
    """The commits of HEAD that are no merges, newest first; git's own list, renames not followed."""
    listed = git(
        subject.repo, "log", "HEAD", "--no-merges", "--no-renames", "--name-only", "-z",
        f"--format={_COMMIT}%ct",
    )  # fmt: skip
    commits: list[_Commit] = []
    for number, block in enumerate(listed.decode("utf-8", "surrogateescape").split(_COMMIT)[1:]):
        moment, *paths = (part.strip("\n") for part in block.split("\0"))
        commits.append(_Commit(number, int(moment), frozenset(path for path in paths if path)))
    return sorted(commits, key=lambda commit: -commit.time)

"""The pass that finds the symbols that hunks touch: tasks of files, not of commits.

A version of a file is parsed from the one beside it, so those of one file belong together: the changes of
many commits are sorted by path, and each path's as its versions follow. A commit is done when all its
files are. What is written of it before that is written again by the next run, if this one is killed; saying
so twice does no harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ohara.index.ipc import Part
from ohara.index.stages import Batches, surviving
from ohara.model import Pass, Progress
from ohara.parse.languages import GRAMMARS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ohara.index.inline import Inline
    from ohara.index.pool import Pool
    from ohara.index.stages import Clock
    from ohara.store.derived import ChangedFile, TouchedHunk
    from ohara.store.writing import Writer

# The newest commits are done first and soon; of the others as many go together as a kill may cost: some ten
# seconds of work. With 128 instead, four times as many files are parsed whole.
_WINDOWS = (256, 1_024)
_LARGEST_WINDOW = 2_048
_STEP = 256  # commits that are asked for at once
_WINDOW_HUNKS = 40_000  # with so many a window is full: their numbers are held in memory
_TASK_FILES = 96  # about a quarter of a second
_LONGEST_PATH = 384  # versions of one file in a task: past this a second worker helps


def touch_symbols(writer: Writer, pool: Pool | Inline, clock: Clock) -> Iterator[Progress]:
    """Find the symbols that hunks touch."""
    total = writer.passes.count_pending(Pass.SYMBOL)
    given_up: set[ChangedFile] = set()

    def attempt(suspects: frozenset[object]) -> Iterator[Progress]:
        pending = writer.passes.pending(Pass.SYMBOL)
        work = _Work(writer, pending, suspects, given_up)
        batches = Batches(writer)
        done, hunks = total - len(pending), 0
        for message in pool.run("symbols", work.tasks()):
            if isinstance(message, Part):
                results = cast("tuple[tuple[int, tuple[TouchedHunk, ...]], ...]", message.results)
                before = writer.hunks_pending
                writer.symbols.touched([hunk for _, touched in results for hunk in touched])
                hunks += writer.hunks_pending - before
                finished = work.finished(commit_id for commit_id, _ in results)
                writer.passes.mark(Pass.SYMBOL, finished)
                done += len(finished)
                batches.end_if_full()
                yield Progress(Pass.SYMBOL, done, total, hunks, clock.elapsed_s)
            if clock.expired:
                break
        rest = work.finished(())  # the last commits may have no file with symbols
        if rest:
            writer.passes.mark(Pass.SYMBOL, rest)
            yield Progress(Pass.SYMBOL, done + len(rest), total, hunks, clock.elapsed_s)
        writer.commit()

    def give_up(file: object, reason: str) -> None:
        changed = cast("ChangedFile", file)
        given_up.add(changed)
        writer.record_failure(writer.sha_of(changed.commit_id), f"its {Pass.SYMBOL} pass {reason}")

    if total:
        yield from surviving(writer, attempt, give_up)


class _Work:
    """The tasks of one attempt, made as they are asked for, and what of each commit is still to be done."""

    def __init__(
        self,
        writer: Writer,
        pending: Sequence[int],
        suspects: frozenset[object],
        given_up: set[ChangedFile],
    ) -> None:
        self._writer = writer
        self._pending = pending
        self._suspects = suspects
        self._given_up = given_up
        self._left: dict[int, int] = {}  # files of a commit
        self._done: list[int] = []

    def tasks(self) -> Iterator[tuple[object, ...]]:
        """Files to find symbols in, those of the newest commits first; suspects alone."""
        at, sizes = 0, iter(_WINDOWS)
        while at < len(self._pending):
            end = min(at + next(sizes, _LARGEST_WINDOW), len(self._pending))
            files: list[ChangedFile] = []
            hunks = 0
            while at < end and hunks < _WINDOW_HUNKS:
                found = self._files(self._pending[at : min(at + _STEP, end)])
                files += found
                hunks += sum(len(file.hunks) for file in found)
                at = min(at + _STEP, end)
            yield from ((file,) for file in files if file in self._suspects)
            yield from into_tasks(file for file in files if file not in self._suspects)

    def _files(self, commits: Sequence[int]) -> list[ChangedFile]:
        """The files of some commits that are to be done."""
        changed = self._writer.symbols.to_touch(commits, GRAMMARS)
        files = [file for file in changed if file not in self._given_up]
        for commit_id in commits:
            self._left[commit_id] = 0
        for file in files:
            self._left[file.commit_id] += 1
        self._done += [commit_id for commit_id in commits if not self._left[commit_id]]
        return files

    def finished(self, commits: Iterable[int]) -> list[int]:
        """The commits that are done, once each; in `commits` stands one for each file that was done."""
        for commit_id in commits:
            self._left[commit_id] -= 1
            if not self._left[commit_id]:
                self._done.append(commit_id)
        found, self._done = self._done, []
        return found


def into_tasks(files: Iterable[ChangedFile]) -> Iterator[tuple[ChangedFile, ...]]:
    """Changes in tasks: all of one path in one, as its versions follow, unless there are very many."""
    by_path: dict[int, list[ChangedFile]] = {}
    for file in files:
        by_path.setdefault(file.path_id, []).append(file)
    task: list[ChangedFile] = []
    for changes in by_path.values():
        for file in _as_versions_follow(changes):
            task.append(file)
            if len(task) >= _LONGEST_PATH:
                yield tuple(task)
                task = []
        if len(task) >= _TASK_FILES:
            yield tuple(task)
            task = []
    if task:
        yield tuple(task)


def _as_versions_follow(changes: Sequence[ChangedFile]) -> Iterator[ChangedFile]:
    """A path's changes, each after the one that was made on top of it, where there is one."""
    made: dict[str, list[ChangedFile]] = {}
    for change in reversed(changes):
        made.setdefault(change.new_blob, []).append(change)
    told: set[ChangedFile] = set()
    for start in changes:
        following = [] if start in told else [start]
        while following:
            change = following[-1]
            told.add(change)
            yield change
            following = made.get(change.old_blob, [])
            while following and following[-1] in told:
                following.pop()

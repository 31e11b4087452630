"""Copies one index into another, what is new at a time: from this machine's to a team's, whatever keeps them.

Everything comes from the source's store and none of it from git or a model. The target is written as an
index run writes one: commits first, a transaction a batch, then each pass where it has still to be. Killed
anywhere, the next push goes on; whoever pushes last decides which commits are shown.
"""

from __future__ import annotations

import time
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ohara.errors import StoreError
from ohara.history.copies import Copied
from ohara.history.threads import Member
from ohara.index import copied
from ohara.index.submodules import copy_submodules
from ohara.model import Pass, Progress
from ohara.store import facts
from ohara.store.derived import DerivedVectors, TouchedHunk

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from ohara.store.copying import CopySource
    from ohara.store.facts import Fact
    from ohara.store.index import Index
    from ohara.store.writing import Writer

T = TypeVar("T")

_BATCH_HUNKS = 4_000
_READ_COMMITS = 200
_LOCK_WAIT_S = 5.0
_HIDDEN_SHARE = 10  # a tenth of the commits may stay hidden: a branch that was put back is there at once
_EXACT = frozenset({Pass.TEXT, Pass.LITERAL})
_COPIED_FACTS: tuple[Fact[object], ...] = (
    facts.REFS, facts.TIPS, facts.COMPLETE, facts.TOTAL, facts.SINCE, facts.OLDER, facts.GRAFTS,
    facts.SUBMODULES, facts.HEAD_LINES, facts.HEAD_SYMBOLS, facts.THREADS, facts.THREADED,
    facts.MESSAGE_WORDS,
)  # type: ignore[assignment]  # fmt: skip


def push(source: Index, target: Index) -> Generator[Progress]:
    """Bring the target up to what the source is now, yielding progress."""
    with target.locked(wait_s=_LOCK_WAIT_S), source.copy_source() as there:
        verdicts = there.verdicts()
        with target.writer(passes=_EXACT, verdict=verdicts.get) as writer:
            yield from _Push(there, target, writer).run(verdicts)


class _Group(NamedTuple):
    """Some commits of which a pass is copied, their hunks and contents: the target's number of each."""

    commits: dict[int, int]
    hunks: dict[int, int]
    contents: dict[int, int]


class _Push:
    """One push: what the source has, by sha, and the target's writer."""

    def __init__(self, there: CopySource, target: Index, writer: Writer) -> None:
        self._there = there
        self._target = target
        self._writer = writer
        self._known = there.commits()
        self._began = time.monotonic()
        self._hunks = 0

    def run(self, verdicts: Mapping[str, str]) -> Iterator[Progress]:
        """All steps, in an order in which each finds what it needs."""
        made_with = self._there.facts.fact(facts.FINGERPRINT)
        if made_with is None:
            raise StoreError("the index to be pushed was never finished", hint="index first: ohara index")
        self._writer.upkeep.reconcile(made_with)
        copy_submodules(self._writer, self._there, {sha: each[0] for sha, each in self._known.items()})
        self._writer.upkeep.judge_paths(_digest(verdicts))
        self._show()
        yield from self._commits()
        yield from self._texts()
        yield from self._symbols()
        yield from self._lines()
        yield from self._vectors()
        self._threads()
        self._facts()
        self._collect()
        self._writer.upkeep.compact()

    def _show(self) -> None:
        """Hide what the source hides or no longer has, and show the rest."""
        stored = self._writer.known_shas()
        shown = {sha for sha, (_, live, _) in self._known.items() if live}
        self._writer.show(
            live=[sha for sha, live in stored.items() if not live and sha in shown],
            dead=[sha for sha, live in stored.items() if live and sha not in shown],
        )
        self._writer.commit()

    def _commits(self) -> Iterator[Progress]:
        """Add the commits that are not there, newest (by the source's own numbers) first."""
        stored = self._writer.known_shas()
        wanted = [
            number
            for sha, (number, live, passes) in self._known.items()
            if live and sha not in stored and passes >= _EXACT
        ]
        total, done = len(stored) + len(wanted), len(stored)
        for numbers in self._small_groups(sorted(wanted)):
            self._writer.add(map(copied.prepared, self._there.read(numbers)))
            done += len(numbers)
            yield from self._batch(Pass.TEXT, done, total)
        yield from self._batch(Pass.TEXT, done, total, end=True)
        for failure, missing in self._there.failures():
            self._writer.record_failure(failure.sha, failure.reason, missing)
        self._writer.commit()

    def _small_groups(self, wanted: Sequence[int]) -> Iterator[list[int]]:
        """Commits that are read at once: few, and no more hunks than a batch has unless one commit has."""
        for numbers in _cut(wanted):
            hunks = self._there.hunks(numbers)
            group: list[int] = []
            size = 0
            for number in numbers:
                if group and size + len(hunks[number]) > _BATCH_HUNKS:
                    yield group
                    group, size = [], 0
                group.append(number)
                size += len(hunks[number])
            yield group

    def _texts(self) -> Iterator[Progress]:
        """Make words again where another version of the rules wants them otherwise."""
        yield from self._pass(
            Pass.TEXT,
            lambda group: self._writer.passes.write_texts(
                [
                    copied.texts(group.commits[each.number], each, group.hunks)
                    for each in self._there.read(list(group.commits))
                ]
            ),
        )

    def _symbols(self) -> Iterator[Progress]:
        def write(group: _Group) -> None:
            hunks = group.hunks
            touched = self._there.touched(list(group.commits))
            self._writer.symbols.touched(
                [TouchedHunk(hunks[hunk], tuple(each)) for hunk, each in touched.items() if hunk in hunks]
            )

        yield from self._pass(Pass.SYMBOL, write)
        parsed = self._writer.symbols.parsed_blobs()
        files = []
        for file, symbols in self._there.head_symbols():
            if (file.blob, file.language) not in parsed:
                self._writer.symbols.add_blob(file.blob, file.language, symbols)
                parsed.add((file.blob, file.language))
            files.append(file)
        paths = {file.path for file in files}
        gone = [path for path in self._writer.symbols.head_files() if path not in paths]
        known = self._writer.symbols.head_files()
        changed = [file for file in files if known.get(file.path) != (file.blob, file.language)]
        self._writer.symbols.replace_head(changed, gone)
        self._writer.commit()

    def _vectors(self) -> Iterator[Progress]:
        packed = self._there.vector_form()
        if packed is None:
            return
        form, dimensions = packed

        def write(group: _Group) -> None:
            vectors = self._there.vectors(list(group.commits))
            contents = group.contents
            derived = [
                DerivedVectors(
                    there,
                    tuple(
                        (contents[content], vector)
                        for content, vector in vectors[number].contents.items()
                        if content in contents
                    ),
                    vectors[number].subject,
                    vectors[number].change,
                )
                for number, there in group.commits.items()
            ]
            self._writer.passes.write_vectors(derived, dimensions, form)

        yield from self._pass(Pass.VECTOR, write)
        if not self._writer.passes.any_pending(Pass.VECTOR):
            self._writer.upkeep.retire_vectors()

    def _lines(self) -> Iterator[Progress]:
        """What commits did to lines speaks of hunks of other commits: all of them are numbered first."""
        if not self._writer.passes.any_pending(Pass.LINES) and not self._head_moved():
            return
        hunks: dict[int, int] = {}
        stored = {sha: number for sha, (number, live, _) in self._known.items() if live}
        with self._target.copy_source() as here:
            numbers = {sha: found[0] for sha, found in here.commits().items() if sha in stored}
            for some in _cut(list(numbers)):
                ours = self._there.hunks([stored[sha] for sha in some])
                theirs = here.hunks([numbers[sha] for sha in some])
                for sha in some:
                    hunks.update(copied.paired(ours[stored[sha]], theirs[numbers[sha]]))
        commits = {stored[sha]: number for sha, number in numbers.items()}
        waiting = self._waiting(Pass.LINES)
        for at, group in enumerate(_cut(list(waiting))):
            derived = self._there.lines(group)
            self._writer.lines.write(
                [copied.lines(commits, hunks, number, derived[number]) for number in group]
            )
            self._writer.passes.mark(Pass.LINES, [waiting[number] for number in group])
            yield from self._batch(Pass.LINES, min((at + 1) * _READ_COMMITS, len(waiting)), len(waiting))
        self._writer.lines.replace_head(
            [copied.moved(version, commits, hunks) for version in self._there.head_lines()], ()
        )
        yield from self._batch(Pass.LINES, len(waiting), len(waiting), end=True)

    def _head_moved(self) -> bool:
        return self._there.facts.fact(facts.HEAD_LINES) != self._writer.fact(facts.HEAD_LINES)

    def _threads(self) -> None:
        numbers = {number: sha for sha, (number, _, _) in self._known.items()}
        with self._target.copy_source() as here:
            targets = {sha: found[0] for sha, found in here.commits().items()}

        def there(number: int) -> int | None:
            return targets.get(numbers[number])

        threads, copies = self._there.threads()
        self._writer.threads.replace(
            [
                [Member(number, each.reason) for each in thread if (number := there(each.commit)) is not None]
                for thread in threads
                if there(thread[0].commit) is not None
            ],
            [
                [Copied(number, each.branches) for each in same if (number := there(each.commit)) is not None]
                for same in copies
                if there(same[0].commit) is not None
            ],
        )
        self._writer.commit()

    def _facts(self) -> None:
        self._writer.record(facts.ROOTS, self._there.roots())
        for fact in _COPIED_FACTS:
            self._writer.record(fact, self._there.facts.fact(fact))
        self._writer.commit()

    def _collect(self) -> None:
        """Remove what is hidden once it is much: each removal writes the rows of common words again."""
        shown = list(self._writer.known_shas().values())
        if shown.count(False) * _HIDDEN_SHARE > len(shown):
            self._writer.upkeep.collect()

    # -- a pass ----------------------------------------------------------------------------------

    def _pass(self, stage: Pass, write: Callable[[_Group], None]) -> Iterator[Progress]:
        """Copy a pass of the commits that wait for it there and have it here."""
        waiting = self._waiting(stage)
        done = 0
        if waiting:
            with self._target.copy_source() as here:
                for numbers in _cut(list(waiting)):
                    group = self._group({number: waiting[number] for number in numbers}, here)
                    write(group)
                    self._writer.passes.mark(stage, group.commits.values())
                    done += len(numbers)
                    yield from self._batch(stage, done, len(waiting))
        yield from self._batch(stage, done, len(waiting), end=True)

    def _waiting(self, stage: Pass) -> dict[int, int]:
        """The source's number of each commit that a pass waits for, and the target's."""
        pending = self._writer.passes.pending(stage)
        if not pending:
            return {}
        with self._target.copy_source() as here:
            shas = {number: sha for sha, (number, _, _) in here.commits().items()}
        found: dict[int, int] = {}
        for number in pending:
            known = self._known.get(shas[number])
            if known is not None and stage in known[2]:
                found[known[0]] = number
        return found

    def _group(self, commits: dict[int, int], here: CopySource) -> _Group:
        """Some commits with their hunks and contents on both sides, which stand in one order."""
        ours, theirs = self._there.hunks(list(commits)), here.hunks(list(commits.values()))
        pairs = [
            pair
            for number, other in commits.items()
            for pair in zip(ours[number], theirs[other], strict=True)
        ]
        contents = {one[1]: two[1] for one, two in pairs if one[1] is not None and two[1] is not None}
        return _Group(commits, {one[0]: two[0] for one, two in pairs}, contents)

    def _batch(self, stage: Pass, done: int, total: int, *, end: bool = False) -> Iterator[Progress]:
        """End the batch when it is large enough, or the pass."""
        pending = self._writer.hunks_pending
        if end or pending >= _BATCH_HUNKS:
            self._writer.commit()
            self._hunks += pending
            yield Progress(stage, done, total, self._hunks, time.monotonic() - self._began)


def _cut(items: Sequence[T]) -> Iterator[list[T]]:
    for at in range(0, len(items), _READ_COMMITS):
        yield list(items[at : at + _READ_COMMITS])


def _digest(verdicts: Mapping[str, str]) -> str:
    told = "\n".join(f"{path}\0{why}" for path, why in sorted(verdicts.items()))
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

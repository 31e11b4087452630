"""The passes that work from what is stored, as bounded streams: words, trigrams, symbols, vectors."""

from __future__ import annotations

from collections import deque
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, cast

from ohara.index.ipc import Part
from ohara.index.numbered import NO_WORDS
from ohara.index.stages import LARGEST_BATCH_HUNKS, Batches, surviving
from ohara.model import Pass, Progress
from ohara.store.derived import DerivedLiterals, DerivedTexts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ohara.embed.identity import EmbedderIdentity
    from ohara.index.inline import Inline
    from ohara.index.pool import Pool
    from ohara.index.stages import Clock
    from ohara.model import Symbol
    from ohara.store.derived import DerivedVectors, HeadFile
    from ohara.store.writing import Writer

_TASK_ITEMS = 128  # commits or blobs in a task


class _Pace(NamedTuple):
    """How much is done at a time: in a task of a worker, and before a commit of the transaction."""

    task_items: int
    batch_hunks: int


_QUICK = _Pace(_TASK_ITEMS, LARGEST_BATCH_HUNKS)
# A transformer reads some thirty hunks a second: this is what a kill or a deadline may cost, in half minutes.
_SLOW = _Pace(8, 500)


def derive(writer: Writer, pool: Pool | Inline, clock: Clock, stage: Pass) -> Iterator[Progress]:
    """Make word or trigram rows again where they are missing or stale."""

    def write(results: Sequence[object]) -> None:
        if stage is Pass.TEXT:
            writer.passes.write_texts(cast("list[DerivedTexts]", results))
        else:
            writer.passes.write_literals(cast("list[DerivedLiterals]", results))

    yield from _pass(writer, pool, clock, stage, kind=f"derive-{stage}", write=write)


def convert(writer: Writer, pool: Pool | Inline, clock: Clock, stage: Pass) -> Iterator[Progress]:
    """Keep words or trigrams as they are kept now, in an index of a former version.

    It is searched as before meanwhile. Commits go in the order of their numbers, whichever worker is first:
    so much is converted when it is stopped or killed, and the next run goes on there. One that is given up
    waits for its turn, too: what is before it may still be in other workers' hands.
    """
    passes = writer.passes
    unconverted = passes.unconverted if stage is Pass.TEXT else passes.unconverted_literals
    total = len(unconverted())

    write = cast(
        "Callable[[Sequence[object]], None]",
        passes.convert_texts if stage is Pass.TEXT else passes.convert_literals,
    )

    given_up: set[int] = set()

    def attempt(suspects: frozenset[object]) -> Iterator[Progress]:
        pending = unconverted()
        turns = deque(_in_order(pending, suspects | given_up))
        tasks = [turn for turn in turns if turn[0] not in given_up]
        batches = Batches(writer)
        arrived: dict[int, Sequence[object]] = {number: [_nothing(stage, number)] for number in given_up}
        done = total - len(pending)
        # The first of all may be given up, or the only one: nobody answers for those.
        for message in chain((None,), pool.run(f"derive-{stage}", tasks)):
            if isinstance(message, Part):
                arrived[cast("tuple[int]", message.results[0])[0]] = message.results
            while turns and turns[0][0] in arrived:
                ready = arrived.pop(turns.popleft()[0])
                writer.begin()
                write(ready)
                done += len(ready)
                batches.end_if_full()
                yield Progress(stage, done, total, 0, clock.elapsed_s)
            if clock.expired:
                break
        writer.commit()

    def give_up(commit_id: object, reason: str) -> None:
        number = cast("int", commit_id)
        writer.record_failure(writer.sha_of(number), f"its {stage} pass {reason}")
        given_up.add(number)

    if total:
        yield from surviving(writer, attempt, give_up)


def _nothing(stage: Pass, commit_id: int) -> DerivedTexts | DerivedLiterals:
    """What there is of a commit that no worker survives."""
    if stage is Pass.TEXT:
        return DerivedTexts(commit_id, (), b"", NO_WORDS)
    return DerivedLiterals(commit_id, ())


def _in_order(items: Sequence[int], alone: frozenset[object]) -> Iterator[tuple[int, ...]]:
    """Tasks of a few items each; those that are suspected are alone in theirs."""
    task: list[int] = []
    for item in items:
        if task and (len(task) == _TASK_ITEMS or item in alone or task[-1] in alone):
            yield tuple(task)
            task = []
        task.append(item)
    if task:
        yield tuple(task)


def embed_hunks(
    writer: Writer, pool: Pool | Inline, clock: Clock, embedder: EmbedderIdentity
) -> Iterator[Progress]:
    """Give contents their vectors."""

    def write(results: Sequence[object]) -> None:
        vectors = cast("list[DerivedVectors]", results)
        writer.passes.write_vectors(vectors, embedder.dimensions, embedder.form)

    pace = _QUICK if embedder.quick else _SLOW
    yield from _pass(writer, pool, clock, Pass.VECTOR, kind="vectors", write=write, pace=pace)


def _pass(
    writer: Writer,
    pool: Pool | Inline,
    clock: Clock,
    stage: Pass,
    *,
    kind: str,
    write: Callable[[Sequence[object]], None],
    pace: _Pace = _QUICK,
) -> Iterator[Progress]:
    total = writer.passes.count_pending(stage)

    def attempt(suspects: frozenset[object]) -> Iterator[Progress]:
        pending = writer.passes.pending(stage)
        batches = Batches(writer, largest=pace.batch_hunks)
        done, hunks = total - len(pending), 0
        for message in pool.run(kind, _tasks(pending, suspects, pace.task_items)):
            if isinstance(message, Part):
                writer.begin()
                before = writer.hunks_pending
                write(message.results)
                hunks += writer.hunks_pending - before
                writer.passes.mark(stage, [cast("tuple[int]", result)[0] for result in message.results])
                done += len(message.results)
                batches.end_if_full()
                yield Progress(stage, done, total, hunks, clock.elapsed_s)
            if clock.expired:
                break
        writer.commit()

    def give_up(commit_id: object, reason: str) -> None:
        sha = writer.sha_of(cast("int", commit_id))
        writer.record_failure(sha, f"its {stage} pass {reason}")
        writer.passes.mark(stage, [cast("int", commit_id)])

    if total:
        yield from surviving(writer, attempt, give_up)


def read_head(
    writer: Writer, pool: Pool | Inline, files: Sequence[HeadFile], clock: Clock
) -> Iterator[Progress]:
    """Bring HEAD's symbols up to date, parsing only blobs that are new."""
    symbols = writer.symbols
    known = symbols.head_files()
    current = {file.path for file in files}
    changed = [file for file in files if known.get(file.path) != (file.blob, file.language)]
    gone = [path for path in known if path not in current]
    if not changed and not gone:
        return
    wanted = {(file.blob, file.language) for file in changed}

    def attempt(suspects: frozenset[object]) -> Iterator[Progress]:
        batches = Batches(writer)
        blobs = sorted(wanted - symbols.parsed_blobs())
        done = len(wanted) - len(blobs)
        for message in pool.run("head", _tasks(blobs, suspects)):
            results = message.results if isinstance(message, Part) else ((message.item, ()),)
            for (blob, language), found in cast("tuple[tuple[tuple[str, str], tuple[Symbol, ...]]]", results):
                symbols.add_blob(blob, language, found)
            done += len(results)
            batches.end_if_full()
            yield Progress(Pass.SYMBOL, done, len(wanted), 0, clock.elapsed_s, of_head=True)
            if clock.expired:
                writer.commit()  # what is parsed stays
                return
        symbols.replace_head(changed, gone)
        writer.commit()

    def give_up(item: object, _: str) -> None:
        symbols.add_blob(*cast("tuple[str, str]", item), ())

    yield from surviving(writer, attempt, give_up)


def _tasks(
    items: Sequence[object], alone: frozenset[object], size: int = _TASK_ITEMS
) -> Iterator[tuple[object, ...]]:
    yield from ((item,) for item in items if item in alone)
    rest = [item for item in items if item not in alone]
    yield from (tuple(rest[first : first + size]) for first in range(0, len(rest), size))

"""One index run: lock, plan, read what is new, hide what is gone, then the later passes.

Everything a run decides is stored in the same transactions as its rows, so a run that is killed is
continued by the next one and the result is the same.
"""

from __future__ import annotations

import os
import time
from collections import deque
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.embed.identity import embedder_identity
from ohara.embed.model_text import VECTORS_VERSION
from ohara.errors import OharaError
from ohara.index import derived_passes, inline, stages, threads
from ohara.index.inline import Inline
from ohara.index.ipc import COMMIT_SECONDS, MEMORY_BYTES, WorkerSetup
from ohara.index.newest import (
    is_long,
    newest_commits,
    not_failed_ahead,
    read_ahead,
    reads_ahead,
    wants_workers,
)
from ohara.index.plan import NO_LIMITS, Limits, Plan
from ohara.index.pool import Pool, WorkerDied
from ohara.index.rules import Exclusions, find_attribute_files, read_rules, remember_attribute_files
from ohara.index.stages import Clock
from ohara.index.survey import (
    DEFAULT_REFS,
    ChosenBy,
    RefChoice,
    choose_refs,
    earliest,
    resolve_tips,
    survey,
)
from ohara.index.symbol_pass import touch_symbols
from ohara.languages import language_of
from ohara.model import LastRun, Pass, Progress
from ohara.parse import PARSER_VERSION
from ohara.parse.languages import has_grammar
from ohara.records import dataclass
from ohara.store.derived import HeadFile
from ohara.store.facts import (
    COMPLETE,
    HEAD_LINES,
    HEAD_SYMBOLS,
    INLINE,
    LAST_RUN,
    LONG_RUN,
    OLDER,
    REFS,
    SINCE,
    TIPS,
    TOTAL,
    RefsAsked,
)
from ohara.store.fingerprint import LINES_VERSION, PIECES_VERSION, Fingerprint
from ohara.words import WORDS_VERSION

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping
    from contextlib import AbstractContextManager
    from threading import Event

    from ohara.git.repo import Repository
    from ohara.model import Sha
    from ohara.settings import Settings
    from ohara.store.index import Index
    from ohara.store.writing import Writer

ALL_PASSES = frozenset(Pass)
_WORTH_COMPACTING_COMMITS = (
    1_000  # a compaction takes a second for 100,000 hunks; an index's own merging does for less
)


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """What one run should do."""

    refs: RefChoice = DEFAULT_REFS
    limits: Limits = NO_LIMITS
    jobs: int = 0
    passes: frozenset[Pass] = ALL_PASSES
    rebuild: bool = False
    scheduled: bool = False
    lock_wait_s: float = 0.0
    at_most_s: float | None = None
    stop: Event | None = None  # set from outside: end early, in good order
    visit: bool = False  # refs are read for one search, or taken out again after it


DEFAULTS = IndexOptions()


class _Run:
    """The things that the steps of one run share."""

    def __init__(
        self, repository: Repository, index: Index, settings: Settings, options: IndexOptions
    ) -> None:
        self.repository = repository
        self.index = index
        self.settings = settings
        self.options = options
        now = time.monotonic()
        deadline = None if options.at_most_s is None else now + options.at_most_s
        self.clock = Clock(now, deadline, options.stop, repository.common_dir)
        self.attribute_files = find_attribute_files(repository, index)
        self.rules = read_rules(repository, settings.index, self.attribute_files)
        self.exclusions = Exclusions(self.rules)
        self.rejudged = 0
        self.embedder = embedder_identity(settings.models.embedder)
        self.limits = options.limits
        self.is_bound_by_setting = bool(settings.index.since) and options.limits.since is None
        if self.is_bound_by_setting:
            self.limits = replace(options.limits, since=earliest(settings.index.since))


@dataclass(frozen=True, slots=True)
class _History:
    """What the index records about refs while a plan is carried out."""

    tips: Mapping[str, Sha]
    total: int
    since: str
    older: int

    def is_recorded(self, writer: Writer) -> bool:
        """True when the index has recorded it already."""
        recorded = (writer.fact(TIPS), writer.fact(TOTAL), writer.fact(SINCE), writer.fact(OLDER))
        return recorded == (self.tips, self.total, self.since, self.older)

    def record(self, writer: Writer) -> None:
        """Record it in the index."""
        writer.record(TIPS, self.tips)
        writer.record(TOTAL, self.total)
        writer.record(SINCE, self.since)
        writer.record(OLDER, self.older)


def _history(this: _Run, tips: Mapping[str, Sha], plan: Plan) -> _History:
    older = plan.older if this.is_bound_by_setting else 0
    return _History(tips, plan.total - older, this.settings.index.since, older)


def run(
    repository: Repository, index: Index, settings: Settings, options: IndexOptions
) -> Generator[Progress]:
    """Index what is not indexed yet, yielding progress; `at_most_s` or `stop` end it early, in good order."""
    index.location.prepare()
    with index.locked(wait_s=options.lock_wait_s):
        index.location.prepare()  # again: while this one waited, the folder may have been deleted
        if options.rebuild:
            index.set_aside()
        this = _Run(repository, index, settings, options)
        with (
            _started_first(this) as started,
            index.writer(passes=options.passes, verdict=this.exclusions.path) as writer,
            _recorded(writer, this),
        ):
            yield from _index(writer, this, started)


@contextmanager
def _started_first(this: _Run) -> Iterator[Pool | None]:
    """Workers for a history that has no index yet and is long: they start while the index is made."""
    is_new = not this.index.exists and this.limits == NO_LIMITS
    if is_new and is_long(this.repository, this.options.refs, this.settings.index.refs):
        with _workers_ahead(this) as pool:
            yield pool
    else:
        yield None


def _index(writer: Writer, this: _Run, started: Pool | None) -> Iterator[Progress]:
    embedder = this.embedder.id if this.embedder else ""
    remember_attribute_files(writer, this.attribute_files)
    renewed = writer.upkeep.reconcile(
        Fingerprint(WORDS_VERSION, PARSER_VERSION, embedder, VECTORS_VERSION, PIECES_VERSION, LINES_VERSION)
    )
    _retire_vectors(writer)
    this.rejudged = writer.upkeep.judge_paths(this.rules.fingerprint)
    choice = choose_refs(writer, this.options.refs, this.settings.index.refs)
    tips = resolve_tips(this.repository, choice)
    with ExitStack() as workshop:
        if started is not None:
            workshop.callback(started.close)
        newest = newest_commits(this.repository, writer, tips, this.limits)
        ahead = started
        if ahead is None and wants_workers(newest):
            ahead = workshop.enter_context(_workers_ahead(this))
        if ahead is not None:
            yield from read_ahead(writer, ahead, newest, this.clock)
        plan = not_failed_ahead(survey(this.repository, writer, tips, this.limits), writer, newest)
        history = _history(this, tips, plan)
        if (
            plan.changes_nothing
            and history.is_recorded(writer)
            and not writer.fact(LONG_RUN)
            and not _unfinished(writer, this, tips)
        ):
            return
        _show(writer, choice, history, plan, is_visit=this.options.visit)
        is_long = len(plan.pending) >= _WORTH_COMPACTING_COMMITS or writer.fact(LONG_RUN)
        writer.record(LONG_RUN, is_long)
        writer.upkeep.merge_late(late=is_long)  # also after a long run that was killed
        pool = ahead or workshop.enter_context(_workshop(writer, this, plan))
        yield from stages.extract(writer, pool, plan.pending, this.clock, is_awaited=not reads_ahead(newest))
        if not plan.limited and not this.clock.expired:
            writer.record(COMPLETE, tips)
        writer.record(INLINE, False)
        writer.commit()
        yield from _later_passes(writer, pool, this, tips)
        workshop.close()  # the rest is done here, and needs memory that workers hold
        if Pass.SYMBOL in this.options.passes and not this.clock.expired:
            threads.find(writer, tips, _indexed_head(this, tips))
    if (is_long or Pass.TEXT in renewed) and not this.clock.expired:
        writer.upkeep.compact()
        writer.record(LONG_RUN, False)
        writer.upkeep.merge_late(late=False)


def _workers_ahead(this: _Run) -> Pool:
    """Start workers while history is still being surveyed."""
    pool = _workers(this)
    pool.start()
    return pool


def _workshop(writer: Writer, this: _Run, plan: Plan) -> AbstractContextManager[Pool | Inline]:
    """Workers for a long run; for a short one, unless the last such run never ended, this process."""
    waiting = sum(writer.passes.count_pending(stage) for stage in this.options.passes)
    waiting += len(writer.passes.unconverted()) + len(writer.passes.unconverted_literals())
    small = len(plan.pending) + waiting <= inline.SMALL_RUN_COMMITS
    if small and not writer.fact(INLINE):
        writer.record(INLINE, True)
        writer.commit()
        return Inline(_setup(this))
    return _workers(this)


def _workers(this: _Run) -> Pool:
    cores = available_cores()
    jobs = this.options.jobs or cores
    return Pool(_setup(this)._replace(model_threads=max(1, cores // jobs)), jobs=jobs)


def _later_passes(
    writer: Writer, pool: Pool | Inline, this: _Run, tips: Mapping[str, Sha]
) -> Iterator[Progress]:
    wanted = this.options.passes
    for stage in (Pass.TEXT, Pass.LITERAL):
        if stage in wanted and not this.clock.expired:
            yield from derived_passes.derive(writer, pool, this.clock, stage)
    if Pass.TEXT in wanted and writer.passes.keeps_former_words and not this.clock.expired:
        yield from _convert_words(writer, pool, this)
    if Pass.LITERAL in wanted and writer.passes.keeps_former_trigrams and not this.clock.expired:
        yield from _convert_trigrams(writer, pool, this)
    # Lines are followed in this process while it waits for workers: alone, that would leave cores idle.
    with closing(_lines(writer, this, tips)) as lines:
        followed: deque[Progress] = deque(maxlen=1)
        faults: list[Exception] = []
        with pool.meanwhile(_noted(writer, lines, followed, faults)):
            yield from _symbols_and_vectors(writer, pool, this, tips)
        if faults:
            raise faults[0]
        yield from followed
        if not this.clock.expired:
            yield from lines


def _noted(
    writer: Writer, lines: Iterator[Progress], last: deque[Progress], faults: list[Exception]
) -> Iterator[Progress]:
    """Note how far lines are: shown in turn with other passes, neither could be followed.

    A fault is noted, too: it is no reason to have no symbols and vectors. It may have left something
    half-written in the batch of those, which then begin again where the last batch ended.
    """
    try:
        for progress in lines:
            last.append(progress)
            yield progress
    except Exception as fault:  # noqa: BLE001 - whatever it is, it is raised when the others are done
        faults.append(fault)
        writer.rollback()
        raise WorkerDied(()) from None


def _lines(writer: Writer, this: _Run, tips: Mapping[str, Sha]) -> Generator[Progress]:
    if Pass.LINES in this.options.passes and writer.fact(COMPLETE) == tips and not this.clock.expired:
        from ohara.index.line_pass import follow_lines  # late: workers start before it is loaded

        head = _indexed_head(this, tips)
        yield from follow_lines(writer, this.index, this.repository, head, this.clock)


def _symbols_and_vectors(
    writer: Writer, pool: Pool | Inline, this: _Run, tips: Mapping[str, Sha]
) -> Iterator[Progress]:
    wanted = this.options.passes
    if Pass.SYMBOL in wanted and not this.clock.expired:
        yield from _read_head(writer, pool, this, tips)
        yield from touch_symbols(writer, pool, this.clock)
        if this.rejudged:
            writer.upkeep.sweep()
            writer.commit()
    if Pass.VECTOR in wanted and this.embedder is not None and not this.clock.expired:
        yield from derived_passes.embed_hunks(writer, pool, this.clock, this.embedder)
        _retire_vectors(writer)


def _convert_words(writer: Writer, pool: Pool | Inline, this: _Run) -> Iterator[Progress]:
    """Keep the words of an index of a former version as they are kept now."""
    yield from derived_passes.convert(writer, pool, this.clock, Pass.TEXT)
    if not writer.passes.unconverted() and not writer.passes.any_pending(Pass.TEXT):
        writer.passes.end_conversion()
        writer.upkeep.compact()


def _convert_trigrams(writer: Writer, pool: Pool | Inline, this: _Run) -> Iterator[Progress]:
    """Keep the trigrams of an index of a former version as they are kept now."""
    yield from derived_passes.convert(writer, pool, this.clock, Pass.LITERAL)
    if not writer.passes.unconverted_literals() and not writer.passes.any_pending(Pass.LITERAL):
        writer.passes.end_literal_conversion()
        writer.upkeep.compact()


def _read_head(
    writer: Writer, pool: Pool | Inline, this: _Run, tips: Mapping[str, Sha]
) -> Iterator[Progress]:
    """Bring the symbols of HEAD up to date, unless they are."""
    head = _indexed_head(this, tips)
    if writer.fact(HEAD_SYMBOLS) == head:
        return
    files = _head_files(this) if head else []
    yield from derived_passes.read_head(writer, pool, files, this.clock)
    if not this.clock.expired:
        writer.record(HEAD_SYMBOLS, head)
        writer.commit()


def _retire_vectors(writer: Writer) -> None:
    """Delete the vectors of the previous model when all of the current one are made."""
    if not writer.passes.any_pending(Pass.VECTOR):
        writer.upkeep.retire_vectors()


def _show(writer: Writer, choice: RefChoice, history: _History, plan: Plan, *, is_visit: bool) -> None:
    """Make the index show what is reachable, at once, before anything new is read.

    A visit, and the return from one, leave the threads of the other commits as they are.
    """
    writer.show(live=plan.revived, dead=plan.dead)
    if not is_visit or (choice.by is not ChosenBy.VISIT and plan.pending):
        threads.outdate(writer)
    if not choice.is_default and choice.by is not ChosenBy.VISIT:
        writer.record(REFS, RefsAsked(choice.names, choice.all_refs))
    history.record(writer)
    if plan.pending:
        writer.record(COMPLETE, {})
    writer.commit()


def _unfinished(writer: Writer, this: _Run, tips: Mapping[str, Sha]) -> bool:
    wanted = set(this.options.passes)
    if this.embedder is None:
        wanted.discard(Pass.VECTOR)
    if Pass.TEXT in wanted and writer.passes.keeps_former_words:
        return True
    if Pass.LITERAL in wanted and writer.passes.keeps_former_trigrams:
        return True
    if Pass.SYMBOL in wanted and writer.fact(HEAD_SYMBOLS) != _indexed_head(this, tips):
        return True
    if Pass.SYMBOL in wanted and not threads.are_found(writer):
        return True
    if Pass.LINES in wanted and writer.fact(HEAD_LINES) != _indexed_head(this, tips):
        return True
    return any(writer.passes.any_pending(stage) for stage in wanted)


def _indexed_head(this: _Run, tips: Mapping[str, Sha]) -> str:
    """The commit of HEAD, when it is one of the tips by whatever name; "" when HEAD is not indexed."""
    head = tips.get("HEAD") or this.repository.resolve_existing(("HEAD",)).get("HEAD")
    return head if head and head in tips.values() else ""


def _head_files(this: _Run) -> list[HeadFile]:
    return [
        HeadFile(path, blob, language)
        for path, blob, _ in this.repository.head_tree_files()
        if (language := language_of(path))
        and has_grammar(language)
        and this.exclusions.path(path) in {None, "kept"}
    ]


def _setup(this: _Run) -> WorkerSetup:
    index = this.settings.index
    return WorkerSetup(
        repository=str(this.repository.common_dir),
        location=this.index.location,
        rules=this.rules,
        chunk_chars=index.chunk_chars,
        chunk_lines=index.chunk_lines,
        max_blob_bytes=index.max_blob_bytes,
        embedder=this.embedder.name if this.embedder else "none",
        memory_bytes=MEMORY_BYTES,
        commit_seconds=COMMIT_SECONDS,
    )


def available_cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _recorded(writer: Writer, this: _Run) -> Iterator[None]:
    """Record the outcome of the run in the index, however it ends."""
    started = int(time.time())
    outcome = "finished"
    try:
        yield
        if this.clock.expired:
            gave_way = this.options.stop is not None and this.options.stop.is_set()
            outcome = "gave way to others" if gave_way else "stopped at its time limit"
            outcome = "stopped: the repository is gone" if this.clock.is_astray else outcome
    except OharaError as error:
        outcome = f"failed: {error.message}"
        raise
    except BaseException:
        outcome = "interrupted"
        raise
    finally:
        _record(writer, this, started, outcome)


def _record(writer: Writer, this: _Run, started: int, outcome: str) -> None:
    if writer.in_batch:
        writer.rollback()
    try:
        elapsed_s = round(this.clock.elapsed_s, 3)
        writer.record(LAST_RUN, LastRun(started, elapsed_s, outcome, this.options.scheduled))
        writer.commit()
    except OharaError:  # the disk may be what failed; the run's own error is the one to show
        writer.rollback()

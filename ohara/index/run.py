"""One index run: lock, plan, read what is new, hide what is gone, then the later passes.

Everything a run decides is stored in the same transactions as its rows, so a run that is killed is
continued by the next one and the result is the same.
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from ohara.embed.model_text import VECTORS_VERSION
from ohara.errors import OharaError
from ohara.index import inline, stages, threads
from ohara.index.inline import Inline
from ohara.index.ipc import COMMIT_SECONDS, MEMORY_BYTES, WorkerSetup
from ohara.index.job import Job
from ohara.index.later_passes import (
    WORTH_COMPACTING_COMMITS,
    are_long,
    are_unfinished,
    indexed_head,
    later_passes,
    retire_vectors,
)
from ohara.index.newest import (
    is_long,
    newest_commits,
    not_failed_ahead,
    read_ahead,
    reads_ahead,
    wants_workers,
)
from ohara.index.plan import NO_LIMITS, Plan
from ohara.index.pool import Pool
from ohara.index.rules import remember_attribute_files
from ohara.index.submodules import name_submodules
from ohara.index.survey import (
    ChosenBy,
    RefChoice,
    choose_refs,
    resolve_tips,
    survey,
)
from ohara.model import LastRun, Pass, Progress
from ohara.parse import PARSER_VERSION
from ohara.records import dataclass
from ohara.store.facts import (
    COMPLETE,
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

    from ohara.git.repo import Repository
    from ohara.index.job import IndexOptions
    from ohara.model import Sha
    from ohara.settings import Settings
    from ohara.store.index import Index
    from ohara.store.writing import Writer


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


def _history(job: Job, tips: Mapping[str, Sha], plan: Plan) -> _History:
    older = plan.older if job.is_bound_by_setting else 0
    return _History(tips, plan.total - older, job.settings.index.since, older)


def run(
    repository: Repository, index: Index, settings: Settings, options: IndexOptions
) -> Generator[Progress]:
    """Index what is not indexed yet, yielding progress; `at_most_s` or `stop` end it early, in good order."""
    index.location.prepare()
    with index.locked(wait_s=options.lock_wait_s):
        index.location.prepare()  # again: while this one waited, the folder may have been deleted
        if options.rebuild:
            index.set_aside()
        job = Job(repository, index, settings, options)
        with (
            _started_first(job) as started,
            index.writer(passes=options.passes, verdict=job.exclusions.path) as writer,
            _recorded(writer, job),
        ):
            yield from _index(writer, job, started)


@contextmanager
def _started_first(job: Job) -> Iterator[Pool | None]:
    """Workers for a history that has no index yet and is long: they start while the index is made."""
    is_new = not job.index.exists and job.limits == NO_LIMITS
    if is_new and is_long(job.repository, job.options.refs, job.settings.index.refs):
        with _workers_ahead(job) as pool:
            yield pool
    else:
        yield None


def _index(writer: Writer, job: Job, started: Pool | None) -> Iterator[Progress]:
    embedder = job.embedder.id if job.embedder else ""
    remember_attribute_files(writer, job.attribute_files)
    renewed = writer.upkeep.reconcile(
        Fingerprint(WORDS_VERSION, PARSER_VERSION, embedder, VECTORS_VERSION, PIECES_VERSION, LINES_VERSION)
    )
    retire_vectors(writer)
    name_submodules(writer, job.repository)
    job.rejudged = writer.upkeep.judge_paths(job.rules.fingerprint)
    choice = choose_refs(writer, job.options.refs, job.settings.index.refs)
    tips = resolve_tips(job.repository, choice)
    with ExitStack() as workshop:
        if started is not None:
            workshop.callback(started.close)
        newest = newest_commits(job.repository, writer, tips, job.limits)
        ahead = started
        if ahead is None and wants_workers(newest):
            ahead = workshop.enter_context(_workers_ahead(job))
        if ahead is not None:
            yield from read_ahead(writer, ahead, newest, job.clock)
        plan = not_failed_ahead(survey(job.repository, writer, tips, job.limits), writer, newest)
        history = _history(job, tips, plan)
        if (
            plan.changes_nothing
            and history.is_recorded(writer)
            and not writer.fact(LONG_RUN)
            and not are_unfinished(writer, job, tips)
            and not writer.upkeep.needs_compaction()
        ):
            return
        _show(writer, choice, history, plan, is_visit=job.options.visit)
        is_long = len(plan.pending) >= WORTH_COMPACTING_COMMITS or Pass.TEXT in renewed
        is_long = is_long or writer.fact(LONG_RUN)
        writer.record(LONG_RUN, is_long)
        writer.upkeep.merge_late(late=is_long)  # also after a long run that was killed
        pool = ahead or workshop.enter_context(_workshop(writer, job, plan))
        # What was read ahead is in small batches. They are merged while workers have much to do.
        ahead_merged = writer.upkeep.merge_small() if reads_ahead(newest) else iter(())
        with pool.meanwhile(ahead_merged):
            yield from stages.extract(
                writer, pool, plan.pending, job.clock, is_awaited=not reads_ahead(newest)
            )
        if not plan.limited and not job.clock.expired:
            writer.record(COMPLETE, tips)
        writer.record(INLINE, False)
        is_long = is_long or are_long(writer, job)
        writer.record(LONG_RUN, is_long)
        writer.commit()
        yield from later_passes(writer, pool, job, tips)
        workshop.close()  # the rest is done here, and needs memory that workers hold
        if Pass.SYMBOL in job.options.passes and not job.clock.expired:
            threads.find(writer, tips, indexed_head(job, tips))
    if not job.clock.expired and (is_long or writer.upkeep.needs_compaction()):
        writer.upkeep.compact()
        writer.record(LONG_RUN, False)
        writer.upkeep.merge_late(late=False)


def _workers_ahead(job: Job) -> Pool:
    """Start workers while history is still being surveyed."""
    pool = _workers(job)
    pool.start()
    return pool


def _workshop(writer: Writer, job: Job, plan: Plan) -> AbstractContextManager[Pool | Inline]:
    """Workers for a long run; for a short one, unless the last such run never ended, this process."""
    waiting = sum(writer.passes.count_pending(stage) for stage in job.options.passes)
    waiting += len(writer.passes.unconverted()) + len(writer.passes.unconverted_literals())
    small = len(plan.pending) + waiting <= inline.SMALL_RUN_COMMITS
    if small and not writer.fact(INLINE):
        writer.record(INLINE, True)
        writer.commit()
        return Inline(_setup(job))
    return _workers(job)


def _workers(job: Job) -> Pool:
    cores = available_cores()
    jobs = job.options.jobs or cores
    return Pool(_setup(job)._replace(model_threads=max(1, cores // jobs)), jobs=jobs)


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


def _setup(job: Job) -> WorkerSetup:
    index = job.settings.index
    return WorkerSetup(
        repository=str(job.repository.common_dir),
        location=job.index.location,
        rules=job.rules,
        chunk_chars=index.chunk_chars,
        chunk_lines=index.chunk_lines,
        max_blob_bytes=index.max_blob_bytes,
        embedder=job.embedder.name if job.embedder else "none",
        memory_bytes=MEMORY_BYTES,
        commit_seconds=COMMIT_SECONDS,
    )


def available_cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _recorded(writer: Writer, job: Job) -> Iterator[None]:
    """Record the outcome of the run in the index, however it ends."""
    started = int(time.time())
    outcome = "finished"
    try:
        yield
        if job.clock.expired:
            gave_way = job.options.stop is not None and job.options.stop.is_set()
            outcome = "gave way to others" if gave_way else "stopped at its time limit"
            outcome = "stopped: the repository is gone" if job.clock.is_astray else outcome
    except OharaError as error:
        outcome = f"failed: {error.message}"
        raise
    except BaseException:
        outcome = "interrupted"
        raise
    finally:
        _record(writer, job, started, outcome)


def _record(writer: Writer, job: Job, started: int, outcome: str) -> None:
    if writer.in_batch:
        writer.rollback()
    try:
        elapsed_s = round(job.clock.elapsed_s, 3)
        writer.record(LAST_RUN, LastRun(started, elapsed_s, outcome, job.options.scheduled))
        writer.commit()
    except OharaError:  # the disk may be what failed; the run's own error is the one to show
        writer.rollback()

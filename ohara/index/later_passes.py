"""The passes over what is read already: words and trigrams anew where need be, symbols, lines and vectors."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING

from ohara.git.tree import SUBMODULE
from ohara.index import derived_passes, threads
from ohara.index.pool import WorkerDied
from ohara.index.symbol_pass import touch_symbols
from ohara.languages import language_of
from ohara.model import Pass, Progress
from ohara.parse.languages import has_grammar
from ohara.store.derived import HeadFile
from ohara.store.facts import COMPLETE, HEAD_LINES, HEAD_SYMBOLS

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from ohara.index.inline import Inline
    from ohara.index.job import Job
    from ohara.index.pool import Pool
    from ohara.model import Sha
    from ohara.store.writing import Writer

# A compaction takes a second for 100,000 hunks; an index's own merging does for less.
WORTH_COMPACTING_COMMITS = 1_000


def later_passes(
    writer: Writer, pool: Pool | Inline, job: Job, tips: Mapping[str, Sha]
) -> Iterator[Progress]:
    """Do what passes have still to do, with workers or without."""
    wanted = job.options.passes
    for stage in (Pass.TEXT, Pass.LITERAL):
        if stage in wanted and not job.clock.expired:
            yield from derived_passes.derive(writer, pool, job.clock, stage)
    if Pass.TEXT in wanted and writer.passes.keeps_former_words and not job.clock.expired:
        yield from _convert_words(writer, pool, job)
    if Pass.LITERAL in wanted and writer.passes.keeps_former_trigrams and not job.clock.expired:
        yield from _convert_trigrams(writer, pool, job)
    if Pass.SYMBOL in wanted and not job.clock.expired:
        yield from _read_head(writer, pool, job, tips)
    # Pieces are joined and lines followed in this process while it waits for workers: alone, that would
    # leave cores idle. Not earlier: workers have to have something in hand for so long.
    with closing(_lines(writer, job, tips)) as lines:
        followed: deque[Progress] = deque(maxlen=1)
        faults: list[Exception] = []
        with pool.meanwhile(_noted(writer, chain(_joined_pieces(writer, job), lines), followed, faults)):
            yield from _symbols_and_vectors(writer, pool, job)
        if faults:
            raise faults[0]
        yield from followed
        if not job.clock.expired:
            pool.dismiss()  # lines of a long history need the memory that workers hold
            yield from lines


def are_long(writer: Writer, job: Job) -> bool:
    """True when passes over so many commits are to come that an index is worth tidying after it."""
    wanted = job.options.passes - {Pass.LINES}  # whose tables are not searched
    return any(writer.passes.count_pending(stage) >= WORTH_COMPACTING_COMMITS for stage in wanted)


def _joined_pieces(writer: Writer, job: Job) -> Iterator[str]:
    """Join words and trigrams, where much else is to be done."""
    if are_long(writer, job):
        yield from writer.upkeep.join_pieces()


def _noted(
    writer: Writer, steps: Iterator[Progress | str], last: deque[Progress], faults: list[Exception]
) -> Iterator[Progress | str]:
    """Note how far lines are: shown in turn with other passes, neither could be followed.

    A fault is noted, too: it is no reason to have no symbols and vectors. It may have left something
    half-written in the batch of those, which then begin again where the last batch ended.
    """
    try:
        for step in steps:
            if isinstance(step, Progress):
                last.append(step)
            yield step
    except Exception as fault:  # noqa: BLE001 - whatever it is, it is raised when the others are done
        faults.append(fault)
        writer.rollback()
        raise WorkerDied(()) from None


def _lines(writer: Writer, job: Job, tips: Mapping[str, Sha]) -> Generator[Progress]:
    if Pass.LINES in job.options.passes and writer.fact(COMPLETE) == tips and not job.clock.expired:
        from ohara.index.line_pass import follow_lines  # late: workers start before it is loaded

        head = indexed_head(job, tips)
        yield from follow_lines(writer, job.index, job.repository, head, job.clock)


def _symbols_and_vectors(writer: Writer, pool: Pool | Inline, job: Job) -> Iterator[Progress]:
    wanted = job.options.passes
    if Pass.SYMBOL in wanted and not job.clock.expired:
        yield from touch_symbols(writer, pool, job.clock)
        if job.rejudged:
            writer.upkeep.sweep()
            writer.commit()
    if Pass.VECTOR in wanted and job.embedder is not None and not job.clock.expired:
        yield from derived_passes.embed_hunks(writer, pool, job.clock, job.embedder)
        retire_vectors(writer)


def _convert_words(writer: Writer, pool: Pool | Inline, job: Job) -> Iterator[Progress]:
    """Keep the words of an index of a former version as they are kept now."""
    yield from derived_passes.convert(writer, pool, job.clock, Pass.TEXT)
    if not writer.passes.unconverted() and not writer.passes.any_pending(Pass.TEXT):
        writer.passes.end_conversion()
        writer.upkeep.compact()


def _convert_trigrams(writer: Writer, pool: Pool | Inline, job: Job) -> Iterator[Progress]:
    """Keep the trigrams of an index of a former version as they are kept now."""
    yield from derived_passes.convert(writer, pool, job.clock, Pass.LITERAL)
    if not writer.passes.unconverted_literals() and not writer.passes.any_pending(Pass.LITERAL):
        writer.passes.end_literal_conversion()
        writer.upkeep.compact()


def _read_head(writer: Writer, pool: Pool | Inline, job: Job, tips: Mapping[str, Sha]) -> Iterator[Progress]:
    """Bring the symbols of HEAD up to date, unless they are."""
    head = indexed_head(job, tips)
    if writer.fact(HEAD_SYMBOLS) == head:
        return
    files = _head_files(job) if head else []
    yield from derived_passes.read_head(writer, pool, files, job.clock)
    if not job.clock.expired:
        writer.record(HEAD_SYMBOLS, head)
        writer.commit()


def retire_vectors(writer: Writer) -> None:
    """Delete the vectors of the previous model when all of the current one are made."""
    if not writer.passes.any_pending(Pass.VECTOR):
        writer.upkeep.retire_vectors()


def are_unfinished(writer: Writer, job: Job, tips: Mapping[str, Sha]) -> bool:
    """True when one of the passes that are asked for has something to do."""
    wanted = set(job.options.passes)
    if job.embedder is None:
        wanted.discard(Pass.VECTOR)
    if Pass.TEXT in wanted and writer.passes.keeps_former_words:
        return True
    if Pass.LITERAL in wanted and writer.passes.keeps_former_trigrams:
        return True
    if Pass.SYMBOL in wanted and writer.fact(HEAD_SYMBOLS) != indexed_head(job, tips):
        return True
    if Pass.SYMBOL in wanted and not threads.are_found(writer):
        return True
    if Pass.LINES in wanted and writer.fact(HEAD_LINES) != indexed_head(job, tips):
        return True
    return any(writer.passes.any_pending(stage) for stage in wanted)


def indexed_head(job: Job, tips: Mapping[str, Sha]) -> str:
    """The commit of HEAD, when it is one of the tips by whatever name; "" when HEAD is not indexed."""
    head = tips.get("HEAD") or job.repository.resolve_existing(("HEAD",)).get("HEAD")
    return head if head and head in tips.values() else ""


def _head_files(job: Job) -> list[HeadFile]:
    return [
        HeadFile(path, blob, language)
        for path, blob, mode in job.repository.head_tree_files()
        if mode != SUBMODULE
        and (language := language_of(path))
        and has_grammar(language)
        and job.exclusions.path(path) in {None, "kept"}
    ]

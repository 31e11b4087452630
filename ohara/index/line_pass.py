"""The pass that follows lines: which of them each commit ended, and whose lines HEAD's files consist of.

It runs in this process, parents before children, because each version follows from the one before. A commit
that comes to be indexed below others that are done (a clone was deepened, a blob arrived) makes what is
known of those stale: the pass begins again.
"""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING

from ohara.fate.file_tree import Version
from ohara.fate.former_head import still_as_in
from ohara.fate.origins import Wanted
from ohara.fate.sweep import OutOfTime, Sweep
from ohara.index.stages import Batches
from ohara.model import Pass, Progress, Sha
from ohara.store.facts import HEAD_LINES
from ohara.store.lines import HeadVersion

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ohara.fate.file_tree import FileTree
    from ohara.git.repo import Repository
    from ohara.index.stages import Clock
    from ohara.store.index import Index
    from ohara.store.lines import LineHistory, Segment
    from ohara.store.writing import Writer

_LARGEST_BATCH = 4_000
_TOLD_EVERY = 64  # commits
_BINARY_PROBE = 8_000  # bytes, as git decides


def follow_lines(
    writer: Writer, index: Index, repository: Repository, head: str, clock: Clock
) -> Iterator[Progress]:
    """Bring up to date what is known of lines; `head` is the commit of HEAD, "" when it is not indexed."""
    pending = writer.passes.pending(Pass.LINES)
    if not pending and writer.fact(HEAD_LINES) == head:
        return
    with index.line_history() as history:
        sweep = Sweep(repository, history)
        if sweep.is_stale(pending):
            writer.upkeep.begin_again(Pass.LINES)
            writer.commit()
            pending = writer.passes.pending(Pass.LINES)
        yield from _sweep(writer, sweep, pending, clock)
        if not clock.expired:
            _read_head(writer, repository, history, sweep, head)


def _sweep(writer: Writer, sweep: Sweep, pending: list[int], clock: Clock) -> Iterator[Progress]:
    batches = Batches(writer, largest=_LARGEST_BATCH)
    with closing(sweep.run(pending, is_late=lambda: clock.expired)) as followed, suppress(OutOfTime):
        for done, derived in enumerate(followed, 1):
            writer.lines.write((derived,))
            writer.passes.mark(Pass.LINES, (derived.commit_id,))
            batches.end_if_full()
            if done % _TOLD_EVERY == 0 or done == len(pending):
                yield Progress(Pass.LINES, done, len(pending), 0, clock.elapsed_s)
            if clock.expired:
                break
    writer.commit()


def _read_head(writer: Writer, repository: Repository, history: LineHistory, sweep: Sweep, head: str) -> None:
    """Keep the origins of the lines of HEAD's files, of those that are not kept yet."""
    files = _files(repository) if head else []
    kept = history.head_versions()
    tree = sweep.tree_at(Sha(head)) if head else None
    if head and (former := writer.fact(HEAD_LINES)):
        kept |= still_as_in(Sha(former), Sha(head), repository, history, sweep.links)
    added = (
        _version(repository, sweep, tree, Wanted(path, blob, Sha(head)))
        for path, blob in files
        if (path, blob) not in kept and tree is not None
    )
    writer.lines.replace_head(added, [each for each in files if each in kept])
    writer.record(HEAD_LINES, head)
    writer.commit()


def _files(repository: Repository) -> list[tuple[str, str]]:
    return [(path, blob) for path, blob, _ in repository.head_tree_files()]


def _version(repository: Repository, sweep: Sweep, tree: FileTree, wanted: Wanted) -> HeadVersion:
    found = tree.get(wanted.path)
    if found is None or found.blob != wanted.blob:
        found = Version.of(wanted.blob, sweep.origins.of(wanted), sweep.origins.made_by(wanted))
    data = repository.read_blob(wanted.blob) or b""
    if b"\0" in data[:_BINARY_PROBE]:
        data = b""
    lines = data.split(b"\n")
    blank = frozenset(at for at, line in enumerate(lines) if not line.strip())
    segments = _within(found.segments, len(lines) - (not lines[-1]))
    return HeadVersion(wanted.path, wanted.blob, found.made_by, segments, blank)


def _within(segments: Sequence[Segment], lines: int) -> list[Segment]:
    """Segments as far as the file reaches."""
    found: list[Segment] = []
    at = 0
    for count, hunk, first in segments:
        taken = min(count, lines - at)
        if taken <= 0:
            break
        found.append((taken, hunk, first))
        at += taken
    return found

"""What belongs together among hits: copies of a change under one, and one for each thread when asked for.

Copies (a cherry-pick, a backport, a change that was applied again) are the same answer several times: the
best stays and names the others. Threads are grouped only on request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ohara.model import Copy, Sha, Thread, ThreadCommit
from ohara.plural import counted
from ohara.records import dataclass, replace
from ohara.store.facts import THREADED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence

    from ohara.model import Hit
    from ohara.retrieve.ranking import ScoredHunk
    from ohara.store.answers import CopyOf
    from ohara.store.answers import ThreadCommit as StoredCommit
    from ohara.store.reading import Reader

T = TypeVar("T")


def firsts(
    items: Iterable[T], key: Callable[[T], Hashable | None], seen: Iterable[Hashable] = ()
) -> list[tuple[T, list[T]]]:
    """The first item of each key with those that follow it; an item without a key stands alone.

    Items whose key was `seen` before are left out.
    """
    taken = dict.fromkeys(seen, -1)
    kept: list[tuple[T, list[T]]] = []
    for item in items:
        name = key(item)
        if name is None or name not in taken:
            if name is not None:
                taken[name] = len(kept)
            kept.append((item, []))
        elif taken[name] >= 0:
            kept[taken[name]][1].append(item)
    return kept


@dataclass(frozen=True, slots=True)
class Together:
    """For each commit the name of the change that it copies, and of the thread that it is in."""

    changes: Mapping[Sha, Sha]
    threads: Mapping[Sha, Sha]

    @classmethod
    def read(cls, reader: Reader, shas: Collection[Sha], *, by_thread: bool) -> Together:
        """What is known of some commits; threads only where hits are grouped by them."""
        copies = reader.copies_of(shas)
        return cls(
            {sha: each[0].sha for sha, each in copies.items()}, reader.threads_of(shas) if by_thread else {}
        )


def fold(
    hits: Sequence[ScoredHunk], together: Together, above: Sequence[ScoredHunk] = ()
) -> list[ScoredHunk]:
    """Copies under the best of them, then one hit for each thread; `above` are hits that rank higher."""
    changes = {sha: together.changes.get(sha) for sha in map(_sha, (*above, *hits))}
    kept = [
        replace(hit, also_in=tuple(dict.fromkeys((*hit.also_in, *map(_sha, others))))) if others else hit
        for hit, others in firsts(
            hits, lambda hit: changes[_sha(hit)], filter(None, (changes[_sha(hit)] for hit in above))
        )
    ]
    if not together.threads:
        return kept
    threads = together.threads
    return [
        replace(hit, matched=tuple(map(_sha, others)))
        for hit, others in firsts(
            kept, lambda hit: threads.get(_sha(hit)), filter(None, (threads.get(_sha(hit)) for hit in above))
        )
    ]


def _sha(hit: ScoredHunk) -> Sha:
    return Sha(hit.sha.hex())


def annotate(reader: Reader, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits with the thread of each and the copies of its change."""
    shas = {hit.commit.sha for hit in hits}
    if not shas:
        return tuple(hits)
    threads, copies = reader.threads_of(shas), reader.copies_of(shas)
    return tuple(
        replace(hit, thread=threads.get(hit.commit.sha), also_on=_copies(hit.commit.sha, copies))
        if hit.commit.sha in threads or hit.commit.sha in copies
        else hit
        for hit in hits
    )


def _copies(sha: Sha, copies: Mapping[Sha, tuple[CopyOf, ...]]) -> tuple[Copy, ...]:
    """The other commits that make the change, on branches where this one is not."""
    known = copies.get(sha, ())
    own = {name for each in known if each.sha == sha for name in each.branches}
    return tuple(
        Copy(each.sha, tuple(name for name in each.branches if name not in own))
        for each in known
        if each.sha != sha
    )


def read_threads(reader: Reader, firsts: Collection[Sha], matched: Collection[Sha] = ()) -> dict[Sha, Thread]:
    """Threads by their first commit; `matched` are the commits that a query found."""
    found = reader.thread_commits(firsts) if firsts else {}
    return {first: _thread(first, commits, frozenset(matched)) for first, commits in found.items()}


def _thread(first: Sha, commits: Sequence[StoredCommit], matched: frozenset[Sha]) -> Thread:
    from ohara.history.mentions import subject_of  # late: most questions show no threads
    from ohara.history.reasons import Reason
    from ohara.history.titles import title_of

    return Thread(
        id=first,
        title=title_of([commit.message for commit in commits]),
        authors=tuple(dict.fromkeys(commit.author for commit in commits)),
        commits=tuple(
            ThreadCommit(
                commit.sha,
                subject_of(commit.message),
                commit.author,
                commit.time,
                commit.reason.word,
                matched=commit.sha in matched,
            )
            for commit in commits
        ),
        likely=any(commit.reason is Reason.LIKELY for commit in commits),
    )


def unthreaded(reader: Reader) -> tuple[str, ...]:
    """What to say of commits whose threads no index run has found yet."""
    left = reader.counts().commits - reader.fact(THREADED)
    if left <= 0:
        return ()
    return (f"the threads of {counted(left, 'commit')} are not found yet (ohara index)",)

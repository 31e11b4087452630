"""The state of the search screen, and which of its designed stages it is in. Pure.

Everything that arrives (results, an error, an event of the service) makes a new `SearchState`; what is drawn
follows from it alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING

from ohara.errors import IndexMissing, OharaError, RepositoryError
from tui.link import LinkState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ohara.model import Hit, HunkId, IndexStatus, Results, Sha, Thread
    from ohara.wire import JobState
    from tui.query_draft import QueryDraft

# The pace of a whole run on two cores: good enough to say "a minute" or "an hour".
COMMITS_PER_S = 200.0


class Stage(StrEnum):
    """The designed stages of the search screen."""

    STARTING = "starting"
    GONE = "gone"
    NO_REPOSITORY = "no repository"
    NOT_INDEXED = "not indexed"
    WELCOME = "welcome"
    ASKING = "asking"
    RESULTS = "results"
    NOTHING = "nothing"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class SearchState:
    """Everything the search screen shows; `hits` are all pages that came, `without` which filters to drop.

    `threads` are those of the hits by their id, where hits are grouped by them.
    `ahead` is the job of another repository that is running, for which this one may have to wait.
    `origin` is the hunk that others like it are looked for, which is itself no answer.
    `arrived` counts commits that were indexed since the search; `is_rewritten` says that others are gone.
    `complaint` is what is wrong with the query in the bar, or, while `is_typing`, what it lacks so far.
    """

    repository: str = ""
    source: str = ""
    order: str = "rank"
    group: str = "commit"
    results: Results | None = None
    hits: tuple[Hit, ...] = ()
    threads: Mapping[Sha, Thread] = field(default_factory=dict)
    cursor: str | None = None
    reranked: bool = False
    loading: bool = False
    error: OharaError | None = None
    status: IndexStatus | None = None
    commits: int | None = None
    job: JobState | None = None
    ahead: JobState | None = None
    link: LinkState = LinkState.CONNECTING
    link_error: OharaError | None = None
    without: tuple[str, ...] = ()
    arrived: int = 0
    is_rewritten: bool = False
    origin: HunkId | None = None
    complaint: str = ""
    is_typing: bool = False

    @property
    def name(self) -> str:
        """What the repository is called."""
        return name_of(self.repository)

    @property
    def stage(self) -> Stage:
        """The stage that this state is in."""
        if self.error is not None:
            if isinstance(self.error, IndexMissing):
                return Stage.NOT_INDEXED
            return Stage.NO_REPOSITORY if self._is_nowhere else Stage.ERROR
        if self.results is not None and self.hits:
            return Stage.RESULTS
        if self.link is LinkState.GONE:
            return Stage.GONE
        if self.results is not None and not self.loading:
            return Stage.NOTHING
        if self.loading:
            return Stage.ASKING
        return Stage.WELCOME if self.status is not None else Stage.STARTING

    @property
    def _is_nowhere(self) -> bool:
        return isinstance(self.error, RepositoryError) and self.status is None

    @property
    def is_empty(self) -> bool:
        """True when the repository is known to have no commits at all."""
        status = self.status
        return status is not None and not status.commits and not status.indexed and not self.is_indexing

    @property
    def is_indexing(self) -> bool:
        """True while the service indexes this repository."""
        return self.job is not None and self.job.state in {"queued", "running", "progress"}

    @property
    def missing(self) -> tuple[str, ...]:
        """What is missing from the results: lanes that failed or timed out, passes that are behind."""
        if self.results is None:
            return ()
        lanes = (
            f"{lane.name} {_LANE_WORDS[lane.status]}{f': {lane.detail}' if lane.detail else ''}"
            for lane in self.results.lanes
            if lane.status in _LANE_WORDS
        )
        index = self.results.index
        unfinished = (
            f"{each.stage} search knows {each.done:,} of {index.commits:,} commits"
            for each in index.passes
            if each.done < each.total or (each.done < index.commits and index.behind > 0)
        )
        return (*lanes, *unfinished, *self.results.notes)

    # -- what happens ----------------------------------------------------------------------------

    def sent(
        self, source: str, *, order: str, group: str = "commit", origin: HunkId | None = None
    ) -> SearchState:
        """The state after a query was sent; old hits stay until its results arrive."""
        return replace(
            self,
            source=source,
            order=order,
            group=group,
            origin=origin,
            loading=True,
            error=None,
            without=(),
            complaint="",
            is_typing=False,
        )

    def answered(self, results: Results, *, reranked: bool = False) -> SearchState:
        """The state after results arrived, `reranked` or not yet."""
        return replace(
            self,
            results=results,
            reranked=reranked,
            hits=self._others(results),
            threads=self._threads_of(results),
            cursor=results.next_cursor,
            loading=False,
            error=None,
            status=_counted(results.index, self.status),
            arrived=0,
            is_rewritten=False,
        )

    def has_answered(self, draft: QueryDraft, order: str, group: str) -> bool:
        """Whether what is shown is the answer to this query, in this order and grouping."""
        if self.results is None or self.loading:
            return False
        same_mode = (self.results.query.mode == "structural") is draft.is_pattern
        asked = (self.results.query.source, self.source, self.order, self.group)
        return same_mode and asked == (draft.source, draft.source, order, group)

    def query_invalid(self, complaint: str, *, is_typing: bool = False) -> SearchState:
        """The state after a query that cannot be sent (yet) was typed; the old results stay."""
        return replace(self, loading=False, complaint=complaint, is_typing=is_typing)

    def page_added(self, results: Results) -> SearchState:
        """The state after another page arrived."""
        return replace(
            self,
            hits=(*self.hits, *self._others(results)),
            threads={**self.threads, **self._threads_of(results)},
            cursor=results.next_cursor,
        )

    def _threads_of(self, results: Results) -> dict[Sha, Thread]:
        return {thread.id: thread for thread in results.threads} if self.group == "thread" else {}

    def _others(self, results: Results) -> tuple[Hit, ...]:
        """The hits without the one that was asked for; of code, every word would be marked."""
        hits = tuple(hit for hit in results.hits if self.origin is None or hit.hunk != self.origin)
        is_code = results.query.query_class == _SNIPPET
        return tuple(replace(hit, matches=()) for hit in hits) if is_code else hits

    def failed(self, error: OharaError) -> SearchState:
        """The state after a search failed."""
        return replace(self, loading=False, error=error, results=None, hits=(), cursor=None)

    def cleared(self) -> SearchState:
        """The state after the query bar was emptied."""
        kept = self.error if isinstance(self.error, IndexMissing | RepositoryError) else None
        return replace(
            self,
            source="",
            loading=False,
            results=None,
            hits=(),
            cursor=None,
            error=kept,
            arrived=0,
            is_rewritten=False,
            without=(),
            complaint="",
            is_typing=False,
        )

    def job_changed(self, job: JobState) -> SearchState:
        """The state after an index job of this repository changed."""
        return replace(self, job=job)

    def other_job_changed(self, job: JobState) -> SearchState:
        """The state after an index job of another repository changed."""
        if job.state in {"running", "progress"}:
            return replace(self, ahead=job)
        ends = self.ahead is not None and self.ahead.repository == job.repository
        return replace(self, ahead=None) if ends else self

    @property
    def is_waiting(self) -> bool:
        """True while this repository is queued to be indexed."""
        return self.job is not None and self.job.state == "queued"

    def former_tips(self, status: IndexStatus) -> tuple[Sha, ...]:
        """The commits that branches led to when the question was answered and no longer lead to."""
        if self.status is None or self.results is None:
            return ()
        return tuple(sorted(_tips(self.status) - _tips(status)))

    def index_changed(self, status: IndexStatus, *, lost: bool = False) -> SearchState:
        """The state after the index changed; commits indexed since the search are counted as new.

        `lost` says that commits are gone that branches led to: history was rewritten.
        """
        fresh = status.indexed - self.status.indexed if self.status and self.results else 0
        error = None if isinstance(self.error, IndexMissing | RepositoryError) else self.error
        return replace(
            self,
            status=status,
            error=error,
            arrived=self.arrived + max(0, fresh),
            is_rewritten=self.is_rewritten or lost or fresh < 0,
        )

    def concerns(self, job: JobState) -> bool:
        """Whether an event is about this repository."""
        there = PurePath(job.repository)
        here = PurePath(self.repository)
        return here in {there, there.parent if there.name == ".git" else there}


def name_of(repository: str) -> str:
    """What the repository at a path is called."""
    path = PurePath(repository)
    return path.parent.name if path.name == ".git" else path.name.removesuffix(".git")


_SNIPPET = "snippet"  # of `QueryClass`, which is loaded with the first answer

# By the values of `LaneStatus`: the model is loaded with the first answer, after the first paint.
_LANE_WORDS = {"timeout": "took too long", "failed": "failed"}


def _counted(fresh: IndexStatus, before: IndexStatus | None) -> IndexStatus:
    """The new status; counts that the results leave out, because counting is slow, are kept from before.

    So is where branches led to while what they lead to now is not indexed yet.
    """
    if before is None or fresh.hunks:
        return fresh
    return replace(
        before,
        commits=fresh.commits,
        indexed=fresh.indexed,
        behind=fresh.behind,
        passes=fresh.passes,
        refs=before.refs if fresh.behind else fresh.refs,
    )


def _tips(status: IndexStatus) -> set[Sha]:
    return {tip for _, tip in status.refs}


def index_of_hit(hits: tuple[Hit, ...], hit: Hit | None) -> int | None:
    """The index of a hit among others; None when it is not there."""
    if hit is None:
        return None
    wanted = (hit.commit.sha, hit.hunk, hit.path)
    return next(
        (at for at, each in enumerate(hits) if (each.commit.sha, each.hunk, each.path) == wanted), None
    )


def same_lines(hit: Hit, other: Hit) -> bool:
    """Whether two hits show the same lines with the same marks, however they were ranked."""
    return (
        hit.commit.sha == other.commit.sha
        and (hit.hunk, hit.path, hit.top) == (other.hunk, other.path, other.top)
        and hit.excerpt == other.excerpt
        and hit.matches == other.matches
    )

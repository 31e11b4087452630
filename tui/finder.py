"""Sends the queries of the search screen to the service and keeps their state; draws nothing.

Fused hits come first, then the reranked order, then more pages while the user reads. Each of these is one
coroutine that may be cancelled at any point: the next query starts from the state that is there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from enum import Enum, auto
from typing import TYPE_CHECKING, TypeAlias

import anyio

from ohara.errors import OharaError, QueryError, RepositoryError
from tui.query_draft import said_of
from tui.search_state import SearchState

if TYPE_CHECKING:
    from ohara.errors import OharaError as Error
    from ohara.model import IndexStatus, Intent, Query, Results, SearchOptions
    from ohara.wire import JobState
    from tui.link import Link, LinkState
    from tui.query_draft import QueryDraft

_FEWEST_FIRST, _MOST_FIRST = 10, 30  # hits of the first answer, which is to come at once
_PAGE = 100
_MOST_TIPS = 8  # former ones that are looked for: branches are rewritten one or two at a time
_READING_S = 0.4  # a user who does not type for so long is reading: time to fetch more for the timeline


class Change(Enum):
    """What changed."""

    ANSWER = auto()
    ORDER = auto()
    MORE = auto()
    OTHER = auto()


OnChange: TypeAlias = Callable[[Change], None]


class Finder:
    """The search in one repository and its state; `on_change` is called after every change.

    `is_done` says that the last query was answered to its end: one that was cut off may lack its best order.
    """

    def __init__(self, link: Link, on_change: OnChange) -> None:
        self._link = link
        self._on_change = on_change
        self._more = anyio.Lock()
        self.is_done = True
        self.state = SearchState()

    def _set(self, state: SearchState, change: Change = Change.OTHER) -> None:
        self.state = state
        self._on_change(change)

    # -- the repository --------------------------------------------------------------------------

    def use_repository(self, repository: str) -> None:
        """Search another repository from now on."""
        link, error = self.state.link, self.state.link_error
        self._set(SearchState(repository=repository, link=link, link_error=error))

    async def load_status(self) -> None:
        """Load the status of the index."""
        from ohara import wire

        try:
            status = (await self._link.send(wire.Status(repo=self.state.repository))).status
        except OharaError as error:
            self._set(self.state.failed(error))
        else:
            self._set(self.state.index_changed(status, lost=await self._has_lost(status)))

    async def _has_lost(self, status: IndexStatus) -> bool:
        """Whether a commit that a branch led to is gone: it was amended, or the branch was reset."""
        from ohara import wire

        for tip in self.state.former_tips(status)[:_MOST_TIPS]:
            try:
                await self._link.send(wire.Describe(repo=self.state.repository, commit=tip))
            except RepositoryError:
                return True
            except OharaError:
                continue
        return False

    def set_commit_count(self, commits: int | None) -> None:
        """Set how many commits there are to index."""
        self._set(replace(self.state, commits=commits))

    async def index(self) -> None:
        """Have the repository indexed."""
        from ohara import wire

        try:
            await self._link.send(wire.Index(repo=self.state.repository))
        except OharaError as error:
            self._set(self.state.failed(error))

    def link_changed(self, link: LinkState, error: Error | None) -> None:
        """Called when the connection state changes."""
        self._set(replace(self.state, link=link, link_error=error))

    def job_changed(self, job: JobState) -> bool:
        """Called when an index job changes; true when it is about this repository."""
        mine = self.state.concerns(job)
        if mine:
            self._set(self.state.job_changed(job))
        elif (other := self.state.other_job_changed(job)) is not self.state:
            if self.state.is_waiting:
                self._set(other)
            else:  # nobody here waits for it
                self.state = other
        return mine

    # -- asking ----------------------------------------------------------------------------------

    def clear(self) -> None:
        """Search for nothing."""
        self._set(self.state.cleared(), Change.ANSWER)

    def refuse(self, complaint: str, *, is_typing: bool) -> None:
        """Say what is wrong with a query, or what it lacks so far; the last answer stays."""
        self._set(self.state.query_invalid(complaint, is_typing=is_typing))

    def accept(self) -> None:
        """Take back what was said of a query: it is again the one that was answered."""
        self._set(self.state.query_invalid(""))

    async def ask(
        self,
        draft: QueryDraft,
        *,
        order: str,
        reranks: bool,
        group: str = "commit",
        intent: Intent | None = None,
        room: int = _MOST_FIRST,
        quietly: bool = False,
    ) -> None:
        """Send a query, and refine its results until cancelled; without an `intent` its words decide.

        The first answer holds what a list has `room` for. Asked `quietly`, the answer from before is shown
        until this one comes.
        """
        # Late: the first paint waits for nothing.
        from ohara.model import READ_HUNK, Group, Mode, Order, QueryClass, SearchOptions
        from ohara.query import parse

        source, before = draft.source, self.state
        mode = Mode.STRUCTURAL if draft.is_pattern else Mode.AUTO
        try:
            query = parse(source, now=int(time.time()), mode=mode, intent=intent)
        except QueryError as error:
            self.refuse(said_of(error), is_typing=False)
            return
        origin = draft.sample.origin if draft.sample is not None else None
        self.is_done = False
        if not quietly:
            self._set(self.state.sent(source, order=order, group=group, origin=origin))
        options = SearchOptions(
            k=max(_FEWEST_FIRST, min(room, _MOST_FIRST)),
            rerank=False,
            order=Order(order),
            group=Group(group),
            context=READ_HUNK,
            mode=mode,
        )
        try:
            found = await self._find(query, options)
            self._set(self.state.answered(found), Change.ANSWER)
            is_listed = found.query.query_class is QueryClass.STRUCTURAL  # newest first, whatever reads it
            if reranks and order == "rank" and found.hits and not is_listed:
                settled = await self._find(query, replace(options, rerank=True))
                self._set(self.state.answered(settled, reranked=True), Change.ORDER)
        except QueryError as error:  # an expression that cannot be compiled, a ref that is not there (yet)
            self._refuse_late(before, error)
            return
        except OharaError as error:
            self._set(self.state.failed(error), Change.ANSWER)
            return
        self.is_done = True
        if not self.state.hits:
            await self._try_without(draft)
        else:
            await anyio.sleep(_READING_S)
            await self.more()

    def _refuse_late(self, before: SearchState, error: QueryError) -> None:
        """Say what the service found wrong with a query; the answer from before stays, if there is one."""
        if before.hits:
            kept = replace(self.state, source=before.source, order=before.order, group=before.group)
            self._set(kept.query_invalid(said_of(error)))
        else:
            self._set(self.state.failed(error).query_invalid(said_of(error)), Change.ANSWER)

    async def _find(self, query: Query | str, options: SearchOptions) -> Results:
        from ohara import wire

        request = wire.Find(repo=self.state.repository, query=query, options=options, implied=True)
        return (await self._link.send(request)).results

    async def more(self) -> None:
        """Fetch the next page, if there is one and it is not being fetched already."""
        from ohara.model import READ_HUNK, Group, Order, SearchOptions

        if self._more.locked():
            return
        async with self._more:
            state = self.state
            if state.cursor is None or state.loading or state.results is None:
                return
            options = SearchOptions(
                k=_PAGE,
                rerank=state.reranked,
                order=Order(state.order),
                group=Group(state.group),
                after=state.cursor,
                context=READ_HUNK,
            )
            try:
                page = await self._find(state.results.query, options)
            except OharaError as error:
                self._set(replace(self.state, cursor=None, complaint=error.message))
                return
            if self.state.results is state.results:
                self._set(self.state.page_added(page), Change.MORE)

    async def _try_without(self, draft: QueryDraft) -> None:
        """Find the filter that excludes all hits: the one without which there would be some."""
        from ohara.model import Mode, SearchOptions

        mode = Mode.STRUCTURAL if draft.is_pattern else Mode.AUTO
        helpful = []
        for chip in draft.chips:
            wider = draft.without(chip)
            if wider.is_empty:
                continue
            try:
                found = await self._find(wider.source, SearchOptions(k=1, rerank=False, mode=mode))
            except OharaError:  # without this one there is no query
                continue
            if found.hits:
                helpful.append(chip)
        self._set(replace(self.state, without=tuple(helpful)))

"""Asks the service on behalf of the search screen and keeps what it knows; draws nothing.

Fused hits come first, a reranked order settles afterwards, more pages follow while the person reads. Each
of these is one coroutine that may be cancelled at any point: the next question starts from what is there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from enum import Enum, auto
from typing import TYPE_CHECKING, TypeAlias

import anyio

from ohara.errors import OharaError, QueryError
from tui.search_state import SearchState

if TYPE_CHECKING:
    from ohara.errors import OharaError as Error
    from ohara.wire import JobState
    from tui.link import Link, LinkState
    from tui.query_draft import QueryDraft

FIRST_HITS = 30  # what a large screen shows, and little enough to come at once
_PAGE = 100
_READING_S = 0.4  # a person who does not type for so long reads: time to fetch more for the timeline
_WHOLE_HUNK = 1_000  # lines of context: what the protocol allows, more than nearly any hunk has


class Change(Enum):
    """What changed."""

    ANSWER = auto()
    ORDER = auto()
    MORE = auto()
    OTHER = auto()


OnChange: TypeAlias = Callable[[Change], None]


class Finder:
    """The search in one repository and its state; `on_change` is called after every change."""

    def __init__(self, link: Link, on_change: OnChange) -> None:
        self._link = link
        self._on_change = on_change
        self._more = anyio.Lock()
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
        try:
            status = await self._link.status(self.state.repository)
        except OharaError as error:
            self._set(self.state.failed(error))
        else:
            self._set(self.state.index_changed(status))

    def set_commit_count(self, commits: int | None) -> None:
        """Note how many commits there are to index."""
        self._set(replace(self.state, commits=commits))

    async def index(self) -> None:
        """Have the repository indexed."""
        try:
            await self._link.index(self.state.repository)
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
        return mine

    # -- asking ----------------------------------------------------------------------------------

    def clear(self) -> None:
        """Search for nothing."""
        self._set(self.state.cleared(), Change.ANSWER)

    async def ask(self, draft: QueryDraft, *, by_date: bool, reranks: bool) -> None:
        """Ask, and go on refining the answer until cancelled."""
        from ohara.query import parse  # late: the first paint does not wait for it

        source = draft.source
        try:
            parse(source, now=int(time.time()))
        except QueryError as error:
            self._set(
                self.state.query_invalid(f"{error.message}: {error.hint}" if error.hint else error.message)
            )
            return
        self._set(self.state.sent(source, by_date=by_date))
        try:
            found = await self._link.find(
                self.state.repository,
                source,
                k=FIRST_HITS,
                rerank=False,
                by_date=by_date,
                context=_WHOLE_HUNK,
            )
            self._set(self.state.answered(found), Change.ANSWER)
            if reranks and not by_date and found.hits:
                settled = await self._link.find(
                    self.state.repository, source, k=FIRST_HITS, rerank=True, context=_WHOLE_HUNK
                )
                self._set(self.state.answered(settled, reranked=True), Change.ORDER)
        except OharaError as error:
            self._set(self.state.failed(error), Change.ANSWER)
            return
        if not self.state.hits:
            await self._try_without(draft)
        else:
            await anyio.sleep(_READING_S)
            await self.more()

    async def more(self) -> None:
        """Fetch the next page, if there is one and nobody fetches it already."""
        if self._more.locked():
            return
        async with self._more:
            state = self.state
            if state.cursor is None or state.loading:
                return
            try:
                page = await self._link.find(
                    state.repository,
                    state.source,
                    k=_PAGE,
                    rerank=state.reranked,
                    by_date=state.by_date,
                    after=state.cursor,
                    context=_WHOLE_HUNK,
                )
            except OharaError as error:
                self._set(replace(self.state, cursor=None, complaint=error.message))
                return
            if self.state.results is state.results:
                self._set(self.state.page_added(page), Change.MORE)

    async def _try_without(self, draft: QueryDraft) -> None:
        """Find out which filter leaves nothing over: without which one there would be hits."""
        helpful = []
        for chip in draft.chips:
            wider = draft.without(chip)
            if wider.is_empty:
                continue
            try:
                found = await self._link.find(self.state.repository, wider.source, k=1, rerank=False)
            except OharaError:  # without this one there is no query
                continue
            if found.hits:
                helpful.append(chip)
        self._set(replace(self.state, without=tuple(helpful)))

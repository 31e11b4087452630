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
from tui.state import Searching

if TYPE_CHECKING:
    from ohara.errors import OharaError as Error
    from ohara.wire import JobState
    from tui.asking import Asking
    from tui.link import Link, LinkState

FIRST_HITS = 30  # what a large screen shows, and little enough to come at once
_PAGE = 100
_READING_S = 0.4  # a person who does not type for so long reads: time to fetch more for the timeline
_WHOLE_HUNK = 1_000  # lines of context: what the protocol allows, more than nearly any hunk has


class Change(Enum):
    """What kind of news the screen gets."""

    ANSWER = auto()
    ORDER = auto()
    MORE = auto()
    OTHER = auto()


Heard: TypeAlias = Callable[[Change], None]


class Finder:
    """What is asked of one repository and what came of it; `heard` is told of every change."""

    def __init__(self, link: Link, heard: Heard) -> None:
        self._link = link
        self._heard = heard
        self._more = anyio.Lock()
        self.state = Searching()

    def _now(self, state: Searching, change: Change = Change.OTHER) -> None:
        self.state = state
        self._heard(change)

    # -- the repository --------------------------------------------------------------------------

    def turn_to(self, repository: str) -> None:
        """Ask another repository from now on."""
        link, error = self.state.link, self.state.link_error
        self._now(Searching(repository=repository, link=link, link_error=error))

    async def look(self) -> None:
        """Find out how the index stands."""
        try:
            status = await self._link.status(self.state.repository)
        except OharaError as error:
            self._now(self.state.failed(error))
        else:
            self._now(self.state.stands(status))

    def count(self, commits: int | None) -> None:
        """Hear how many commits there are to read."""
        self._now(replace(self.state, commits=commits))

    async def index(self) -> None:
        """Have the repository indexed."""
        try:
            await self._link.index(self.state.repository)
        except OharaError as error:
            self._now(self.state.failed(error))

    def linked(self, link: LinkState, error: Error | None) -> None:
        """Hear how the connection stands."""
        self._now(replace(self.state, link=link, link_error=error))

    def happened(self, job: JobState) -> bool:
        """Hear of an index job; true when it is about this repository."""
        mine = self.state.concerns(job)
        if mine:
            self._now(self.state.happened(job))
        return mine

    # -- asking ----------------------------------------------------------------------------------

    def forget(self) -> None:
        """Ask nothing."""
        self._now(self.state.cleared(), Change.ANSWER)

    async def ask(self, asking: Asking, *, by_date: bool, reranks: bool) -> None:
        """Ask, and go on refining the answer until cancelled."""
        from ohara.query import parse  # late: the first paint does not wait for it

        source = asking.source
        try:
            parse(source, now=int(time.time()))
        except QueryError as error:
            self._now(self.state.misread(f"{error.message}: {error.hint}" if error.hint else error.message))
            return
        self._now(self.state.asked(source, by_date=by_date))
        try:
            found = await self._link.find(
                self.state.repository,
                source,
                k=FIRST_HITS,
                rerank=False,
                by_date=by_date,
                context=_WHOLE_HUNK,
            )
            self._now(self.state.answered(found), Change.ANSWER)
            if reranks and not by_date and found.hits:
                settled = await self._link.find(
                    self.state.repository, source, k=FIRST_HITS, rerank=True, context=_WHOLE_HUNK
                )
                self._now(self.state.answered(settled), Change.ORDER)
        except OharaError as error:
            self._now(self.state.failed(error), Change.ANSWER)
            return
        if not self.state.hits:
            await self._try_without(asking)
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
                    rerank=False,
                    by_date=state.by_date,
                    after=state.cursor,
                    context=_WHOLE_HUNK,
                )
            except OharaError as error:
                self._now(replace(self.state, cursor=None, complaint=error.message))
                return
            if self.state.results is state.results:
                self._now(self.state.extended(page), Change.MORE)

    async def _try_without(self, asking: Asking) -> None:
        """Find out which filter leaves nothing over: without which one there would be hits."""
        helpful = []
        for chip in asking.chips:
            wider = asking.without(chip)
            if wider.is_empty:
                continue
            try:
                found = await self._link.find(self.state.repository, wider.source, k=1, rerank=False)
            except OharaError:  # without this one there is no query
                continue
            if found.hits:
                helpful.append(chip)
        self._now(replace(self.state, without=tuple(helpful)))

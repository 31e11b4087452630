"""Asks several indexes one query and joins their answers.

Each index answers for itself, side by side with the others and a few at a time. They wait for each other
to have their first hunks compared (`joint_reading`), and to be told how many of their hits are among the
first of all (`retrieve/merge`). A ranking is told so before it goes deeper, or is made at all where none of
its hunks was read: mostly those that were are enough. An index that fails, or keeps the others waiting, is
named and left out.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

import anyio

from ohara.errors import OharaError, QueryError, UsageError, reason_of
from ohara.federation.joined import Answered, Question, joined
from ohara.federation.joint_reading import FIRST_OF_EACH, read_together
from ohara.federation.rendezvous import Rendezvous
from ohara.federation.turns import Turns
from ohara.model import QueryClass, Unanswered
from ohara.records import dataclass
from ohara.retrieve import cursor
from ohara.retrieve.cursor import JointPage, Page, Place
from ohara.retrieve.exact import PATIENCE
from ohara.retrieve.merge import is_compared, merged
from ohara.retrieve.reading import moment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from ohara.engine import Engine
    from ohara.model import Query, Results, SearchOptions
    from ohara.retrieve.comparing import Compared, Shortlist
    from ohara.retrieve.found import Found
    from ohara.retrieve.merge import SortKey
    from ohara.retrieve.request import Plan

# When half of the indexes have answered, each of the others has this many lane timeouts left.
_GRACE_TIMEOUTS = 2.0
_EXACT_S = 20.0  # for an exact search, which says by itself how far it came

_EXACT = frozenset({QueryClass.LITERAL, QueryClass.REGEX, QueryClass.STRUCTURAL})


class Member(Protocol):
    """A repository that takes part."""

    @property
    def name(self) -> str:
        """Its path."""
        ...

    @property
    def key(self) -> str:
        """The name of its index in cursors."""
        ...

    def opened(self) -> AbstractAsyncContextManager[Engine]:
        """Its engine, with new commits indexed if they are few."""
        ...


async def ask(members: Sequence[Member], query: Query, options: SearchOptions) -> Results:
    """The answer of several repositories to one query."""
    asking = _Asking(members, query, options)
    return await asking.run()


class _Asking:
    """One query while it is being answered by several indexes."""

    def __init__(self, members: Sequence[Member], query: Query, options: SearchOptions) -> None:
        now = moment(options)
        self._members = list(members)
        self._query = replace(query, filters=replace(query.filters, repos=(), not_repos=()))
        self._options = replace(options, after=None, now=now, within_s=_within_s(query, options))
        self._name = cursor.asked(
            query, options.rerank, options.all_hunks, options.order, options.group, *sorted(self._keys())
        )
        self._question = Question(query, now, time.perf_counter())
        self._page = cursor.read_joint(options.after, self._name) if options.after is not None else None
        self._turns = Turns(len(self._members), self._grace_s)
        self._plan: Plan | None = None
        self._answers: dict[int, Answered] = {}
        self._faults: dict[int, Exception] = {}
        self._engines: dict[int, Engine] = {}
        self._order: list[int] = []
        numbers = range(len(self._members))
        self._compared: Rendezvous[Shortlist, Compared] = Rendezvous(numbers, self._compare)
        self._settled: Rendezvous[_FirstTier, int | None] = Rendezvous(numbers, self._settle)
        self._chosen: Rendezvous[Found, int] = Rendezvous(numbers, self._choose)

    def _keys(self) -> list[str]:
        return [member.key for member in self._members]

    async def run(self) -> Results:
        """Ask all of them."""
        if self._page is not None and not set(self._page.places) <= set(self._keys()):
            raise cursor.another_query()
        async with anyio.create_task_group() as group:
            group.start_soon(self._compared.run)
            group.start_soon(self._settled.run)
            group.start_soon(self._chosen.run)
            for number in range(len(self._members)):
                group.start_soon(self._take_part, number)
        self._refuse_failed()
        return joined(self._question, self._answers, self._order, self._unanswered(), self._next())

    # -- one index -------------------------------------------------------------------------------

    async def _take_part(self, number: int) -> None:
        member = self._members[number]
        place = self._page.places.get(member.key) if self._page is not None else None
        try:
            with self._turns.limited(number) as scope:
                async with self._turns.taken(number), member.opened() as engine:
                    self._engines[number] = engine
                    results = await self._results(number, engine, place)
                    self._answers[number] = replace(self._answers[number], results=results)
            if scope.cancelled_caught:
                self._fail(number, OharaError("it took too long", hint="ask it alone"))
        except Exception as fault:  # noqa: BLE001 - whatever ails one of them, the others answer
            self._fail(number, fault)
        finally:
            self._compared.leave(number)
            self._settled.leave(number)
            self._chosen.leave(number)
            self._turns.arrive(number)

    async def _results(self, number: int, engine: Engine, place: Place | None) -> Results:
        if self._page is not None and place is None:
            raise QueryError("it did not answer the first page", hint="ask again without a cursor")
        plan = engine.search.plan(self._options)
        self._plan = self._plan or plan
        page = Page(0, plan.k, self._question.now)
        if self._page is not None and place is not None:
            page = Page(place.start, self._page.depth, self._page.now, place.lanes)
        choose = partial(self._choose_with_others, number, place)
        beside = _BesideOthers(self, number)
        results = await engine.search.find_beside(self._query, plan, page, beside=beside, choose=choose)
        return await engine.with_tags(results) if self._options.tags else results

    async def compare(self, number: int, first: Shortlist) -> Compared:
        """Have the first hunks of an index compared with those of the others."""
        async with self._turns.paused(number):
            return await self._compared.come(number, first)

    async def settle(self, number: int, tier: _FirstTier) -> int | None:
        """How many hits of a first tier are among the first of all; None when more must be known."""
        self._compared.leave(number)
        async with self._turns.paused(number):
            return await self._settled.come(number, tier)

    async def _choose_with_others(self, number: int, place: Place | None, found: Found) -> int:
        if place is not None and place.state != cursor.short(found.opening.state):
            raise QueryError(
                "its index has changed since the cursor was made", hint="ask again without a cursor"
            )
        self._compared.leave(number)
        self._settled.leave(number)
        self._answers[number] = Answered(found, None)
        async with self._turns.paused(number):
            return await self._chosen.come(number, found)

    def _fail(self, number: int, fault: Exception) -> None:
        self._answers.pop(number, None)
        self._faults[number] = fault

    def _grace_s(self) -> float:
        """How long those may take for whom half of the others wait."""
        timeout_s = self._plan.settings.lane_timeout_s if self._plan else 2.0
        return _EXACT_S * 1.5 if _is_exact(self._query) else timeout_s * _GRACE_TIMEOUTS

    # -- together --------------------------------------------------------------------------------

    async def _compare(self, shortlists: Mapping[int, Shortlist]) -> Mapping[int, Compared]:
        if self._plan is None or not shortlists:
            return {}
        engine = self._engines[min(shortlists)]
        return await read_together(shortlists, engine.search.load_reranker, self._plan.profile.blend)

    async def _settle(self, tiers: Mapping[int, _FirstTier]) -> Mapping[int, int | None]:
        """Settled is a page of hits that were compared, and one for which there are no others."""
        numbers = sorted(tiers)
        count = self._plan.k if self._plan is not None else 0
        keys = [tiers[number].keys for number in numbers]
        page = merged(keys, keys, count)
        enough = len(page) == count and all(is_compared(key) for _, key in page)
        if not count or not (enough or all(tier.is_all for tier in tiers.values())):
            return dict.fromkeys(numbers)
        counts = Counter(numbers[place] for place, _ in page)
        return {number: counts[number] for number in numbers}

    async def _choose(self, found: Mapping[int, Found]) -> Mapping[int, int]:
        """How many hits each index has among the first of all; those that only came near have none."""
        numbers = sorted(found)
        exact = {
            number
            for number in numbers
            if not found[number].answer.is_fallback
            and (found[number].answer.shown or found[number].request.page.start)
        }
        taking = [number for number in numbers if not exact or number in exact]
        count = self._plan.k if self._plan is not None else 0
        lists = [found[number].answer.shown for number in taking]
        keys = [found[number].answer.keys for number in taking]
        self._order = [taking[place] for place, _ in merged(lists, keys, count)]
        for number in numbers:
            if number not in taking:
                self._answers[number] = replace(self._answers[number], is_left_out=True)
        return {number: self._order.count(number) for number in numbers}

    # -- the answer ------------------------------------------------------------------------------

    def _refuse_failed(self) -> None:
        """Raise when nobody answered, or a page would not follow the one before it."""
        faults = [self._faults[number] for number in sorted(self._faults)]
        if self._page is not None:
            for number, fault in sorted(self._faults.items()):
                if self._members[number].key in self._page.places:
                    raise QueryError(
                        f"{self._members[number].name} did not answer, so this page would not follow the"
                        f" last: {_reason(fault)}",
                        hint="ask for it once more, or ask again without a cursor",
                    ) from fault
        if self._answers or not faults:
            return
        first = faults[0]
        alike = {(type(fault), str(fault)) for fault in faults}
        if len(alike) == 1 or isinstance(first, QueryError | UsageError):
            raise first
        told = "; ".join(f"{each.repository}: {each.reason}" for each in self._unanswered())
        raise OharaError(f"none of {len(self._members)} repositories answered: {told}", hint="ohara repos")

    def _unanswered(self) -> tuple[Unanswered, ...]:
        return tuple(
            Unanswered(self._members[number].name, _reason(fault), type(fault).__name__)
            for number, fault in sorted(self._faults.items())
        )

    def _next(self) -> str | None:
        """The cursor of the page after this one."""
        counts = {number: self._order.count(number) for number in self._answers}
        more = False
        places: dict[str, Place] = {}
        for number, answered in sorted(self._answers.items()):
            found = answered.found
            if not answered.is_left_out:
                more = more or found.answer.more or counts[number] < len(found.answer.shown)
            start = found.request.page.start + counts[number]
            state = cursor.short(found.opening.state)
            places[self._members[number].key] = Place(start, found.answer.answered, state)
        if not more or self._plan is None:
            return None
        depth = self._page.depth if self._page is not None else self._plan.k
        return cursor.write_joint(JointPage(depth, self._question.now, places), self._name)


@dataclass(frozen=True, slots=True)
class _FirstTier:
    """The keys of the hits in the first tier of an index, and whether it has no others."""

    keys: Sequence[SortKey] = ()
    is_all: bool = False


@dataclass(slots=True)
class _BesideOthers:
    """Has the first hunks of one index compared with those of the others."""

    asking: _Asking
    number: int
    depth: int = FIRST_OF_EACH
    _was_passed_over: bool = False

    async def compare(self, first: Shortlist) -> Compared:
        """What is made of each."""
        return await self.asking.compare(self.number, first)

    async def is_wanted(self) -> bool:
        """Whether the others have too few."""
        self._was_passed_over = True
        return await self.asking.settle(self.number, _FirstTier()) is None

    async def share(self, keys: Sequence[SortKey], *, is_all: bool) -> int | None:
        """How many of the first hits are among those of all; None when these are too few."""
        if self._was_passed_over:
            return None
        return await self.asking.settle(self.number, _FirstTier(keys, is_all))


def _is_exact(query: Query) -> bool:
    return bool(query.patterns or query.structure) or query.query_class in _EXACT


def _within_s(query: Query, options: SearchOptions) -> float | None:
    if not _is_exact(query):
        return options.within_s
    return min(_EXACT_S, options.within_s or PATIENCE * 2)


def _reason(fault: Exception) -> str:
    return fault.message if isinstance(fault, OharaError) else reason_of(fault)

"""A point that everybody who takes part reaches or gives up on; then one thing is done for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import anyio

from ohara.errors import IndexReplaced

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

Brought = TypeVar("Brought")
Given = TypeVar("Given")


class Rendezvous(Generic[Brought, Given]):
    """Everybody brings something and is given something, once."""

    def __init__(
        self,
        members: Iterable[int],
        together: Callable[[Mapping[int, Brought]], Awaitable[Mapping[int, Given]]],
    ) -> None:
        self._expected = set(members)
        self._together = together
        self._brought: dict[int, Brought] = {}
        self._given: Mapping[int, Given] = {}
        self._fault: Exception | None = None
        self._complete = anyio.Event()
        self._done = anyio.Event()

    async def run(self) -> None:
        """Wait for all, do what is done together, and let them go on."""
        await self._complete.wait()
        try:
            self._given = await self._together(self._brought)
        except Exception as fault:  # noqa: BLE001 - raised to each of those who wait
            self._fault = fault
        self._done.set()

    async def come(self, member: int, brought: Brought) -> Given:
        """Bring something, wait for the others, and get what is given for it."""
        if member not in self._expected:  # its index was replaced, and it asks again: the others went on
            raise IndexReplaced("the index was replaced meanwhile", hint="ask again")
        self._brought[member] = brought
        self.leave(member)
        await self._done.wait()
        if self._fault is not None:
            raise self._fault
        return self._given[member]

    def leave(self, member: int) -> None:
        """Do not wait for somebody any more."""
        self._expected.discard(member)
        if not self._expected:
            self._complete.set()

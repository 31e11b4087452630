"""Runs a coroutine to its end and hands over what it returns, for those who wait.

The loop itself returns nothing: when Python's asyncio puts Ctrl-C back, `signal` has the task spelt out, with
all that it returned, twice, and nobody reads it: hits are many, and long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

import anyio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


def run(function: Callable[[*Arguments], Awaitable[T]], *arguments: *Arguments) -> T:
    """Run a coroutine function in a loop of its own."""
    returned: list[T] = []

    async def keep() -> None:
        returned.append(await function(*arguments))

    anyio.run(keep)  # noqa: TID251 - it returns nothing
    return returned[0]

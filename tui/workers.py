"""Starts background workers in named groups, in which a newer one may replace the older.

What a screen shows is taken away before the screen and its workers are: an answer that comes in between finds
nothing to be shown in, which is no fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from textual.dom import DOMNode


def start_worker(
    node: DOMNode, work: Callable[[], Awaitable[None]], *, group: str, exclusive: bool = False
) -> None:
    """Start a worker that ends with its node; an exclusive one cancels the others of its group.

    Takes the function and not its coroutine: work that is replaced before it begins leaves nothing behind.
    """

    async def while_there() -> None:
        try:
            await work()
        except Exception:
            if node.display:  # false from the moment that it is to be taken away
                raise

    # Its declared types leave no room for a function that gives a coroutine without a result.
    node.run_worker(cast("Any", while_there), group=group, exclusive=exclusive)

"""Starts background workers in named groups, in which a newer one may replace the older."""

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
    # Its declared types leave no room for a function that gives a coroutine without a result.
    node.run_worker(cast("Any", work), group=group, exclusive=exclusive)

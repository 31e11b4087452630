"""Starts work beside the drawing: one group of work, of which a newer piece may replace the older."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from textual.dom import DOMNode


def begin(node: DOMNode, work: Callable[[], Awaitable[None]], *, group: str, exclusive: bool = False) -> None:
    """Start a piece of work.

    Takes the function and not its coroutine: work that is replaced before it begins leaves nothing behind.
    """
    # Its declared types leave no room for a function that gives a coroutine without a result.
    node.run_worker(cast("Any", work), group=group, exclusive=exclusive)

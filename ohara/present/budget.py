"""Counts tokens, and limits an answer to a budget of them: whole hits only, in order. Pure.

One counter for the command line and for agents. Each model has its own tokenizer, and none is loaded here:
three bytes of UTF-8 are taken for a token, which is about what code and diffs cost, and more than prose does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ohara.model import Hit

BYTES_A_TOKEN = 3


def tokens(text: str) -> int:
    """How many tokens a text is counted as: its bytes in UTF-8 by three, rounded up."""
    return -(-_size(text) // BYTES_A_TOKEN)


def within_budget(
    hits: Sequence[Hit], render: Callable[[Hit], str], *, budget: int, overhead: str = ""
) -> tuple[Hit, ...]:
    """The hits that fit, in order; a hit that does not fit is left out entirely."""
    return tuple(_fitting(hits, render, budget * BYTES_A_TOKEN - _size(overhead)))


def _fitting(hits: Sequence[Hit], render: Callable[[Hit], str], room: int) -> Iterator[Hit]:
    for hit in hits:
        taken = _size(render(hit)) + 1  # the line end, or the comma between two objects
        if taken <= room:
            room -= taken
            yield hit


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))

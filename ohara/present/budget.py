"""Limits an answer to a budget of tokens: whole hits only, in order. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ohara.model import Hit

CHARACTERS_A_TOKEN = 4  # what language models average over code and prose


def within_budget(
    hits: Sequence[Hit], render: Callable[[Hit], str], *, tokens: int, overhead: str = ""
) -> tuple[Hit, ...]:
    """The hits that fit, in order; a hit that does not fit is left out entirely."""
    return tuple(_fitting(hits, render, tokens * CHARACTERS_A_TOKEN - len(overhead)))


def _fitting(hits: Sequence[Hit], render: Callable[[Hit], str], room: int) -> Iterator[Hit]:
    for hit in hits:
        taken = len(render(hit)) + 1  # the line end, or the comma between two objects
        if taken <= room:
            room -= taken
            yield hit

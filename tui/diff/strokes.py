"""Lays styles over a line: stretches with priorities become runs of text, each with one style. Pure."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from rich.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.style import Style


class Stroke(NamedTuple):
    """A stretch of a line and the style laid over it; later strokes cover earlier ones."""

    start: int
    end: int
    style: Style


def painted(text: str, base: Style, strokes: Iterable[Stroke]) -> list[Segment]:
    """The text as segments."""
    laid = [stroke for stroke in strokes if stroke.start < stroke.end and stroke.start < len(text)]
    if not laid:
        return [Segment(text, base)] if text else []
    size = len(text)
    edges = sorted({0, size, *(min(max(edge, 0), size) for stroke in laid for edge in stroke[:2])})
    segments: list[Segment] = []
    for start, end in pairwise(edges):
        style = base
        for stroke in laid:
            if stroke.start <= start and end <= stroke.end:
                style += stroke.style
        segments.append(Segment(text[start:end], style))
    return segments

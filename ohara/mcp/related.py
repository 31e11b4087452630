"""The answer of related_changes: what changes together with a file, a symbol, lines or a commit. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.errors import UsageError
from ohara.mcp.diffs import clipped
from ohara.mcp.frame import checked, coverage, framed, note
from ohara.present.budget import tokens
from ohara.present.json import written
from ohara.present.related import related_lines, related_object
from ohara.present.text import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import IndexStatus, Related


def related_text(
    found: Related, status: IndexStatus, budget: int, *, now: float, remarks: Sequence[str] = ()
) -> str:
    """The closest companions that fit, as text."""
    shown, text = found, _text(found, found, status, now=now, remarks=remarks)
    while tokens(text) > budget and (shown.files or shown.symbols):
        shown = _fewer(shown)
        text = _text(found, shown, status, now=now, remarks=remarks)
    return checked(text, budget)


def related_json(found: Related, budget: int) -> str:
    """The same as one JSON object."""
    shown = found
    while (
        tokens(text := written(related_object(shown) | {"left_out": _count(found) - _count(shown)})) > budget
    ):
        if not _count(shown):
            raise UsageError(f"the answer does not fit into {budget:,} tokens", hint="raise budget")
        shown = _fewer(shown)
    return text


def _text(found: Related, shown: Related, status: IndexStatus, *, now: float, remarks: Sequence[str]) -> str:
    of = f"{found.commits:,} commits changed it"
    swept = f", {found.swept:,} of them left out as they changed too many files" if found.swept else ""
    head = [
        f"what changes together with the {found.kind} {clipped(found.subject, 200)} ({of}{swept})",
        coverage(status, now=now),
        *map(note, remarks),
        *map(note, found.notes),
    ]
    data = [f"  {clipped(line, 300)}" for line in related_lines(shown, Page(now=now))]
    left = _count(found) - _count(shown)
    tail = [f"left out for the budget: the {left} that change with it least: raise budget"] if left else []
    return framed(head, data, tail if data or tail else ["nothing changes together with it often enough"])


def _fewer(found: Related) -> Related:
    """Without the last companion of the longer list."""
    if len(found.symbols) >= len(found.files):
        return replace(found, symbols=found.symbols[:-1])
    return replace(found, files=found.files[:-1])


def _count(found: Related) -> int:
    return len(found.files) + len(found.symbols)

"""What changes together, as text for people and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.plural import counted
from ohara.present.style import Ink
from ohara.present.text import SHORT_SHA, wrapped
from ohara.present.times import ago, rfc3339
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ohara.model import Companion, Related
    from ohara.present.text import Page

_SHOWN_COMMITS = 3
_DIGITS = 4


def related_lines(found: Related, page: Page) -> list[str]:
    """What changes together with the subject: files, then symbols, each with its newest commits."""
    return [*_part(found.files, page), *_part(found.symbols, page, title="symbols")]


def _part(companions: Sequence[Companion], page: Page, title: str = "") -> Iterator[str]:
    if companions and title:
        yield page.style.ink(title, Ink.QUIET)
    for each in companions:
        name = f"{sanitize(each.path)} · {sanitize(each.symbol)}" if each.symbol else sanitize(each.path)
        yield from (page.style.ink(part, Ink.PATH) for part in wrapped(name, page, ""))
        lift = f" · {each.lift:.0f} times as often as elsewhere" if each.lift >= 2 else ""
        often = f"changed in {each.together:,} of the last {counted(each.of, 'commit')} that changed"
        for part in wrapped(f"{often} {sanitize(each.beside)}{lift}", page, "  "):
            yield f"  {page.style.ink(part, Ink.QUIET)}"
        for kin in each.commits[:_SHOWN_COMMITS]:
            sha = page.style.ink(kin.sha[:SHORT_SHA], Ink.COMMIT)
            when = ago(kin.time, now=page.now)
            first, *rest = wrapped(f"{when} · {sanitize(kin.subject) or '(no message)'}", page, " " * 13)
            yield f"  {sha} {first}"
            yield from (" " * 13 + part for part in rest)


def related_object(found: Related) -> dict[str, object]:
    """The same as an object."""
    return {
        "schema": 1,
        "subject": found.subject,
        "kind": found.kind,
        "commits": found.commits,
        "swept": found.swept,
        "files": [_companion(each) for each in found.files],
        "symbols": [_companion(each) for each in found.symbols],
        "notes": list(found.notes),
    }


def _companion(each: Companion) -> dict[str, object]:
    return {
        "path": each.path,
        "symbol": each.symbol,
        "beside": each.beside,
        "together": each.together,
        "of": each.of,
        "confidence": round(each.confidence, _DIGITS),
        "lift": round(each.lift, _DIGITS),
        "score": round(each.score, _DIGITS),
        "commits": [
            {"commit": kin.sha, "subject": kin.subject, "date": rfc3339(kin.time, 0)} for kin in each.commits
        ],
    }

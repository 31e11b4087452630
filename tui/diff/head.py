"""The rows above a hunk that say which commit it is from: subject, who, when, message, arrival. Pure."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING

from tui.cells import sanitize
from tui.diff.rows import Row, RowKind
from tui.formats import age, author_day, count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ohara.model import Arrival, CommitDetails, Hit

_LONGEST_BODY = 8  # lines: the hunk is what one came for
_LEAST_WIDTH = 20
_FULL_LINE = 45  # characters: a line that is shorter ends where its author ended it
_ITEM = re.compile(r"[-*+•>#|]|\d+[.)]|[\w-]+:\s")
_SHOWN_REFS = 4


def commit_head(hit: Hit, *, now: float, width: int, details: CommitDetails | None = None) -> list[Row]:
    """The rows; those that are known only with the details take the place that is kept for them."""
    commit, room = hit.commit, max(_LEAST_WIDTH, width - 2)
    subject, _, body = commit.message.strip("\n").partition("\n")
    rows = [Row(RowKind.TITLE, line, 0) for line in _wrapped(subject or "(no message)", room)]
    when = f"{author_day(commit)} ({_ago(commit.author_time, now)})"
    facts = (commit.sha[:10], sanitize(commit.author) or "(nobody)", when)
    rows.append(Row(RowKind.META, "\t".join(facts), 0))
    came_in = " · ".join(filter(None, (*_came_in(hit, details), _copies(hit))))
    rows.append(Row(RowKind.META, f"\t\t\t{came_in}", 0))
    lines = [each for line in _paragraphs(body) for each in _wrapped(line, room)]
    if any(lines):
        shown = lines if len(lines) <= _LONGEST_BODY else [*lines[: _LONGEST_BODY - 1], "…"]
        rows += [Row(RowKind.MESSAGE, line, 0) for line in (*shown, "")]
    return rows


def _paragraphs(body: str) -> list[str]:
    """The lines of a message, those of a paragraph joined: they are broken for another width."""
    joined: list[str] = []
    goes_on = False
    for line in body.strip("\n").rstrip().split("\n"):
        is_prose = bool(line) and not line[0].isspace() and not _ITEM.match(line)
        if goes_on and is_prose:
            joined[-1] += f" {line.rstrip()}"
        else:
            joined.append(line.rstrip())
        goes_on = len(line) > _FULL_LINE and not line[:1].isspace()
    return joined


def _ago(time: int, now: float) -> str:
    said = age(time, now=now)
    return "just now" if said == "now" else said if said == "soon" else f"{said} ago"


def _wrapped(line: str, room: int) -> list[str]:
    """A line of prose in as many as it takes; one that is indented is cut as it is drawn."""
    shown = sanitize(line.rstrip())
    if len(shown) <= room or shown[:1].isspace():
        return [shown]
    return wrap(shown, room, break_long_words=True, break_on_hyphens=False) or [""]


def _came_in(hit: Hit, details: CommitDetails | None) -> Iterator[str]:
    """The pull request, the first release, and the names that point at the commit."""
    if details is None:
        yield from arrival_words(hit.explained.arrival if hit.explained else None)
        return
    yield from arrival_words(details.arrival)
    yield from (sanitize(name) for name in details.refs[:_SHOWN_REFS])


def arrival_words(arrival: Arrival | None) -> list[str]:
    """The pull request that brought a commit in, and the first release that held it."""
    if arrival is None:
        return []
    pull = [f"#{arrival.pull}"] if arrival.pull is not None else []
    return [*pull, *([f"first in {sanitize(arrival.tag)}"] if arrival.tag else [])]


def _copies(hit: Hit) -> str:
    """Where the same change stands as well."""
    named = [f"{sanitize(copy.branches[0])} ({copy.sha[:8]})" for copy in hit.also_on if copy.branches]
    if not named:
        return ""
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    return f"also on {', '.join(named[:3])}{more}"


def section_words(shown: int, total: int, key: str) -> str:
    """What stands above the other hunks of a commit."""
    if total <= shown:
        return f"{count(total, 'more hunk')} in this commit"
    return f"{shown} of {count(total, 'more hunk')} in this commit; {key} shows all of it"

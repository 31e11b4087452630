"""What an explanation adds to a hit, as text: the commit's role, its message, and how it came in. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ohara.model import Role
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from ohara.model import Explained, Hit

SHORT_SHA = 10
MESSAGE_LINES = 6  # of a message's body in a list; a story has more
STORY_LINES = 40

_TRAILER = re.compile(
    r"[A-Za-z][A-Za-z-]*(?:-by|-Id|-id|-on|-to): .+|\(cherry picked from commit [0-9a-f]+\)"
)


def message_lines(hit: Hit, most: int) -> list[str]:
    """The body of a commit's message, without what programs add to it, and cut where it is long."""
    subject, _, body = hit.commit.message.strip().partition("\n")
    del subject
    lines = [line.rstrip() for line in body.strip("\n").split("\n")]
    while lines and (not lines[-1] or _TRAILER.fullmatch(lines[-1])):
        lines.pop()
    return lines if len(lines) <= most else [*lines[: most - 1], "…"]


def role_words(explained: Explained) -> str:
    """What the commit did to the lines, in words."""
    lines = _lines(explained.first, explained.last)
    old = _lines(explained.old_first, explained.old_last)
    match explained.role:
        case Role.BEGAN:
            return f"{lines or 'it'} began here"
        case Role.REMOVED:
            return f"removed {old or 'it'}"
        case Role.RENAMED:
            return "renamed the file"
        case Role.MOVED:
            return f"moved {lines} here from {sanitize(explained.moved_from or '')}"
        case Role.REFORMATTED:
            return f"reformatted {lines or 'it'}"
        case Role.CHANGED:
            return f"changed {lines or 'it'}"
        case Role.CUT_OFF:
            return "history is cut off here"


def arrival_words(explained: Explained) -> str:
    """How the commit came in: its pull request and merge, and the first release with it."""
    arrival = explained.arrival
    told = []
    if arrival.merge:
        told.append(f"merged in {arrival.merge[:SHORT_SHA]}: {sanitize(arrival.merge_subject)}")
    if arrival.pull is not None and f"#{arrival.pull}" not in arrival.merge_subject:
        told.append(f"pull request #{arrival.pull}")
    if arrival.tag:
        told.append(f"first in {sanitize(arrival.tag)}")
    return " · ".join(told)


def omitted_words(explained: Explained) -> str:
    """How many lines are left out of the excerpt; "" for none."""
    many = explained.omitted
    return f"{many:,} more {'line' if many == 1 else 'lines'}" if many else ""


def _lines(first: int, last: int) -> str:
    if not first:
        return ""
    return f"line {first}" if first == last else f"lines {first}-{last}"

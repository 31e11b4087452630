"""Formats numbers and times for the UI: short, rounded, the same everywhere. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ohara.model import Commit

_DAY = 86_400
_AGES = (
    ("y", 365.25 * _DAY),
    ("mo", 365.25 * _DAY / 12),
    ("w", 7 * _DAY),
    ("d", _DAY),
    ("h", 3_600),
    ("m", 60),
)


def age(moment: int, *, now: float) -> str:
    """How long ago in its largest unit, in at most four characters; a wrong clock's future is `soon`."""
    seconds = now - moment
    if seconds < -60:
        return "soon"
    for unit, length in _AGES:
        if seconds >= length:
            return f"{min(int(seconds // length), 99)}{unit}"
    return "now"


def day(moment: int, offset_minutes: int = 0) -> str:
    """The day of a moment, where it happened or else in UTC; an impossible one is shown as a number."""
    try:
        return datetime.fromtimestamp(moment, _zone(offset_minutes)).strftime("%Y-%m-%d")
    except (OverflowError, OSError, ValueError):
        return str(moment)


def moment(time: int, offset_minutes: int) -> str:
    """A moment as it was where it happened; an impossible zone is taken for UTC."""
    try:
        return datetime.fromtimestamp(time, _zone(offset_minutes)).strftime("%Y-%m-%d %H:%M %z")
    except (OverflowError, OSError, ValueError):
        return str(time)


def _zone(offset_minutes: int) -> timezone:
    return timezone(timedelta(minutes=offset_minutes)) if abs(offset_minutes) < 24 * 60 else UTC


def author_day(commit: Commit) -> str:
    """The day that a commit was written, where its author was."""
    return day(commit.author_time, commit.author_offset)


def count(number: int, singular: str, plural: str = "") -> str:
    """A number of things."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def size(number: int) -> str:
    """Bytes in the unit that suits."""
    amount = float(number)
    for unit in ("B", "KB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def duration(seconds: float) -> str:
    """A time to wait, rounded as one would say it."""
    if seconds < 1:
        return "a second"
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def milliseconds(elapsed_ms: float) -> str:
    """A short time."""
    return f"{elapsed_ms:.0f} ms" if elapsed_ms >= 1 else "<1 ms"


def seconds(elapsed_ms: float) -> str:
    """How long something took, as one would say it."""
    return f"{elapsed_ms / 1000:.1f} s" if elapsed_ms >= 95 else f"{max(1, round(elapsed_ms))} ms"


def ordinal(number: int) -> str:
    """A place in a row: 1st, 2nd, 3rd, 11th."""
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"

"""Formats numbers and times for the UI: short, rounded, the same everywhere. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

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


def day(moment: int) -> str:
    """The day of a moment, in UTC; an impossible one is shown as a number."""
    try:
        return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d")
    except (OverflowError, OSError, ValueError):
        return str(moment)


def moment(time: int, offset_minutes: int) -> str:
    """A moment as it was where it happened; an impossible zone is taken for UTC."""
    zone = timezone(timedelta(minutes=offset_minutes)) if abs(offset_minutes) < 24 * 60 else UTC
    try:
        return datetime.fromtimestamp(time, zone).strftime("%Y-%m-%d %H:%M %z")
    except (OverflowError, OSError, ValueError):
        return str(time)


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

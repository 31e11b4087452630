"""Formats times: relative for people ("3 days ago"), RFC 3339 for programs. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

_UNITS = (
    ("year", 365.25 * 86_400),
    ("month", 365.25 * 86_400 / 12),
    ("week", 7 * 86_400),
    ("day", 86_400),
    ("hour", 3_600),
    ("minute", 60),
)
_WHOLE_DAY_MINUTES = 24 * 60


def ago(moment: int, *, now: float) -> str:
    """How long ago a moment was, in its largest unit; a time in the future (a wrong clock) as a date."""
    seconds = now - moment
    if seconds < -60:
        return f"on {day(moment)}"
    for unit, length in _UNITS:
        count = int(seconds // length)
        if count >= 1:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def day(moment: int) -> str:
    """The day of a moment, in UTC."""
    return rfc3339(moment, 0)[:10]


def rfc3339(moment: int, offset_minutes: int) -> str:
    """A moment with its zone. Commits may claim any: an impossible zone becomes UTC, a year the nearest."""
    if abs(offset_minutes) >= _WHOLE_DAY_MINUTES:
        offset_minutes = 0
    zone = UTC if offset_minutes == 0 else timezone(timedelta(minutes=offset_minutes))
    try:
        written = datetime.fromtimestamp(moment, zone)
    except (OverflowError, OSError, ValueError):
        written = (
            datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC) if moment > 0 else datetime(1, 1, 1, tzinfo=UTC)
        )
    return written.isoformat(timespec="seconds").replace("+00:00", "Z")

"""Formats times: relative for people ("3 days ago"), as git's --date does, RFC 3339 for programs. Pure."""

from __future__ import annotations

import re
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

RELATIVE = "relative"
FORMAT = "format:"
_LOCAL = "local"

# As git writes them; "local" is git's default format in this machine's zone.
_STYLES = {
    "default": "%a %b %-d %H:%M:%S %Y {zone}",
    _LOCAL: "%a %b %-d %H:%M:%S %Y",
    "iso": "%Y-%m-%d %H:%M:%S {zone}",
    "iso8601": "%Y-%m-%d %H:%M:%S {zone}",
    "rfc": "%a, %-d %b %Y %H:%M:%S {zone}",
    "rfc2822": "%a, %-d %b %Y %H:%M:%S {zone}",
    "short": "%Y-%m-%d",
}
_OTHERS = (RELATIVE, "iso-strict", "iso8601-strict", "raw", "unix")
DATE_STYLES = (*_OTHERS, *_STYLES)
"""What may be asked for, beside `format:` and a pattern of strftime."""


def written_date(moment: int, offset_minutes: int, style: str, *, now: float) -> str:
    """A moment in one of the styles of git's --date, in its own zone."""
    match style:
        case "relative":
            return ago(moment, now=now)
        case "iso-strict" | "iso8601-strict":
            return rfc3339(moment, offset_minutes)
        case "unix":
            return str(moment)
        case "raw":
            return f"{moment} {_zone(offset_minutes)}"
        case "local":
            return _at(moment, None).strftime(_portable(_STYLES[_LOCAL], _at(moment, None)))
    when = _at(moment, offset_minutes)
    pattern = style.removeprefix(FORMAT) if style.startswith(FORMAT) else _STYLES[style]
    zone = _zone(offset_minutes)
    return when.strftime(_portable(pattern.replace("{zone}", zone), when))


def _portable(pattern: str, when: datetime) -> str:
    """The pattern without what the C library of some systems lacks: a day without its zero, an early year."""
    known = {"%-d": str(when.day), "%Y": f"{when.year:04}"}
    return _PAIRS.sub(lambda found: known.get(found[0], found[0]), pattern)


_PAIRS = re.compile("%-?.", re.DOTALL)


def _zone(offset_minutes: int) -> str:
    if abs(offset_minutes) >= _WHOLE_DAY_MINUTES:
        offset_minutes = 0
    sign = "-" if offset_minutes < 0 else "+"
    return f"{sign}{abs(offset_minutes) // 60:02}{abs(offset_minutes) % 60:02}"


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
    return _at(moment, offset_minutes).isoformat(timespec="seconds").replace("+00:00", "Z")


def _at(moment: int, offset_minutes: int | None) -> datetime:
    """A moment in a zone, or in this machine's; an impossible year becomes the nearest, in UTC."""
    if offset_minutes is not None and abs(offset_minutes) >= _WHOLE_DAY_MINUTES:
        offset_minutes = 0
    zone = UTC if not offset_minutes else timezone(timedelta(minutes=offset_minutes))
    try:
        when = datetime.fromtimestamp(moment, zone)
        return when if offset_minutes is not None else when.astimezone()
    except (OverflowError, OSError, ValueError):
        return datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC) if moment > 0 else datetime(1, 1, 1, tzinfo=UTC)

"""Parses dates as people write them: a day, a month, a time, or relative ("2 weeks ago").

Every form names a period: `since` takes its first second and `until` its last, so that `until:2024` includes
all of December. Counting back in days or longer gives whole days, so that a query means the same all day. A
date in the future is refused as a typing error: no commit could match it.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

from ohara.errors import QueryError
from ohara.records import dataclass

_HINT = 'write 2024, 2024-05, 2024-05-01, 2024-05-01T14:30, 3d, 2w, 1y, yesterday or "2 weeks ago"'

_DAY = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_MOMENT = re.compile(
    r"(\d{4}-\d{2}-\d{2})[t ](\d{2}:\d{2})(:\d{2})?(?:[.,]\d{1,9})?(?: ?(z|[+-]\d{2}:?\d{2}))?"
)
_AGO = re.compile(r"(\d{1,4}|an?|one)[ ._-]?(minute|hour|day|week|month|year)s?[ ._-]ago")
_SHORT = re.compile(r"(\d{1,4})(h|d|w|mo|y)")
_LAST = re.compile(r"last[ ._-](week|month|year)")
_UNITS = {"h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year"}


@dataclass(frozen=True, slots=True)
class Period:
    """A period by its first and its last second, both inclusive."""

    first: int
    last: int


def parse_date(value: str, *, now: int, tz: tzinfo | None = None, end: bool = False) -> int:
    """The first second of a date, or its last with `end`; without `tz` in the local time zone."""
    period = _period(value, now=now, tz=tz)
    if period.first > now:
        raise QueryError(f"{value!r} lies in the future", hint=f"name a day that has come: {_HINT}")
    return period.last if end else period.first


def render_date(moment: int, *, tz: tzinfo | None = None, end: bool = False) -> str:
    """The shortest date whose first (or with `end` last) second this is."""
    there = datetime.fromtimestamp(moment, tz)
    utc = datetime.fromtimestamp(moment, UTC)
    day = f"{there.year:04}-{there.month:02}-{there.day:02}"
    minute = utc.strftime("%Y-%m-%dT%H:%MZ")
    for candidate in (day[:4], day[:7], day, minute):
        period = _period(candidate, now=moment, tz=tz)
        if (period.last if end else period.first) == moment:
            return candidate
    return utc.strftime("%Y-%m-%dT%H:%M:%SZ")


def _period(value: str, *, now: int, tz: tzinfo | None) -> Period:
    text = " ".join(value.lower().split())
    today = datetime.fromtimestamp(now, tz)
    try:
        found = _calendar(text, tz) or _moment(text, tz) or _relative(text, today, tz)
    except (ValueError, OverflowError, OSError):
        found = None
    # Git counts seconds from 1970: an earlier date is a typing error.
    if found is None or found.last < 0:
        raise QueryError(f"{value!r} is not a date", hint=_HINT)
    return found


def _calendar(text: str, tz: tzinfo | None) -> Period | None:
    if not (named := _DAY.fullmatch(text)):
        return None
    year, month, day = named.groups()
    first = date(int(year), int(month or 1), int(day or 1))
    if day:
        return _day(first, tz)
    return _days(first, _months_before(first, -1 if month else -12), tz)


def _moment(text: str, tz: tzinfo | None) -> Period | None:
    if not (named := _MOMENT.fullmatch(text)):
        return None
    day, minute, second, zone = named.groups()
    moment = datetime.fromisoformat(f"{day}T{minute}{second or ''}{(zone or '').upper()}")
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=tz)
    first = int(moment.timestamp())
    return Period(first, first if second else first + 59)


def _relative(text: str, today: datetime, tz: tzinfo | None) -> Period | None:
    day = today.date()
    if text == "today":
        return _day(day, tz)
    if text == "yesterday":
        return _day(day - timedelta(days=1), tz)
    if named := _LAST.fullmatch(text):
        return _last(named[1], day, tz)
    if named := _AGO.fullmatch(text):
        count, unit = named.groups()
        return _before(int(count) if count.isdecimal() else 1, unit, today, tz)
    if named := _SHORT.fullmatch(text):
        return _before(int(named[1]), _UNITS[named[2]], today, tz)
    return None


def _last(unit: str, day: date, tz: tzinfo | None) -> Period:
    """The calendar week (from Monday), month or year before that of the day."""
    if unit == "week":
        this = day - timedelta(days=day.weekday())
        return _days(this - timedelta(days=7), this, tz)
    if unit == "month":
        this = day.replace(day=1)
        return _days(_months_before(this, 1), this, tz)
    return _days(date(day.year - 1, 1, 1), date(day.year, 1, 1), tz)


def _before(count: int, unit: str, today: datetime, tz: tzinfo | None) -> Period:
    if unit in {"minute", "hour"}:
        moment = int(today.timestamp()) - count * (60 if unit == "minute" else 3600)
        return Period(moment, moment)
    day = today.date()
    if unit in {"day", "week"}:
        day -= timedelta(days=count * (1 if unit == "day" else 7))
    else:
        day = _months_before(day, count * (1 if unit == "month" else 12))
    return _day(day, tz)


def _months_before(day: date, count: int) -> date:
    """The same day of an earlier month, or that month's last day where it is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 - count, 12)
    next_month = date(year + (month + 1) // 12, (month + 1) % 12 + 1, 1)
    return date(year, month + 1, min(day.day, (next_month - timedelta(days=1)).day))


def _day(day: date, tz: tzinfo | None) -> Period:
    return _days(day, day + timedelta(days=1), tz)


def _days(first: date, after: date, tz: tzinfo | None) -> Period:
    return Period(_midnight(first, tz), _midnight(after, tz) - 1)


def _midnight(day: date, tz: tzinfo | None) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=tz).timestamp())

"""The timeline: how many hits fall into each month or year, and the dates of each bar. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BLOCKS = "▁▂▃▄▅▆▇█"

_MONTHS_A_YEAR = 12
_FIRST_MONTH = 1970 * _MONTHS_A_YEAR  # git counts from there, and filters take no earlier date


@dataclass(frozen=True, slots=True)
class Bar:
    """A period and the number of hits in it; months count from year 0. The newest one `reaches_now`."""

    first_month: int
    months: int
    hits: int
    reaches_now: bool = False

    @property
    def since(self) -> str:
        """The date its first day is, as `since:` takes it."""
        return _named(self.first_month, self.months)

    @property
    def until(self) -> str:
        """The date its last day is, as `until:` takes it; nothing for the newest, which has not ended."""
        return "" if self.reaches_now else self.end

    @property
    def end(self) -> str:
        """Its end for people to read."""
        if self.months in {1, _MONTHS_A_YEAR}:
            return self.since
        return "today" if self.reaches_now else _named(self.first_month + self.months - 1, 1)

    def overlaps(self, months: range) -> bool:
        """Whether some of these months are in it."""
        return self.first_month < months.stop and months.start < self.first_month + self.months

    @property
    def label(self) -> str:
        """The period for people to read."""
        return self.since if self.since == self.end else f"{self.since} to {self.end}"


def bars(moments: Iterable[int], width: int, *, now: float) -> tuple[Bar, ...]:
    """Bars from the first hit to the last, each as short as fits: a month, a quarter, a year or more.

    What a wrong clock dated into the future stands in the bar of today, which has no end and so finds it.
    """
    months = sorted(_month(moment, now=now) for moment in moments)
    if not months or width < 1:
        return ()
    for length in (1, 3, _MONTHS_A_YEAR, 5 * _MONTHS_A_YEAR, 10 * _MONTHS_A_YEAR):
        first, last = months[0] // length, months[-1] // length
        if last - first + 1 <= width:
            break
    counts = [0] * (last - first + 1)
    for month in months:
        counts[month // length - first] += 1
    found = tuple(_bar((first + at) * length, length, hits, now=now) for at, hits in enumerate(counts))
    return found[-width:]


def months_between(since: int | None, until: int | None, *, now: float) -> range:
    """The months in which hits may lie that were made between these moments."""
    first = _FIRST_MONTH if since is None else _month(since, now=now)
    return range(first, _month(int(now) if until is None else until, now=now) + 1)


def beside(found: Sequence[Bar], here: int | None, by: int, *, uncounted: range, now: float) -> Bar | None:
    """The next bar, earlier or later, in which there are hits or, in `uncounted` months, may be some.

    In these months it may also lie before the first of the bars or after the last.
    """
    at = (len(found) if here is None else here) + by
    while 0 <= at < len(found):
        if found[at].hits or found[at].overlaps(uncounted):
            return found[at]
        at += by
    if not found:
        return None
    edge = found[0] if by < 0 else found[-1]
    beyond = _bar(edge.first_month + by * edge.months, edge.months, 0, now=now)
    return beyond if beyond.overlaps(uncounted) else None


def reaching(found: Sequence[Bar], bar: Bar, width: int, *, now: float) -> tuple[Bar, ...]:
    """The bars, with empty ones as far as one that lies beyond them; as many as fit, that one among them."""
    if not found or bar.months != found[0].months:
        return tuple(found)
    before = range(bar.first_month, found[0].first_month, bar.months)
    after = range(found[-1].first_month + bar.months, bar.first_month + 1, bar.months)
    earlier, later = ([_bar(first, bar.months, 0, now=now) for first in each] for each in (before, after))
    return (*earlier, *found)[:width] if earlier else (*found, *later)[-width:]


def _bar(first_month: int, months: int, hits: int, *, now: float) -> Bar:
    return Bar(first_month, months, hits, reaches_now=first_month + months > _month(int(now), now=now))


def _month(moment: int, *, now: float) -> int:
    """The month of a moment where the user is: dates of filters are read there as well."""
    there = datetime.fromtimestamp(min(max(0, moment), now), UTC).astimezone()
    return max(_FIRST_MONTH, there.year * _MONTHS_A_YEAR + there.month - 1)


def _named(month: int, months: int) -> str:
    year, within = divmod(month, _MONTHS_A_YEAR)
    return f"{year:04}" if months == _MONTHS_A_YEAR else f"{year:04}-{within + 1:02}"

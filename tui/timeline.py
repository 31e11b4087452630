"""The timeline: how many hits fall into each month or year, and the dates of each bar. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

BLOCKS = "▁▂▃▄▅▆▇█"

_MONTHS_A_YEAR = 12
_GIT_BEGAN = 1970


@dataclass(frozen=True, slots=True)
class Bar:
    """A period and the number of hits in it; months count from year 0."""

    first_month: int
    months: int
    hits: int

    @property
    def since(self) -> str:
        """The date its first day is, as `since:` takes it."""
        return _named(self.first_month, self.months)

    @property
    def until(self) -> str:
        """The date its last day is, as `until:` takes it."""
        last = self.first_month + self.months - 1
        return _named(self.first_month, self.months) if self.months in {1, 12} else _named(last, 1)

    @property
    def label(self) -> str:
        """The period for people to read."""
        return self.since if self.since == self.until else f"{self.since} to {self.until}"


def bars(moments: Iterable[int], width: int) -> tuple[Bar, ...]:
    """Bars from the first hit to the last, each as short as fits: a month, a quarter, a year or more."""
    months = sorted(_month(moment) for moment in moments)
    if not months or width < 1:
        return ()
    for length in (1, 3, _MONTHS_A_YEAR, 5 * _MONTHS_A_YEAR, 10 * _MONTHS_A_YEAR):
        first, last = months[0] // length, months[-1] // length
        if last - first + 1 <= width:
            break
    counts = [0] * (last - first + 1)
    for month in months:
        counts[month // length - first] += 1
    found = tuple(Bar((first + at) * length, length, hits) for at, hits in enumerate(counts))
    return found[-width:]


def _month(moment: int) -> int:
    try:
        there = datetime.fromtimestamp(moment, UTC)
    except (OverflowError, OSError, ValueError):
        return _GIT_BEGAN * _MONTHS_A_YEAR
    return there.year * _MONTHS_A_YEAR + there.month - 1


def _named(month: int, months: int) -> str:
    year, within = divmod(month, _MONTHS_A_YEAR)
    return f"{year:04}" if months == _MONTHS_A_YEAR else f"{year:04}-{within + 1:02}"

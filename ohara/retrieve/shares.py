"""Changes that wait to be looked at, divided among parsers by files: the newest first, in all files alike."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.retrieve.sought_code import Compared

_WORTH_SHARING = 200  # changes: another parser takes as long to start as some of these
_MOST_AHEAD = 500  # changes that one parser looks at before another has looked at what is newer


class Waiting(NamedTuple):
    """Contents that are to be compared, a file that held them, and where they are in the order of time."""

    compared: Compared
    path: str
    place: int


class Shares:
    """What is left for each parser; each share belongs to one thread."""

    def __init__(self, waiting: Iterable[tuple[Compared, str]], most: int = 1) -> None:
        ordered = [Waiting(compared, path, place) for place, (compared, path) in enumerate(waiting)]
        self._shares = [ordered] if most < 2 or len(ordered) < _WORTH_SHARING else _by_files(ordered, most)

    @property
    def count(self) -> int:
        """How many parsers have something to do."""
        return len(self._shares)

    def waiting(self) -> list[Waiting]:
        """All that is left."""
        return [each for share in self._shares for each in share]

    def next(self, share: int) -> list[Waiting]:
        """What is left for a parser; whoever looks at some of it takes it away."""
        return self._shares[share]

    def is_ahead(self, share: int) -> bool:
        """True when a share should wait for another, which has older changes to come."""
        first = min((each[0].place for each in self._shares if each), default=0)
        return bool(self._shares[share]) and self._shares[share][0].place > first + _MOST_AHEAD


def _by_files(waiting: list[Waiting], most: int) -> list[list[Waiting]]:
    """Shares of about the same size; all changes of a file are in one."""
    sizes = [0] * most
    share_of: dict[str, int] = {}
    for path, size in Counter(each.path for each in waiting).most_common():
        share_of[path] = share = sizes.index(min(sizes))
        sizes[share] += size
    shares: list[list[Waiting]] = [[] for _ in range(most)]
    for each in waiting:
        shares[share_of[each.path]].append(each)
    return [share for share in shares if share]

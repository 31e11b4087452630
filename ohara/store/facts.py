"""What an index knows about itself, by name: each fact has a type, and a value before anybody wrote it.

An engine stores them as JSON under their names; what is there and does not fit counts as nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ohara.model import LastRun, Sha

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fact(Generic[T]):
    """One fact: how it is called in the index, and what a stored value says."""

    name: str
    read: Callable[[object], T]


class KnowsFacts(Protocol):
    """An index that can be asked for facts."""

    def fact(self, fact: Fact[T]) -> T:
        """What is stored, or what holds when nothing is."""
        ...


@dataclass(frozen=True, slots=True)
class RefsAsked:
    """Which refs somebody asked to be indexed."""

    names: tuple[str, ...]
    all_refs: bool


def _tips(stored: object) -> dict[str, Sha]:
    return {str(ref): Sha(str(sha)) for ref, sha in stored.items()} if isinstance(stored, dict) else {}


def _number(stored: object) -> int:
    return stored if isinstance(stored, int) else 0


def _number_if_any(stored: object) -> int | None:
    return stored if isinstance(stored, int) else None


def _text(stored: object) -> str:
    return stored if isinstance(stored, str) else ""


def _mapping(stored: object) -> Mapping[str, object]:
    return stored if isinstance(stored, dict) else {}


def _refs(stored: object) -> RefsAsked | None:
    if not isinstance(stored, dict):
        return None
    return RefsAsked(tuple(str(name) for name in stored["names"]), bool(stored["all"]))


def _last_run(stored: object) -> LastRun | None:
    if not isinstance(stored, dict):
        return None
    return LastRun(
        started=int(stored["started"]),
        elapsed_s=float(stored["elapsed_s"]),
        outcome=str(stored["outcome"]),
        scheduled=bool(stored["scheduled"]),
    )


REFS = Fact("refs", _refs)  # what was asked for
TIPS = Fact("tips", _tips)  # what the refs pointed at when last looked
COMPLETE = Fact("complete", _tips)  # the tips whose every commit is indexed, or recorded as failed
TOTAL = Fact("total", _number_if_any)  # how many commits they reach, without those that a setting leaves out
SINCE = Fact("since", _text)  # that setting, index.since
OLDER = Fact("older", _number)  # how many it leaves out
GRAFTS = Fact("grafts", _mapping)  # where history was not what its objects say
LAST_RUN = Fact("last_run", _last_run)  # how the newest run went

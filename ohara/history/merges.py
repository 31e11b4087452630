"""Which merge brought each commit into the line of history that it was merged into. Pure.

The line of a branch is the chain of first parents from its tip. Every other commit that the tip leads to came
in by one merge of that line: the oldest that leads to it. What came in has lines of its own, with merges of
their own: those of other pull requests are told apart, the rest belongs to what it was merged into.
"""

from __future__ import annotations

import re
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from ohara.history.mentions import requests_of, subject_of
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


class MergeKind(Enum):
    """What a merge says that it is: of a pull request, of a branch with some work, of nothing but news."""

    REQUEST = "request"
    TOPIC = "topic"
    SYNC = "sync"


@dataclass(frozen=True, slots=True)
class Brought:
    """A merge and the commits that it brought in, without those that belong to merges among them."""

    merge: int
    commits: tuple[int, ...]


_MERGED = re.compile(r"\AMerge (?:remote(?:-tracking)? )?branch(?:es)? (.+?)(?: of (\S+))?(?: into (\S+))?\Z")
_NAME = re.compile(r"'([^']+)'")
_MERGES_SOMETHING = re.compile(r"\A(?:auto-?)?merg(?:e[ds]?|ing)\b", re.IGNORECASE)
# Branches that hold the work of many: merging one brings news, and no piece of work.
_LONG_LIVED = re.compile(
    r"(?:\A|/)(?:master|main|trunk|default|head|develop|development|dev|devel|next|unstable|stable|staging"
    r"|testing|features?)\Z|(?:\A|[/v_-])[0-9]+(?:\.[0-9x]+)+(?:\Z|[._/-])|release|maint",
    re.IGNORECASE,
)


def is_long_lived(name: str) -> bool:
    """True for the name of a branch that holds the work of many."""
    return _LONG_LIVED.search(name) is not None


def kind_of(message: str) -> MergeKind:
    """What a merge's message says that it is."""
    if requests_of(message):
        return MergeKind.REQUEST
    subject = subject_of(message)
    if not (branch := _MERGED.match(subject)):
        return MergeKind.SYNC if _MERGES_SOMETHING.match(subject) or not subject else MergeKind.TOPIC
    into = (branch.group(3) or "").strip("'")
    names = _NAME.findall(branch.group(1))
    news = [name for name in names if is_long_lived(name) or name.rpartition("/")[2] == into]
    return MergeKind.TOPIC if len(names) > len(news) else MergeKind.SYNC


@dataclass(slots=True)
class _Line:
    """A chain of first parents, newest first, the merge that brought it in, and the line of that merge."""

    commits: list[int]
    merge: int | None = None
    into: _Line | None = None
    folded: list[int] = field(default_factory=list)


def brought_in(
    parents: Mapping[int, Sequence[int]], tips: Iterable[int], kind: Callable[[int], MergeKind], *, most: int
) -> list[Brought]:
    """What each merge brought in, of those that say they brought in work: `most` commits or fewer.

    `parents` holds the known parents of every commit, the first one first. Tips come in their order: what
    several of them lead to came in by a merge of the first.
    """
    found: list[Brought] = []
    apart: set[int] = set()  # merges within what others brought in, with threads of their own
    for line in reversed(_lines(parents, tips)):  # what was merged into a line comes before the line
        if line.merge is None or line.into is None:
            continue
        said = kind(line.merge)
        commits = [*(each for each in line.commits if each not in apart), *line.folded]
        is_inside = line.into.merge is not None
        if said is MergeKind.SYNC or len(commits) > most:
            continue
        if is_inside and said is MergeKind.TOPIC:
            line.into.folded += commits
        elif commits:
            found.append(Brought(line.merge, tuple(commits)))
            apart.add(line.merge)
    return found[::-1]


def _lines(parents: Mapping[int, Sequence[int]], tips: Iterable[int]) -> list[_Line]:
    """Every commit in the one line that it belongs to; a line comes after the one it was merged into."""
    seen: set[int] = set()
    lines: list[_Line] = []
    for tip in tips:
        waiting: list[tuple[int, int | None, _Line | None]] = [(tip, None, None)]
        while waiting:
            at, merge, into = waiting.pop()
            line = _Line(_chain(parents, at, seen), merge, into)
            if line.commits:
                lines.append(line)
                sides = ((side, each) for each in line.commits for side in reversed(parents[each][1:]))
                # The last is taken next: of the oldest merge, and of that all, before the merge after it.
                waiting += [(side, each, line) for side, each in sides]
    return lines


def _chain(parents: Mapping[int, Sequence[int]], tip: int, seen: set[int]) -> list[int]:
    """The chain of first parents from a commit to what was seen, newest first; it is seen then."""
    chain: list[int] = []
    at: int | None = tip
    while at is not None and at in parents and at not in seen:
        seen.add(at)
        chain.append(at)
        at = parents[at][0] if parents[at] else None
    return chain

"""How commits came into history: the merge that brought each one, and the first tag that held it. Pure.

A merge brought in a commit when it is the first to join the commit's own line to another: of nested merges
the innermost, which is the one of its pull request. One sweep over history answers for all commits, from the
main line of a tip outwards; another one, from the oldest tag to the newest, says which tag held a commit
first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ohara.store.graph import CommitGraph

NONE = -1
_MOST_OUTSIDE = 100_000  # commits of tags that are not indexed: a second or two
_UNSEEN = -2

# A release is a tag with a version number in it, and no word for what comes before a release.
_VERSION = re.compile(r"\d+(?:[._-]\d+)+|[vV]\d+$|(?:^|[^\d])\d{2,}$")
_BEFORE_RELEASE = re.compile(
    r"(?:^|[\d._+-])(?:dev|a|alpha|b|beta|c|rc|pre|preview|snapshot|nightly|canary|m)[._-]?\d*(?:$|[._+-])",
    re.IGNORECASE,
)

_PULL = (
    re.compile(r"\AMerge pull request #(\d{1,9})\b"),
    re.compile(r"\AMerged? (?:PR|MR) [#!]?(\d{1,9})\b"),
    re.compile(r"\A[^\n]*\((?:PR |MR |pull request )?[#!](\d{1,9})\)\s*$", re.MULTILINE),
    re.compile(r"^See merge request \S*!(\d{1,9})$", re.MULTILINE),
    re.compile(r"\(pull request #(\d{1,9})\)"),
)


@dataclass(frozen=True, slots=True)
class Arrivals:
    """For each commit by position: the merge that brought it (NONE on the main line), and its first tag."""

    merges: Sequence[int]
    tags: Sequence[str | None]


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag, the commit that it leads to, and when that was committed."""

    name: str
    sha: bytes
    time: int


def arrivals(
    graph: CommitGraph, head: int | None, tags: Iterable[Tag], parents: Callable[[bytes], Iterable[bytes]]
) -> Arrivals:
    """What brought in every commit that a tip leads to, and the first of the tags that held it.

    `parents` names those of a commit that is not indexed: tags may stand on branches that are not.
    """
    return Arrivals(_brought(graph, head), _first_tags(graph, tags, parents))


def pull_request(message: str) -> int | None:
    """The number of the pull request that a merge's or a squashed commit's message names."""
    first_line = message.strip().split("\n", 1)[0]
    for form in _PULL:
        found = form.search(first_line) or (form.search(message) if form.flags & re.MULTILINE else None)
        if found:
            return int(found[1])
    return None


def is_release(tag: str) -> bool:
    """True for the name of a version that is not one before its release."""
    name = tag.rsplit("/", 1)[-1]
    return bool(_VERSION.search(name)) and not _BEFORE_RELEASE.search(name)


def _brought(graph: CommitGraph, head: int | None) -> list[int]:
    if head is None:
        return [NONE] * len(graph.parents)
    merges = [_UNSEEN] * len(graph.parents)
    # Each chain of first parents is gone through from its oldest commit; a merge's other parents come first.
    waiting: list[tuple[list[int], int]] = [(_chain(graph, merges, head), NONE)]
    while waiting:
        chain, merge = waiting[-1]
        if not chain:
            waiting.pop()
            continue
        at = chain.pop()
        if merges[at] != _UNSEEN:
            continue  # another parent of the same merge led here first
        merges[at] = merge
        waiting += [
            (_chain(graph, merges, parent), at)
            for parent in reversed(graph.parents[at][1:])
            if parent >= 0 and merges[parent] == _UNSEEN
        ]
    return [NONE if merge == _UNSEEN else merge for merge in merges]


def _chain(graph: CommitGraph, merges: Sequence[int], tip: int) -> list[int]:
    """First parents that were not gone through, from a tip to the oldest."""
    chain: list[int] = []
    at = tip
    while at >= 0 and merges[at] == _UNSEEN:
        chain.append(at)
        at = graph.parents[at][0] if graph.parents[at] else NONE
    return chain


def _first_tags(
    graph: CommitGraph, tags: Iterable[Tag], parents: Callable[[bytes], Iterable[bytes]]
) -> list[str | None]:
    found: list[str | None] = [None] * len(graph.parents)
    passed: set[bytes] = set()
    for tag in sorted(tags, key=lambda tag: (not is_release(tag.name), tag.time, tag.name)):
        waiting = [tag.sha]
        while waiting:
            sha = waiting.pop()
            if (at := graph.position.get(sha)) is not None:
                _hold(graph, found, tag.name, at)
            elif sha not in passed and len(passed) < _MOST_OUTSIDE:
                passed.add(sha)
                waiting += parents(sha)
    return found


def _hold(graph: CommitGraph, found: list[str | None], tag: str, at: int) -> None:
    """Give a tag everything that a commit leads to and no earlier tag held."""
    waiting = [at]
    while waiting:
        here = waiting.pop()
        if here >= 0 and found[here] is None:
            found[here] = tag
            waiting += graph.parents[here]

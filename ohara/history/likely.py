"""What likely belongs together: an author's commits of a few days that change the same rare files or symbols.

Two commits that are each known to be part of some pull request are never guessed together: where they belong
is known. Pure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from ohara.history.reasons import Link, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ohara.history.reasons import Node

# Measured on pytest with merges hidden (docs/threads.md): a week finds a tenth more, and is wrong more often.
_APART_S = 3 * 86_400
# The share of commits that may change a file, or touch a symbol, that says anything: at 2 % half is wrong.
_RARE_FILE = 0.005
_RARE_SYMBOL = 0.0025
_FEWEST = 10  # of few commits a share says nothing
_SHARED_FILES = 0.5  # of the rare files of the one that has fewer
_SWEEP = 30  # a commit of more files is about none of them
_NEXT = 8  # of an author's commits are looked at: more would make no thread longer, links follow each other

_KNOWN = frozenset({Reason.MERGE, Reason.REQUEST})


def likely_links(nodes: Sequence[Node], certain: Iterable[Link]) -> list[Link]:
    """The links that are only likely."""
    known = {commit for link in certain if link.reason in _KNOWN for commit in link.commits}
    files = _rare((node.paths for node in nodes), len(nodes), _RARE_FILE)
    symbols = _rare((node.symbols for node in nodes), len(nodes), _RARE_SYMBOL)
    by_author: dict[int, list[Node]] = defaultdict(list)
    for node in nodes:
        if len(node.parents) < 2 and 0 < len(node.paths) <= _SWEEP:
            by_author[node.author].append(node)
    return [
        Link(Reason.LIKELY, (one.id, other.id))
        for own in by_author.values()
        for one, other in _near(sorted(own, key=lambda node: (node.author_time, node.sha)))
        if not (one.id in known and other.id in known) and _is_same_work(one, other, files, symbols)
    ]


def _near(own: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
    for place, one in enumerate(own):
        for other in own[place + 1 : place + 1 + _NEXT]:
            if other.author_time - one.author_time > _APART_S:
                break
            yield one, other


def _is_same_work(one: Node, other: Node, files: Mapping[int, int], symbols: Mapping[int, int]) -> bool:
    first, second = ({path for path in node.paths if path in files} for node in (one, other))
    shared = len(first & second)
    if shared and shared >= _SHARED_FILES * min(len(first), len(second)):
        return True
    return any(symbol in symbols for symbol in set(one.symbols).intersection(other.symbols))


def _rare(each: Iterable[Sequence[int]], commits: int, share: float) -> dict[int, int]:
    """What few commits have, and how many."""
    most = max(_FEWEST, round(commits * share))
    counts = Counter(thing for things in each for thing in things)
    return {thing: count for thing, count in counts.items() if count <= most}

"""The links that are certain: what messages say, what merges brought in, which changes are equal. Pure."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ohara.history.mentions import mentions, subject_of
from ohara.history.merges import brought_in, kind_of
from ohara.history.reasons import Link, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ohara.history.mentions import Mentions
    from ohara.history.reasons import Node

# A number or a patch that more commits share is no longer one piece of work.
MOST_SHARING = 30
# A merge that brought in more is a line of development.
MOST_BROUGHT = 100

_SHORTEST = 7  # digits of a hash that people write


def certain_links(nodes: Sequence[Node], tips: Sequence[int]) -> list[Link]:
    """All links that messages, merges and equal changes make, the surest first."""
    said = {node.id: mentions(node.message) for node in nodes}
    links = [
        *_picked(nodes, said),
        *_shared(Reason.SAME_PATCH, ((node.patch, node.id) for node in nodes if node.patch)),
        *_shared(Reason.SAME_CHANGE, _changes(nodes)),
        *_by_subject(nodes, said),
        *_merged(nodes, tips),
        *_shared(Reason.REQUEST, ((number, at) for at, each in said.items() for number in each.requests)),
        *_shared(
            Reason.ISSUE,
            ((number, at) for at, each in said.items() for number in {*each.issues, *each.requests}),
        ),
    ]
    return sorted(links, key=lambda link: link.reason)


def _picked(nodes: Sequence[Node], said: Mapping[int, Mentions]) -> Iterator[Link]:
    """Commits that name another by its hash."""
    resolve = _Hashes(nodes)
    for node in nodes:
        each = said[node.id]
        for reason, hashes in (
            (Reason.PICKED, each.picked),
            (Reason.REVERT, each.reverts),
            (Reason.FIX, each.fixes),
        ):
            for sha in hashes:
                other = resolve(sha)
                if other is not None and other != node.id:
                    yield Link(reason, (other, node.id))


class _Hashes:
    """Finds commits by the beginning of their hash, where that means one commit."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._by_start: dict[str, list[Node]] = defaultdict(list)
        for node in nodes:
            self._by_start[node.sha[:_SHORTEST]].append(node)

    def __call__(self, sha: str) -> int | None:
        found = [node.id for node in self._by_start.get(sha[:_SHORTEST], ()) if node.sha.startswith(sha)]
        return found[0] if len(found) == 1 else None


def _shared(reason: Reason, keys: Iterable[tuple[object, int]]) -> Iterator[Link]:
    """Commits that share a key, unless too many do."""
    sharing: dict[object, list[int]] = defaultdict(list)
    for key, commit in keys:
        sharing[key].append(commit)
    for commits in sharing.values():
        if 1 < len(commits) <= MOST_SHARING:
            yield Link(reason, tuple(commits))


def _changes(nodes: Iterable[Node]) -> Iterator[tuple[object, int]]:
    """A change that is picked or rebased keeps its author, the second it was written at and its subject."""
    for node in nodes:
        if len(node.parents) < 2 and (subject := subject_of(node.message)):
            yield (node.author, node.author_time, subject), node.id


def _by_subject(nodes: Sequence[Node], said: Mapping[int, Mentions]) -> Iterator[Link]:
    """Reverts and fixups that name a commit by its subject: the last one before them that has it."""
    last: dict[str, int] = {}
    for node in nodes:
        each = said[node.id]
        for reason, subject in ((Reason.REVERT, each.reverted_subject), (Reason.FIX, each.fixed_subject)):
            named = reason is Reason.REVERT and each.reverts
            if subject and not named and (other := last.get(subject)) is not None:
                yield Link(reason, (other, node.id))
        last[subject_of(node.message)] = node.id


def _merged(nodes: Sequence[Node], tips: Sequence[int]) -> Iterator[Link]:
    parents = {node.id: node.parents for node in nodes}
    messages = {node.id: node.message for node in nodes}
    for brought in brought_in(parents, tips, lambda merge: kind_of(messages[merge]), most=MOST_BROUGHT):
        yield Link(Reason.MERGE, (brought.merge, *brought.commits))

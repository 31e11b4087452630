"""Commits that make the same change, and the branches that each of them is on. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ohara.history.reasons import Node

_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_MOST_NAMED = 8  # branches of one commit: the shortest names


class Copied(NamedTuple):
    """One of several commits that make the same change, and some of the branches that lead to it."""

    commit: int
    branches: tuple[str, ...]


def on_branches(
    nodes: Sequence[Node], tips: Mapping[str, str], copies: Iterable[Sequence[int]]
) -> list[tuple[Copied, ...]]:
    """Copies with the branches that lead to each, the shortest names first; commits come oldest first."""
    names = branch_names(tips)
    reached = _reached(nodes, names)
    order = sorted(names, key=lambda name: (len(name), name))
    bits = {name: 1 << place for place, name in enumerate(names)}
    return [
        tuple(
            Copied(commit, tuple(name for name in order if reached[commit] & bits[name])[:_MOST_NAMED])
            for commit in each
        )
        for each in copies
    ]


def branch_names(tips: Mapping[str, str]) -> dict[str, str]:
    """The branches among refs, as people name them, and their commits; one that is here and there once."""
    local = {ref.removeprefix(_HEADS): sha for ref, sha in tips.items() if ref.startswith(_HEADS)}
    remote = {
        name: sha
        for ref, sha in tips.items()
        if ref.startswith(_REMOTES)
        and (name := ref.removeprefix(_REMOTES).partition("/")[2]) not in {"", "HEAD"}
    }
    return {**remote, **local}


def _reached(nodes: Sequence[Node], tips: Mapping[str, str]) -> dict[int, int]:
    """For each commit one bit for each tip that leads to it."""
    ids = {node.sha: node.id for node in nodes}
    reached = dict.fromkeys((node.id for node in nodes), 0)
    parents = {node.id: node.parents for node in nodes}
    for place, sha in enumerate(tips.values()):
        if sha in ids:
            reached[ids[sha]] |= 1 << place
    waiting = [commit for commit, bits in reached.items() if bits]
    for node in reversed(nodes):
        _pass_on(node.id, parents, reached, waiting)
    while waiting:  # what a wrong clock put out of order
        _pass_on(waiting.pop(), parents, reached, waiting)
    return reached


def _pass_on(
    commit: int, parents: Mapping[int, Sequence[int]], reached: dict[int, int], waiting: list[int]
) -> None:
    bits = reached[commit]
    for parent in parents[commit]:
        if parent in reached and bits | reached[parent] != reached[parent]:
            reached[parent] |= bits
            waiting.append(parent)

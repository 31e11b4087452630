"""Walks history, newest first, and reads commits.

The order is `git log`'s: by committer time, among the commits that a tip or an already seen child leads
to. Commits stream: the first comes before the rest has been looked at. History ends quietly where a
shallow clone or a lost object ends it; a caller can pass a set that collects what was missing.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final, NamedTuple

import pygit2

from ohara.errors import RepositoryError
from ohara.git import commits
from ohara.model import Commit, Sha

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ohara.git.repo import Repository

# Hidden history is followed this far past the oldest wanted commit, in case clocks ran backwards.
_CLOCK_SLACK_S: Final = 24 * 3600
_CLOCK_SLACK_COMMITS: Final = 64
_ID_BYTES: Final = 20

KnownLinks = tuple[int, bytes]
"""A commit's committer time and the raw ids of its parents, one after the other, as grafts have them."""


def walk(
    repo: Repository,
    tips: Iterable[Sha],
    *,
    hide: Iterable[Sha] = (),
    missing: set[str] | None = None,
    known: Mapping[bytes, KnownLinks] | None = None,
) -> Iterator[tuple[Sha, int]]:
    """Yields each commit reachable from the tips, with its committer time, newest first.

    Commits whose links are `known` are not read: what an index has of them is ten times as quick.

    Commits reachable from `hide` are left out; ids there that no longer exist are ignored. Where clocks
    ran backwards by more than a day, some hidden commits may be yielded all the same: never too few.
    """
    frontier = _Frontier(repo, set() if missing is None else missing, known or {})
    hidden = [bytes.fromhex(sha) for sha in hide]
    for oid in hidden:
        frontier.hide(oid)
    for oid in hidden:
        frontier.add(oid)
    for sha in tips:
        frontier.add(bytes.fromhex(sha))
    return _limited(frontier) if hidden else _streamed(frontier)


def read_commit(repo: Repository, sha: Sha) -> Commit:
    """Reads who made a commit, when, and why."""
    oid = bytes.fromhex(sha)
    data = repo.objects.commit(oid)
    links = commits.links(data) if data is not None else None
    if data is None or links is None:
        raise RepositoryError(f"commit {sha} is missing or damaged", hint="run: git fsck")
    return commits.parse(sha, repo.grafts.parents.get(oid, links.parents), data)


def _streamed(frontier: _Frontier) -> Iterator[tuple[Sha, int]]:
    while node := frontier.pop():
        frontier.forget(node)
        yield Sha(node.oid.hex()), node.time
        for parent in node.parents:
            frontier.add(parent)


def _limited(frontier: _Frontier) -> Iterator[tuple[Sha, int]]:
    """Collects before it yields, since a commit may turn out to be hidden after it was reached."""
    wanted: list[_Node] = []
    slack = _CLOCK_SLACK_COMMITS
    while node := frontier.pop():
        if frontier.is_hidden(node.oid):
            if not frontier.is_wanted:
                slack -= 1
                if slack < 0 and (not wanted or node.time < wanted[-1].time - _CLOCK_SLACK_S):
                    break
            for parent in node.parents:
                frontier.hide(parent)
        else:
            wanted.append(node)
        for parent in node.parents:
            frontier.add(parent)
    for node in wanted:
        if not frontier.is_hidden(node.oid):
            yield Sha(node.oid.hex()), node.time


class _Node(NamedTuple):
    time: int
    oid: bytes
    parents: tuple[bytes, ...]


class _Frontier:
    """The commits that have been reached but not yet passed, newest first."""

    def __init__(self, repo: Repository, missing: set[str], known: Mapping[bytes, KnownLinks]) -> None:
        self._repo = repo
        self._missing = missing
        self._known = known
        self._is_plain = not (repo.grafts.parents or repo.grafts.replaced)
        self._reached: dict[bytes, _Node | None] = {}
        self._hidden: set[bytes] = set()
        self._waiting: set[bytes] = set()
        self._queue: list[tuple[int, int, _Node]] = []

    @property
    def is_wanted(self) -> bool:
        """True while a commit that is not hidden waits."""
        return bool(self._waiting)

    def is_hidden(self, oid: bytes) -> bool:
        """True for a commit known to be reachable from a hidden one."""
        return oid in self._hidden

    def add(self, oid: bytes) -> None:
        """Reaches a commit, unless it was reached before."""
        if oid in self._reached:
            return
        node = self._reached[oid] = self._read(oid)
        if node:
            # The count keeps commits of equal time in the order they were reached.
            heappush(self._queue, (-node.time, len(self._reached), node))
            if oid not in self._hidden:
                self._waiting.add(oid)
        elif oid not in self._hidden:
            self._missing.add(oid.hex())

    def pop(self) -> _Node | None:
        """Passes the newest commit that was reached."""
        if not self._queue:
            return None
        node = heappop(self._queue)[2]
        self._waiting.discard(node.oid)
        return node

    def forget(self, node: _Node) -> None:
        """Keeps no more of a passed commit than that it was reached."""
        self._reached[node.oid] = None

    def hide(self, oid: bytes) -> None:
        """Hides a commit and every ancestor of it that was reached."""
        pending = [oid]
        while pending:
            each = pending.pop()
            if each not in self._hidden:
                self._hidden.add(each)
                self._waiting.discard(each)
                node = self._reached.get(each)
                if node:
                    pending.extend(node.parents)

    def _read(self, oid: bytes) -> _Node | None:
        known = self._known.get(oid)
        if known is not None:
            time, parents = known
            return _Node(
                time, oid, tuple(parents[at : at + _ID_BYTES] for at in range(0, len(parents), _ID_BYTES))
            )
        return (self._read_plainly(oid) if self._is_plain else None) or self._read_as_git_would(oid)

    def _read_plainly(self, oid: bytes) -> _Node | None:
        """Reads a commit with libgit2, which is fast but strict about a commit's form."""
        try:
            commit = self._repo.handle[pygit2.Oid(raw=oid)].peel(pygit2.Commit)
        except (KeyError, ValueError, OSError, pygit2.GitError):
            return None
        parents = tuple(parent.raw for parent in commit.parent_ids)
        return _Node(commits.clamp_time(commit.commit_time), oid, parents)

    def _read_as_git_would(self, oid: bytes) -> _Node | None:
        data = self._repo.objects.commit(oid)
        links = commits.links(data) if data is not None else None
        if data is None or links is None:
            return None
        parents = self._repo.grafts.parents.get(oid, links.parents)
        return _Node(commits.committer_time(data), oid, parents)

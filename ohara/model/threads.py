"""Values of threads: commits that belong together, and commits that make the same change."""

from __future__ import annotations

from ohara.model.fate import Fate  # noqa: TC001
from ohara.model.history import Sha  # noqa: TC001 - the types are read off the wire
from ohara.records import dataclass


@dataclass(frozen=True, slots=True)
class Copy:
    """A commit that makes the same change as another, and the branches that it is on."""

    sha: Sha
    branches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadCommit:
    """A commit of a thread; `why` is the surest reason, `matched` says that the query found it.

    `fate` is what became of all lines that it added, None where that is not known (yet).
    """

    sha: Sha
    subject: str
    author: str
    time: int
    why: str
    matched: bool = False
    fate: Fate | None = None


@dataclass(frozen=True, slots=True)
class Thread:
    """Commits that belong together, oldest first; `id` is the first of them.

    `likely` says that some of them are there by a guess: the same author, files or symbols, days apart.
    """

    id: Sha
    title: str
    authors: tuple[str, ...]
    commits: tuple[ThreadCommit, ...]
    likely: bool = False

    @property
    def since(self) -> int:
        """When the first commit was made."""
        return min(commit.time for commit in self.commits)

    @property
    def until(self) -> int:
        """When the last commit was made."""
        return max(commit.time for commit in self.commits)

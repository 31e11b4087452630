"""Which commits refs lead to: which of them are indexed, and how many are not because no indexed ref does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.errors import RepositoryError
from ohara.git.walk import walk
from ohara.index.survey import earliest
from ohara.records import dataclass
from ohara.store.facts import COMPLETE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ohara.git.repo import Repository
    from ohara.model import Sha
    from ohara.store.reading import Reader

# Walks that are kept: the branches a person compares in one sitting.
_KEPT_WALKS = 8

NOT_INDEXED_HINT = (
    "ohara status shows what is; ohara index --ref HEAD --ref BRANCH adds the branch that has it"
)


@dataclass(frozen=True, slots=True)
class Reach:
    """The commits that refs lead to: the indexed ones, by id, and how many of how many are `outside`.

    `names` are the refs that lead outside. What the setting index.since leaves out, what could not be read
    and what only waits for the next run is not outside.
    """

    indexed: Collection[int]
    commits: int = 0
    outside: int = 0
    names: tuple[str, ...] = ()


class Reaches:
    """Follows refs of one repository; for one thread at a time."""

    def __init__(self, repository: Repository, since: str) -> None:
        self._repository = repository
        self._since = since
        self._walks: dict[tuple[tuple[Sha, ...], ...], dict[Sha, int]] = {}

    def of(self, reader: Reader, refs: Mapping[str, Sha], covered: Collection[Sha]) -> Reach:
        """Where refs lead, each given with its commit; `covered` is what the indexed refs point at."""
        tips = tuple(sorted(set(refs.values())))
        if reader.fact(COMPLETE) and not reader.failed():
            indexed = reader.ancestors(tips)
            if indexed is not None:
                return Reach(indexed)
        reached = self._walked(reader, tips)
        indexed_shas = reader.indexed(reached)
        reach = Reach(indexed_shas.values())
        if len(indexed_shas) == len(reached):
            return reach
        since = earliest(self._since)
        wanted = {sha for sha, moment in reached.items() if since is None or moment >= since}
        absent = wanted - indexed_shas.keys() - set(reader.failed())
        outside = (
            absent & self._walked(reader, tips, hide=tuple(sorted(set(covered)))).keys() if absent else absent
        )
        if not outside:
            return reach
        names = tuple(name for name, tip in refs.items() if tip in outside) or tuple(refs)
        return Reach(indexed_shas.values(), len(wanted), len(outside), names)

    def _walked(self, reader: Reader, tips: tuple[Sha, ...], hide: tuple[Sha, ...] = ()) -> dict[Sha, int]:
        """The commits that tips lead to and `hide` does not; of those that are indexed git is not asked."""
        key = (tips, hide)
        if key not in self._walks:
            if len(self._walks) >= _KEPT_WALKS:
                self._walks.clear()
            self._walks[key] = dict(walk(self._repository, tips, hide=hide, known=reader.known_links()))
        return self._walks[key]


def not_indexed(sha: Sha) -> RepositoryError:
    """The error for a commit that the repository has and the index does not."""
    return RepositoryError(
        f"commit {sha[:10]} is not in the index",
        hint=NOT_INDEXED_HINT,
    )

"""The protocol of a lane: one way of finding hunks for a query.

A lane is one module in `lanes/`, one entry in `registry.LANES` and one row of weights in a profile. Nothing
else depends on its name: modes, floors and the scale of scores are properties of the lane itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

from ohara.records import dataclass
from ohara.retrieve.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Mode, Query
    from ohara.retrieve.profile import Profile
    from ohara.retrieve.query_vector import Models
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader, Readers


@dataclass(frozen=True, slots=True)
class LaneQuery:
    """A query as lanes receive it, with access to the index and to the models.

    `allowed` are the hunks that may answer. `sided` are those of them that hold a word of the query on the
    side (added, removed) that it asks for: only words can tell a side, so lanes without words keep to these.
    """

    query: Query
    profile: Profile
    pool: Readers
    models: Models
    allowed: Allowed
    sided: Allowed
    limit: int


class Lane(Protocol):
    """One way of finding hunks; stateless, so that one instance serves every query.

    In a mode that some lanes list in `modes`, only those run; in the others, every lane that has a weight.
    """

    name: ClassVar[str]
    modes: ClassVar[frozenset[Mode]]

    @property
    def floor(self) -> float:
        """The score below which a hunk that no other lane found is dropped."""
        return 0.0

    def zero(self, scores: Sequence[float]) -> float:
        """The score that counts as 0 when the scores of lanes are summed."""
        del scores
        return 0.0

    def is_ready(self, asked: LaneQuery) -> bool:
        """False when there is one-time work to do first, such as loading a model."""
        del asked
        return True

    async def prepare(self, asked: LaneQuery) -> None:
        """Do that work, under a deadline of its own."""
        del asked

    def find(self, reader: Reader, asked: LaneQuery) -> Ranking | None:
        """The best hunks for the query, at most `asked.limit`, in this thread.

        None where there is more to do than one visit to a thread can: `search` does that.
        """
        del reader, asked
        return None

    async def search(self, asked: LaneQuery) -> Ranking:
        """The same from the event loop."""
        found = await asked.pool.read(lambda reader: self.find(reader, asked))
        return found if found is not None else Ranking(self.name)

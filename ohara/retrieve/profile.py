"""Every weight of the ranking, in one place. Each has its reason and its measurement in docs/ranking.md."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from ohara.model import QueryClass
from ohara.records import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ohara.retrieve.proximity import Proximity
    from ohara.store.answers import Weights


# The lane that the others only correct: alone it finds most of what all of them find together.
LEADING_LANE = "text"


class Fusion(StrEnum):
    """How the rankings of lanes are fused."""

    CONVEX = "convex"
    RRF = "rrf"


LaneWeights: TypeAlias = "Mapping[str, float]"
"""What each lane counts, by its name; a lane that is not named counts nothing and is not asked."""


def lane_weights(**weights: float) -> LaneWeights:
    """Weights by lane name, as a read-only mapping."""
    return MappingProxyType(weights)


@dataclass(frozen=True, slots=True)
class Blend:
    """What counts in the order of the first hits: the fused score, the cross-encoder, and their wording."""

    fused: float
    model: float
    held: float = 0.0
    pairs: float = 0.0

    def value(self, fused: float, opinion: float | None, wording: Proximity) -> float:
        """The mean of all four, each between 0 and 1; of three where the cross-encoder has no opinion."""
        model = 0.0 if opinion is None else self.model
        whole = self.fused + model + self.held + self.pairs
        summed = (
            self.fused * fused
            + model * (opinion or 0.0)
            + self.held * wording.held
            + self.pairs * wording.pairs
        )
        return summed / whole


@dataclass(frozen=True, slots=True)
class Profile:
    """A whole ranking pipeline as numbers.

    `weightings` are BM25s over the columns message, path, header, added, removed and context, each with its
    share in the text lane's score; `commit_weighting` is that of whole commits. `columns` bounds where words
    may match; none means everywhere.
    `others_in_rrf` is what the weights of all lanes but the leading one are multiplied by when ranks are
    fused and not scores. `lineless_merge` is what the words of a merge without lines of its own count.
    `blend` is how the first hits are ordered once a cross-encoder has read them.
    """

    name: str
    fusion: Fusion
    weightings: tuple[tuple[Weights, float], ...]
    columns: tuple[str, ...]
    lanes: LaneWeights
    commit_weighting: Weights = (1, 1, 1, 1, 1, 1)
    by_class: Mapping[QueryClass, LaneWeights] = field(default_factory=lambda: MappingProxyType({}))
    others_in_rrf: float = 1.0
    lineless_merge: float = 1.0
    blend: Blend = Blend(fused=1.0, model=0.0)
    judges: bool = True

    def on_both_sides(self) -> Profile:
        """The same, with words of removed lines counting as those of added ones: to find removals by."""
        return replace(
            self,
            weightings=tuple((_even(weights), share) for weights, share in self.weightings),
            commit_weighting=_even(self.commit_weighting),
        )

    def weights(self, query_class: QueryClass) -> LaneWeights:
        """The lane weights for a class of query."""
        chosen = self.by_class.get(query_class, self.lanes)
        if self.fusion is not Fusion.RRF:
            return chosen
        return lane_weights(
            **{
                lane: weight if lane == LEADING_LANE else weight * self.others_in_rrf
                for lane, weight in chosen.items()
            }
        )


def _even(weights: Weights) -> Weights:
    message, path, header, added, removed, context = weights
    return message, path, header, added, max(added, removed), context


DEFAULT = Profile(
    name="default",
    fusion=Fusion.CONVEX,
    weightings=(
        ((3, 0.5, 1, 1, 0.5, 0.2), 1.0),
        ((1, 0, 0, 0, 0, 0), 0.5),
        ((0, 0.5, 1, 1, 0.4, 0.2), 0.6),
    ),
    columns=(),
    lanes=lane_weights(vector=0.05, text=1.0, symbol=0.15, commit=0.2, commit_text=0.4),
    commit_weighting=(6, 1, 1, 1, 0.2, 0.1),
    by_class=MappingProxyType(
        {
            QueryClass.SYMBOL: lane_weights(vector=0.1, text=1.0, symbol=1.0, commit=0.1),
            QueryClass.PATH: lane_weights(text=1.0),
            QueryClass.ISSUE: lane_weights(text=1.0),
            QueryClass.SNIPPET: lane_weights(vector=0.5, text=1.0, symbol=0.1, commit=0.1),
        }
    ),
    others_in_rrf=0.1,
    lineless_merge=0.5,
    blend=Blend(fused=1.0, model=0.6, held=0.3, pairs=0.4),
)

# The textbook: the diff alone, lanes that count alike, and the cross-encoder's order taken as it is.
REFERENCE = Profile(
    name="reference",
    fusion=Fusion.RRF,
    weightings=(((1, 1, 1, 1, 1, 1), 1.0),),
    columns=("added", "removed", "context"),
    lanes=lane_weights(vector=1.0, text=1.0, symbol=1.0),
    blend=Blend(fused=0.0, model=1.0),
    judges=False,
)

PROFILES: Mapping[str, Profile] = MappingProxyType({DEFAULT.name: DEFAULT, REFERENCE.name: REFERENCE})

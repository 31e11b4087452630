"""The way through what was visited, back and forward, as in a browser. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

Place = TypeVar("Place")

_MOST = 200  # nobody walks back further


@dataclass(frozen=True, slots=True)
class Visits(Generic[Place]):
    """Places in the order they were visited, and which of them is here."""

    places: tuple[Place, ...] = field(default=())
    here: int = -1

    @property
    def current(self) -> Place | None:
        """Where we are."""
        return self.places[self.here] if self.places else None

    def visit(self, place: Place) -> Visits[Place]:
        """Go somewhere; what lay ahead is forgotten. Staying where we are changes nothing."""
        if self.places and self.places[self.here] == place:
            return self
        places = (*self.places[: self.here + 1], place)[-_MOST:]
        return Visits(places, len(places) - 1)

    def update(self, place: Place) -> Visits[Place]:
        """Say more exactly where we are."""
        if not self.places:
            return self.visit(place)
        return replace(self, places=(*self.places[: self.here], place, *self.places[self.here + 1 :]))

    def back(self) -> Visits[Place] | None:
        """One step back; None at the beginning."""
        return replace(self, here=self.here - 1) if self.here > 0 else None

    def forward(self) -> Visits[Place] | None:
        """One step forward; None at the end."""
        return replace(self, here=self.here + 1) if self.here + 1 < len(self.places) else None

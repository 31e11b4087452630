"""The list of lanes; their order breaks ties and is that of the reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.retrieve.lanes.commit import CommitLane
from ohara.retrieve.lanes.commit_text import CommitTextLane
from ohara.retrieve.lanes.symbol import SymbolLane
from ohara.retrieve.lanes.text import TextLane
from ohara.retrieve.lanes.vector import VectorLane

if TYPE_CHECKING:
    from ohara.retrieve.lane import Lane

LANES: tuple[Lane, ...] = (VectorLane(), TextLane(), SymbolLane(), CommitLane(), CommitTextLane())

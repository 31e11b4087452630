"""What has been done so far, one line a unit in a file outside the checkout: a soak can go on later."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from tests.soak.outcome import Outcome

if TYPE_CHECKING:
    from pathlib import Path


class Ledger:
    """The file, and what it held when it was opened."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self.file = file
        self.outcomes: list[Outcome] = []
        if file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                said = json.loads(line)
                self.outcomes.append(Outcome(**said | {"failures": tuple(said["failures"])}))

    def has(self, part: str, unit: int) -> bool:
        """True when a unit was done already."""
        return any(outcome.part == part and outcome.unit == unit for outcome in self.outcomes)

    def add(self, outcome: Outcome) -> None:
        """Write a unit down."""
        self.outcomes.append(outcome)
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(outcome)) + "\n")

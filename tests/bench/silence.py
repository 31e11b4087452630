"""The control for everything that helps silent commits: a flat bonus for them, whatever they did.

Where every answer is silent, preferring silence looks like understanding. A gain in the lazy half says
something only as far as it is more than this control gets for the same loss in the kept half.
"""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ohara.retrieve.profile import PROFILES
from ohara.store.message_words import words_of
from tests.bench.peers import Answer
from tests.bench.systems import OURS, OURS_RERANKED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from tests.bench.systems import Scored, Way

BONUS = 0.15
"""Added to the fused score (the best is 1) of a commit that says nothing."""

# A message that tells 15 nats is no riddle: three rare words. One that tells less than 5 says nothing.
_TELLING, _SILENT = 15.0, 5.0


@dataclass(frozen=True, slots=True)
class Control:
    """A way of asking, with the bonus."""

    way: Way

    @property
    def name(self) -> str:
        """What a table calls it."""
        return f"{self.way.name}, flat bonus for silence (control)"

    @property
    def bonus(self) -> float:
        """What reaches the final score: a reranked one is a mean of which the fused score is a part."""
        blend = PROFILES[self.way.profile].blend
        whole = blend.fused + blend.model + blend.held + blend.pairs
        return BONUS * (blend.fused / whole if self.way.rerank else 1.0)


CONTROLS = (Control(OURS), Control(OURS_RERANKED))


class Silence:
    """How little each message of an index says, by the rarity of its words among its messages."""

    def __init__(self, messages: Iterable[str]) -> None:
        read = [words_of(message) for message in messages]
        self._count = max(1, len(read))
        self._holding: Mapping[str, int] = Counter(word for words in read for word in words)

    def of(self, message: str) -> float:
        """1 for a message that says nothing, 0 for one that says enough."""
        told = sum(math.log(self._count / max(1, self._holding.get(word, 1))) for word in words_of(message))
        return min(1.0, max(0.0, (_TELLING - told) / (_TELLING - _SILENT)))


def silence_of(database: Path) -> Silence:
    """The silence of an index's own messages."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return Silence(row[0] for row in connection.execute("SELECT message FROM commits WHERE live = 1"))
    finally:
        connection.close()


class Controlled:
    """A way's own answers in another order: the bonus is added to what each hit scored."""

    def __init__(self, answered: Callable[[str], Scored], control: Control, silence: Silence) -> None:
        self._answered = answered
        self._bonus = control.bonus
        self._silence = silence

    def ask(self, text: str) -> Answer:
        """The same commits, the silent ones higher."""
        found = self._answered(text)
        # What a reranker did not read stays below what it read.
        hits = sorted(
            found.hits,
            key=lambda hit: (
                hit.rerank is None,
                -(hit.score + self._bonus * self._silence.of(hit.commit.message)),
            ),
        )
        return Answer(tuple(hit.commit.sha for hit in hits), found.elapsed_ms, found.fault)

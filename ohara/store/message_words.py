"""Which words are common among a history's messages, so that one can tell how much a message says. Pure."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from ohara.records import dataclass
from ohara.words import query_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# What follows is trailers, logs and templates; and neither names of people nor addresses say what was done.
_READ_CHARS = 600
_TRAILER = re.compile(r"^[A-Z][\w-]*-(?:by|to|for|from)\s*:.*$", re.IGNORECASE | re.MULTILINE)
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)

_MOST_READ = 10_000  # messages: as many say how common a word is, whatever the length of history
_COMMON = 500  # a word that fewer than one message in so many holds is rare, whichever it is


@dataclass(frozen=True, slots=True)
class MessageWords:
    """How many messages were read, of how many commits, and how many of them hold each common word."""

    commits: int
    of: int
    counts: Mapping[str, int]

    @property
    def rarest(self) -> float:
        """How many messages a word counts to stand in that is not common."""
        return max(1.0, self.commits / _COMMON)


def words_of(message: str) -> frozenset[str]:
    """The distinct content words of a message, without trailers and addresses."""
    read = message[:_READ_CHARS]
    if ":" in read:  # few have one, and looking for that is quicker than for either
        read = _ADDRESS.sub(" ", _TRAILER.sub(" ", read))
    return frozenset(query_terms(read))


def count(messages: Sequence[str]) -> MessageWords:
    """Count the words of messages; of a long history, of some that are evenly spread over it."""
    step = max(1, -(-len(messages) // _MOST_READ))
    some = messages[::step]
    counts = Counter(word for message in some for word in words_of(message))
    least = max(2.0, len(some) / _COMMON)
    common = {word: held for word, held in sorted(counts.items()) if held >= least}
    return MessageWords(len(some), len(messages), common)

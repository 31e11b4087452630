"""What is known of a history's commits beside the recorded pools: how silent they are, and a BM25 of whole commits.

    python commits.py HISTORIES QUESTIONS_DIR OUT_DIR NAME=OWNER+REPO …

Counts, once for each repository, the words of its questions in added and removed lines, paths and headers of
each commit (its first 60 hunks); `Whole` scores commits by them.
"""

from __future__ import annotations

import json
import math
import pickle
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve()
sys.path[:0] = [
    str(HERE.parents[4]),
    str(HERE.parents[2] / "ohara-static" / "make"),
    str(HERE.parents[2] / "ohara-cross" / "make"),
]
from corpus import read  # noqa: E402

from ohara.words import index_text, query_terms  # noqa: E402

HUNKS = 60
COLUMNS = {"added": 1.0, "removed": 0.4, "path": 0.5, "header": 1.0}
K1, B = 1.2, 0.75
REACH = 200
TELLING, SILENT, READ_CHARS = 15.0, 5.0, 600
_NO_CONTENT = re.compile(r"^[A-Z][\w-]*-(?:by|to|for|from)\s*:.*$|https?://\S+", re.IGNORECASE | re.MULTILINE)


@dataclass(slots=True)
class Counted:
    """The words asked for, counted in each commit."""

    shas: list[str]
    messages: list[str]
    lengths: np.ndarray
    rows: dict[str, tuple[np.ndarray, np.ndarray]]
    """For each word the commits that hold it and its weighted count there."""


def count(histories: Path, name: str, words: frozenset[str]) -> Counted:
    """Read a history once."""
    shas, messages, lengths = [], [], []
    found: dict[str, tuple[list[int], list[float]]] = {word: ([], []) for word in words}
    for number, change in enumerate(read(histories, name)):
        shas.append(change.sha)
        messages.append(change.message)
        total, held = 0, Counter[str]()
        for path, header, body in change.hunks[:HUNKS]:
            lines = body.split("\n")
            texts = {
                "added": "\n".join(line[1:] for line in lines if line[:1] == "+"),
                "removed": "\n".join(line[1:] for line in lines if line[:1] == "-"),
                "path": path,
                "header": header,
            }
            for column, text in texts.items():
                told = index_text(text).split()
                total += len(told)
                for word in told:
                    if word in words:
                        held[word] += COLUMNS[column]  # type: ignore[assignment]
        lengths.append(total)
        for word, weight in held.items():
            found[word][0].append(number)
            found[word][1].append(float(weight))
    rows = {word: (np.array(at), np.array(weights)) for word, (at, weights) in found.items() if at}
    return Counted(shas, messages, np.array(lengths, dtype=float), rows)


class Whole:
    """A BM25 in which a commit is one document, as SQLite's is with weighted columns."""

    def __init__(self, counted: Counted) -> None:
        self.counted = counted
        self.places = {sha: place for place, sha in enumerate(counted.shas)}
        self._norm = K1 * (1 - B + B * counted.lengths / counted.lengths.mean())

    def score(self, query: str) -> np.ndarray:
        """The score of every commit."""
        scores = np.zeros(len(self.places))
        for word in query_terms(query):
            if word in self.counted.rows:
                at, weight = self.counted.rows[word]
                rarity = max(1e-6, math.log((len(scores) - len(at) + 0.5) / (len(at) + 0.5)))
                scores[at] += rarity * weight * (K1 + 1) / (weight + self._norm[at])
        return scores

    def scaled(self, query: str) -> np.ndarray:
        """The best 1, the two hundredth 0."""
        scores = self.score(query)
        best = np.sort(scores)[::-1]
        low, high = best[min(REACH, len(best)) - 1], best[0]
        return np.clip((scores - low) / (high - low), 0, 1) if high > low else scores * 0


class Silence:
    """How little a message says: 1 nothing, 0 enough."""

    def __init__(self, messages: Sequence[str]) -> None:
        self._holding: Mapping[str, int] = Counter(word for message in messages for word in words_of(message))
        self._count = len(messages)

    def of(self, message: str) -> float:
        """From 0 to 1."""
        told = sum(math.log(self._count / max(1, self._holding.get(word, 1))) for word in words_of(message))
        return min(1.0, max(0.0, (TELLING - told) / (TELLING - SILENT)))


def words_of(message: str) -> frozenset[str]:
    """The content words of a message."""
    return frozenset(query_terms(_NO_CONTENT.sub(" ", message[:READ_CHARS])))


def main() -> None:
    """Count."""
    histories, questions, out = map(Path, sys.argv[1:4])
    out.mkdir(parents=True, exist_ok=True)
    for repository in sys.argv[4:]:
        name, _, history = repository.partition("=")
        file = out / f"{name}.counted.pkl"
        if file.exists():
            continue
        asked = json.loads((questions / f"{name}.json").read_text(encoding="utf-8"))
        words = frozenset(word for text, _ in asked for word in query_terms(text))
        file.write_bytes(pickle.dumps(count(histories, history, words)))
        print(name, len(words), "words", flush=True)


if __name__ == "__main__":
    main()

"""Tokenise the training histories once: for each commit its queries and hunks as bags of tokens.

    python pairs.py HISTORIES TOKENIZER.json OUT_DIR

One .npz a repository: `tokens` and `weights` (log of 1 + count) of all bags end to end, `starts`, and for
each commit the span of its query bags and of its hunk bags.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))
from corpus import TRAIN, Change, queries_of, read

from ohara.embed.model_text import document_text
from ohara.embed.static_model import _WordMemory

Bag = tuple[np.ndarray, np.ndarray]

HUNKS = 8
MAX_HUNKS = 60


def commits(histories: Path, name: str, words: _WordMemory) -> Iterator[tuple[Change, list[str], list[Bag]]]:
    """The commits trained on: each with the queries kept and the bags of these and of its hunks, in that order."""
    chance = random.Random(name)
    for change in read(histories, name):
        queries = queries_of(change)
        if not queries or not 0 < len(change.hunks) <= MAX_HUNKS:
            continue
        hunks = change.hunks if len(change.hunks) <= HUNKS else chance.sample(change.hunks, HUNKS)
        texts = queries + [document_text(body) for _, _, body in hunks]
        known = words.tokens(texts)
        bags = [np.unique(np.array(known[text], dtype=np.int32), return_counts=True) for text in texts]
        asked = [place for place in range(len(queries)) if len(bags[place][0]) >= 2]
        told = [bag for bag in bags[len(queries) :] if len(bag[0]) >= 2]
        if asked and told:
            yield change, [queries[place] for place in asked], [bags[place] for place in asked] + told


def main() -> None:
    """Tokenise."""
    histories, tokenizer, out = map(Path, sys.argv[1:4])
    out.mkdir(parents=True, exist_ok=True)
    words = _WordMemory(tokenizer.read_text(encoding="utf-8"))
    for name in TRAIN:
        file = out / f"{name}.npz"
        if file.exists():
            continue
        tokens, weights, starts, spans = [], [], [0], []
        for _, queries, bags in commits(histories, name, words):
            first = len(starts) - 1
            for distinct, counts in bags:
                tokens.append(distinct.astype(np.int32))
                weights.append(np.log1p(counts).astype(np.float32))
                starts.append(starts[-1] + len(distinct))
            spans.append((first, first + len(queries), first + len(bags)))
        np.savez(
            file,
            tokens=np.concatenate(tokens),
            weights=np.concatenate(weights),
            starts=np.array(starts),
            spans=np.array(spans),
        )
        print(name, len(spans), "commits", len(starts) - 1, "bags", flush=True)


if __name__ == "__main__":
    main()

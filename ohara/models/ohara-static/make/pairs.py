"""Tokenise the training histories once: for each commit its queries and hunks as bags of tokens.

    python pairs.py HISTORIES TOKENIZER.json OUT_DIR

One .npz a repository: `tokens` and `weights` (log of 1 + count) of all bags end to end, `starts`, and for
each commit the span of its query bags and of its hunk bags.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))
from corpus import TRAIN, queries_of, read

from ohara.embed.model_text import document_text
from ohara.embed.static_model import _WordMemory

HUNKS = 8
MAX_HUNKS = 60


def main() -> None:
    """Tokenise."""
    histories, tokenizer, out = map(Path, sys.argv[1:4])
    out.mkdir(parents=True, exist_ok=True)
    words = _WordMemory(Tokenizer.from_file(str(tokenizer)))
    for name in TRAIN:
        file = out / f"{name}.npz"
        if file.exists():
            continue
        chance = random.Random(name)
        tokens, weights, starts, spans = [], [], [0], []
        for change in read(histories, name):
            queries = queries_of(change)
            if not queries or not 0 < len(change.hunks) <= MAX_HUNKS:
                continue
            hunks = change.hunks if len(change.hunks) <= HUNKS else chance.sample(change.hunks, HUNKS)
            texts = queries + [document_text(body) for _, _, body in hunks]
            bags = [
                np.unique(np.array(bag, dtype=np.int32), return_counts=True) for bag in words.tokens(texts)
            ]
            asked = [bag for bag in bags[: len(queries)] if len(bag[0]) >= 2]
            told = [bag for bag in bags[len(queries) :] if len(bag[0]) >= 2]
            if not asked or not told:
                continue
            first = len(starts) - 1
            for distinct, counts in asked + told:
                tokens.append(distinct.astype(np.int32))
                weights.append(np.log1p(counts).astype(np.float32))
                starts.append(starts[-1] + len(distinct))
            spans.append((first, first + len(asked), first + len(asked) + len(told)))
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

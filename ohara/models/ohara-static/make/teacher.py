"""A teacher's vectors of what `train.py --teacher` learns from: queries, and digests of their commits.

    nice -n 19 python teacher.py HISTORIES TOKENIZER.json OUT_DIR --base BASE [--tokenizer FILE] [--commits 3000]

TOKENIZER.json is the one that `pairs.py` was given, so that commits and queries are counted as they are there. BASE is
whatever `ohara-commit/make/encoder.py` reads, and is never trained. One .npz a repository: `commits` (numbers of the commits
that were drawn), `told` (the vector of each), `bags` (the numbers of two of its query bags, the same twice where it has but
one) and `asked` (the vectors of these).
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[4]), str(HERE.parents[2] / "ohara-commit" / "make"), str(HERE.parent)]
from corpus import TRAIN  # noqa: E402
from digest import digest, query_text  # noqa: E402
from encoder import base, embed, tokenizer_of, tokens  # noqa: E402
from pairs import commits  # noqa: E402

from ohara.embed.static_model import _WordMemory  # noqa: E402

QUERIES = 2
QUERY_TOKENS, DIGEST_TOKENS = 48, 112


def main() -> None:
    """Embed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("histories", type=Path)
    parser.add_argument("vocabulary", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--pooling", default="cls")
    parser.add_argument("--before-queries", default="", help="what the base wants before a query")
    parser.add_argument("--commits", type=int, default=3_000, help="of one repository at most")
    given = parser.parse_args()
    torch.set_num_threads(1)
    given.out.mkdir(parents=True, exist_ok=True)
    model = base(given.base, list(range(given.layers)), given.pooling)
    tokenizer = tokenizer_of(given.base, given.tokenizer)
    words = _WordMemory(given.vocabulary.read_text(encoding="utf-8"))
    for name in TRAIN:
        file = given.out / f"{name}.npz"
        if file.exists():
            continue
        began = time.process_time()
        chance = np.random.default_rng(len(name))
        rows, first = [], 0
        for change, queries, bags in commits(given.histories, name, words):
            order = chance.permutation(len(queries))
            two = order[[0, -1]] if len(queries) <= QUERIES else order[:QUERIES]
            asked = [given.before_queries + query_text(queries[place]) for place in two]
            rows.append((digest(change.hunks), asked, first + two))
            first += len(bags)
        telling = [place for place, (text, _, _) in enumerate(rows) if text]
        drawn = np.sort(chance.permutation(telling)[: given.commits])
        told = embed(model, tokens(tokenizer, [rows[place][0] for place in drawn], DIGEST_TOKENS))
        known = {text: at for at, text in enumerate({text: 0 for place in drawn for text in rows[place][1]})}
        found = embed(model, tokens(tokenizer, list(known), QUERY_TOKENS))
        np.savez(
            file,
            commits=drawn,
            told=told.astype(np.float16),
            bags=np.array([rows[place][2] for place in drawn]),
            asked=found[[[known[text] for text in rows[place][1]] for place in drawn]].astype(np.float16),
        )
        print(name, len(drawn), len(known), f"{time.process_time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()

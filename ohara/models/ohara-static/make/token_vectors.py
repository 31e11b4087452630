"""The vector of each token of a vocabulary, alone through another base than MiniLM: for `distil.py --vectors`.

    python token_vectors.py TOKENIZER.json BASE OUT.npy [--tokenizer FILE] [--layers 12] [--pooling cls]

TOKENIZER.json is the vocabulary that distil.py made; BASE is whatever `ohara-commit/make/encoder.py` reads. A base that
cuts words as ours does is given the tokens themselves; any other their text, with a space before those that begin a word.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[4]), str(HERE.parents[2] / "ohara-commit" / "make")]
from encoder import base, padded, tokenizer_of  # noqa: E402

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CONTINUES = "##"


def rows_of(vocabulary: list[str], tokenizer: Tokenizer) -> list[np.ndarray]:
    """What the base is given for each token, both ends included."""
    known = tokenizer.get_vocab()
    alike = any(token.startswith(CONTINUES) for token in known)
    texts = [
        token.removeprefix(CONTINUES) if token.startswith(CONTINUES) or alike else f" {token}"
        for token in vocabulary
    ]
    first, *_, last = tokenizer.encode("word").ids
    pieces = tokenizer.encode_batch(texts, add_special_tokens=False)
    return [
        np.array([first, *([known[token]] if alike and token in known else piece.ids), last])
        for token, piece in zip(vocabulary, pieces, strict=True)
    ]


def main() -> None:
    """Embed every token."""
    parser = argparse.ArgumentParser()
    parser.add_argument("vocabulary", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tokenizer", type=Path)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--pooling", default="cls")
    given = parser.parse_args()
    torch.set_num_threads(1)
    known = json.loads(given.vocabulary.read_text(encoding="utf-8"))["model"]["vocab"]
    rows = rows_of(sorted(known, key=known.__getitem__), tokenizer_of(given.base, given.tokenizer))
    model = base(given.base, list(range(given.layers)), given.pooling).eval()
    order = np.argsort([len(row) for row in rows], kind="stable")
    found = []
    with torch.inference_mode():
        for start in range(0, len(order), 256):
            found.append(model(*padded([rows[place] for place in order[start : start + 256]])).numpy())
    out = np.concatenate(found)
    out[order] = out.copy()
    np.save(given.out, out)
    print(out.shape, flush=True)


if __name__ == "__main__":
    main()

"""Writes groups of the cross-encoder in granite's tokens, to start training from its layers.

    python for_granite.py GROUPS GRANITE.hmsemb OUT

Tokens are turned back into words first: texts are prepared, so that nothing is lost by it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2] / "ohara-commit" / "make")]
from encoder import granite  # noqa: E402

QUERY_TOKENS = 60
BEGIN, PAD, END = 0, 1, 2


def words_of(pieces: list[str], ids: np.ndarray) -> str:
    """The text that WordPiece tokens were cut from."""
    return " ".join(pieces[number] for number in ids).replace(" ##", "").replace("##", "")


def rewritten(data: dict[str, np.ndarray], pieces: list[str], tokenizer: Tokenizer) -> dict[str, np.ndarray]:
    """One repository's groups: begin, query, end, end, document, end."""
    ids, width = data["ids"].reshape(-1, data["ids"].shape[-1]), data["ids"].shape[-1]
    lengths, split = (data[key].reshape(-1).astype(int) for key in ("lengths", "split"))
    queries = [words_of(pieces, row[1 : at - 1]) for row, at in zip(ids, split, strict=True)]
    documents = [
        f" {words_of(pieces, row[at : end - 1])}" for row, at, end in zip(ids, split, lengths, strict=True)
    ]
    out = np.full_like(ids, PAD)
    ends, splits = np.zeros(len(ids), np.uint8), np.zeros(len(ids), np.uint8)
    encoded = (tokenizer.encode_batch(texts, add_special_tokens=False) for texts in (queries, documents))
    for place, (query, document) in enumerate(zip(*encoded, strict=True)):
        row = [BEGIN, *query.ids[:QUERY_TOKENS], END, END]
        splits[place] = len(row)
        row = [*row, *document.ids[: width - 1 - len(row)], END]
        out[place, : len(row)] = row
        ends[place] = len(row)
    shape = data["lengths"].shape
    return {**data, "ids": out.reshape(data["ids"].shape), "lengths": ends.reshape(shape), "split": splits.reshape(shape)}  # fmt: skip


def main() -> None:
    """Rewrite every repository's groups."""
    groups, container, out = map(Path, sys.argv[1:4])
    ours = Tokenizer.from_file(str(HERE.parents[1] / "tokenizer.json"))
    pieces = [ours.id_to_token(number) or "" for number in range(ours.get_vocab_size())]
    theirs = Tokenizer.from_str(granite(container)[1])
    theirs.no_padding()
    theirs.no_truncation()
    out.mkdir(parents=True, exist_ok=True)
    for file in sorted(groups.glob("*.npz")):
        np.savez(out / file.name, **rewritten(dict(np.load(file)), pieces, theirs))
        print(file.stem, flush=True)


if __name__ == "__main__":
    main()

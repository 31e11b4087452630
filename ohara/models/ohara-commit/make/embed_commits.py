"""Embed the digests and questions of a repository with a trained or a base encoder, for `evaluate.py`.

    python embed_commits.py PAIRS.jsonl.gz QUESTIONS.json OUT.npz --init BASE [--tokenizer FILE] [--layers 0,1,2,3,4,5]
        [--checkpoint FILE] [--pooling cls] [--tokens 96] [--subjects FILE.json]

With `--subjects` (`subjects.py`) just the commits that recorded pools name are embedded (the others stay empty), once without a
subject and once with what they say in each way.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from pathlib import Path

import numpy as np
import torch

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parent), str(HERE.parents[4]), str(HERE.parents[2] / "ohara-cross" / "make")]
from digest import query_text, subject_text  # noqa: E402
from encoder import base, embed, tokenizer_of, tokens  # noqa: E402

SUBJECT_TOKENS = 16


def main() -> None:
    """Embed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--init", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path)
    parser.add_argument("--layers", default="0,1,2,3,4,5")
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--pooling", default="cls")
    parser.add_argument("--tokens", type=int, default=96)
    parser.add_argument("--subjects", type=Path, help="what commits say in each way")
    given = parser.parse_args()
    torch.set_num_threads(1)
    model = base(given.init, [int(layer) for layer in given.layers.split(",")], given.pooling)
    if given.checkpoint:
        saved = torch.load(given.checkpoint, weights_only=True)
        model.load_state_dict(saved["mean"])
        print("step", saved["step"], flush=True)
    tokenizer = tokenizer_of(given.init, given.tokenizer)
    with gzip.open(given.pairs, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    said = json.loads(given.subjects.read_text(encoding="utf-8")) if given.subjects else {}
    only = said.get("messages")
    wanted = [at for at, row in enumerate(rows) if row["digest"] and (only is None or row["sha"] in only)]
    began = time.process_time()
    found = embed(model, tokens(tokenizer, [rows[at]["digest"] for at in wanted], given.tokens))
    documents = np.zeros((len(rows), found.shape[1]), dtype=np.float16)
    documents[wanted] = found
    ways = {"documents": documents}
    for way in said:
        ways[way] = ways.get("messages", documents).copy()
        telling = [at for at in wanted if rows[at]["sha"] in said[way]]
        texts = [f"{subject_text(said[way][rows[at]['sha']])} . {rows[at]['digest']}" for at in telling]
        ways[way][telling] = embed(model, tokens(tokenizer, texts, given.tokens + SUBJECT_TOKENS))
    print(f"{len(wanted)} commits in {time.process_time() - began:.0f} s of processor time", flush=True)
    asked = [query_text(text) for text, _ in json.loads(given.questions.read_text(encoding="utf-8"))]
    given.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        given.out,
        shas=np.array([row["sha"] for row in rows]),
        **ways,
        queries=embed(model, tokens(tokenizer, asked, 48)).astype(np.float16),
    )


if __name__ == "__main__":
    main()

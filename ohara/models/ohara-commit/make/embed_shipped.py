"""Embed the digests and questions of a repository with the folder that ships, as bits or whole, for `evaluate.py`.

python embed_shipped.py MODEL_FOLDER PAIRS.jsonl.gz QUESTIONS.json OUT.npz [--bits]
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[4])]
from ohara.embed.encoder import TextKind  # noqa: E402
from ohara.embed.fastembed_models import folder_embedder  # noqa: E402
from ohara.embed.model_text import prepared  # noqa: E402


def main() -> None:
    """Embed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--bits", action="store_true")
    given = parser.parse_args()
    model = folder_embedder(given.model, threads=1)
    with gzip.open(given.pairs, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    began = time.process_time()
    documents = model.embed([row["digest"] for row in rows], TextKind.DOCUMENT)
    print(f"{len(rows)} digests, {len(rows) / (time.process_time() - began):.0f} a second of processor time")
    if given.bits:
        documents = np.where(np.abs(documents).sum(1, keepdims=True) > 0, np.sign(documents), 0)
        documents /= np.sqrt(documents.shape[1])
    asked = [prepared(text) for text, _ in json.loads(given.questions.read_text(encoding="utf-8"))]
    given.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        given.out,
        shas=np.array([row["sha"] for row in rows]),
        documents=documents.astype(np.float16),
        queries=model.embed(asked, TextKind.QUERY).astype(np.float16),
    )


if __name__ == "__main__":
    main()

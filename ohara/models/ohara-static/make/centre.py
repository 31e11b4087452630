"""Add the centre of document vectors to an exported folder: the mean over hunks of the training histories.

    python centre.py MODEL_FOLDER HISTORIES [HUNKS_OF_EACH]

With it a stored vector may be the signs of what is left of it: see `ohara/embed/quantise.py`. Every history
counts the same. Needs ohara itself on the path, because what is averaged must be what is embedded.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from pathlib import Path

import numpy as np
from corpus import TRAIN, read
from export import write_safetensors

from ohara.embed.encoder import TextKind
from ohara.embed.model_text import document_text
from ohara.embed.static_model import StaticEmbedder
from ohara.embed.weights import read_tensors

SEED = 7


def sample(histories: Path, name: str, count: int) -> list[str]:
    """Some hunks of one history, each as likely as another."""
    chance = random.Random(SEED)
    kept: list[str] = []
    seen = 0
    for change in read(histories, name):
        for _, _, body in change.hunks:
            seen += 1
            if len(kept) < count:
                kept.append(body)
            elif (at := chance.randrange(seen)) < count:
                kept[at] = body
    return [document_text(body) for body in kept]


def main() -> None:
    """Average and write."""
    folder, histories = map(Path, sys.argv[1:3])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 3_000
    embedder = StaticEmbedder(folder)
    means = []
    for name in TRAIN:
        means.append(embedder.embed(sample(histories, name, count), TextKind.DOCUMENT).mean(axis=0))
        print(name, float(np.linalg.norm(means[-1])))
    centre = np.mean(means, axis=0).astype(np.float32)
    weights = folder / "model.safetensors"
    tensors = dict(read_tensors(weights.read_bytes()))
    write_safetensors(weights, {**tensors, "centre": centre})
    manifest = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    manifest["files"]["model.safetensors"] = hashlib.sha256(weights.read_bytes()).hexdigest()
    manifest["form"] = "bit"
    (folder / "model.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Weights on the way from the base to a trained run: further along, a history that was not trained on is found less well.

    python between.py CHECKPOINT BASE.hmsemb SHARE OUT.pt

SHARE is how far to go, from 0 (the base) to 1 (the running mean of the trained weights). `embed_commits.py` and `to_onnx.py` read what is written.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))
from encoder import base


def main() -> None:
    """Mix."""
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("share", type=float)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    saved = torch.load(given.checkpoint, weights_only=True)
    layers = [int(layer) for layer in saved["layers"].split(",")]
    begun = base(given.base, layers, saved["pooling"]).state_dict()
    mixed = {name: torch.lerp(value, saved["mean"][name], given.share) for name, value in begun.items()}
    kept = {name: saved[name] for name in ("step", "layers", "pooling")}
    torch.save({"mean": mixed, **kept}, given.out)


if __name__ == "__main__":
    main()

"""The cross-encoder: a few BERT layers over a pair, [CLS; mean] to one number."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "ohara-static" / "make"))
from bert import WIDTH, Bert, base_model, read_safetensors  # noqa: F401

PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "output": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm2": "output.LayerNorm",
}


class CrossEncoder(nn.Module):
    """Scores pairs; larger is a better answer."""

    def __init__(self, bert: Bert, *, has_types: bool = True) -> None:
        super().__init__()
        self.bert = bert
        self.has_types = has_types  # granite knows one kind of token only
        self.head = nn.Linear(2 * WIDTH, 1)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        hidden = self.bert(input_ids, attention_mask, token_type_ids)
        mask = attention_mask.to(hidden.dtype)[..., None]
        mean = (hidden * mask).sum(1) / mask.sum(1)
        return self.head(torch.cat([hidden[:, 0], mean], dim=1))


def from_base(weights: Path, take: list[int], dropout: float) -> CrossEncoder:
    """Start from layers of all-MiniLM-L6-v2 (.safetensors), granite (.hmsemb), a dequantised model or ours (.npz)."""
    if weights.suffix == ".hmsemb":
        sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "ohara-commit" / "make"))
        from encoder import granite_bert  # late: it starts from here itself

        return CrossEncoder(granite_bert(weights, take), has_types=False)
    if weights.suffix == ".safetensors":
        return CrossEncoder(base_model(weights, take, dropout))
    tensors = {name: torch.from_numpy(array.astype(np.float32)) for name, array in np.load(weights).items()}
    if "head.weight" in tensors:
        layers = len({name.split(".")[1] for name in tensors if name.startswith("layers.")})
        model = CrossEncoder(Bert(tensors["words.weight"].shape[0], layers, dropout))
        model.load_state_dict(
            {name if name.startswith("head.") else f"bert.{name}": value for name, value in tensors.items()}
        )
        return model
    bert = Bert(tensors["embeddings.word_embeddings.weight"].shape[0], len(take), dropout)
    state = {
        "words.weight": tensors["embeddings.word_embeddings.weight"],
        "positions.weight": tensors["embeddings.position_embeddings.weight"],
        "types.weight": tensors["embeddings.token_type_embeddings.weight"],
        "norm.weight": tensors["embeddings.LayerNorm.weight"],
        "norm.bias": tensors["embeddings.LayerNorm.bias"],
    }
    for place, source in enumerate(take):
        for ours, theirs in PARTS.items():
            for kind in ("weight", "bias"):
                state[f"layers.{place}.{ours}.{kind}"] = tensors[f"encoder.layer.{source}.{theirs}.{kind}"]
    bert.load_state_dict(state)
    return CrossEncoder(bert)

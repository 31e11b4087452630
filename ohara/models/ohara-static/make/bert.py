"""A BERT of any depth in plain torch, read from the safetensors of all-MiniLM-L6-v2.

Only what distilling and training need: no pooling layer, no dropout unless asked, exact GELU.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

WIDTH = 384
HEADS = 12


def read_safetensors(path: Path) -> dict[str, torch.Tensor]:
    """Every float32 tensor of the file by name."""
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + length])
    out = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        first, last = entry["data_offsets"]
        flat = np.frombuffer(raw, dtype=np.float32, count=(last - first) // 4, offset=8 + length + first)
        out[name] = torch.from_numpy(flat.copy()).reshape(entry["shape"])
    return out


class Layer(nn.Module):
    """One post-norm transformer layer with BERT's parameter shapes."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = dropout

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        split = (batch, length, HEADS, WIDTH // HEADS)
        q = self.query(x).view(split).transpose(1, 2)
        k = self.key(x).view(split).transpose(1, 2)
        v = self.value(x).view(split).transpose(1, 2)
        # Written out: with torch's own attention a training step takes half as long again on a CPU.
        told = torch.softmax(q @ k.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5 + mask, dim=-1).to(v.dtype)
        seen = told @ v
        seen = self.output(seen.transpose(1, 2).reshape(batch, length, WIDTH))
        x = self.norm1(x + F.dropout(seen, self.dropout, self.training))
        return self.norm2(x + F.dropout(self.down(F.gelu(self.up(x))), self.dropout, self.training))


class Bert(nn.Module):
    """Embeddings and the given layers of the base model."""

    def __init__(self, vocabulary: int, layers: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, WIDTH)
        self.positions = nn.Embedding(512, WIDTH)
        self.types = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.positions(places) + self.types(types))
        bias = (1.0 - mask.to(x.dtype))[:, None, None, :] * -10000.0
        for layer in self.layers:
            x = layer(x, bias)
        return x


def base_model(weights: Path, take: list[int], dropout: float = 0.0) -> Bert:
    """The base model cut down to the layers in `take`, in that order."""
    tensors = read_safetensors(weights)
    model = Bert(tensors["embeddings.word_embeddings.weight"].shape[0], len(take), dropout)
    state = {
        "words.weight": tensors["embeddings.word_embeddings.weight"],
        "positions.weight": tensors["embeddings.position_embeddings.weight"],
        "types.weight": tensors["embeddings.token_type_embeddings.weight"],
        "norm.weight": tensors["embeddings.LayerNorm.weight"],
        "norm.bias": tensors["embeddings.LayerNorm.bias"],
    }
    parts = {
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "output": "attention.output.dense",
        "norm1": "attention.output.LayerNorm",
        "up": "intermediate.dense",
        "down": "output.dense",
        "norm2": "output.LayerNorm",
    }
    for place, source in enumerate(take):
        for ours, theirs in parts.items():
            for kind in ("weight", "bias"):
                state[f"layers.{place}.{ours}.{kind}"] = tensors[f"encoder.layer.{source}.{theirs}.{kind}"]
    model.load_state_dict(state)
    return model

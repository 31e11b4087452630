"""The commit encoder: a few layers of a pretrained encoder, pooled to one vector of length one.

`base(FILE, layers)` reads all-MiniLM-L6-v2 (.safetensors), a dequantised ONNX model (.npz of
`ohara-cross/make/pretrained.py`) or granite-embedding-30m-english (.hmsemb).
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional as F

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2] / "ohara-cross" / "make"), str(HERE.parents[2] / "ohara-static" / "make")]
from bert import WIDTH, Bert  # noqa: E402
from model import from_base  # noqa: E402

GROUP = 64


class Encoder(nn.Module):
    """Tokens to vectors; queries and documents alike."""

    def __init__(self, bert: Bert, pooling: str) -> None:
        super().__init__()
        self.bert = bert
        self.pooling = pooling

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        hidden = self.bert(ids, mask, torch.zeros_like(ids))
        if self.pooling == "cls":
            return F.normalize(hidden[:, 0].float(), dim=1)
        weight = mask.to(hidden.dtype)[..., None]
        return F.normalize(((hidden * weight).sum(1) / weight.sum(1)).float(), dim=1)


def granite(path: Path) -> tuple[dict[str, np.ndarray], str]:
    """The tensors of the container and its tokenizer's JSON: int8 values, then a float32 scale for each 64 of them."""
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[8:16])
    header = json.loads(raw[16 : 16 + length])
    place = 16 + length
    tokenizer = raw[place : place + header["tokenizer_len"]].decode()
    place += header["tokenizer_len"]
    out = {}
    for entry in header["tensors"]:
        count = int(np.prod(entry["shape"]))
        if entry["dtype"] == "i8":
            values = np.frombuffer(raw, np.int8, count, place).astype(np.float32)
            scales = np.frombuffer(raw, np.float32, count // GROUP, place + count)
            values = (values.reshape(-1, GROUP) * scales[:, None]).reshape(entry["shape"])
        else:
            values = np.frombuffer(raw, np.float32, count, place).reshape(entry["shape"]).copy()
        out[entry["name"]] = values
        place += entry["len"]
    return out, tokenizer


def granite_bert(path: Path, take: list[int]) -> Bert:
    """Granite's layers in the shape of ours; its positions begin at the third row."""
    tensors, _ = granite(path)
    bert = Bert(tensors["word_emb"].shape[0], len(take))
    state = {
        "words.weight": tensors["word_emb"],
        "positions.weight": tensors["pos_emb"][2:514],
        "types.weight": tensors["type_emb"],
        "norm.weight": tensors["emb_ln.w"],
        "norm.bias": tensors["emb_ln.b"],
    }
    names = {"output": "ao", "norm1": "aln", "up": "f1", "down": "f2", "norm2": "fln"}
    for place, source in enumerate(take):
        for kind, end in (("weight", "w"), ("bias", "b")):
            fused = tensors[f"l{source}.qkv.{end}"]
            for at, part in enumerate(("query", "key", "value")):
                state[f"layers.{place}.{part}.{kind}"] = fused[at * WIDTH : (at + 1) * WIDTH]
            for ours, theirs in names.items():
                state[f"layers.{place}.{ours}.{kind}"] = tensors[f"l{source}.{theirs}.{end}"]
    bert.load_state_dict(
        {name: torch.from_numpy(np.ascontiguousarray(value)) for name, value in state.items()}
    )
    return bert


def base(weights: Path, take: list[int], pooling: str) -> Encoder:
    """The encoder to start from."""
    bert = granite_bert(weights, take) if weights.suffix == ".hmsemb" else from_base(weights, take, 0.0).bert
    return Encoder(bert, pooling)


def tokenizer_of(weights: Path, file: Path | None) -> Tokenizer:
    """The tokenizer that belongs to the weights."""
    tokenizer = Tokenizer.from_str(granite(weights)[1]) if file is None else Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def embed(model: Encoder, rows: list[np.ndarray], *, batch: int = 32) -> np.ndarray:
    """Vectors of token rows, like lengths together."""
    order = np.argsort([len(row) for row in rows], kind="stable")
    out = np.zeros((len(rows), WIDTH), dtype=np.float32)
    model.eval()
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            out[chosen] = model(*padded([rows[place] for place in chosen])).numpy()
    model.train()
    return out


def padded(rows: list[np.ndarray]) -> tuple[torch.Tensor, torch.Tensor]:
    """Token rows as one rectangle and its mask."""
    width = max(len(row) for row in rows)
    ids = np.zeros((len(rows), width), dtype=np.int64)
    mask = np.zeros((len(rows), width), dtype=np.int64)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
        mask[place, : len(row)] = 1
    return torch.from_numpy(ids), torch.from_numpy(mask)


def tokens(tokenizer: Tokenizer, texts: list[str], most: int) -> list[np.ndarray]:
    """Token rows with both ends, cut."""
    out = []
    for encoding in tokenizer.encode_batch([" " + text for text in texts]):
        ids = encoding.ids
        out.append(np.array(ids if len(ids) <= most else [*ids[: most - 1], ids[-1]]))
    return out

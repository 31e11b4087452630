"""Write the folder ohara ships: int8 ONNX, tokeniser, digests in model.json; print size, speed and how far int8 strays.

    python to_onnx.py CHECKPOINT BASE.hmsemb PAIRS_DIR OUT_FOLDER [--layers 0,1,2,3,4,5]

Takes the running mean of the weights. Words are lower-case letters and digits when they reach the model, so tokens with
other signs never come up: their rows and merges are left out. The graph pools, takes the mean of the
training histories' digests away and scales to length one, so that the sign of a component is worth keeping.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer
from torch.nn import functional as F

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parent), str(HERE.parents[4])]
from encoder import Encoder, base, embed, granite, padded, tokens  # noqa: E402

MAX_TOKENS = 112
NAMES = ["input_ids", "attention_mask"]
SAMPLE = 4_000
# What enters this matrix has a few components far beyond the others: rounded, the cosine to the exact vector is .90, else .975
# (three layers; six: .89 and .94, and .95 with those of the fourth layer in floats, too).
FLOAT = "/bert/layers.0/down/MatMul"
_KEPT = re.compile(r"Ġ?[a-z0-9]+|[^\x21-\x7e]+|.")


class Rows(torch.nn.Module):
    """An embedding whose rows are kept as int8, each with a scale of its own: one for all loses a tenth of the cosine."""

    def __init__(self, weight: torch.Tensor) -> None:
        super().__init__()
        scale = weight.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
        self.register_buffer("scale", scale)
        self.register_buffer("rounded", torch.round(weight / scale).to(torch.int8))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return F.embedding(ids, self.rounded).float() * F.embedding(ids, self.scale)


class Whole(torch.nn.Module):
    """The encoder with its centre taken away."""

    def __init__(self, encoder: Encoder, centre: np.ndarray) -> None:
        super().__init__()
        self.bert = encoder.bert
        self.pooling = encoder.pooling
        self.register_buffer("centre", torch.from_numpy(centre))

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        hidden = self.bert(input_ids, attention_mask, torch.zeros_like(input_ids))
        if self.pooling == "cls":
            pooled = hidden[:, 0]
        else:
            weight = attention_mask.to(hidden.dtype)[..., None]
            pooled = (hidden * weight).sum(1) / weight.sum(1)
        return F.normalize(F.normalize(pooled, dim=1) - self.centre, dim=1)


def pruned(tokenizer: str) -> tuple[dict[str, object], list[int]]:
    """The tokeniser without what prepared text never holds, and the rows that stay."""
    document = json.loads(tokenizer)
    model = document["model"]
    special = {token["content"] for token in document["added_tokens"]}
    kept = [
        token
        for token, _ in sorted(model["vocab"].items(), key=lambda one: one[1])
        if token in special or _KEPT.fullmatch(token)
    ]
    rows = [model["vocab"][token] for token in kept]
    model["vocab"] = {token: place for place, token in enumerate(kept)}
    merges = [
        tuple(merge.split(" ")) if isinstance(merge, str) else tuple(merge) for merge in model["merges"]
    ]
    model["merges"] = [
        f"{left} {right}"
        for left, right in merges
        if left + right in model["vocab"] and left in model["vocab"] and right in model["vocab"]
    ]
    for token in document["added_tokens"]:
        token["id"] = model["vocab"][token["content"]]
    document["pre_tokenizer"]["add_prefix_space"] = True
    for end in ("sep", "cls"):
        name = document["post_processor"][end][0]
        document["post_processor"][end] = [name, model["vocab"][name]]
    return document, rows


def sampled(folder: Path) -> list[str]:
    """Digests of the training histories."""
    chance = random.Random(0)
    found = []
    for file in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as stream:
            rows = [json.loads(line)["digest"] for line in stream]
        found += chance.sample(rows, min(len(rows), SAMPLE // 10))
    chance.shuffle(found)
    return found[:SAMPLE]


def write_onnx(model: Whole, target: Path) -> None:
    """Export, then quantise matrices and embeddings to int8."""
    ids = torch.randint(4, 2000, (2, 16))
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "float.onnx"
        axes = {name: {0: "batch", 1: "length"} for name in NAMES}
        torch.onnx.export(
            model.eval(), (ids, torch.ones_like(ids)), str(plain), input_names=NAMES, output_names=["embedding"],
            dynamic_axes=axes | {"embedding": {0: "batch"}}, opset_version=17, dynamo=False,
        )  # fmt: skip
        quantize_dynamic(
            str(plain), str(target), weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=["MatMul"],
            nodes_to_exclude=[FLOAT], extra_options={"MatMulConstBOnly": True},
        )  # fmt: skip
        onnx.checker.check_model(str(target))


def compare(model: Whole, rows: list[np.ndarray], file: Path) -> None:
    """How int8 vectors differ from float ones, and how quick they are made on one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(file), options)
    rows = sorted(rows, key=len)
    exact, rounded, began = [], [], 0.0
    for start in range(0, len(rows), 16):
        ids, mask = padded(rows[start : start + 16])
        with torch.inference_mode():
            exact.append(model(ids, mask).numpy())
        moment = time.process_time()
        rounded.append(session.run(None, {"input_ids": ids.numpy(), "attention_mask": mask.numpy()})[0])
        began += time.process_time() - moment
    near = (np.concatenate(exact) * np.concatenate(rounded)).sum(1)
    print(
        f"int8 against float: cosine {near.mean():.4f}; {len(rows) / began:.0f} texts a second of one processor"
    )


def main() -> None:
    """Export."""
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--layers", default="0,1,2,3,4,5")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    saved = torch.load(given.checkpoint, weights_only=True)
    encoder = base(given.base, [int(layer) for layer in given.layers.split(",")], saved["pooling"])
    encoder.load_state_dict(saved["mean"])
    document, kept = pruned(granite(given.base)[1])
    encoder.bert.words = Rows(encoder.bert.words.weight[kept].detach())
    encoder.bert.positions = torch.nn.Embedding.from_pretrained(encoder.bert.positions.weight[:MAX_TOKENS])
    written = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    (given.out / "tokenizer.json").write_text(written, encoding="utf-8")
    tokenizer = Tokenizer.from_str(written)
    texts = sampled(given.pairs)
    rows = tokens(tokenizer, [text[1:] if text[:1] == " " else text for text in texts], MAX_TOKENS)
    centre = embed(encoder, rows).mean(0)
    whole = Whole(encoder, centre.astype(np.float32)).eval()
    write_onnx(whole, given.out / "model.onnx")
    compare(whole, rows[:800], given.out / "model.onnx")
    pad = document["model"]["vocab"]["<pad>"]  # type: ignore[index]
    config = {"model_max_length": MAX_TOKENS, "pad_token": "<pad>"}
    (given.out / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    (given.out / "config.json").write_text(json.dumps({"pad_token_id": pad}), encoding="utf-8")
    files = ("model.onnx", "tokenizer.json", "tokenizer_config.json", "config.json")
    manifest = {
        "name": "ohara-commit",
        "kind": "embedder",
        "dimensions": centre.shape[0],
        "pooling": "done",
        "form": "bit",
        "licence": "Apache-2.0",
        "files": {name: hashlib.sha256((given.out / name).read_bytes()).hexdigest() for name in files},
    }
    (given.out / "model.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    print(
        f"step {saved['step']}, {len(kept)} tokens",
        {name: (given.out / name).stat().st_size for name in files},
    )


if __name__ == "__main__":
    main()

"""Write the folder ohara ships: int8 ONNX, tokeniser, digests in model.json; print how far int8 strays.

    python to_onnx.py RUN_DIR BASE_MODEL_DIR OUT_FOLDER [--layers 3] [--tokens 112] [--provisional] [--raw]
        [--begun BASE.npz --share .5]

Takes the running mean of the weights from RUN_DIR/checkpoint.pt (`--raw`: the weights themselves); with `--begun`, weights that lie
so far on the way there from those that the run began with.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

sys.path.insert(0, str(Path(__file__).resolve().parent))
from model import Bert, CrossEncoder, from_base

NAMES = ["input_ids", "attention_mask", "token_type_ids"]


def load(
    run: Path, layers: int, *, raw: bool = False, begun: Path | None = None, share: float = 1.0
) -> CrossEncoder:
    """The trained model of a run, or one on the way to it."""
    saved = torch.load(run / "checkpoint.pt", weights_only=True)
    state = saved["model" if raw else "mean"]
    if begun:
        first = from_base(begun, list(range(layers)), 0.0).state_dict()
        state = {name: torch.lerp(value, state[name], share) for name, value in first.items()}
    model = CrossEncoder(Bert(state["bert.words.weight"].shape[0], layers))
    model.load_state_dict(state)
    print(f"step {saved['step']}, {saved['spent'] / 60:.0f} minutes, prior weight {float(saved['pull']):.2f}")
    return model.eval()


def write_onnx(model: CrossEncoder, target: Path) -> None:
    """Export, then quantise matrices and embeddings to int8."""
    ids = torch.randint(1000, 2000, (2, 16))
    ones, types = torch.ones_like(ids), torch.zeros_like(ids)
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "float.onnx"
        axes = {name: {0: "batch", 1: "length"} for name in NAMES}
        torch.onnx.export(
            model, (ids, ones, types), str(plain), input_names=NAMES, output_names=["logits"],
            dynamic_axes=axes | {"logits": {0: "batch"}}, opset_version=17, dynamo=False,
        )  # fmt: skip
        quantize_dynamic(
            str(plain), str(target), weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=["MatMul", "Gather"],
            extra_options={"MatMulConstBOnly": True},
        )  # fmt: skip
        onnx.checker.check_model(str(target))
        compare(plain, target)


def compare(plain: Path, rounded: Path) -> None:
    """How int8 scores differ from float ones on random pairs of words."""
    chance = np.random.default_rng(0)
    ids = chance.integers(1000, 29000, (64, 80))
    feed = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.repeat([[0] * 20 + [1] * 60], 64, 0),
    }
    left, right = (
        onnxruntime.InferenceSession(str(file)).run(None, feed)[0][:, 0] for file in (plain, rounded)
    )
    print(
        f"int8 against float: correlation {np.corrcoef(left, right)[0, 1]:.4f}, mean difference {np.abs(left - right).mean():.3f} of spread {left.std():.3f}"
    )


def main() -> None:
    """Export."""
    parser = argparse.ArgumentParser()
    parser.add_argument("run", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=112, help="what is read of a pair; of digests 128")
    parser.add_argument("--provisional", action="store_true")
    parser.add_argument("--raw", action="store_true")
    parser.add_argument("--begun", type=Path, help="what the run began with, as `train.py --init` took it")
    parser.add_argument("--share", type=float, default=1.0, help="how far to go from there")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    model = load(given.run, given.layers, raw=given.raw, begun=given.begun, share=given.share)
    write_onnx(model, given.out / "model.onnx")
    tokenizer = json.loads((given.base / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["truncation"] = None
    tokenizer["padding"] = None
    (given.out / "tokenizer.json").write_text(
        json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")), encoding="utf-8"
    )
    config = {"model_max_length": given.tokens, "pad_token": "[PAD]"}
    (given.out / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    (given.out / "config.json").write_text(json.dumps({"pad_token_id": 0}), encoding="utf-8")
    files = ("model.onnx", "tokenizer.json", "tokenizer_config.json", "config.json")
    manifest = {
        "name": "ohara-cross",
        "kind": "cross-encoder",
        "dimensions": 0,
        "prepared": True,
        "provisional": given.provisional,
        "licence": "Apache-2.0",
        "files": {name: hashlib.sha256((given.out / name).read_bytes()).hexdigest() for name in files},
    }
    (given.out / "model.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    print({name: (given.out / name).stat().st_size for name in files})


if __name__ == "__main__":
    main()

"""Write the folder ohara ships: int8 rows, row scales folded into both weightings, digests in model.json.

    python export.py WEIGHTS.npz TOKENIZER.json OUT_FOLDER [--provisional] [--float16]

WEIGHTS.npz holds `table` and `query_weights` + `document_weights`, or one `weights` for both.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np


def write_safetensors(path: Path, tensors: dict[str, np.ndarray]) -> None:
    """The plain safetensors layout, arrays in the given order."""
    names = {"int8": "I8", "float16": "F16", "float32": "F32"}
    header, offset = {}, 0
    for name, array in tensors.items():
        header[name] = {
            "dtype": names[str(array.dtype)],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes],
        }
        offset += array.nbytes
    raw = json.dumps(header, separators=(",", ":")).encode()
    raw += b" " * (-len(raw) % 8)
    with path.open("wb") as stream:
        stream.write(len(raw).to_bytes(8, "little") + raw)
        for array in tensors.values():
            stream.write(np.ascontiguousarray(array).tobytes())


def quantised(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows as int8 and the scale of each."""
    scale = np.abs(table).max(1) / 127.0 + 1e-12
    return np.round(table / scale[:, None]).astype(np.int8), scale.astype(np.float32)


def main() -> None:
    """Export."""
    weights, tokenizer, out = map(Path, sys.argv[1:4])
    out.mkdir(parents=True, exist_ok=True)
    data = np.load(weights)
    table = data["table"]
    query = data["query_weights"] if "query_weights" in data else data["weights"]
    document = data["document_weights"] if "document_weights" in data else data["weights"]
    if "--float16" in sys.argv:
        rows, scale = table.astype(np.float16), np.ones(len(table), dtype=np.float32)
    else:
        rows, scale = quantised(table)
    write_safetensors(
        out / "model.safetensors",
        {
            "query_weights": (query * scale).astype(np.float32),
            "document_weights": (document * scale).astype(np.float32),
            "table": rows,
        },
    )
    # Compact: the tokeniser is read at every cold start.
    compact = json.dumps(
        json.loads(tokenizer.read_text(encoding="utf-8")), ensure_ascii=False, separators=(",", ":")
    )
    (out / "tokenizer.json").write_text(compact, encoding="utf-8")
    files = {
        name: hashlib.sha256((out / name).read_bytes()).hexdigest()
        for name in ("model.safetensors", "tokenizer.json")
    }
    manifest = {
        "name": "ohara-static",
        "kind": "static-embedder",
        "dimensions": int(table.shape[1]),
        "provisional": "--provisional" in sys.argv,
        "licence": "Apache-2.0",
        "files": files,
    }
    (out / "model.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    print({name: (out / name).stat().st_size for name in files}, rows.dtype, rows.shape)


if __name__ == "__main__":
    main()

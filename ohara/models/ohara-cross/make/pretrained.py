"""Turn an int8 ONNX cross-encoder of BERT's shape back into float weights to start training from.

python pretrained.py MODEL.onnx OUT.npz
"""

from __future__ import annotations

import sys

import numpy as np
import onnx
from onnx import numpy_helper


def floats(path: str) -> dict[str, np.ndarray]:
    """Every weight under the name the original checkpoint gave it."""
    model = onnx.load(path)
    values = {item.name: numpy_helper.to_array(item) for item in model.graph.initializer}
    out = {
        name.removeprefix("bert."): array
        for name, array in values.items()
        if array.dtype == np.float32 and name.endswith((".weight", ".bias"))
    }

    def dequantised(name: str) -> np.ndarray:
        stem = name.removesuffix("_quantized")
        return (values[name].astype(np.float32) - values[f"{stem}_zero_point"].astype(np.float32)) * values[
            f"{stem}_scale"
        ]

    for node in model.graph.node:
        if node.op_type == "MatMulInteger" and node.input[1] in values:
            # "/bert/encoder/layer.0/attention/self/query/MatMul_quant" names the module it came from.
            parts = [part for part in node.name.split("/") if part and part != "bert"]
            out[".".join(parts[:-1]) + ".weight"] = dequantised(node.input[1]).T
        if (
            node.op_type in ("DequantizeLinear", "Gather")
            and node.input[0] in values
            and node.input[0].endswith("_quantized")
        ):
            name = node.input[0].removesuffix("_quantized").removeprefix("bert.")
            out[name] = dequantised(node.input[0])
    return out


if __name__ == "__main__":
    weights = floats(sys.argv[1])
    for name, array in weights.items():
        print(name, array.shape, float(np.abs(array).mean()))
    np.savez(sys.argv[2], **weights)

"""Tiny ONNX models written byte by byte, so that tests run the real runtime without a packaging library.

Only the protobuf fields that two three-node graphs need. The cross-encoder scores a pair by the sum of its
token ids; the embedder turns token id n into the vector (n, 1), one for each token.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

INT64, FLOAT = 7, 1


def _varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def _field(number: int, value: int | bytes | str) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(raw)) + raw


def _tensor_type(kind: int, dimensions: list[str | int]) -> bytes:
    shape = b"".join(_field(1, _field(2, d) if isinstance(d, str) else _field(1, d)) for d in dimensions)
    return _field(1, _field(1, kind) + _field(2, shape))


def _value(name: str, kind: int, dimensions: list[str | int]) -> bytes:
    return _field(1, name) + _field(2, _tensor_type(kind, dimensions))


def _node(kind: str, inputs: list[str], output: str, **attributes: int) -> bytes:
    out = b"".join(_field(1, name) for name in inputs) + _field(2, output) + _field(4, kind)
    for name, number in attributes.items():
        out += _field(5, _field(1, name) + _field(3, number) + _field(20, 2))
    return out


def _integers(name: str, values: list[int]) -> bytes:
    raw = struct.pack(f"<{len(values)}q", *values)
    return _field(1, len(values)) + _field(2, INT64) + _field(8, name) + _field(9, raw)


def _floats(name: str, values: list[float]) -> bytes:
    raw = struct.pack(f"<{len(values)}f", *values)
    return _field(1, len(values)) + _field(2, FLOAT) + _field(8, name) + _field(9, raw)


def _model(nodes: list[bytes], constants: list[bytes], output: bytes) -> bytes:
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, "tiny")
    graph += b"".join(_field(5, constant) for constant in constants)
    graph += _field(11, _value("input_ids", INT64, ["batch", "length"])) + _field(12, output)
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 13))


def cross_encoder() -> bytes:
    """A graph whose score is the sum of the token ids."""
    nodes = [
        _node("Cast", ["input_ids"], "ids", to=FLOAT),
        _node("ReduceSum", ["ids", "axis"], "scores", keepdims=1),
    ]
    return _model(nodes, [_integers("axis", [1])], _value("scores", FLOAT, ["batch", 1]))


def embedder(dimensions: int = 2) -> bytes:
    """A graph whose token vectors are (id, 1), and zeros behind them when there are more dimensions."""
    nodes = [
        _node("Cast", ["input_ids"], "ids", to=FLOAT),
        _node("Unsqueeze", ["ids", "axis"], "column"),
        _node("Mul", ["column", "first"], "scaled"),
        _node("Add", ["scaled", "second"], "vectors"),
    ]
    zeros = [0.0] * (dimensions - 2)
    constants = [
        _integers("axis", [2]),
        _floats("first", [1.0, 0.0, *zeros]),
        _floats("second", [0.0, 1.0, *zeros]),
    ]
    return _model(nodes, constants, _value("vectors", FLOAT, ["batch", "length", dimensions]))


def write_folder(folder: Path, onnx: bytes) -> Path:
    """Writes a model folder of the usual layout whose tokens are the words one (1) to nine (9)."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = ["[PAD]", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    numbered = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(numbered, unk_token=words[0]))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    folder.mkdir(parents=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 32, "pad_token": "[PAD]"}))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    (folder / "model.onnx").write_bytes(onnx)
    return folder


def static_table(folder: Path, dimensions: int) -> dict[str, bytes]:
    """The files of a static model in which token n points along axis n."""
    write_folder(folder, b"")
    rows = [[1.0 if column == row else 0.0 for column in range(dimensions)] for row in range(10)]
    raw = b"".join(struct.pack(f"<{dimensions}f", *row) for row in rows)
    entry = {"dtype": "F32", "shape": [10, dimensions], "data_offsets": [0, len(raw)]}
    header = json.dumps({"embeddings": entry}).encode()
    names = ("tokenizer.json", "tokenizer_config.json", "config.json")
    files = {name: (folder / name).read_bytes() for name in names}
    return files | {"model.safetensors": struct.pack("<Q", len(header)) + header + raw}

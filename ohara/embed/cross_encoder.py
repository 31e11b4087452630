"""The embedded cross-encoder, on onnxruntime and tokenizers alone.

fastembed gives the same scores and takes several times as long to import as the model takes to answer: a
first answer would wait for it. Models of other folders are opened by `fastembed_models`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray


class CrossEncoder:
    """A graph that reads pairs of texts, and what cuts them into tokens."""

    def __init__(self, folder: Path, *, threads: int) -> None:
        from onnxruntime import InferenceSession, SessionOptions  # type: ignore[import-untyped]  # has no types
        from tokenizers import Tokenizer

        told = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(told["model_max_length"])
        padding = self._tokenizer.token_to_id(told["pad_token"])
        self._tokenizer.enable_padding(pad_id=padding, pad_token=told["pad_token"])
        options = SessionOptions()
        options.intra_op_num_threads = threads
        self._graph = InferenceSession(
            str(folder / "model.onnx"), sess_options=options, providers=["CPUExecutionProvider"]
        )
        self._inputs = frozenset(node.name for node in self._graph.get_inputs())

    def rerank(self, query: str, documents: Iterable[str], batch_size: int = 16) -> Iterable[float]:
        """One score a document, in their order."""
        texts = list(documents)
        for start in range(0, len(texts), batch_size):
            yield from self._scores([(query, text) for text in texts[start : start + batch_size]])

    def _scores(self, pairs: list[tuple[str, str]]) -> list[float]:
        cut = self._tokenizer.encode_batch(pairs)
        read = {
            "input_ids": _matrix(one.ids for one in cut),
            "token_type_ids": _matrix(one.type_ids for one in cut),
            "attention_mask": _matrix(one.attention_mask for one in cut),
        }
        given = {name: matrix for name, matrix in read.items() if name in self._inputs}
        scores: list[float] = self._graph.run(None, given)[0][:, 0].tolist()
        return scores


def _matrix(rows: Iterable[list[int]]) -> NDArray[np.int64]:
    return np.array(list(rows), dtype=np.int64)

"""The embedded cross-encoder, on onnxruntime and tokenizers alone.

fastembed gives the same scores and takes several times as long to import as the model takes to answer: a
first answer would wait for it. Models of other folders are opened by `fastembed_models`.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from ohara.arrays import np

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class CrossEncoder:
    """A graph that reads pairs of texts, and what cuts them into tokens.

    Each pair is read alone, by as many threads as there are pairs at a time. Several in a batch would not be
    quicker: most are as long as can be read, and threads inside the graph wait for each other after every
    step, which takes more of the processor's time. And a batch is rounded to int8 together, so that a score
    would depend on what else is in it.
    """

    def __init__(self, folder: Path, *, threads: int) -> None:
        from onnxruntime import InferenceSession, SessionOptions  # type: ignore[import-untyped]  # has no types
        from tokenizers import Tokenizer

        told = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(told["model_max_length"])
        options = SessionOptions()
        options.intra_op_num_threads = 1
        self._graph = InferenceSession(
            str(folder / "model.onnx"), sess_options=options, providers=["CPUExecutionProvider"]
        )
        self._inputs = frozenset(node.name for node in self._graph.get_inputs())
        self._workers = ThreadPoolExecutor(threads, "ohara rerank")

    def rerank(self, query: str, documents: Iterable[str], batch_size: int = 1) -> Iterable[float]:
        """One score a document, in their order."""
        del batch_size
        return self._workers.map(partial(self._score, query), documents)

    def _score(self, query: str, document: str) -> float:
        cut = self._tokenizer.encode(query, document)
        read = {"input_ids": cut.ids, "token_type_ids": cut.type_ids, "attention_mask": cut.attention_mask}
        given = {name: np.array([row], dtype=np.int64) for name, row in read.items() if name in self._inputs}
        return float(self._graph.run(None, given)[0][0, 0])

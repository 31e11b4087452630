"""Transformers through fastembed: every cross-encoder and every embedder but those that come with ohara.

The only importer of fastembed, and only inside functions: importing it costs most of a second. It never
reaches for a network: every model is a folder of files that were checked against their digests. It never
trusts a model's output: vectors are scaled to length one here, and a number that is not finite is an error.
"""

from __future__ import annotations

import math
import os
import warnings
from contextlib import suppress
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from ohara.arrays import np
from ohara.embed.cross_encoder import CrossEncoder
from ohara.embed.encoder import ModelId, TextKind
from ohara.embed.hub import LIST
from ohara.embed.model_text import prepared_document, prepared_query
from ohara.embed.weights import (
    REINSTALL,
    Manifest,
    ModelKind,
    Pooling,
    embedded_folder,
    read_manifest,
    verify,
)
from ohara.errors import ModelError
from ohara.model import VectorForm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from importlib.resources.abc import Traversable

    from numpy.typing import NDArray

    from ohara.embed.encoder import Matrix

# More threads than this gain nothing on batches this small and take the machine from the person using it.
MAX_THREADS = 4

# Texts of like length run together, so that little is padding; small batches stay in the processor's cache.
BATCH = 16


class _Embedding(Protocol):
    def query_embed(self, query: Iterable[str]) -> Iterable[NDArray[np.generic]]: ...

    def passage_embed(self, texts: Iterable[str]) -> Iterable[NDArray[np.generic]]: ...


class _CrossEncoding(Protocol):
    def rerank(self, query: str, documents: Iterable[str], batch_size: int = ...) -> Iterable[float]: ...


class FastEmbedder:
    """Embeds with a transformer: better blind than the table, and a hundred times slower."""

    def __init__(self, name: str, model_id: ModelId, dimensions: int, load: Callable[[], _Embedding]) -> None:
        self.name = name
        self.id = model_id
        self.dimensions = dimensions
        self._load = load
        self._model: _Embedding | None = None
        self._lock = Lock()
        self.form = VectorForm.INT8
        self.centre = np.zeros(dimensions, dtype=np.float32)

    def embed(self, texts: Sequence[str], kind: TextKind) -> Matrix:
        """Returns one row a text; identical texts are embedded once."""
        places: dict[str, int] = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        distinct = list(places)
        rows = np.zeros((len(distinct), self.dimensions), dtype=np.float32)
        with self._lock, _translated(self.name):
            if self._model is None:
                self._model = self._load()
            run = self._model.query_embed if kind is TextKind.QUERY else self._model.passage_embed
            for batch in _by_length([place for place, text in enumerate(distinct) if text.strip()], distinct):
                rows[batch] = np.asarray(list(run([distinct[place] for place in batch])), dtype=np.float32)
        if not np.isfinite(rows).all():
            raise ModelError(f"the model {self.name} gave a vector that is not finite", hint=LIST)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        np.divide(rows, lengths, out=rows, where=lengths > 0)
        return rows[[places[text] for text in texts]]

    def embed_joined(self, texts: Sequence[tuple[str, ...]], kind: TextKind) -> Matrix:
        """Returns one row a text of several parts."""
        return self.embed(["\n".join(parts) for parts in texts], kind)


class FastReranker:
    """Scores pairs with a cross-encoder."""

    def __init__(
        self, name: str, model_id: ModelId, load: Callable[[], _CrossEncoding], *, prepared: bool = False
    ) -> None:
        self.name = name
        self.id = model_id
        self._load = load
        self._prepared = prepared
        self._model: _CrossEncoding | None = None
        self._lock = Lock()

    def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Returns one score a document; a score does not depend on the other documents."""
        if self._prepared:
            query, documents = prepared_query(query), [prepared_document(text) for text in documents]
        scores = [0.0] * len(documents)
        with self._lock, _translated(self.name):
            if self._model is None:
                self._model = self._load()
            order = list(chain.from_iterable(_by_length(range(len(documents)), documents)))
            found = self._model.rerank(query, [documents[place] for place in order], batch_size=BATCH)
            for place, score in zip(order, found, strict=True):
                scores[place] = float(score)
        if not all(map(math.isfinite, scores)):
            raise ModelError(f"the model {self.name} gave a score that is not finite", hint=LIST)
        return scores


# -- models in a folder --------------------------------------------------------------------------


def folder_embedder(folder: Traversable, *, threads: int = 0) -> FastEmbedder:
    """Opens an embedder in a folder with a manifest; weights are checked and read at the first text."""
    manifest = _manifest_of(folder, ModelKind.EMBEDDER)

    def load() -> _Embedding:
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType

        pooling = {
            Pooling.CLS: PoolingType.CLS,
            Pooling.MEAN: PoolingType.MEAN,
            Pooling.DONE: PoolingType.DISABLED,
        }
        path = _verified_path(folder, manifest)
        if not manifest.hub and not _registered(TextEmbedding, manifest.id):
            TextEmbedding.add_custom_model(
                model=manifest.id,
                pooling=pooling[manifest.pooling],
                normalization=True,
                sources=ModelSource(hf=manifest.id),
                dim=manifest.dimensions,
                model_file="model.onnx",
            )
        name = manifest.hub or manifest.id
        return TextEmbedding(name, specific_model_path=str(path), threads=threads or _threads(), cuda=False)

    return FastEmbedder(manifest.name, manifest.id, manifest.dimensions, load)


def folder_reranker(folder: Traversable) -> FastReranker:
    """Opens a cross-encoder in a folder with a manifest; weights are checked and read at the first pair."""
    manifest = _manifest_of(folder, ModelKind.CROSS_ENCODER)

    def load() -> _CrossEncoding:
        path = _verified_path(folder, manifest)
        if _is_shipped(path, manifest):
            return CrossEncoder(path, threads=_threads())
        from fastembed.common.model_description import ModelSource
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        if not manifest.hub and not _registered(TextCrossEncoder, manifest.id):
            source = ModelSource(hf=manifest.id)
            TextCrossEncoder.add_custom_model(model=manifest.id, sources=source, model_file="model.onnx")
        name = manifest.hub or manifest.id
        return TextCrossEncoder(name, specific_model_path=str(path), threads=_threads(), cuda=False)

    return FastReranker(manifest.name, manifest.id, load, prepared=manifest.prepared)


def output_shape(name: str, weights: Path) -> list[object]:
    """Returns the axes of what a graph gives out: numbers where they are fixed, names where they are not."""
    with _translated(name):
        from onnxruntime import InferenceSession  # type: ignore[import-untyped]  # it has no types

        outputs = InferenceSession(str(weights), providers=["CPUExecutionProvider"]).get_outputs()
        return list(outputs[0].shape)


# -- shared --------------------------------------------------------------------------------------


class _translated:  # noqa: N801  # read as a word: `with _translated(name)`
    """Turns whatever fastembed and onnxruntime raise into one line about the model."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        _quiet()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, ModelError):
            raise ModelError(
                f"the model {self._name} cannot be run: {_first_line(error)}", hint=LIST
            ) from error


def _quiet() -> None:
    """Stops fastembed's own log lines and warnings: what went wrong is said once, by whoever asked."""
    warnings.filterwarnings("ignore", category=UserWarning, module=__name__.replace(".", r"\."))
    # fastembed's choice of logger, not ours: should it choose another, its lines are noise and no fault.
    with suppress(ImportError):
        from loguru import logger

        logger.disable("fastembed")


def _threads() -> int:
    return max(1, min(MAX_THREADS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2))


def _by_length(places: Iterable[int], texts: Sequence[str]) -> Iterable[list[int]]:
    """Yields the places in batches of texts of like length."""
    order = sorted(places, key=lambda place: len(texts[place]))
    for start in range(0, len(order), BATCH):
        yield order[start : start + BATCH]


def _manifest_of(folder: Traversable, kind: ModelKind) -> Manifest:
    manifest = read_manifest(folder)
    if manifest.kind is not kind:
        raise ModelError(f"{manifest.name} is of the kind {manifest.kind}, not {kind}", hint=LIST)
    return manifest


def _verified_path(folder: Traversable, manifest: Manifest) -> Path:
    """Checks every file, and returns the folder as a path, since onnxruntime reads from disk."""
    if not isinstance(folder, Path):
        raise ModelError(
            f"the model {manifest.name} is inside an archive", hint="install ohara unpacked, with pip"
        )
    verify(folder, manifest, hint=_again(folder, manifest))
    return folder


def _again(folder: Path, manifest: Manifest) -> str:
    """Returns how to get a model's files anew."""
    if manifest.hub:
        return f"ohara models remove {manifest.name}, then ohara models pull {manifest.name}"
    again = f"ohara models remove {manifest.name}, then add it again"
    return REINSTALL if _is_shipped(folder, manifest) else again


def _is_shipped(folder: Path, manifest: Manifest) -> bool:
    """True for a model that came with ohara."""
    return not manifest.hub and folder.parent == Path(str(embedded_folder(manifest.name))).parent


def _registered(opener: type[object], name: str) -> bool:
    listed = opener.list_supported_models()  # type: ignore[attr-defined]  # both openers have it
    return any(str(entry["model"]).lower() == name.lower() for entry in listed)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]

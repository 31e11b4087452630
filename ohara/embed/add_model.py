"""Adds a folder with an ONNX model to ohara's models, after running it once.

What the model is (a cross-encoder or an embedder, its dimensions and pooling) is read from the graph's output
and from the files beside it; what cannot be read must be given. The model is run once before it is added, so
that every added model works.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.embed.encoder import TextKind
from ohara.embed.installed import NAME, installed_folder, new_added_folder
from ohara.embed.weights import Manifest, ModelKind, Pooling, digest, write_manifest
from ohara.errors import ModelError
from ohara.records import dataclass

if TYPE_CHECKING:
    from pathlib import Path

# What a setting could mean otherwise, and the names of what ships.
RESERVED = frozenset({"none", "embedded", "ohara-static", "ohara-cross"})

_WEIGHTS = "model.onnx"
_NEEDED = ("tokenizer.json", "tokenizer_config.json")
_WELCOME = ("config.json", "special_tokens_map.json")
_SENTENCE_POOLING = "1_Pooling/config.json"  # where sentence-transformers says how to pool
_TRIAL = "return the value of the setting"


@dataclass(frozen=True, slots=True)
class Added:
    """A model that was added; `assumed` describes what the folder did not specify, or is empty."""

    manifest: Manifest
    folder: Path
    assumed: str = ""


def add_folder(
    source: Path,
    name: str = "",
    kind: ModelKind | None = None,
    *,
    dimensions: int = 0,
    pooling: Pooling | None = None,
    licence: str = "unknown",
) -> Added:
    """Copies a folder with an ONNX model and its tokeniser to ohara's models as `name`, and runs it once."""
    name = name or source.absolute().name
    if not NAME.fullmatch(name) or name.lower() in RESERVED:
        raise ModelError(
            f"{name!r} cannot be a model's name", hint="give --name, of letters, digits, dots and dashes"
        )
    weights = _weights(source)
    if missing := [file for file in _NEEDED if not (source / file).is_file()]:
        raise ModelError(
            f"{source} has no {', '.join(missing)}",
            hint=f"a model folder holds {_WEIGHTS}, {', '.join(_NEEDED)}",
        )
    with new_added_folder(name) as folder:
        for file in (*_NEEDED, *_WELCOME):
            if (source / file).is_file():
                shutil.copyfile(source / file, folder / file)
        shutil.copyfile(weights, folder / _WEIGHTS)
        for beside in sorted(weights.parent.glob(f"{weights.name}[._]data")):
            shutil.copyfile(beside, folder / beside.name)
        manifest = Manifest(
            name=name,
            kind=ModelKind.EMBEDDER,
            dimensions=0,
            licence=licence,
            digests=tuple((file.name, digest(file)) for file in sorted(folder.iterdir())),
        )
        manifest, assumed = _understood(
            manifest, folder, source, kind=kind, dimensions=dimensions, pooling=pooling
        )
        write_manifest(folder, manifest)
        _try(manifest, folder)
    taken = installed_folder(name)
    if taken is None:
        raise ModelError(f"{name} vanished while it was added", hint="repeat")
    return Added(manifest, taken, assumed)


def _weights(source: Path) -> Path:
    """Returns the ONNX file of a folder that has exactly one candidate."""
    for usual in (source / _WEIGHTS, source / "onnx" / _WEIGHTS):
        if usual.is_file():
            return usual
    found = sorted([*source.glob("*.onnx"), *source.glob("onnx/*.onnx")]) if source.is_dir() else []
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(str(file.relative_to(source)) for file in found)
        raise ModelError(f"{source} holds several models: {listed}", hint=f"rename one to {_WEIGHTS}")
    raise ModelError(
        f"{source} has no {_WEIGHTS}", hint=f"a model folder holds {_WEIGHTS}, {', '.join(_NEEDED)}"
    )


def _understood(
    manifest: Manifest,
    folder: Path,
    source: Path,
    *,
    kind: ModelKind | None,
    dimensions: int,
    pooling: Pooling | None,
) -> tuple[Manifest, str]:
    """Returns the manifest completed from the graph's output, and what had to be assumed."""
    from ohara.embed.fastembed_models import output_shape

    shape = output_shape(manifest.name, folder / _WEIGHTS)
    last = shape[-1] if shape and isinstance(shape[-1], int) else 0
    if kind is None:
        kind = ModelKind.CROSS_ENCODER if len(shape) == 2 and last == 1 else ModelKind.EMBEDDER
    if kind is ModelKind.CROSS_ENCODER:
        return replace(manifest, kind=kind, dimensions=0), ""
    if len(shape) not in {2, 3}:
        raise ModelError(
            f"the output of {manifest.name} has {len(shape)} axes: neither vectors nor scores",
            hint="export it with one vector a token, or one a text",
        )
    if last and dimensions and last != dimensions:
        raise ModelError(
            f"the vectors of {manifest.name} have {last} dimensions, not {dimensions}",
            hint="leave --dimensions out",
        )
    if not (last or dimensions):
        raise ModelError(f"{manifest.name} does not say its dimensions", hint="give --dimensions")
    assumed = ""
    if pooling is None:
        pooling = Pooling.DONE if len(shape) == 2 else _pooling(source)
    if pooling is None:
        pooling = Pooling.MEAN
        assumed = "the mean of its tokens is taken, as the folder does not say; --pooling cls takes the first"
    return replace(manifest, kind=kind, dimensions=last or dimensions, pooling=pooling), assumed


def _pooling(source: Path) -> Pooling | None:
    """Returns the pooling that a folder of sentence-transformers names."""
    try:
        document = json.loads((source / _SENTENCE_POOLING).read_text(encoding="utf-8"))
        if document.get("pooling_mode_cls_token"):
            return Pooling.CLS
        return Pooling.MEAN if document.get("pooling_mode_mean_tokens") else None
    except (OSError, ValueError, AttributeError):
        return None


def _try(manifest: Manifest, folder: Path) -> None:
    """Runs the model once."""
    from ohara.embed import fastembed_models

    if manifest.kind is ModelKind.CROSS_ENCODER:
        fastembed_models.folder_reranker(folder).score(_TRIAL, [_TRIAL])
    else:
        fastembed_models.folder_embedder(folder).embed([_TRIAL], TextKind.DOCUMENT)

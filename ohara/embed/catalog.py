"""The catalog of models, and how a setting's value becomes a running model.

A setting is `embedded` (what ships with ohara), `none` (the stage is off), the name of a folder added with
`ohara models add`, or a hub name that was pulled. Nothing here downloads. A model that is not on this machine
is an error with the next command to type; a search or an index run then continues with the embedded model,
and reports that (`serving_embedder`, `serving_reranker`).
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ohara.embed.hub import LIST
from ohara.embed.installed import added_folders, installed_folder, pulled_folders
from ohara.embed.weights import MANIFEST, ModelKind, embedded_folder, read_manifest
from ohara.errors import ModelError
from ohara.records import dataclass

if TYPE_CHECKING:
    from ohara.embed.encoder import Embedder, Reranker

EMBEDDED = "embedded"
NONE = "none"
EMBEDDED_EMBEDDER = "ohara-static"
EMBEDDED_RERANKER = "ohara-cross"


class ModelSource(StrEnum):
    """Where a model comes from."""

    EMBEDDED = "embedded"
    ADDED = "added"
    PULLED = "pulled"
    AVAILABLE = "available"


class Stage(StrEnum):
    """The two stages that use a model, by the names of their settings."""

    EMBEDDER = "embedder"
    RERANKER = "reranker"


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One line of `ohara models`."""

    name: str
    kind: ModelKind
    origin: ModelSource
    dimensions: int
    size_bytes: int
    licence: str
    provisional: bool = False

    @property
    def stage(self) -> Stage:
        """The stage that can use it."""
        return Stage.RERANKER if self.kind is ModelKind.CROSS_ENCODER else Stage.EMBEDDER


class Serving(NamedTuple):
    """The model in use for a setting; `note` is the reason when it is not the one that the setting names."""

    name: str
    note: str = ""


def local_models() -> tuple[ModelEntry, ...]:
    """Returns the models on this machine, without importing fastembed; `broken_models` names the others."""
    entries: list[ModelEntry] = []
    for name in (EMBEDDED_EMBEDDER, EMBEDDED_RERANKER):
        folder = embedded_folder(name)
        if (folder / MANIFEST).is_file():
            entries.append(_entry(Path(str(folder)), ModelSource.EMBEDDED))
    for origin, folders in ((ModelSource.ADDED, added_folders()), (ModelSource.PULLED, pulled_folders())):
        for found in folders:
            try:
                entries.append(_entry(found, origin))
            except ModelError:
                continue
    return tuple(entries)


def broken_models() -> dict[str, str]:
    """Returns the folders of added and pulled models that cannot be read, with the reason."""
    broken: dict[str, str] = {}
    for folder in (*added_folders(), *pulled_folders()):
        try:
            read_manifest(folder)
        except ModelError as error:
            broken[folder.name.replace("--", "/")] = error.message
    return broken


def all_models() -> tuple[ModelEntry, ...]:
    """Returns the models on this machine and those that fastembed knows by name and could be pulled."""
    from ohara.embed.hub import hub_models

    here = local_models()
    pulled = {entry.name for entry in here if entry.origin is ModelSource.PULLED}
    return here + tuple(
        ModelEntry(
            model.name, model.kind, ModelSource.AVAILABLE, model.dimensions, model.size_bytes, model.licence
        )
        for model in hub_models()
        if model.name not in pulled
    )


def find_local(name: str) -> ModelEntry | None:
    """Returns the model of this name if it is on this machine; hub names may be in any case."""
    for entry in local_models():
        if entry.name == name or (entry.origin is ModelSource.PULLED and entry.name.lower() == name.lower()):
            return entry
    return None


def meant_by(setting: str, stage: Stage) -> str:
    """Returns the name of the model that a setting's value means; `none` stays `none`."""
    if setting == EMBEDDED:
        return EMBEDDED_RERANKER if stage is Stage.RERANKER else EMBEDDED_EMBEDDER
    return setting


def load_embedder(name: str, *, threads: int = 0) -> Embedder | None:
    """Opens the embedder a setting names; None when the stage is off. Weights are read at the first text.

    `threads` bounds what one call may use; 0 leaves it to the machine.
    """
    if name == NONE:
        return None
    if name in (EMBEDDED, EMBEDDED_EMBEDDER):
        from ohara.embed.static_model import StaticEmbedder

        return StaticEmbedder(embedded_folder(EMBEDDED_EMBEDDER))
    folder = _installed(name)
    if read_manifest(folder).kind is ModelKind.STATIC_EMBEDDER:
        from ohara.embed.static_model import StaticEmbedder

        return StaticEmbedder(folder)
    from ohara.embed.fastembed_models import folder_embedder

    return folder_embedder(folder, threads=threads)


def load_reranker(name: str) -> Reranker | None:
    """Opens the reranker a setting names; None when the stage is off. Weights are read at the first pair."""
    if name == NONE:
        return None
    from ohara.embed.fastembed_models import folder_reranker

    if name in (EMBEDDED, EMBEDDED_RERANKER):
        return folder_reranker(embedded_folder(EMBEDDED_RERANKER))
    return folder_reranker(_installed(name))


def serving_embedder(name: str) -> Serving:
    """Returns the embedder to use for a setting: the one it names, or the embedded one with a note."""
    return _serving(name, Stage.EMBEDDER)


def serving_reranker(name: str) -> Serving:
    """Returns the reranker to use for a setting: the one it names, or the embedded one with a note."""
    return _serving(name, Stage.RERANKER)


def _serving(name: str, stage: Stage) -> Serving:
    if name in (NONE, EMBEDDED, EMBEDDED_EMBEDDER, EMBEDDED_RERANKER):
        return Serving(name)
    try:
        folder = _installed(name)
        kind = read_manifest(folder).kind
    except ModelError as error:
        instead = EMBEDDED if _ships(stage) else NONE
        serves = "the embedded one serves" if instead == EMBEDDED else "none serves"
        hint = f"ohara models remove {name}" if installed_folder(name) else error.hint
        return Serving(instead, f"{error.message}, {serves}: {hint}")
    if (kind is ModelKind.CROSS_ENCODER) is not (stage is Stage.RERANKER):
        raise ModelError(
            f"models.{stage} names {name}, which is of the kind {kind}",
            hint=f"ohara models use embedded --{stage}",
        )
    return Serving(name)


def _ships(stage: Stage) -> bool:
    return (embedded_folder(meant_by(EMBEDDED, stage)) / MANIFEST).is_file()


def _installed(name: str) -> Path:
    """Returns the folder of an added or pulled model, or says how to get it."""
    if (folder := installed_folder(name)) is not None:
        return folder
    if "/" in name:
        raise ModelError(f"the model {name} is not on this machine", hint=f"ohara models pull {name}")
    raise ModelError(f"there is no model named {name}", hint=LIST)


def _entry(folder: Path, origin: ModelSource) -> ModelEntry:
    manifest = read_manifest(folder)
    return ModelEntry(
        name=manifest.name,
        kind=manifest.kind,
        origin=origin,
        dimensions=manifest.dimensions,
        size_bytes=sum(
            (folder / file).stat().st_size for file, _ in manifest.digests if (folder / file).is_file()
        ),
        licence=manifest.licence,
        provisional=manifest.provisional,
    )

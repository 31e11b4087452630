"""The identity of the embedder for a setting, without loading it: enough for a run with nothing to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.embed.catalog import EMBEDDED, EMBEDDED_EMBEDDER, NONE, load_embedder, serving_embedder
from ohara.embed.installed import manifest_of
from ohara.embed.weights import ModelKind, embedded_folder, read_manifest
from ohara.errors import ModelError
from ohara.records import dataclass

if TYPE_CHECKING:
    from ohara.embed.encoder import Embedder, ModelId
    from ohara.model import VectorForm


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """What an index stores about the embedder of its vectors.

    `name` is what loads it; a `quick` one makes thousands of vectors a second.
    """

    id: ModelId
    dimensions: int
    form: VectorForm
    name: str
    quick: bool


def embedder_identity(setting: str) -> EmbedderIdentity | None:
    """The identity of the embedder in use for a setting; None when the stage is off."""
    name = serving_embedder(setting).name
    if name == NONE:
        return None
    if name in {EMBEDDED, EMBEDDED_EMBEDDER}:
        manifest = read_manifest(embedded_folder(EMBEDDED_EMBEDDER))
    else:
        installed = manifest_of(name)
        if installed is None:
            raise ModelError(f"the model {name} is gone", hint="see `ohara models` for the names")
        manifest = installed
    quick = manifest.kind is ModelKind.STATIC_EMBEDDER
    return EmbedderIdentity(manifest.id, manifest.dimensions, manifest.form, name, quick)


def embedder_of(model_id: str) -> Embedder | None:
    """The embedder that made vectors, by the id they carry; None when exactly that one is not here."""
    name = model_id.rpartition("@")[0]
    try:
        embedder = load_embedder(name) if name else None
    except ModelError:
        return None
    return embedder if embedder is not None and embedder.id == model_id else None

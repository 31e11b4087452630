"""Opens a model folder: its manifest, its files checked against their digests, its tensors.

A folder holds `model.json` (what it is, and the sha256 of every other file) beside the weights and
tokeniser. Safetensors is read here in thirty lines, so that no training library is needed to run a table.
"""

from __future__ import annotations

import hashlib
import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from ohara.embed.encoder import ModelId
from ohara.errors import ModelError
from ohara.model import VectorForm
from ohara.records import dataclass

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    import numpy as np
    from numpy.typing import NDArray

MANIFEST = "model.json"
REINSTALL = "reinstall ohara: pip install --force-reinstall ohara"

_DTYPES = {"I8": "int8", "F16": "float16", "F32": "float32", "I32": "int32"}


class ModelKind(StrEnum):
    """What a model folder holds."""

    STATIC_EMBEDDER = "static-embedder"
    EMBEDDER = "embedder"
    CROSS_ENCODER = "cross-encoder"


class Pooling(StrEnum):
    """How a transformer's token vectors become one: its first, their mean, or the model has done it."""

    CLS = "cls"
    MEAN = "mean"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of a model folder.

    `dimensions` is 0 for a cross-encoder. A `prepared` cross-encoder reads split words, as ohara's own
    does, instead of text as written. `provisional` weights stand in for better ones. `hub` is the name by
    which fastembed knows how to run the files, where it does. `form` is how an index keeps its vectors.
    """

    name: str
    kind: ModelKind
    dimensions: int
    licence: str
    digests: tuple[tuple[str, str], ...]
    pooling: Pooling = Pooling.MEAN
    prepared: bool = False
    provisional: bool = False
    hub: str = ""
    form: VectorForm = VectorForm.INT8

    @property
    def id(self) -> ModelId:
        """The name with a digest over all files, short enough to show."""
        joined = "".join(f"{file}:{digest}\n" for file, digest in sorted(self.digests))
        return ModelId(f"{self.name}@{hashlib.sha256(joined.encode()).hexdigest()[:12]}")


def embedded_folder(name: str) -> Traversable:
    """Returns the folder of a model that ships with ohara, whether or not it is there."""
    beside = Path(__file__).parent.parent / "models"
    if beside.is_dir():
        return beside / name
    from importlib import resources  # in an archive; and it takes longer to load than a model's manifest

    return resources.files("ohara.models") / name


def read_manifest(folder: Traversable) -> Manifest:
    """Reads the manifest of a model folder."""
    try:
        document = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return Manifest(
            name=str(document["name"]),
            kind=ModelKind(document["kind"]),
            dimensions=int(document["dimensions"]),
            licence=str(document["licence"]),
            digests=tuple((str(file), str(digest)) for file, digest in document["files"].items()),
            pooling=Pooling(document.get("pooling", Pooling.MEAN)),
            prepared=bool(document.get("prepared", False)),
            provisional=bool(document.get("provisional", False)),
            hub=str(document.get("hub", "")),
            form=VectorForm(document.get("form", VectorForm.INT8)),
        )
    except FileNotFoundError as error:
        raise ModelError(f"the model {folder.name} is not installed", hint=REINSTALL) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(
            f"the model {folder.name} has an unreadable {MANIFEST}: {error}", hint=REINSTALL
        ) from error


def read_verified(folder: Traversable, manifest: Manifest, file: str) -> bytes:
    """Reads one file of a model and refuses it when its sha256 is not the manifest's."""
    expected = dict(manifest.digests).get(file)
    if expected is None:
        raise ModelError(f"the model {manifest.name} does not list {file}", hint=REINSTALL)
    try:
        data = (folder / file).read_bytes()
    except OSError as error:
        raise ModelError(f"the model {manifest.name} lacks {file}: {error}", hint=REINSTALL) from error
    if hashlib.sha256(data).hexdigest() != expected:
        raise ModelError(
            f"the model {manifest.name} is damaged: {file} is not what was shipped", hint=REINSTALL
        )
    return data


def verify(folder: Path, manifest: Manifest, hint: str) -> None:
    """Refuses a folder of which any file is not what its manifest says, without holding a file in memory."""
    for file, expected in manifest.digests:
        try:
            found = digest(folder / file)
        except OSError as error:
            raise ModelError(
                f"the model {manifest.name} lacks {file}: {error.strerror or error}", hint=hint
            ) from error
        if found != expected:
            raise ModelError(f"the model {manifest.name} is damaged: {file} has changed", hint=hint)


def digest(file: Path) -> str:
    """Returns the sha256 of a file, read piece by piece."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Writes the manifest of a model folder."""
    document = {
        "name": manifest.name,
        "kind": manifest.kind,
        "dimensions": manifest.dimensions,
        "pooling": manifest.pooling,
        "licence": manifest.licence,
        "hub": manifest.hub,
        "files": dict(manifest.digests),
    }
    (folder / MANIFEST).write_text(json.dumps(document, indent=2), encoding="utf-8")


def read_tensors(data: bytes) -> dict[str, NDArray[np.generic]]:
    """Reads a safetensors file: eight bytes of header length, a JSON header, then the raw arrays."""
    from ohara.arrays import np  # late: who only asks which model there is should not wait for it

    try:
        length = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + length])
        base = 8 + length
        tensors: dict[str, NDArray[np.generic]] = {}
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            first, last = entry["data_offsets"]
            flat = np.frombuffer(memoryview(data)[base + first : base + last], _DTYPES[entry["dtype"]])
            tensors[name] = flat.reshape(entry["shape"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"not a safetensors file: {error}", hint=REINSTALL) from error
    return tensors

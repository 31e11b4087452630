"""The model folders on this machine that did not come with ohara: added from a path, or pulled from a hub.

Every one is a folder with a manifest and digests, so it is listed, opened and checked without fastembed and
without a network. A folder appears whole or not at all: it is filled under another name first.
"""

from __future__ import annotations

import re
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ohara import paths
from ohara.embed.weights import MANIFEST, Manifest, digest, read_manifest, write_manifest
from ohara.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ohara.embed.download import Fetched, Release

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_HUB_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")


def added_folders() -> list[Path]:
    """Returns the folders that were added."""
    return _folders(_added_dir())


def pulled_folders() -> list[Path]:
    """Returns the folders that were pulled."""
    return _folders(_pulled_dir())


def installed_folder(name: str) -> Path | None:
    """Returns the folder of an added or pulled model, or None when there is none of this name."""
    if NAME.fullmatch(name):
        folder = _added_dir() / name
    elif _HUB_NAME.fullmatch(name):
        folder = _pulled_dir() / _pulled_name(name)
    else:
        return None
    return folder if (folder / MANIFEST).is_file() else None


def install_pulled(release: Release) -> Iterator[Fetched]:
    """Downloads a release and makes it a model of this machine; what was begun before is gone on with."""
    from ohara.embed.download import fetch

    model = release.model
    part = _pulled_dir() / f".{_pulled_name(model.name)}.part"
    yield from fetch(release, part)
    files = tuple((file.name, digest(part / file.name)) for file in release.files)
    manifest = Manifest(
        name=model.name,
        kind=model.kind,
        dimensions=model.dimensions,
        licence=model.licence,
        digests=files,
        hub=model.name,
    )
    write_manifest(part, manifest)
    part.replace(_pulled_dir() / _pulled_name(model.name))


@contextmanager
def new_added_folder(name: str) -> Iterator[Path]:
    """Gives a folder to fill; it becomes the model `name` when the block ends well, and else goes."""
    target = _added_dir() / name
    if target.exists():
        raise ModelError(f"there is a model named {name} already", hint=f"ohara models remove {name}")
    part = _added_dir() / f".{name}.part"
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        yield part
        part.rename(target)
    except OSError as error:
        raise ModelError(
            f"{name} could not be added: {error.strerror or error}", hint="check the disk and repeat"
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def remove_folder(name: str) -> int:
    """Deletes an added or pulled model and says how many bytes that freed."""
    folder = installed_folder(name)
    if folder is None:
        raise ModelError(
            f"no model named {name} was added or pulled", hint="see `ohara models` for the names"
        )
    freed = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    try:
        (folder / MANIFEST).unlink()  # first: a half-deleted folder is no model
        shutil.rmtree(folder)
    except OSError as error:
        raise ModelError(
            f"{folder} could not be removed: {error.strerror}", hint="remove it by hand"
        ) from error
    return freed


def manifest_of(name: str) -> Manifest | None:
    """Returns what an added or pulled model says of itself, or None when there is none of this name."""
    folder = installed_folder(name)
    return read_manifest(folder) if folder is not None else None


def _folders(place: Path) -> list[Path]:
    return sorted(file.parent for file in place.glob(f"[!.]*/{MANIFEST}"))


def _added_dir() -> Path:
    return paths.models_dir() / "added"


def _pulled_dir() -> Path:
    return paths.models_dir() / "pulled"


def _pulled_name(name: str) -> str:
    return name.lower().replace("/", "--")

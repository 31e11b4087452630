"""Downloads the files of a hub model: the only code of ohara that uses the network, and only on request.

An interrupted download resumes where it stopped, in a later run too. A file is accepted only when its size
and its digest are those the hub lists, and a model appears complete or not at all. It sends no credentials
and connects to no other host than the hub's; HF_ENDPOINT names a mirror.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPException
from typing import TYPE_CHECKING, Any

from ohara import __version__
from ohara.embed.hub import TOKENISER_FILES
from ohara.errors import ModelError
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from http.client import HTTPResponse
    from pathlib import Path

    from ohara.embed.hub import HubModel

HUB = "https://huggingface.co"
MIRROR_VARIABLE = "HF_ENDPOINT"  # as the hub's own tools call it

_CHUNK_BYTES = 256 * 2**10
_SILENCE_S = 30.0  # a server that says nothing for so long is gone
_PAUSE_S = 1.0
_FAILURES_IN_A_ROW = 3  # a connection that breaks is taken up again; one that brings nothing is given up
_LISTING_BYTES = 16 * 2**20  # no list of a model's files comes near

_REVISION = re.compile(r"[0-9a-f]{7,64}")
_HEX = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a model as the hub lists it; `digest` is sha256 for weights and git's own for small files."""

    name: str
    size: int
    digest: str

    def matches(self, file: Path) -> bool:
        """True when a file on disk is this one, wholly."""
        if not file.is_file() or file.stat().st_size != self.size:
            return False
        if len(self.digest) == 64:
            with file.open("rb") as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest() == self.digest
        # Git names a blob by this, and the hub gives no better digest for what it keeps in git itself.
        named = b"blob %d\0" % self.size + file.read_bytes()
        return hashlib.sha1(named, usedforsecurity=False).hexdigest() == self.digest


@dataclass(frozen=True, slots=True)
class Release:
    """One revision of a model at its hub."""

    model: HubModel
    url: str
    revision: str
    files: tuple[RemoteFile, ...]

    @property
    def size_bytes(self) -> int:
        """What all files together take."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True, slots=True)
class Fetched:
    """How far a download is."""

    done_bytes: int
    total_bytes: int


def address(model: HubModel) -> str:
    """Where a model's files come from."""
    hub = (os.environ.get(MIRROR_VARIABLE) or HUB).rstrip("/")
    if not hub.startswith(("https://", "http://")):
        raise ModelError(f"{MIRROR_VARIABLE} is no web address: {hub}", hint=f"unset {MIRROR_VARIABLE}")
    return f"{hub}/{model.source}"


def look_up(model: HubModel) -> Release:
    """Asks the hub which files a model has now."""
    url = address(model)
    listing = f"{url.removesuffix(model.source)}api/models/{model.source}/revision/main?blobs=true"
    with _told(model), _open(listing) as answer:
        document: dict[str, Any] = json.loads(answer.read(_LISTING_BYTES))
        revision = str(document["sha"])
        listed = {str(entry["rfilename"]): _listed(entry) for entry in document["siblings"]}
        if not _REVISION.fullmatch(revision):
            raise ValueError("the hub's answer names no revision")
        if missing := [name for name in model.files if name not in listed]:
            raise ValueError(f"the hub has no {', '.join(missing)} for it")
        wanted = dict.fromkeys((*model.files, *(name for name in TOKENISER_FILES if name in listed)))
        return Release(model, url, revision, tuple(listed[name] for name in wanted))


def fetch(release: Release, folder: Path) -> Iterator[Fetched]:
    """Downloads what `folder` does not hold yet; afterwards it holds the release's files and nothing else."""
    with _told(release.model), _alone(folder, release.model):
        missing = [file for file in release.files if not file.matches(folder / file.name)]
        started = {file: _part(folder, file) for file in missing}
        have = sum(part.stat().st_size for part in started.values() if part.is_file())
        _require_space(folder, sum(file.size for file in missing) - have)
        done = release.size_bytes - sum(file.size for file in missing)
        yield Fetched(done, release.size_bytes)
        for file, part in started.items():
            for size in _fetch_file(f"{release.url}/resolve/{release.revision}/{file.name}", file, part):
                yield Fetched(done + size, release.size_bytes)
            done += file.size
            target = folder / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            part.replace(target)
        _tidy(folder, {file.name for file in release.files})


def _fetch_file(url: str, file: RemoteFile, part: Path) -> Iterator[int]:
    """Downloads one file behind what `part` holds of it, yielding the part's size."""
    part.touch()
    failures = 0
    while (size := part.stat().st_size) != file.size:
        try:
            yield from _append(url, file, part, size if size < file.size else 0)
        except (OSError, HTTPException) as error:
            failures = 1 if part.stat().st_size > size else failures + 1
            refused = (
                isinstance(error, urllib.error.HTTPError) and error.code < HTTPStatus.INTERNAL_SERVER_ERROR
            )
            if refused or failures >= _FAILURES_IN_A_ROW:
                raise
            time.sleep(_PAUSE_S)
    if not file.matches(part):
        part.unlink()
        raise ValueError(f"{file.name} arrived damaged")


def _append(url: str, file: RemoteFile, part: Path, size: int) -> Iterator[int]:
    """Writes one answer of the server to the end of `part`, or from its beginning when the server insists."""
    with _open(url, size) as answer:
        if size and answer.status != HTTPStatus.PARTIAL_CONTENT:
            size = 0
        elif size and not str(answer.headers.get("Content-Range", "")).startswith(f"bytes {size}-"):
            raise ValueError(f"the hub answered with another part of {file.name} than was asked for")
        with part.open("ab" if size else "wb") as stream:
            while chunk := answer.read(_CHUNK_BYTES):
                size += len(chunk)
                if size > file.size:
                    raise ValueError(f"{file.name} is longer than the hub lists it")
                stream.write(chunk)
                yield size
    if size < file.size:
        raise ConnectionError(f"the connection ended in the middle of {file.name}")


def _open(url: str, first: int = 0) -> HTTPResponse:
    request = urllib.request.Request(url, headers={"User-Agent": f"ohara/{__version__}"})  # noqa: S310 - see address
    if first:
        request.add_header("Range", f"bytes={first}-")
    try:
        answer: HTTPResponse = urllib.request.urlopen(request, timeout=_SILENCE_S)  # noqa: S310 - see address
    except urllib.error.HTTPError as refusal:
        refusal.close()
        raise
    return answer


def _listed(entry: dict[str, Any]) -> RemoteFile:
    stored = entry.get("lfs") or {}
    digest = str(stored.get("sha256") or entry["blobId"])
    if not _HEX.fullmatch(digest):
        raise ValueError("the hub's answer names no digest")
    return RemoteFile(str(entry["rfilename"]), int(entry["size"]), digest)


def _part(folder: Path, file: RemoteFile) -> Path:
    """Where a file grows; named by its digest, so that a newer revision is not put behind an older one."""
    return folder / f"{file.digest}.part"


def _require_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise OSError(f"it needs {needed / 1e6:,.0f} MB and the disk has {free / 1e6:,.0f} MB left")


def _tidy(folder: Path, wanted: set[str]) -> None:
    """Removes what earlier attempts left."""
    for file in [file for file in folder.rglob("*") if file.is_file()]:
        if file.relative_to(folder).as_posix() not in wanted:
            file.unlink()


@contextmanager
def _alone(folder: Path, model: HubModel) -> Iterator[None]:
    """Keeps two downloads of one model from writing to the same files."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise ModelError(f"{model.name} is being downloaded already", hint="wait for that to end") from error
    finally:
        os.close(descriptor)


@contextmanager
def _told(model: HubModel) -> Iterator[None]:
    """Turns network errors into one line."""
    try:
        yield
    except (OSError, HTTPException, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(
            f"{model.name} could not be downloaded from {address(model)}: {_reason(error)}",
            hint=f"when there is a network: ohara models pull {model.name}; until then nothing changes",
        ) from error


def _reason(error: BaseException) -> str:
    match error:
        case urllib.error.HTTPError():
            return f"the hub answered {error.code}"
        case urllib.error.URLError():
            return _reason(error.reason) if isinstance(error.reason, OSError) else str(error.reason)
        case TimeoutError():
            return "the hub does not answer"
        case OSError() if error.strerror:
            return error.strerror
        case KeyError():
            return f"the hub's answer has no {error}"
    return (str(error).strip().splitlines() or [type(error).__name__])[0]

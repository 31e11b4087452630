"""Where a repository's index lives on disk, and which indexes there are.

The identity of an index is the repository's common git directory, so every work tree of a repository
shares one. Nothing here opens an index.
"""

from __future__ import annotations

import errno
import hashlib
import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from ohara import paths
from ohara.errors import StoreError
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

DATABASE = "index.db"
LOCK = "index.lock"
REBUILD = "set it aside and index again with: ohara index --rebuild"  # what to do about a damaged one
MARKER = "repository"  # a text file that names the repository: listing indexes opens none

# Twelve hex digits tell 10^7 repositories apart with a chance of collision below 10^-1 percent.
_DIGEST_LENGTH = 12


@dataclass(frozen=True, slots=True)
class IndexLocation:
    """Whose index it is, and the folder that is its own, whatever engine keeps it."""

    common_dir: Path
    folder: Path

    @property
    def database(self) -> Path:
        """The file that holds the index, where an engine keeps it in one."""
        return self.folder / DATABASE

    @property
    def lock(self) -> Path:
        """The file whose lock makes its holder the one writer."""
        return self.folder / LOCK

    def prepare(self) -> None:
        """Create the folder, private to the user, and say whose index it is."""
        paths.made(self.folder)
        marker = self.folder / MARKER
        try:
            if _marked(marker) != str(self.common_dir):  # the disk was full, or its repository was moved
                marker.write_text(f"{self.common_dir}\n", encoding="utf-8", errors="surrogateescape")
        except OSError as error:
            raise not_written(self.folder, error) from error


def adopt(old: IndexLocation, new: IndexLocation) -> bool:
    """Make the folder of one index that of another; False when there is one by now."""
    try:
        if new.folder.exists():
            if new.database.exists():
                return False
            shutil.rmtree(new.folder)  # what a search that found no index left behind
        old.folder.rename(new.folder)
        marker = new.folder / MARKER
        marker.write_text(f"{new.common_dir}\n", encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:  # somebody else adopted it
        return new.database.exists()
    except OSError as error:
        raise not_written(new.folder, error) from error
    return True


def not_written(folder: Path, error: OSError) -> StoreError:
    """What to say when nothing can be written in the folder of an index."""
    is_full = error.errno in {errno.ENOSPC, errno.EDQUOT}
    hint = room_hint(folder) if is_full else "check the folder's owner and permissions"
    return StoreError(f"cannot write in {folder}: {error.strerror}", hint=hint)


def not_entered(folder: Path) -> StoreError:
    """What to say when the folder of an index may not be looked into."""
    return StoreError(
        f"the index in {folder} cannot be read: Permission denied",
        hint=f"if it is yours: chmod 700 {shlex.quote(str(folder))}",
    )


def room_hint(folder: Path) -> str:
    """What to do about a disk that is full."""
    try:
        left = f" ({shutil.disk_usage(folder).free / 1e6:,.0f} MB are left)"
    except OSError:
        left = ""
    return (
        f"free space on the disk of {folder}{left}: ohara repos lists indexes that ohara forget deletes,"
        " ohara gc shrinks one; what was indexed is kept, and the next run goes on"
    )


def _marked(marker: Path) -> str:
    try:
        return marker.read_text(encoding="utf-8", errors="surrogateescape").rstrip("\n")
    except FileNotFoundError:
        return ""


def locate(common_dir: Path) -> IndexLocation:
    """The index location of the repository with this (resolved) common git directory."""
    identity = str(common_dir)
    digest = hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGEST_LENGTH]
    shown = common_dir.parent.name if common_dir.name == ".git" else common_dir.name.removesuffix(".git")
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", shown).strip("-.") or "repository"
    return IndexLocation(common_dir, paths.indexes_dir() / f"{readable[:40]}-{digest}")


def closed_indexes() -> Iterator[Path]:
    """The folders of indexes on this machine that may not be looked into."""
    try:
        folders = sorted(paths.indexes_dir().iterdir())
    except OSError:  # none was ever made, or all are closed, which who makes one is told
        return
    for folder in folders:
        try:
            (folder / MARKER).stat()
        except PermissionError:
            yield folder
        except OSError:
            continue


def known_indexes() -> Iterator[IndexLocation]:
    """Every index on this machine, by folder name."""
    try:
        folders = sorted(paths.indexes_dir().iterdir())
    except (FileNotFoundError, NotADirectoryError):  # none was ever made
        return
    for folder in folders:
        try:
            identity = (folder / MARKER).read_text(encoding="utf-8", errors="surrogateescape").rstrip("\n")
        except OSError:  # not an index, or one that is being forgotten
            continue
        if Path(identity).is_absolute():
            yield IndexLocation(Path(identity), folder)

"""Finds the git directory of a folder, and refuses one whose files would hang or exhaust libgit2.

libgit2 opens what it finds, waits for pipes and reads files to their end, whatever their size. So the files
that it will read are looked at first: each must be a regular file of bounded size. Links are followed, since
tools that share one repository between folders make them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ohara.errors import RepositoryError
from ohara.safe_read import IrregularFile, read_regular, refuse_irregular

if TYPE_CHECKING:
    from collections.abc import Iterator

_MIB: Final = 2**20

# A pointer to another folder, or to a ref.
POINTER_BYTES: Final = 2**16
_CONFIG_BYTES: Final = 4 * _MIB
# A hundred times what the largest of public repositories have.
LIST_BYTES: Final = 512 * _MIB

_OWN: Final = {"HEAD": POINTER_BYTES, "commondir": POINTER_BYTES, "gitdir": POINTER_BYTES}
_OWN_CONFIG: Final = ("config.worktree",)
_SHARED: Final = {
    "packed-refs": LIST_BYTES,
    "shallow": LIST_BYTES,
    "info/grafts": LIST_BYTES,
    "info/attributes": _MIB,
    "info/exclude": _MIB,
}
_DEEPEST_ALTERNATES: Final = 5  # as libgit2 follows them
_DEEPEST_INCLUDES: Final = 10

_INCLUDES = re.compile(rb"\[\s*include", re.IGNORECASE)
_PATH = re.compile(rb"\bpath\s*=\s*(.+)", re.IGNORECASE)


def vet(start: Path) -> None:
    """Raise when the repository that contains a folder has files that are not safe to open."""
    try:
        git_dir = find(start)
        if git_dir is not None and not git_dir.is_dir():
            raise RepositoryError(
                f"{start} belongs to the git directory {git_dir}, which does not exist",
                hint="if it was moved, run there: git worktree repair",
            )
        if git_dir is not None:
            _vet(git_dir)
    except IrregularFile as error:
        raise RepositoryError(str(error), hint=f"look at it with: ls -lL {shown_folder(start)}") from error


def shown_folder(start: Path) -> str:
    """The folder to name in an error."""
    return f"{start / '.git'}" if (start / ".git").is_dir() else str(start)


def common_dir(git_dir: Path) -> Path:
    """The git directory that all worktrees share."""
    said = (read_regular(git_dir / "commondir", POINTER_BYTES, follow=True) or b"").strip()
    return Path(os.path.realpath(git_dir / os.fsdecode(said)))


def object_folders(common: Path) -> list[Path]:
    """The repository's `objects` folder, and those that it borrows from, each once."""
    found: dict[str, Path] = {}
    _collect(common / "objects", found, _DEEPEST_ALTERNATES)
    return list(found.values())


def _collect(folder: Path, found: dict[str, Path], deepest: int) -> None:
    real = os.path.realpath(folder)
    if real in found or not folder.is_dir():
        return
    found[real] = folder
    for borrowed in _alternates(folder) if deepest else ():
        _collect(borrowed, found, deepest - 1)


def _alternates(folder: Path) -> list[Path]:
    """The folders that an object database names to borrow from; a relative one counts from itself."""
    said = read_regular(folder / "info" / "alternates", _CONFIG_BYTES, follow=True) or b""
    return [folder / os.fsdecode(line) for line in said.splitlines() if line and not line.startswith(b"#")]


def find(start: Path) -> Path | None:
    """The git directory that a folder lies in or is, as far as names tell."""
    here = start.absolute()
    for folder in (here, *here.parents):
        dotted = folder / ".git"
        if dotted.is_dir():
            return dotted
        if dotted.exists() or dotted.is_symlink():
            said = read_regular(dotted, POINTER_BYTES, follow=True) or b""
            return folder / os.fsdecode(said.removeprefix(b"gitdir:").strip())
        if (folder / "objects").is_dir() and (folder / "HEAD").exists():
            return folder
    return None


def _vet(git_dir: Path) -> None:
    for name, most in _OWN.items():
        refuse_irregular(git_dir / name, most)
    shared = common_dir(git_dir)
    for name, most in _SHARED.items():
        refuse_irregular(shared / name, most)
    for config in (shared / "config", *(git_dir / name for name in _OWN_CONFIG)):
        _vet_config(config, _DEEPEST_INCLUDES)
    _vet_objects(shared / "objects", _DEEPEST_ALTERNATES)
    for file in _files_below(str(shared / "refs")):
        if not file.is_file() or file.stat().st_size > POINTER_BYTES:
            raise IrregularFile(Path(file.path), POINTER_BYTES)


def _vet_config(file: Path, deepest: int) -> None:
    """Look at a configuration and at all that it includes."""
    said = read_regular(file, _CONFIG_BYTES, follow=True) or b""
    if not _INCLUDES.search(said) or not deepest:
        return
    for written in _PATH.findall(said.replace(b"\\\n", b"")):
        name = os.fsdecode(written.strip().split(b'"')[1] if b'"' in written else written.strip())
        included = Path(os.path.expanduser(name))  # noqa: PTH111 - an unknown user's home raises there
        included = file.parent / included
        if not included.is_dir():  # the path of a submodule, say
            _vet_config(included, deepest - 1)


def _vet_objects(folder: Path, deepest: int) -> None:
    """Look at an object database and at those that it borrows from."""
    borrowed = _alternates(folder)
    for file in _files_below(str(folder)):  # by their kind alone: there may be very many
        if not file.is_file():
            raise IrregularFile(Path(file.path), LIST_BYTES)
    for other in borrowed if deepest else ():
        _vet_objects(other, deepest - 1)


def _files_below(folder: str) -> Iterator[os.DirEntry[str]]:
    """What is in a folder and below, links to folders and to nothing aside."""
    pending = [folder]
    while pending:
        try:
            entries = list(os.scandir(pending.pop()))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            elif not entry.is_dir() and (not entry.is_symlink() or Path(entry.path).exists()):
                yield entry

"""The files of a commit as a tree: a folder whose only entry is a folder shares its row. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ohara.model import ChangedFile


class TreeRow(NamedTuple):
    """A folder, or a file by its number in the commit."""

    depth: int
    name: str
    file: int | None
    additions: int
    deletions: int


@dataclass(slots=True)
class _Folder:
    folders: dict[str, _Folder] = field(default_factory=dict)
    files: list[tuple[str, int]] = field(default_factory=list)
    additions: int = 0
    deletions: int = 0


def tree_of(files: Sequence[ChangedFile]) -> list[TreeRow]:
    """All rows from top to bottom, in git's order, which is also the order of the diff."""
    root = _Folder()
    for number, file in enumerate(files):
        folder = root
        *parents, name = file.path.split("/")
        for parent in parents:
            folder = folder.folders.setdefault(parent, _Folder())
            folder.additions += file.additions
            folder.deletions += file.deletions
        folder.files.append((name, number))
    return list(_rows(root, files))


def _rows(root: _Folder, files: Sequence[ChangedFile]) -> Iterator[TreeRow]:
    # A stack, not recursion: a repository may nest folders deeper than Python nests calls.
    pending: list[tuple[int, str, _Folder | int]] = list(reversed(_inside(root, 0)))
    while pending:
        depth, name, what = pending.pop()
        if isinstance(what, int):
            yield TreeRow(depth, name, what, files[what].additions, files[what].deletions)
            continue
        while len(what.folders) == 1 and not what.files:
            ((below, only),) = what.folders.items()
            name, what = f"{name}/{below}", only
        yield TreeRow(depth, f"{name}/", None, what.additions, what.deletions)
        pending.extend(reversed(_inside(what, depth + 1)))


def _inside(folder: _Folder, depth: int) -> list[tuple[int, str, _Folder | int]]:
    inside: dict[str, tuple[int, str, _Folder | int]] = {
        f"{name}/": (depth, name, below) for name, below in folder.folders.items()
    }
    inside |= {name: (depth, name, number) for name, number in folder.files}
    return [inside[name] for name in sorted(inside)]

"""Notices that refs of repositories moved, by the system's notifications or by polling.

Two kinds of watch serve a repository: its git directory itself, not what lies below it (HEAD and packed-refs
are replaced there), and everything below `refs`. What git writes on the way (locks, FETCH_HEAD, the index
of the work tree) is not a change.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import watchfiles

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Mapping

_SETTLE_MS = 400  # a rebase moves refs several times a second: one look after it is enough
_STEP_MS = 100
_LOOK_UP_MS = 250  # how soon a watch that is no longer wanted ends; it is noticed only this often
_TOP_LEVEL = frozenset({"HEAD", "packed-refs"})


class NotWatched(Exception):
    """The watch ended; `repositories` are those it ended by, none when it is not theirs."""

    def __init__(self, reason: str, repositories: frozenset[Path] = frozenset()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.repositories = repositories


async def ref_changes(repositories: Iterable[Path], *, below: bool) -> AsyncIterator[set[Path]]:
    """The repositories (by common git directory) whose refs moved, as it happens; raises NotWatched.

    `below` watches the folders under `refs`, otherwise the git directory alone.
    """
    watched = {(folder / "refs" if below else folder): folder for folder in repositories}
    if unnamed := frozenset(folder for folder in watched.values() if not _is_text(folder)):
        raise NotWatched("its path is not UTF-8", unnamed)
    there = [place for place in watched if place.is_dir()]
    if not there:
        return
    try:
        async for changes in watchfiles.awatch(
            *there,
            watch_filter=None,
            debounce=_SETTLE_MS,
            step=_STEP_MS,
            rust_timeout=_LOOK_UP_MS,
            recursive=below,
            ignore_permission_denied=True,
            raise_interrupt=False,
        ):
            moved = {owner for _, name in changes if (owner := _owner(Path(name), watched, below=below))}
            if moved:
                yield moved
    except Exception as fault:  # what the library raises has no one type, and comes in groups
        raise _explained(fault, watched.values()) from fault


def _explained(fault: Exception, repositories: Iterable[Path]) -> NotWatched:
    """Why a watch ended, and by which repository: the library stops at a name that is not UTF-8."""
    said = "; ".join(_reasons(fault))
    if "decode path" not in said:
        return NotWatched(said)
    named = frozenset(folder for folder in repositories if f'"{folder}/' in said)
    return NotWatched("a ref has a name that is not UTF-8" if named else said, named)


def _reasons(fault: BaseException) -> Iterator[str]:
    if isinstance(fault, BaseExceptionGroup):
        for each in fault.exceptions:
            yield from _reasons(each)
    else:
        yield str(fault) or type(fault).__name__


def _is_text(path: Path) -> bool:
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _owner(changed: Path, watched: Mapping[Path, Path], *, below: bool) -> Path | None:
    """The repository that a changed file says something about."""
    if changed.suffix == ".lock":
        return None
    if not below:
        return watched.get(changed.parent) if changed.name in _TOP_LEVEL else None
    return next((watched[folder] for folder in (changed, *changed.parents) if folder in watched), None)


def ref_signature(common_dir: Path) -> int:
    """A number that changes when refs do, for polling; computed from time stamps, without reading them."""
    seen: list[tuple[str, int, int]] = []
    for name in sorted(_TOP_LEVEL):
        seen += _stamp(common_dir / name)
    for folder, folders, files in os.walk(common_dir / "refs"):
        folders.sort()
        for name in sorted(files):
            if not name.endswith(".lock"):
                seen += _stamp(Path(folder, name))
    return hash(tuple(seen))


def _stamp(file: Path) -> list[tuple[str, int, int]]:
    try:
        found = file.stat()
    except OSError:
        return []
    return [(str(file), found.st_mtime_ns, found.st_ino)]

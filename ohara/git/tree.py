"""Finds which paths differ between two trees.

Trees are compared as bytes: neighbouring commits share almost all of a tree's entries, so the equal
head and tail are stepped over in one call each and only the entries between are split apart. That is
several times faster than comparing entries and needs no memory for files that stayed the same.

Modes are read as git reads them, as numbers of which few bits count: `040000` is a folder and `100664` a file
like any other. Entries are told apart by their names, whatever their order.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from ohara.git import decode
from ohara.git.bounds import MOST_ENTRIES, Bounds, bounded
from ohara.git.regions import matching, matching_back
from ohara.model import submodule_blob
from ohara.speedups import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set

    from ohara.git.bounds import Folders
    from ohara.git.objects import Objects

FILE_TYPE: Final = 0o170000
REGULAR: Final = 0o100000
DIRECTORY: Final = 0o040000
SYMLINK: Final = 0o120000
SUBMODULE: Final = 0o160000

_EXECUTABLE: Final = 0o100

_ENTRY = re.compile(rb"([0-7]+) ([^\0]+)\0(.{20})", re.DOTALL)
_ENTRIES = re.compile(rb"(?:[^\0]++\0.{20})*+", re.DOTALL)

_RawEntry = tuple[int, bytes]
_NOTHING: Final[_RawEntry] = (0, b"")


class Entry(NamedTuple):
    """One file of a tree."""

    mode: int
    oid: bytes

    @property
    def type(self) -> int:
        """Regular file, symlink or submodule."""
        return self.mode & FILE_TYPE

    @property
    def blob(self) -> str:
        """What its content goes by: its blob, or what stands for one where it is a submodule."""
        oid = self.oid.hex()
        return submodule_blob(oid) if self.type == SUBMODULE else oid


class Delta(NamedTuple):
    """A path whose entry differs; one side is None when the path was added or deleted."""

    path: bytes
    old: Entry | None
    new: Entry | None
    old_path: bytes | None = None


def compare(
    objects: Objects,
    old: bytes | None,
    new: bytes | None,
    missing: set[str],
    beyond: set[bytes] | None = None,
    *,
    most: int = MOST_ENTRIES,
) -> Iterator[Delta]:
    """Yields the files that differ between two trees, given by id; None is the empty tree.

    A tree that cannot be read is added to `missing` and its files are passed over. So is a folder that has
    more than `most` files to list, or is nested too deep: it is added to `beyond`, by its path.
    """
    bounds = Bounds(lambda folders: _below(objects, *folders), most, set() if beyond is None else beyond)
    return bounded(lambda: _compare(objects, old, new, missing, bounds), bounds)


def _compare(
    objects: Objects,
    old: bytes | None,
    new: bytes | None,
    missing: set[str],
    bounds: Bounds,
    *,
    prefix: bytes = b"",
) -> Iterator[Delta]:
    before = _tree(objects, old, missing)
    after = _tree(objects, new, missing)
    if before is None or after is None:
        return
    for name, ours, theirs in _paired(*_unequal(before, after)):
        if ours == theirs:
            continue
        old_file, new_file = _file(*ours), _file(*theirs)
        if old_file or new_file:
            bounds.count()
            yield Delta(prefix + name, old_file, new_file)
        old_folder, new_folder = _folder(*ours), _folder(*theirs)
        if old_folder or new_folder:
            inside = prefix + name + b"/"
            if bounds.admits(((old_folder,), new_folder), inside):
                yield from _compare(objects, old_folder, new_folder, missing, bounds, prefix=inside)


def _paired(
    removed: list[tuple[int, bytes, bytes]], added: list[tuple[int, bytes, bytes]]
) -> Iterator[tuple[bytes, _RawEntry, _RawEntry]]:
    """Yields what two folders have under each name; of a name that stands twice, each in its turn."""
    gone: dict[bytes, _RawEntry] = {}
    again: list[tuple[bytes, _RawEntry]] = []
    for mode, name, oid in removed:
        if name in gone:
            again.append((name, (mode, oid)))
        else:
            gone[name] = (mode, oid)
    for mode, name, oid in added:
        yield name, gone.pop(name, _NOTHING), (mode, oid)
    for name, raw in (*gone.items(), *again):
        yield name, raw, _NOTHING


def _tree(objects: Objects, oid: bytes | None, missing: set[str]) -> bytes | None:
    """Reads a tree object; no tree reads as an empty one."""
    if not oid:
        return b""
    data = objects.tree(oid)
    if data is None:
        missing.add(oid.hex())
    return data


def _file(mode: int, oid: bytes) -> Entry | None:
    return Entry(mode, oid) if mode and mode != DIRECTORY else None


def _folder(mode: int, oid: bytes) -> bytes | None:
    return oid if mode == DIRECTORY else None


@lru_cache(maxsize=256)
def _mode(written: bytes) -> int:
    """Reads a mode as git does: whatever is no file, link or folder is a submodule."""
    mode = int(written, 8)
    kind = mode & FILE_TYPE
    if kind == REGULAR:
        return 0o100755 if mode & _EXECUTABLE else 0o100644
    return kind if kind in {SYMLINK, DIRECTORY} else SUBMODULE


def _entries(data: bytes, start: int, end: int) -> list[tuple[int, bytes, bytes]]:
    return [(_mode(mode), name, oid) for mode, name, oid in _ENTRY.findall(data, start, end)]


def files(objects: Objects, tree: bytes, missing: set[str]) -> Iterator[tuple[bytes, Entry]]:
    """Yields every file of a tree, in git's order; folders beyond the bounds are passed over."""
    for delta in compare(objects, None, tree, missing):
        if delta.new:
            yield delta.path, delta.new


def find(objects: Objects, tree: bytes, path: str) -> Entry | None:
    """Follows a decoded path down from a tree to the file or submodule it leads to."""
    found = (_find(objects, tree, encoded) for encoded in decode.encodings(path))
    return next((entry for entry in found if entry is not None), None)


def _find(objects: Objects, tree: bytes, path: bytes) -> Entry | None:
    entry = Entry(DIRECTORY, tree)
    for name in path.split(b"/"):
        data = (objects.tree(entry.oid) if entry.type == DIRECTORY else None) or b""
        found = _named(data, name)
        if found is None:
            return None
        entry = found
    return None if entry.type == DIRECTORY else entry


def _named(data: bytes, name: bytes) -> Entry | None:
    """The entry of a name; of several, the last."""
    if b" %b\0" % name not in data:
        return None
    found = _pattern_of(name).match(data)
    return Entry(_mode(found[1]), found[2]) if found else None


@lru_cache(maxsize=1024)
def _pattern_of(name: bytes) -> re.Pattern[bytes]:
    """Matches entries from the first of a tree on: within an object's id there may be what looks like one."""
    return re.compile(rb"(?:[^\0]++\0.{20})*([0-7]+) " + re.escape(name) + rb"\0(.{20})", re.DOTALL)


def unlike_all(
    objects: Objects,
    olds: Sequence[bytes | None],
    new: bytes | None,
    missing: set[str],
    beyond: set[bytes] | None = None,
    *,
    most: int = MOST_ENTRIES,
) -> Iterator[tuple[bytes, tuple[Entry | None, ...], Entry | None]]:
    """Yields the files of a tree that differ from every one of several others, with what those have.

    A directory that equals any of the others is not looked into, so a clean merge costs next to nothing.
    `missing` and `beyond` hear what is passed over, as in `compare`.
    """
    bounds = Bounds(lambda folders: _below(objects, *folders), most, set() if beyond is None else beyond)
    return bounded(lambda: _unlike_all(objects, tuple(olds), new, missing, bounds), bounds)


def _unlike_all(
    objects: Objects,
    olds: tuple[bytes | None, ...],
    new: bytes | None,
    missing: set[str],
    bounds: Bounds,
    *,
    prefix: bytes = b"",
) -> Iterator[tuple[bytes, tuple[Entry | None, ...], Entry | None]]:
    for name, theirs, ours in _unlike(objects, olds, new, missing):
        old_files = tuple(_file(*each) for each in theirs)
        new_file = _file(*ours)
        if new_file or all(old_files):
            bounds.count()
            yield prefix + name, old_files, new_file
        folders = tuple(_folder(*each) for each in theirs)
        folder = _folder(*ours)
        inside = prefix + name + b"/"
        if (folder or all(folders)) and bounds.admits((folders, folder), inside):
            yield from _unlike_all(objects, folders, folder, missing, bounds, prefix=inside)


def _unlike(
    objects: Objects, olds: tuple[bytes | None, ...], new: bytes | None, missing: set[str]
) -> Iterator[tuple[bytes, list[_RawEntry], _RawEntry]]:
    """Yields the entries of one folder that differ from every one of several others, by name."""
    mine = _tree(objects, new, missing)
    others = [_tree(objects, old, missing) for old in olds]
    if mine is None or None in others:
        return
    # A merge is mostly like its first parent: only what differs from that is looked up in the others.
    before, after = _unequal(others[0] or b"", mine)
    gone = {name: (mode, oid) for mode, name, oid in before}
    present = {name: (mode, oid) for mode, name, oid in after}
    names = gone.keys() | present.keys()
    found = [gone, *(_entries_named(other or b"", names) for other in others[1:])] if names else []
    for name in sorted(names):
        theirs = [each.get(name, _NOTHING) for each in found]
        ours = present.get(name, _NOTHING)
        if ours not in theirs:
            yield name, theirs, ours


_FEW_NAMES: Final = 12  # to look up that many one by one takes as long as to split a folder of some hundred


def _entries_named(data: bytes, names: Set[bytes]) -> dict[bytes, _RawEntry]:
    """The entries of some names, of those that a tree object has."""
    if len(names) > _FEW_NAMES:
        return {name: (mode, oid) for mode, name, oid in _entries(data, 0, len(data)) if name in names}
    return {name: found for name in names if (found := _entry_named(data, name))}


def _entry_named(data: bytes, name: bytes) -> _RawEntry | None:
    """The entry of a name; of several, the last."""
    sought = b" %b\0" % name
    at = data.rfind(sought)
    while at >= 0:
        begin = _boundary(data, 0, at)
        # Within an object's id, or behind a blank in another name, there may be what looks like it.
        if data.find(b" ", begin) == at:
            oid = at + len(sought)
            return _mode(data[begin:at]), data[oid : oid + 20]
        at = data.rfind(sought, 0, at)
    return None


def _below(objects: Objects, olds: tuple[bytes | None, ...], new: bytes | None) -> tuple[int, list[Folders]]:
    """Counts the files that one folder has to list itself, and names the folders in it to look into."""
    count = 0
    inside: list[Folders] = []
    for _, theirs, ours in _unlike(objects, olds, new, set()):
        folders = tuple(_folder(*each) for each in theirs)
        folder = _folder(*ours)
        count += bool(_file(*ours) or all(_file(*each) for each in theirs))
        if folder or all(folders):
            inside.append((folders, folder))
    return count, inside


def _unequal(old: bytes, new: bytes) -> tuple[list[tuple[int, bytes, bytes]], list[tuple[int, bytes, bytes]]]:
    """Splits two tree objects into entries, leaving out equal ones at both ends, or wherever they are."""
    if compiled is not None and (found := compiled.unequal(old, new)) is not None:
        gone, come = found
        return gone, come
    shorter = min(len(old), len(new))
    start = _boundary(old, 0, matching(old, 0, new, 0, shorter))
    tail = matching_back(old, len(old), new, len(new), shorter - start)
    old_end = _boundary_after(old, start, len(old) - tail)
    new_end = _boundary_after(new, start, len(new) - tail)
    if len(old) - old_end != len(new) - new_end:
        old_end, new_end = len(old), len(new)
    return _entries(old, start, old_end), _entries(new, start, new_end)


def _boundary(data: bytes, start: int, limit: int) -> int:
    """Returns where the last entry that ends at or before `limit` ends."""
    matched = _ENTRIES.match(data, start, limit)
    return matched.end() if matched else start


def _boundary_after(data: bytes, start: int, limit: int) -> int:
    """Returns where the first entry that ends at or after `limit` ends."""
    end = _boundary(data, start, limit)
    if end < limit:
        end = min(data.find(b"\0", end) + 21, len(data))
    return end

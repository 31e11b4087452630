"""Finds what a merge changed itself: conflict resolutions, and changes that no parent has.

What came from a parent unchanged belongs to that parent's commits and is not repeated: a clean merge
has no files. `git show --cc` is a little more generous: it also shows changes of different
parents that merely lie within three lines of each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ohara.git import renames, tree
from ohara.git.combined_diff import own_hunks
from ohara.git.tree import Delta, Entry
from ohara.model import Hunk, LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ohara.git.file_diff import Reading


class Resolution(NamedTuple):
    """A file that a merge changed itself, against the parent it is told from, and how."""

    delta: Delta
    hunks: tuple[Hunk, ...] | LeftOut


class _Source(NamedTuple):
    """A parent's version of a file, and its name there."""

    path: bytes
    entry: Entry


def resolutions(reading: Reading, parents: Sequence[bytes], result: bytes) -> Iterator[Resolution]:
    """Yields the files in which a merge has something that none of its parents has; trees by id."""
    candidates = list(tree.unlike_all(reading.objects, parents, result, reading.missing, reading.beyond))
    is_moved = any(new and None in olds for _, olds, new in candidates)
    moves = [_moves(reading, parent, result) if is_moved else {} for parent in parents]
    left = {source.path for source in moves[0].values()}
    for path, olds, new in candidates:
        if new:
            sources = [
                _Source(path, old) if old else moved.get(path) for old, moved in zip(olds, moves, strict=True)
            ]
            found = _resolved(reading, path, sources, new)
            if found:
                yield found
        elif path not in left:
            yield Resolution(Delta(path, olds[0], None), reading.hunks(olds[0], None))


def _moves(reading: Reading, parent: bytes, result: bytes) -> dict[bytes, _Source]:
    """Finds which files have another name in a parent."""
    deltas = tree.compare(reading.objects, parent, result, reading.missing)
    return {
        delta.path: _Source(delta.old_path, delta.old)
        for delta in renames.pair(reading, deltas)
        if delta.old_path is not None and delta.old
    }


def _resolved(
    reading: Reading, path: bytes, sources: Sequence[_Source | None], new: Entry
) -> Resolution | None:
    """Compares a file with its version in each parent; None if every change came from one of them."""
    if any(source and source.entry.oid == new.oid for source in sources):
        return None
    # A parent with a link or submodule in the file's place has no version to compare lines with.
    alike = [source if source and source.entry.type == new.type else None for source in sources]
    told_from = next((index for index, source in enumerate(alike) if source), 0)
    base = alike[told_from]
    if base is None:
        replaced = next((source.entry for source in sources if source), None)
        return Resolution(Delta(path, replaced, new), reading.hunks(None, new))
    delta = Delta(path, base.entry, new, base.path if base.path != path else None)
    texts: list[bytes] = []
    for entry in (*(source.entry if source else None for source in alike), new):
        text = reading.text(entry)
        if isinstance(text, LeftOut):
            return Resolution(delta, text)
        texts.append(text)
    found = own_hunks(texts[:-1], told_from, texts[-1])
    return Resolution(delta, found) if found else None

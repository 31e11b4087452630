"""Finds which deleted and added paths are one file that moved, by git's own rules.

Identical content first; then files that kept their name and three quarters of their text; then the
most similar pairs that share at least half. Similarity is git's: the share of bytes that stand in
lines (or 64-byte stretches) found in both. When the pairs to compare are too many for the last step,
only the first two are done, as git does past its rename limit.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from ohara.git.tree import FILE_TYPE, REGULAR, Delta, Entry
from ohara.model import LeftOut
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.git.file_diff import Reading
    from ohara.git.objects import Objects

# git's default -M50%, and its basename step: half way from there to identical.
_SIMILAR: Final = 0.5
_SIMILAR_SAME_NAME: Final = 0.75

# git keeps this many best sources for a destination before it assigns them.
_BEST_KEPT: Final = 4

# Of equal files, git looks at this many for one of the same name.
_MAX_EQUAL: Final = 100

# Text held as counted lines while pairs are compared; beyond it the last step is not tried.
_MAX_HELD_BYTES: Final = 24 * 1024 * 1024

_STRETCH = re.compile(rb"[^\n]{0,63}\n|[^\n]{1,64}")


@dataclass(frozen=True, slots=True)
class _Side:
    """One end of a possible rename."""

    path: bytes
    entry: Entry

    @property
    def name(self) -> bytes:
        return self.path.rpartition(b"/")[2]

    @property
    def is_regular(self) -> bool:
        return self.entry.mode & FILE_TYPE == REGULAR


def pair(reading: Reading, deltas: Iterable[Delta]) -> list[Delta]:
    """Returns the deltas sorted by path, with each rename's addition and deletion made one.

    Blobs that are missing or too large to be read can only be recognised when identical.
    """
    ordered = sorted(deltas)
    sources = [_Side(delta.path, delta.old) for delta in ordered if delta.old and not delta.new]
    targets = [_Side(delta.path, delta.new) for delta in ordered if delta.new and not delta.old]
    if not sources or not targets:
        return ordered
    moves = _identical(sources, targets)
    likeness = _Likeness(reading.objects, reading.options.max_blob_bytes)
    moves |= _same_name(*_unpaired(sources, targets, moves), likeness)
    left, right = _unpaired(sources, targets, moves)
    pairs = len(left) * len(right)
    if 0 < pairs <= reading.options.max_rename_pairs and likeness.fits(left + right):
        moves |= _most_similar(left, right, likeness)
    return _joined(ordered, moves)


def _joined(ordered: list[Delta], moves: dict[bytes, _Side]) -> list[Delta]:
    gone = {source.path for source in moves.values()}
    result = []
    for delta in ordered:
        source = moves.get(delta.path) if delta.new and not delta.old else None
        if source:
            result.append(Delta(delta.path, source.entry, delta.new, source.path))
        elif delta.new or delta.path not in gone:
            result.append(delta)
    return result


def _unpaired(
    sources: list[_Side], targets: list[_Side], moves: dict[bytes, _Side]
) -> tuple[list[_Side], list[_Side]]:
    used = {source.path for source in moves.values()}
    return [each for each in sources if each.path not in used], [
        each for each in targets if each.path not in moves
    ]


def _identical(sources: list[_Side], targets: list[_Side]) -> dict[bytes, _Side]:
    """Pairs equal content, a source of the same name before any other."""
    by_content: dict[bytes, list[_Side]] = {}
    for source in reversed(sources):  # the first source last, where taking it out costs nothing
        by_content.setdefault(source.entry.oid, []).append(source)
    moves: dict[bytes, _Side] = {}
    for target in targets:
        equal = by_content.get(target.entry.oid, [])
        chosen = None
        for place in range(len(equal) - 1, max(len(equal) - 1 - _MAX_EQUAL, -1), -1):
            source = equal[place]
            if source.entry.mode != target.entry.mode and not (source.is_regular and target.is_regular):
                continue
            if source.name == target.name:
                chosen = place
                break
            if chosen is None:
                chosen = place
        if chosen is not None:
            moves[target.path] = equal.pop(chosen)
    return moves


def _same_name(sources: list[_Side], targets: list[_Side], likeness: _Likeness) -> dict[bytes, _Side]:
    """Pairs files whose name is unique on both sides, if they are similar enough."""
    source_names = Counter(source.name for source in sources)
    target_names = Counter(target.name for target in targets)
    unique = {target.name: target for target in targets if target_names[target.name] == 1}
    moves: dict[bytes, _Side] = {}
    for source in sources:
        target = unique.get(source.name)
        if target and source_names[source.name] == 1:
            score = likeness.of(source, target, _SIMILAR_SAME_NAME)
            if score >= _SIMILAR_SAME_NAME:
                moves[target.path] = source
    likeness.forget()
    return moves


def _most_similar(sources: list[_Side], targets: list[_Side], likeness: _Likeness) -> dict[bytes, _Side]:
    """Pairs the rest greedily, the most similar first, equal names before others."""
    candidates: list[tuple[float, bool, _Side, _Side]] = []
    for target in targets:
        scored = [
            (likeness.of(source, target, _SIMILAR), source.name == target.name, source, target)
            for source in sources
        ]
        scored.sort(key=lambda each: each[:2], reverse=True)
        candidates += [each for each in scored[:_BEST_KEPT] if each[0] >= _SIMILAR]
    candidates.sort(key=lambda each: each[:2], reverse=True)
    moves: dict[bytes, _Side] = {}
    used: set[bytes] = set()
    for _, _, source, target in candidates:
        if target.path not in moves and source.path not in used:
            used.add(source.path)
            moves[target.path] = source
    return moves


class _Likeness:
    """Scores pairs, counting each file's lines once."""

    def __init__(self, objects: Objects, cap: int) -> None:
        self._objects = objects
        self._cap = cap
        self._counted: dict[bytes, dict[bytes, int]] = {}
        self._sizes: dict[bytes, int | None] = {}

    def fits(self, sides: list[_Side]) -> bool:
        """Says whether all these files' lines may be held at once."""
        return sum(self._size(side) or 0 for side in sides) <= _MAX_HELD_BYTES

    def forget(self) -> None:
        """Lets go of the counted lines."""
        self._counted.clear()

    def of(self, source: _Side, target: _Side, least: float) -> float:
        """Returns the share of bytes two files have in common, or 0 where their sizes rule `least` out."""
        if not (source.is_regular and target.is_regular):
            return 0.0
        source_size, target_size = self._size(source), self._size(target)
        if source_size is None or target_size is None:
            return 0.0
        larger, smaller = max(source_size, target_size), min(source_size, target_size)
        if smaller == 0 or larger * (1 - least) < larger - smaller:
            return 0.0
        mine, theirs = self._lines(source), self._lines(target)
        # Of most pairs hardly a line is the same: which are, is found without a step for each.
        return sum(min(mine[line], theirs[line]) for line in mine.keys() & theirs.keys()) / larger

    def _size(self, side: _Side) -> int | None:
        oid = side.entry.oid
        if oid not in self._sizes:
            size = self._objects.size(oid)
            self._sizes[oid] = size if size is not None and size <= self._cap else None
        return self._sizes[oid]

    def _lines(self, side: _Side) -> dict[bytes, int]:
        """Counts the bytes that each distinct line of a file accounts for."""
        counted = self._counted.get(side.entry.oid)
        if counted is None:
            data = self._objects.blob(side.entry.oid, self._cap)
            stretches = () if isinstance(data, LeftOut) else _STRETCH.findall(data.replace(b"\r\n", b"\n"))
            counted = {line: count * len(line) for line, count in Counter(stretches).items()}
            self._counted[side.entry.oid] = counted
        return counted

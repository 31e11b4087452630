"""Cuts two versions of a text down to the stretches in which they differ.

Versions of a file are mostly equal, and comparing equal bytes in bulk is a thousand times cheaper than a
line diff. Each region keeps a margin of equal lines, so that a diff of the region alone places its hunks
where a diff of the whole text would. Regions are exact in what they leave out: only bytes that are
equal, and long runs of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

# Equal lines kept around a difference. git slides a hunk up to 100 lines to end it on a blank line or an
# outer indent, but hardly ever more than ten.
_MARGIN_BYTES: Final = 512
_MARGIN_LINES: Final = 12

# Of long lines, which are never alike by chance, fewer will do; three are needed as a hunk's context.
_WIDE_MARGIN_BYTES: Final = 2048
_WIDE_MARGIN_LINES: Final = 4

# What differs in so few bytes comes out the same alone as in its file. More does not: xdiff treats lines
# that recur by how many lines there are in all, so a larger change is diffed whole, as git does, up to
# a size at which that takes too long. With 2 KB, 3 of pytest's newest 2,000 commits and 4 of redis's newest
# 1,500 were not shown as git shows them; with this, 1 of 3,000 and none, for an eighth more time.
_SIMPLE_BYTES: Final = 256
_WHOLE_BYTES: Final = 1024 * 1024

# A stretch smaller than this is diffed as one: looking for equal runs inside costs as much.
_WORTH_CUTTING_BYTES: Final = 8 * 1024
_LEAST_CUT_BYTES: Final = 2 * 1024  # where no line diff follows

# The run is sought with a probe of this size, taken from ever farther down the old text.
_PROBE_BYTES: Final = 512
_PROBE_DISTANCES: Final = (1 << 10, 1 << 12, 1 << 14, 1 << 16)


# Equal bytes are compared in steps that grow from this size, so that little is read past a difference.
_STEP_BYTES: Final = 4096


class Region(NamedTuple):
    """A stretch of the old text and the stretch of the new one to compare it with, on line boundaries."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class _Run(NamedTuple):
    """A stretch that is equal in both texts."""

    old: int
    new: int
    size: int


def differing(old: bytes, new: bytes) -> Iterator[Region]:
    """Yields the regions outside of which two different texts are equal, first to last."""
    rest = _between_ends(old, new)
    unlike = rest.old_end - rest.old_start + rest.new_end - rest.new_start
    if unlike > _SIMPLE_BYTES and len(old) + len(new) <= _WHOLE_BYTES:
        yield Region(0, len(old), 0, len(new))
        return
    parts = list(_parts(old, new, rest, _WORTH_CUTTING_BYTES))
    for place, part in enumerate(parts):
        floor = parts[place - 1].old_end if place else 0
        ceiling = parts[place + 1].old_start if place + 1 < len(parts) else len(old)
        margin_above = part.old_start - _start_above(old, part.old_start, floor)
        margin_below = _end_below(old, part.old_end, ceiling) - part.old_end
        yield Region(
            part.old_start - margin_above,
            part.old_end + margin_below,
            part.new_start - margin_above,
            part.new_end + margin_below,
        )


def unequal(old: bytes, new: bytes) -> list[Region]:
    """Returns the stretches in which two texts differ, as short as can be told quickly, without a margin."""
    return list(_parts(old, new, _between_ends(old, new), _LEAST_CUT_BYTES))


def unequal_and_around(old: bytes, new: bytes) -> Iterator[tuple[int, int]]:
    """Yields where the new text differs, with more around it than a line diff usually moves a change by."""
    for region in unequal(old, new):
        yield _start_above(new, region.new_start, 0), _end_below(new, region.new_end, len(new))


def _between_ends(old: bytes, new: bytes) -> Region:
    """The stretch between the equal beginning and the equal end of two texts."""
    shorter = min(len(old), len(new))
    head = matching(old, 0, new, 0, shorter)
    tail = matching_back(old, len(old), new, len(new), shorter - head)
    return Region(head, len(old) - tail, head, len(new) - tail)


def _parts(old: bytes, new: bytes, rest: Region, worth: int) -> Iterator[Region]:
    """Cuts a stretch at the long equal runs in it, as long as what is left is worth it."""
    while run := _next_run(old, new, rest, worth):
        yield Region(rest.old_start, run.old, rest.new_start, run.new)
        rest = Region(run.old + run.size, rest.old_end, run.new + run.size, rest.new_end)
    yield rest


def _next_run(old: bytes, new: bytes, rest: Region, worth: int) -> _Run | None:
    """Finds the next long run that is equal in both texts and stands nowhere else nearby."""
    old_at, old_stop, new_at, new_stop = rest
    shorter = min(old_stop - old_at, new_stop - new_at)
    if shorter < worth:
        return None
    for distance in _PROBE_DISTANCES:
        probe = old.find(b"\n", old_at + distance, old_stop) + 1
        if shorter < 2 * distance or not probe or probe + _PROBE_BYTES > old_stop:
            return None
        block = old[probe : probe + _PROBE_BYTES]
        # What was inserted or deleted meanwhile may be several times the distance.
        window = min(new_stop, new_at + 8 * distance + _WORTH_CUTTING_BYTES)
        found = new.find(block, new_at, window)
        is_first = old.find(block, old_at, probe + _PROBE_BYTES) == probe
        if found < 0 or not is_first or new.find(block, found + 1, window) >= 0:
            continue
        before = matching_back(old, probe, new, found, min(probe - old_at, found - new_at))
        after = matching(old, probe, new, found, min(old_stop - probe, new_stop - found))
        start, size = probe - before, before + after
        if _is_margin(old, start, start + size, 2):
            return _Run(start, found - before, size)
    return None


def _is_margin(data: bytes, start: int, end: int, times: int = 1) -> bool:
    """Says whether a stretch of equal text is as long as a margin, or as several."""
    lines = data.count(b"\n", start, end)
    if lines >= times * _MARGIN_LINES:
        return True
    return lines >= times * _WIDE_MARGIN_LINES and end - start >= times * _WIDE_MARGIN_BYTES


def _start_above(data: bytes, position: int, floor: int) -> int:
    """Returns a line start with a margin of lines between it and a position, not above `floor`."""
    margin = _MARGIN_BYTES
    while floor < position - margin:
        start = data.find(b"\n", position - margin, position) + 1
        if start and _is_margin(data, start, position):
            return start
        margin *= 2
    return data.find(b"\n", floor, position) + 1 if floor else 0


def _end_below(data: bytes, position: int, ceiling: int) -> int:
    """Returns a line end with a margin of lines between a position and it, not below `ceiling`."""
    margin = _MARGIN_BYTES
    while position + margin < ceiling:
        end = data.rfind(b"\n", position, position + margin) + 1
        if end and _is_margin(data, position, end):
            return end
        margin *= 2
    return len(data) if ceiling == len(data) else data.rfind(b"\n", position, ceiling) + 1


def matching(left: bytes, i: int, right: bytes, j: int, limit: int) -> int:
    """Returns how many bytes, at most `limit`, are equal from two positions on, reading little more."""
    matched, step = 0, _STEP_BYTES
    while matched < limit:
        size = min(step, limit - matched)
        a, b = i + matched, j + matched
        piece = left[a : a + size]
        if not right.startswith(piece, b):
            return matched + _first_difference(piece, right[b : b + size])
        matched += size
        step *= 2
    return matched


def matching_back(left: bytes, i: int, right: bytes, j: int, limit: int) -> int:
    """Returns how many bytes, at most `limit`, are equal before two positions."""
    matched, step = 0, _STEP_BYTES
    while matched < limit:
        size = min(step, limit - matched)
        a, b = i - matched, j - matched
        piece = left[a - size : a]
        if not right.endswith(piece, 0, b):
            return matched + _first_difference(piece[::-1], right[b - size : b][::-1])
        matched += size
        step *= 2
    return matched


def _first_difference(left: bytes, right: bytes) -> int:
    """Halves two different byte strings of one size until they part."""
    low, high = 0, len(left)
    while high - low > 1:
        middle = (low + high) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle
    return low

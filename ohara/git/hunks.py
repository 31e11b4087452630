"""Turns two texts into unified hunks, as `git diff` prints them.

xdiff costs time for every line of both texts, changed or not, so it is given only the regions that
differ. Bytes in, decoded hunks out; what a file is (binary, too large) is decided elsewhere.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ohara.git import decode, regions, xdiff
from ohara.model import Hunk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CONTEXT_LINES: Final = 3
NO_NEWLINE: Final = "\\ No newline at end of file"

# xdiff's worst case is quadratic: a region of this size takes three seconds, one of twice that twelve. Beyond
# it no lines are matched up: all the old ones are shown as removed and all the new ones as added.
_MAX_COMPARED_BYTES: Final = 8 * 1024 * 1024

# The patch's own header comes first, so every hunk's follows a newline: a literal start searches fastest.
_HUNK = re.compile(r"\n@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)\n")
_FUNCTION = re.compile(rb"\n[A-Za-z_$]")
_FUNCTION_BYTES: Final = 80  # git cuts the function line there
_FUNCTION_SEARCH_BYTES: Final = 4096  # read at a time, upwards


class Group(NamedTuple):
    """A run of lines replaced by another: where each starts (from 0) and how many lines it has."""

    old: int
    old_lines: int
    new: int
    new_lines: int

    @property
    def new_end(self) -> int:
        """Where the new lines end."""
        return self.new + self.new_lines


def whole(data: bytes, sign: str) -> Hunk | None:
    """Returns the one hunk of a file that was added ("+") or deleted ("-"); none if it is empty."""
    if not data:
        return None
    text = decode.text(data)
    lines = text.count("\n")
    remark = ""
    if text.endswith("\n"):
        text = text[:-1]
    else:
        lines += 1
        remark = "\n" + NO_NEWLINE
    body = sign + text.replace("\n", "\n" + sign) + remark
    return Hunk(0, 0, 1, lines, "", body) if sign == "+" else Hunk(1, lines, 0, 0, "", body)


def between(old: bytes, new: bytes, context: int = CONTEXT_LINES) -> list[Hunk]:
    """Returns the hunks that turn one text into the other."""
    hunks: list[Hunk] = []
    functions = FunctionLines(old)
    old_at = old_line = 0
    grown = 0  # by how many lines the new text is ahead
    for region in regions.differing(old, new):
        old_line += old.count(b"\n", old_at, region.old_start)
        new_line = old_line + grown
        old_at = region.old_start
        before, after = old[old_at : region.old_end], new[region.new_start : region.new_end]
        if len(before) + len(after) > _MAX_COMPARED_BYTES:
            hunk = _replaced(before, after, old_line, new_line)
            grown += hunk.new_lines - hunk.old_lines
            hunks.append(hunk)
            continue
        patch = xdiff.patch(before, after, context)
        for hunk in parsed(patch, old_line, new_line, lambda: functions.above(old_at)):  # noqa: B023 - used at once
            grown += hunk.new_lines - hunk.old_lines
            hunks.append(hunk)
    return hunks


def parsed(
    patch: bytes, old_line: int = 0, new_line: int = 0, unnamed: Callable[[], str] = str
) -> Iterator[Hunk]:
    """Yields the hunks of one file's patch, which has lines of its own above them and ends with a newline.

    `old_line` and `new_line`: how many lines come before what was compared; `unnamed`: the function of a hunk
    that has none above it there.
    """
    text = decode.patch(patch)
    headers = list(_HUNK.finditer(text))
    ends = [header.start() for header in headers[1:]]
    ends.append(-1)
    for header, end in zip(headers, ends, strict=False):  # of an empty file there are no hunks
        old_start, old_count, new_start, new_count, function = header.groups()
        yield Hunk(
            int(old_start) + old_line,
            1 if old_count is None else int(old_count),
            int(new_start) + new_line,
            1 if new_count is None else int(new_count),
            function.rstrip() if function else unnamed(),
            text[header.end() : end],
        )


def _replaced(before: bytes, after: bytes, old_line: int, new_line: int) -> Hunk:
    """Returns one hunk that takes every line of a region away and puts every new one in."""
    gone, come = whole(before, "-"), whole(after, "+")
    old_lines = gone.old_lines if gone else 0
    new_lines = come.new_lines if come else 0
    return Hunk(
        old_line + bool(old_lines),
        old_lines,
        new_line + bool(new_lines),
        new_lines,
        "",
        "\n".join(part.body for part in (gone, come) if part),
    )


def groups(old: bytes, new: bytes) -> list[Group]:
    """Returns which lines of one text stand for which of the other, without their context."""
    return [
        Group(
            hunk.old_start - 1 if hunk.old_lines else hunk.old_start,
            hunk.old_lines,
            hunk.new_start - 1 if hunk.new_lines else hunk.new_start,
            hunk.new_lines,
        )
        for hunk in (between(old, new, context=0) if old != new else ())
    ]


class FunctionLines:
    """Finds what git shows after a hunk's @@: the nearest line above that starts like an identifier."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._searched = 0
        self._found = ""

    def above(self, position: int) -> str:
        """Returns the function line above a position; asked for rising positions, it reads each line once."""
        data, stop, size = self._data, position - 1, _FUNCTION_SEARCH_BYTES
        while stop > self._searched:
            start = max(self._searched, stop - size)
            found = -1
            for match in _FUNCTION.finditer(data, start, stop):
                found = match.start() + 1
            if found < 0 and start == 0 and _FUNCTION.match(b"\n" + data[:1]):
                found = 0
            if found >= 0:
                line = data[found : min(found + _FUNCTION_BYTES, data.find(b"\n", found))]
                self._found = decode.cut(line).rstrip()
                break
            if start == self._searched:
                break
            stop = start + 1
            size *= 4
        self._searched = max(self._searched, position - 1)
        return self._found

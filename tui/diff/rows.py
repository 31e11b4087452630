"""Turns hits into the rows of a diff: numbered on both sides, headed by file and hunk, matches kept. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from ohara.fate_phrase import fate_phrase
from ohara.match_count_phrase import match_count_phrase
from ohara.model import ChangeKind
from tui.formats import day

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ohara.model import Hit, Match


class RowKind(StrEnum):
    """What a row shows."""

    FILE = "file"
    HUNK = "hunk"
    ADDED = "added"
    REMOVED = "removed"
    CONTEXT = "context"
    REMARK = "remark"
    NOTE = "note"
    TITLE = "title"
    META = "meta"
    MESSAGE = "message"
    SECTION = "section"


SIGNS = {RowKind.ADDED: "+", RowKind.REMOVED: "-", RowKind.CONTEXT: " ", RowKind.REMARK: "\\"}

_NO_LINES = "No lines to show: the file was moved, changed its mode, is binary, or too large to read."


class Row(NamedTuple):
    """One row: its raw text without the sign, its line numbers, and which hit and excerpt line it shows.

    A tuple because a diff may have tens of thousands of them, made at a keystroke.
    """

    kind: RowKind
    text: str
    hit: int
    line: int = -1
    old: int | None = None
    new: int | None = None
    matches: tuple[tuple[int, int], ...] = ()
    captures: tuple[tuple[int, int], ...] = ()

    @property
    def sign(self) -> str:
        """How the row begins in a unified diff."""
        return SIGNS.get(self.kind, "")

    @property
    def is_line(self) -> bool:
        """True for a line of the file, false for a heading or a remark."""
        return self.kind in _LINES


_LINES = frozenset({RowKind.ADDED, RowKind.REMOVED, RowKind.CONTEXT})


def rows_of(hits: Sequence[Hit], section: str = "") -> list[Row]:
    """All rows of these hits; a file is headed once for hunks of it that follow each other.

    A `section` stands above all but the first.
    """
    rows: list[Row] = []
    current: tuple[str, str] | None = None
    for number, hit in enumerate(hits):
        file = (hit.commit.sha, hit.path)
        if number == 1 and section:
            rows.append(Row(RowKind.SECTION, section, number))
            current = None
        if file != current and hit.path:
            rows.append(Row(RowKind.FILE, file_heading(hit), number))
        current = file
        if hit.excerpt:
            rows.append(Row(RowKind.HUNK, hunk_heading(hit), number))
            rows += [Row(RowKind.NOTE, said, number) for said in _notes(hit)]
            rows.extend(lines_of(hit, number))
        elif hit.path:
            rows.append(Row(RowKind.NOTE, _NO_LINES, number))
        else:
            message = hit.commit.message.rstrip()
            rows.extend(Row(RowKind.NOTE, line, number) for line in message.split("\n"))
    return rows


def _notes(hit: Hit) -> Iterator[str]:
    """What is said of a hunk above its lines."""
    if hit.structural is not None:
        yield match_count_phrase(hit.structural)
    if hit.fate is not None and (said := fate_phrase(hit.fate, day)):
        yield said


def lines_of(hit: Hit, number: int = 0) -> Iterator[Row]:
    """The lines of one hit, numbered."""
    marks: dict[int, list[Match]] = {}
    for match in hit.matches:
        marks.setdefault(match.line, []).append(match)
    old, new = hit.old_top, hit.top
    for at, line in enumerate(hit.excerpt.split("\n")):
        here = marks.get(at, ())
        found = tuple((match.start, match.end) for match in here if not match.name)
        named = tuple((match.start, match.end) for match in here if match.name)
        match line[:1]:
            case "+":
                yield Row(RowKind.ADDED, line[1:], number, at, None, new, found, named)
                new += 1
            case "-":
                yield Row(RowKind.REMOVED, line[1:], number, at, old, None, found, named)
                old += 1
            case "\\":
                yield Row(RowKind.REMARK, line[1:], number, at)
            case _:
                yield Row(RowKind.CONTEXT, line[1:], number, at, old, new, found, named)
                old += 1
                new += 1


def file_heading(hit: Hit) -> str:
    """Where a change was made, and what became of the file unless it was simply changed."""
    old = f"{hit.old_path} → " if hit.old_path and hit.old_path != hit.path else ""
    kind = "" if hit.kind is ChangeKind.MODIFIED else f"  ({hit.kind})"
    return f"{old}{hit.path}{kind}"


def hunk_heading(hit: Hit) -> str:
    """Where in the file a hunk is, and inside what."""
    inside = hit.symbol or hit.header
    return f"{hunk_range(hit)}{f' {inside}' if inside else ''}"


def hunk_range(hit: Hit) -> str:
    """Where in the file a hunk is; as in git, an empty side is numbered by the line above it."""
    lines = hit.excerpt.split("\n")
    old = sum(line[:1] in {"-", " "} for line in lines)
    new = sum(line[:1] in {"+", " "} for line in lines)
    first_old = hit.old_top if old else max(0, hit.old_top - 1)
    first_new = hit.top if new else max(0, hit.top - 1)
    return f"@@ -{first_old},{old} +{first_new},{new} @@"


# -- side by side --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pair:
    """One row of two columns, each the number of a unified row; a heading takes both."""

    left: int | None
    right: int | None
    heading: int | None = None

    @property
    def rows(self) -> tuple[int, ...]:
        """The unified rows in it."""
        return tuple(row for row in dict.fromkeys((self.heading, self.left, self.right)) if row is not None)


def pairs_of(rows: Sequence[Row]) -> list[Pair]:
    """The same rows side by side: what was removed beside what came in its place."""
    pairs: list[Pair] = []
    removed: list[int] = []
    added: list[int] = []

    def settle() -> None:
        pairs.extend(Pair(left, right) for left, right in zip_longest(removed, added))
        removed.clear()
        added.clear()

    for number, row in enumerate(rows):
        match row.kind:
            case RowKind.REMOVED:
                if added:
                    settle()
                removed.append(number)
            case RowKind.ADDED:
                added.append(number)
            case RowKind.CONTEXT:
                settle()
                pairs.append(Pair(number, number))
            case _:
                settle()
                pairs.append(Pair(None, None, number))
    settle()
    return pairs

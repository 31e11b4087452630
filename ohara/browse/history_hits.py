"""Makes hits of the hunks in a history: the lines in question marked, or the hunk cut to them. Pure."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.browse.span import Span, joined
from ohara.model import Hit, Match
from ohara.records import dataclass
from ohara.store.answers import HunkBody

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ohara.browse.span import Spans
    from ohara.store.answers import StoredHunk

MOST_LINES = 40  # of one excerpt: what a person reads of one commit in a list

_OLD = frozenset("- ")
_NEW = frozenset("+ ")


@dataclass(frozen=True, slots=True)
class Lines:
    """Which lines of a change are meant, in the new and in the old file; None means all of them."""

    new: Spans | None
    old: Spans | None


def whole_hunks(pieces: Iterable[HunkBody]) -> list[HunkBody]:
    """The hunks of one file with the pieces of a long one joined, under the number of its first piece."""
    joined: list[list[HunkBody]] = []
    old_end = new_end = 0
    for piece in pieces:
        lines = piece.body.split("\n")
        if joined and (old_end, new_end) == (piece.old_start, piece.new_start):
            joined[-1].append(piece)
        else:
            joined.append([piece])
        old_end, new_end = piece.old_start + _count(lines, _OLD), piece.new_start + _count(lines, _NEW)
    return [run[0]._replace(body="\n".join(piece.body for piece in run)) for run in joined]


def marked(hunk: HunkBody, meant: Lines) -> list[int]:
    """Which lines of a body are changed lines that are meant, by their number in the body."""
    return [number for number, _, _, _ in _changed(hunk, meant)]


def meant_lines(hunk: HunkBody, meant: Lines) -> tuple[str, Spans]:
    """The added lines that are meant, as their file counts them, after their sign; else the removed."""
    found: dict[str, list[Span]] = {"+": [], "-": []}
    for _, sign, _, line in _changed(hunk, meant):
        found[sign].append(Span(line, line))
    side = "+" if found["+"] else "-"
    return side, joined(found[side])


def changed_text(hunks: Iterable[HunkBody], meant: Lines) -> tuple[str, str]:
    """The old and the new text that is meant, without any blanks.

    Unchanged lines between are part of both: a line that was moved past them is another text.
    """
    old: list[str] = []
    new: list[str] = []
    for hunk in hunks:
        signs = {number: sign for number, sign, _, _ in _changed(hunk, meant)}
        for number, line in enumerate(hunk.body.split("\n")):
            sign, text = signs.get(number, line[:1]), "".join(line[1:].split())
            if number in signs:
                (new if sign == "+" else old).append(text)
            elif sign == " ":
                old.append(text)
                new.append(text)
    return "".join(old), "".join(new)


def marked_hit(row: StoredHunk, hunk: HunkBody, meant: Lines, rank: int) -> Hit:
    """A whole hunk, with the changed lines that are meant marked."""
    lines = hunk.body.split("\n")
    numbers = marked(hunk, meant)
    matches = [
        Match(number, len(text) - len(text.lstrip()), len(text.rstrip()))
        for number in numbers
        if (text := lines[number][1:]).strip()
    ]
    first = matches[0].line if matches else _first_change(lines)
    return _hit(row, hunk, rank, shown=(0, len(lines)), first=first, matches=tuple(matches))


def symbol_hit(row: StoredHunk, symbol: str, rank: int) -> Hit:
    """A whole hunk that touches a symbol, with the symbol's last name marked wherever it stands."""
    name = re.split(r"[^\w$]+", symbol)[-1] or symbol
    wanted = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    lines = row.body.split("\n")
    matches = [
        Match(number, found.start() - 1, found.end() - 1)
        for number, line in enumerate(lines)
        if line[:1] != "\\"
        for found in wanted.finditer(line, 1)
    ]
    first = matches[0].line if matches else _first_change(lines)
    hunk = HunkBody(row.hunk, row.old_start, row.new_start, row.body)
    return replace(
        _hit(row, hunk, rank, shown=(0, len(lines)), first=first, matches=tuple(matches)), symbol=symbol
    )


def cut_hit(row: StoredHunk, hunk: HunkBody, meant: Lines, rank: int, *, context: int) -> tuple[Hit, int]:
    """A hunk cut to the lines that are meant and unchanged ones around them; and how many were left out."""
    lines = hunk.body.split("\n")
    numbers = marked(hunk, meant) or [_first_change(lines)]
    first, last = numbers[0], numbers[-1] + 1
    bottom = min(last, first + MOST_LINES)
    omitted = sum(number >= bottom for number in numbers)
    top, end = first, bottom
    while top > 0 and first - top < context and lines[top - 1][:1] == " ":
        top -= 1
    while not omitted and end < len(lines) and end - bottom < context and lines[end][:1] in {" ", "\\"}:
        end += 1
    return _hit(row, hunk, rank, shown=(top, end), first=first), omitted


def _changed(hunk: HunkBody, meant: Lines) -> Iterator[tuple[int, str, str, int]]:
    """The changed lines of a hunk that are meant: number in the body, sign, text and number in the file."""
    old, new = hunk.old_start, hunk.new_start
    for number, line in enumerate(hunk.body.split("\n")):
        sign = line[:1]
        if (sign == "+" and _within(new, meant.new)) or (sign == "-" and _within(old, meant.old)):
            yield number, sign, line[1:], new if sign == "+" else old
        old += sign in _OLD
        new += sign in _NEW


def _within(line: int, spans: Spans | None) -> bool:
    return spans is None or any(span.first <= line <= span.last for span in spans)


def _hit(
    row: StoredHunk,
    hunk: HunkBody,
    rank: int,
    *,
    shown: tuple[int, int],
    first: int,
    matches: tuple[Match, ...] = (),
) -> Hit:
    lines = hunk.body.split("\n")
    top, end = shown
    return Hit(
        rank=rank,
        score=0.0,
        hunk=row.hunk,
        commit=row.commit,
        path=row.path,
        old_path=row.old_path,
        kind=row.kind,
        line=hunk.new_start + _count(lines[:first], _NEW),
        old_line=hunk.old_start + _count(lines[:first], _OLD),
        header=row.header,
        symbol=row.symbols[0] if row.symbols else None,
        excerpt="\n".join(lines[top:end]),
        matches=matches,
        top=hunk.new_start + _count(lines[:top], _NEW),
        old_top=hunk.old_start + _count(lines[:top], _OLD),
    )


def _count(lines: Sequence[str], signs: frozenset[str]) -> int:
    return sum(line[:1] in signs for line in lines)


def _first_change(lines: Sequence[str]) -> int:
    return next((at for at, line in enumerate(lines) if line[:1] in {"+", "-"}), 0)

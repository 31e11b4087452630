"""The cost of cutting a hunk between two of its lines: lower is better. Pure.

The depth of the syntax counts most (or of the indentation, where there is no syntax). Within a depth,
a cut after a blank line is best, and one that parts a comment from what it explains is worst.
"""

from __future__ import annotations

import re
from itertools import repeat
from typing import TYPE_CHECKING, Final

from ohara.speedups import compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LEVEL: Final = 8  # one depth outweighs every reason within it
_PLAIN: Final = 3
_AFTER_BLANK: Final = -2
_BEFORE_BLANK: Final = 3
_AFTER_LEAD: Final = 3 * LEVEL  # rather cut what a comment explains than part the two
_BEFORE_CLOSER: Final = LEVEL + 1  # worse than the next depth: a piece should not begin with a brace
_UNSEEN: Final = 64 * LEVEL  # inside a node that fits a piece, or a string or comment that does not
_APART: Final = 1_000_000  # a removal and what replaces it
_TAB_COLUMNS: Final = 4
_COLUMNS_A_DEPTH: Final = 2  # a block is two nodes deep: itself and the statement that holds it
_MAX_COLUMNS: Final = 100
CHANGED: Final = frozenset("+-")
_NOT_IN_FILE, _NOT_SEEN = -1, -2  # in place of a depth, for what is compiled

# A comment, attribute or heading belongs to the line below it.
_LEAD: Final = re.compile(
    r"(?:#(?!include|define|undef|pragma|if|el|endif)|//|/\*|\*(?:\s|/|$)|--|;;|@|\[.{1,80}\]$|<!--|%)"
)
_CLOSER: Final = re.compile(
    r"(?:[)\]}>]|/>|</|(?:end|else|elif|elsif|elseif|except|catch|rescue|finally|fi|done|esac)\b)"
)
_TELLING: Final = frozenset("#/*-;@[<%)]}>cdefr")  # what either may begin with; spares most lines the look


# What a line of ASCII at the margin may begin with when more must be known of it: blanks, too, and nothing.
_LOOKED_AT: Final = _TELLING | {""} | {chr(code) for code in range(128) if chr(code).isspace()}


def cut_costs(
    lines: Sequence[str],
    places: Sequence[int | None] | None = None,
    depths: Mapping[int, int] | None = None,
) -> list[int]:
    """The cost of a cut before each line of a hunk.

    `places` are the lines' places in the file whose syntax gave `depths`; a line that is not in that
    file has none. Without depths, indentation stands in for them.
    """
    if compiled is not None:
        told = None if depths is None else _told(lines, places, depths)
        found: list[int] | None = compiled.cut_costs(list(lines), told)
        if found is not None:
            return found
    return _cut_costs(lines, places, depths)


def _cut_costs(
    lines: Sequence[str], places: Sequence[int | None] | None, depths: Mapping[int, int] | None
) -> list[int]:
    costs: list[int] = []
    after_blank = after_lead = False
    columns = 0  # a blank line is as deep as the line above it
    for line, place in zip(lines, places or repeat(None), strict=False):
        cost = _PLAIN
        if after_blank:
            cost += _AFTER_BLANK
        elif after_lead:
            cost += _AFTER_LEAD
        after_blank = after_lead = False
        if depths is None and (first := line[1:2]).isascii() and first not in _LOOKED_AT:
            columns = 0
            costs.append(cost)
            continue
        stripped = line[1:].lstrip()
        if not stripped:
            after_blank = True
            cost += _BEFORE_BLANK
        else:
            columns = _columns(line, len(line) - len(stripped) - 1)
            if stripped[0] in _TELLING:
                after_lead = _LEAD.match(stripped) is not None
                if _CLOSER.match(stripped):
                    cost += _BEFORE_CLOSER
        depth = None if depths is None or place is None else depths.get(place)
        if depth is not None:
            cost += depth * LEVEL
        else:
            cost += columns // _COLUMNS_A_DEPTH * LEVEL
            if depths is not None:
                cost += LEVEL if place is None else _UNSEEN  # a file is one node deeper than its margin
        costs.append(cost)
    return costs


def _told(lines: Sequence[str], places: Sequence[int | None] | None, depths: Mapping[int, int]) -> list[int]:
    """The depth of each line, or why there is none."""
    around = zip(lines, places or repeat(None), strict=False)
    return [_NOT_IN_FILE if place is None else depths.get(place, _NOT_SEEN) for _, place in around]


def _columns(line: str, margin: int) -> int:
    """How far right a line begins, after its sign."""
    if line[1] != "\t":
        return min(margin, _MAX_COLUMNS)
    tabs = line.count("\t", 1, margin + 1)
    return min(margin + tabs * (_TAB_COLUMNS - 1), _MAX_COLUMNS)


def keep_replacements(
    lines: Sequence[str], costs: list[int], *, reach: Callable[[int], int], small: int
) -> None:
    """Raise the cost of separating removed lines from the added lines that replace them.

    `reach` says how far a piece that begins at a line may go. A block of changes that is too long for
    one piece is best cut between its removals and its additions, if both are worth a piece; fewer than
    `small` lines are not.
    """
    at = 0
    while at < len(lines):
        if lines[at][:1] not in CHANGED:
            at += 1
            continue
        end = at
        while end < len(lines) and lines[end][:1] in CHANGED:
            end += 1
        _keep_block(lines, costs, (at, end), reach=reach, small=small)
        at = end


def _keep_block(
    lines: Sequence[str], costs: list[int], block: tuple[int, int], *, reach: Callable[[int], int], small: int
) -> None:
    first, end = block
    turns = [at for at in range(first + 1, end) if lines[at][0] != lines[at - 1][0]]
    if not turns:
        return
    if reach(first) >= end:
        for at in range(first + 1, end):
            costs[at] += _APART
        return
    for before, turn, after in zip([first, *turns], turns, [*turns[1:], end], strict=False):
        is_worth_it = turn - before >= small and after - turn >= small
        costs[turn] = 0 if is_worth_it else costs[turn] + _APART

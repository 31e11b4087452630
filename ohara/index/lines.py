"""Splits a hunk's body into added, removed and context lines, with their line numbers. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple


class Sides(NamedTuple):
    """A body's lines without their signs, joined by newlines."""

    added: str
    removed: str
    context: str
    changed: str


def sides(body: str) -> Sides:
    """Sort a body's lines by sign; `changed` holds added and removed lines in their order."""
    if (alone := _one_side(body)) is not None:
        return alone
    added: list[str] = []
    removed: list[str] = []
    context: list[str] = []
    changed: list[str] = []
    at, end = 0, len(body)
    while at < end:
        sign = body[at]
        run_end = _run_end(body, at, sign)
        text = body[at + 1 : run_end].replace(f"\n{sign}", "\n")
        if sign == "+":
            added.append(text)
            changed.append(text)
        elif sign == "-":
            removed.append(text)
            changed.append(text)
        elif sign == " ":
            context.append(text)
        at = run_end + 1
    return Sides("\n".join(added), "\n".join(removed), "\n".join(context), "\n".join(changed))


# Where a run of lines with one sign ends: runs are taken apart as a whole, not line by line.
_OTHER_SIGN = {sign: re.compile(rf"\n(?!{re.escape(sign)})") for sign in "+- "}


def _run_end(body: str, at: int, sign: str) -> int:
    """Where the lines with a sign end that begin at a place; git's remarks and blank lines are one each."""
    if sign in _OTHER_SIGN:
        found = _OTHER_SIGN[sign].search(body, at)
        return len(body) if found is None else found.start()
    newline = body.find("\n", at)
    return len(body) if newline < 0 else newline


def _one_side(body: str) -> Sides | None:
    """The sides of a body whose lines all have one sign, as those of a new file: no line is looked at."""
    sign = body[:1]
    if sign not in {"+", "-"} or body.count("\n") != body.count(f"\n{sign}"):
        return None
    text = body[1:].replace(f"\n{sign}", "\n")
    return Sides(text, "", "", text) if sign == "+" else Sides("", text, "", text)


_HOLDS_TRIGRAM = re.compile("...+")
_SHORT_LINE = 8  # characters: where lines are longer on the average, few of them hold no trigram


def with_trigrams(changed: str) -> str:
    """The lines that hold a trigram: of the others an index of trigrams has nothing to say.

    Only where lines are short: elsewhere looking for such lines costs more than it saves.
    """
    if changed.count("\n") * _SHORT_LINE <= len(changed):
        return changed
    return "\n".join(_HOLDS_TRIGRAM.findall(changed))


Span = tuple[int, int]


def changed_spans(body: str, *, old_start: int, new_start: int) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The runs of removed lines in the old file and of added lines in the new one, first and last line.

    Blank lines do not count: the one above a new method is not a change to its class.
    """
    old, new = old_start, new_start
    removed: list[list[int]] = []
    added: list[list[int]] = []
    for line in body.split("\n"):
        sign = line[:1]
        says_something = len(line) > 1 and not line[1:].isspace()
        if sign == "+":
            if says_something:
                _extend(added, new)
            new += 1
        elif sign == "-":
            if says_something:
                _extend(removed, old)
            old += 1
        elif sign == " ":
            old += 1
            new += 1
    return tuple((first, last) for first, last in removed), tuple((first, last) for first, last in added)


def _extend(runs: list[list[int]], line: int) -> None:
    if runs and runs[-1][1] == line - 1:
        runs[-1][1] = line
    else:
        runs.append([line, line])

"""Makes hits of the hunks in a history, with the lines or the name that they are about marked. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ohara.model import Hit, Match

if TYPE_CHECKING:
    from ohara.browse.span import Span
    from ohara.store.answers import StoredHunk


def symbol_hit(row: StoredHunk, symbol: str, rank: int) -> Hit:
    """A hunk that touches a symbol; its last name is marked wherever it stands."""
    name = re.split(r"[^\w$]+", symbol)[-1] or symbol
    wanted = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    matches = [
        Match(number, found.start() - 1, found.end() - 1)
        for number, line in enumerate(row.body.split("\n"))
        if line[:1] != "\\"
        for found in wanted.finditer(line, 1)
    ]
    return _hit(row, symbol, tuple(matches), rank)


def line_hit(row: StoredHunk, new: Span, old: Span | None, rank: int) -> Hit:
    """A hunk that touches lines: those added of the new span and removed of the old one are marked."""
    matches: list[Match] = []
    at_new, at_old = row.new_start, row.old_start
    for number, line in enumerate(row.body.split("\n")):
        sign, text = line[:1], line[1:]
        is_meant = (sign == "+" and new.first <= at_new <= new.last) or (
            sign == "-" and old is not None and old.first <= at_old <= old.last
        )
        if is_meant and text.strip():
            start = len(text) - len(text.lstrip())
            matches.append(Match(number, start, len(text.rstrip())))
        at_new += sign in {"+", " "}
        at_old += sign in {"-", " "}
    return _hit(row, row.symbols[0] if row.symbols else None, tuple(matches), rank)


def _hit(row: StoredHunk, symbol: str | None, matches: tuple[Match, ...], rank: int) -> Hit:
    first = matches[0].line if matches else _first_change(row.body)
    before = row.body.split("\n")[:first]
    return Hit(
        rank=rank,
        score=0.0,
        hunk=row.hunk,
        commit=row.commit,
        path=row.path,
        old_path=row.old_path,
        kind=row.kind,
        line=row.new_start + sum(line[:1] in {"+", " "} for line in before),
        old_line=row.old_start + sum(line[:1] in {"-", " "} for line in before),
        header=row.header,
        symbol=symbol,
        excerpt=row.body,
        matches=matches,
        top=row.new_start,
        old_top=row.old_start,
    )


def _first_change(body: str) -> int:
    return next((at for at, line in enumerate(body.split("\n")) if line[:1] in {"+", "-"}), 0)

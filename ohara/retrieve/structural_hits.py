"""What is shown of changes in the number of matches: counts, marks in the diff, when they came and went."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ohara.model import LiteralSpan, Match, MatchCount, Sha, SpanScope
from ohara.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ohara.model import AtHead
    from ohara.retrieve.pickaxe import Change
    from ohara.store.answers import FileVersion, StoredHunk
    from ohara.store.reading import Reader
    from ohara.structural.found import Capture, Found


def match_count(change: Change) -> MatchCount:
    """What a hit says of its file: how often the pattern matches, and what its names stand for here."""
    told = next((one for one in (*change.gained, *change.lost) if one.captures), None)
    return MatchCount(
        change.before, change.after, {each.name: each.text for each in told.captures} if told else {}
    )


def marks(row: StoredHunk, change: Change) -> tuple[Match, ...]:
    """Where the matches that came or went stand in a hunk: on its added and on its removed lines."""
    added: dict[int, tuple[int, str]] = {}
    removed: dict[int, tuple[int, str]] = {}
    new, old = row.new_start, row.old_start
    for number, line in enumerate(row.body.split("\n")):
        sign = line[:1]
        if sign == "+":
            added[new] = (number, line[1:])
        elif sign == "-":
            removed[old] = (number, line[1:])
        new += sign in {"+", " "}
        old += sign in {"-", " "}
    found = [*_marked(added, change.gained), *_marked(removed, change.lost)]
    return tuple(dict.fromkeys(sorted(found, key=lambda mark: mark.line)))


def _marked(lines: Mapping[int, tuple[int, str]], matches: Sequence[Found]) -> Iterator[Match]:
    """What of some lines belongs to matches, and inside of them to what the pattern's names stand for."""
    if not lines:
        return
    least, most = min(lines), max(lines)
    for one in matches:
        for line in range(max(one.first_line + 1, least), min(one.last_line + 1, most) + 1):
            if line not in lines:
                continue
            number, text = lines[line]
            if columns := _columns(text, line, one):
                yield Match(number, *columns)
            for capture in one.captures:
                if columns := _columns(text, line, capture):
                    yield Match(number, *columns, capture.name)


def _columns(text: str, line: int, place: Found | Capture) -> tuple[int, int] | None:
    """Which columns of a line a node covers, if any."""
    first, last = place.first_line + 1, place.last_line + 1
    if not first <= line <= last:
        return None
    start = place.first_column if line == first else len(text) - len(text.lstrip())
    end = place.last_column if line == last else len(text.rstrip())
    return (start, end) if start < end <= len(text) else None


def span(
    reader: Reader,
    changes: Sequence[Change],
    order: Mapping[Sha, int] | None,
    scope: SpanScope,
    head: AtHead | None,
) -> LiteralSpan | None:
    """When matches came, last changed in number and went, as a literal's span says it, in the log's order."""

    def position(row: FileVersion) -> int:
        return order.get(_sha(row), len(order)) if order is not None else 0

    newest_first = sorted(changes, key=lambda change: position(change.version))
    rows = [change.version for change in newest_first]
    came = next((each.version for each in reversed(newest_first) if each.after > each.before), None)
    years: dict[int, int] = {}
    for moment in {row.sha: row.time for row in rows}.values():
        year = time.gmtime(moment).tm_year
        years[year] = years.get(year, 0) + 1
    span = LiteralSpan(
        first=_sha(rows[-1]),
        first_time=rows[-1].time,
        last=_sha(rows[0]),
        last_time=rows[0].time,
        by_year=tuple(sorted(years.items())),
        scope=scope,
        head=head,
    )
    if scope is SpanScope.READ:
        return replace(span, head=head and replace(head, exact=False), unread=len(reader.unread_commits()))
    if scope is not SpanScope.HISTORY or came is None:
        return span
    span = replace(span, introduced=_sha(came), introduced_time=came.time)
    if head is None or head.lines or not head.exact:
        return span
    below = reader.ancestors({head.commit}) or ()
    last = next((each for each in newest_first if each.version.commit in below), None)
    if last is None or last.after >= last.before:
        return span
    return replace(span, gone=_sha(last.version), gone_time=last.version.time)


def _sha(row: FileVersion) -> Sha:
    return Sha(row.sha.hex())

"""The answer of show_commit: a commit, its files and its hunks, page by page within a budget. Pure.

A page ends where the budget does, between two hunks where it can; a hunk that is longer than a page goes on,
with the next line, on the next one. Nothing is lost between pages.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ohara.errors import UsageError
from ohara.mcp.diffs import SHORT_SHA, clipped, diff_line, message_lines, place_of
from ohara.mcp.frame import checked, coverage, framed, note
from ohara.present.budget import BYTES_A_TOKEN, tokens
from ohara.present.json import results_object, written
from ohara.present.times import rfc3339
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import CommitDetails, Hit, Results

_MOST_FILES = 40
_MOST_NAMES = 8
_FEWEST_LINES = 8  # of a hunk that begins on a page and does not end there
_TAIL_TOKENS = 200  # kept free for what is said about the rest
_PLACE = re.compile(r"(\d{1,9})(?:\.(\d{1,9}))?")


@dataclass(frozen=True, slots=True)
class Start:
    """Where a page begins: after so many hunks, and so many lines of the next one."""

    hunks: int = 0
    lines: int = 0

    def __str__(self) -> str:
        return f"{self.hunks}.{self.lines}" if self.lines else str(self.hunks)


def read_start(after: str) -> Start:
    """The place that a page's cursor names."""
    if not after:
        return Start()
    place = _PLACE.fullmatch(after)
    if not place:
        raise UsageError(
            f"{after[:40]!r} is not a place in a commit",
            hint="take `after` from the answer before, or leave it out",
        )
    return Start(int(place[1]), int(place[2] or 0))


def commit_text(
    details: CommitDetails,
    results: Results,
    hunks: Sequence[Hit],
    *,
    start: Start,
    budget: int,
    now: float,
    remarks: Sequence[str] = (),
) -> str:
    """One page of a commit as text."""
    if start.hunks and start.hunks >= len(hunks):
        raise UsageError(f"the commit has {len(hunks)} hunks, none after {start}", hint="leave `after` out")
    repository = clipped(results.index.repository, 300)
    head = [
        f"commit {details.commit.sha} in {repository}",
        coverage(results.index, now=now),
        *map(note, remarks),
    ]
    about = _about(details) if start == Start() else []
    room = (budget - tokens(framed(head, ["-", *about], [])) - _TAIL_TOKENS) * BYTES_A_TOKEN
    if room < 0:  # a huge message or list of files: what can be asked for alone is left out first
        about = _about(details, brief=True)
        room = (budget - tokens(framed(head, ["-", *about], [])) - _TAIL_TOKENS) * BYTES_A_TOKEN
    lines, end = _page(hunks, start, room)
    return checked(framed(head, [*about, *lines], _rest(details, hunks, end)), budget)


def commit_json(results: Results, hunks: Sequence[Hit], *, start: Start, budget: int) -> str:
    """One page of a commit as one JSON object, of whole hunks."""
    from dataclasses import replace

    chosen = list(hunks[start.hunks :])
    while True:
        shown = tuple(chosen)
        end = start.hunks + len(shown)
        said = results_object(replace(results, hits=shown, next_cursor=None))
        said["next"] = str(Start(end)) if end < len(hunks) else None
        said["left_out"] = len(hunks) - end
        text = written(said)
        if tokens(text) <= budget or not chosen:
            break
        chosen.pop()
    if not shown and end < len(hunks):
        raise UsageError(
            f"hunk {end + 1} does not fit into {budget:,} tokens as JSON", hint="format=text pages through it"
        )
    return checked(text, budget)


def _about(details: CommitDetails, *, brief: bool = False) -> list[str]:
    commit = details.commit
    when = rfc3339(commit.committer_time, commit.committer_offset)
    lines = [f"author {clipped(commit.author, 60)} <{clipped(commit.email, 80)}>, {when}"]
    if details.parents:
        lines.append("parents " + ", ".join(kin.sha[:SHORT_SHA] for kin in details.parents[:_MOST_NAMES]))
    if details.refs:
        lines.append("refs " + ", ".join(clipped(ref, 60) for ref in details.refs[:_MOST_NAMES]))
    lines += message_lines(commit.message, 2 if brief else 40)
    shown = () if brief else details.files[:_MOST_FILES]
    lines += [
        f"# {file.kind} {clipped(file.path, 200)} +{file.additions} -{file.deletions}"
        + (f" [not shown: {file.left_out}]" if file.left_out and not file.hunks else "")
        for file in shown
    ]
    if left := len(details.files) - len(shown):
        lines.append(f"[{left:,} more files changed]")
    return [*lines, ""]


def _page(hunks: Sequence[Hit], start: Start, room: int) -> tuple[list[str], Start]:
    """The lines of one page, and where it ends."""
    shown: list[str] = []
    skip = start.lines
    for number in range(start.hunks, len(hunks)):
        hunk = hunks[number]
        body = hunk.excerpt.split("\n") if hunk.excerpt else []
        lines = [f"{place_of(hunk)}" + (f" [from its line {skip + 1}]" if skip else "")]
        lines += [diff_line(line) for line in body[skip:]]
        fits = _fitting(lines, room)
        if fits < len(lines):
            if fits - 1 < _FEWEST_LINES and shown:
                return shown, Start(number, skip)
            reached = skip + max(0, fits - 1)
            if reached == skip:
                return shown, Start(number, skip)
            shown += [*lines[:fits], f"[{len(body) - reached} lines of this hunk are on the next page]"]
            return shown, Start(number, reached)
        shown += lines
        room -= sum(_size(line) for line in lines)
        skip = 0
    return shown, Start(len(hunks))


def _fitting(lines: Sequence[str], room: int) -> int:
    count = 0
    for line in lines:
        room -= _size(line)
        if room < 0:
            break
        count += 1
    return count


def _size(line: str) -> int:
    return len(line.encode("utf-8", "surrogatepass")) + 1


def _rest(details: CommitDetails, hunks: Sequence[Hit], end: Start) -> list[str]:
    """What is said about the hunks that did not fit."""
    if end.hunks >= len(hunks):
        return []
    names = list(dict.fromkeys(hunk.path for hunk in hunks[end.hunks :]))
    some = ", ".join(clipped(name, 60) for name in names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more files" if len(names) > _MOST_NAMES else ""
    return [
        f"left out for the budget: {len(hunks) - end.hunks} of {len(hunks)} hunks, in {some}{more}",
        f"next page: show_commit(rev={details.commit.sha[:SHORT_SHA]}, after={end}), same paths",
    ]

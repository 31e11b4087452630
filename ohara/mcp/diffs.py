"""Text of a repository as lines for a model: plain diff, inert, and never cut without saying so. Pure.

Each line from a repository begins with a sign of the diff, or is indented: what begins otherwise, a remark in
square brackets for one, was written here and cannot be forged by a commit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.fate_phrase import fate_phrase
from ohara.match_count_phrase import match_count_phrase
from ohara.plural import plural
from ohara.present.explained import arrival_words, omitted_words, role_words
from ohara.present.hunks import range_of
from ohara.present.times import day
from ohara.records import dataclass
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Hit, Match

SHORT_SHA = 10

_LONGEST_LINE = 300  # longer than lines that people write; minified files have lines of a megabyte
_BEFORE_MATCH = 80
_CHANGED = frozenset("+-")
_MOST_ALSO = 5


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of a hit is shown: lines of its hunk, and lines of its message below the subject."""

    lines: int
    message: int


def clipped(text: str, most: int) -> str:
    """One line of text that is not longer than this; what was cut off is counted."""
    inert = sanitize(" ".join(text.split()))
    return inert if len(inert) <= most else f"{inert[:most]}[+{len(inert) - most:,} characters]"


def message_lines(message: str, most: int) -> list[str]:
    """The message of a commit, indented: its subject and at most so many lines below it."""
    subject, *rest = [line.rstrip() for line in message.strip().split("\n")]
    shown = [f"    {_cut(line, ())}".rstrip() for line in (subject or "(no message)", *rest[:most])]
    while len(shown) > 1 and not shown[-1]:
        shown.pop()
    left = len([line for line in rest[most:] if line])
    return [*shown, f"[{left} more {plural(left, 'line')} of the message]"] if left else shown


def hit_lines(hit: Hit, detail: Detail, *, several: bool = False) -> list[str]:
    """One hit: its commit, message and place, and as much of its hunk as fits; without lines, one line."""
    commit = hit.commit
    where = f" in {clipped(hit.repository, 200)}" if several else ""
    author = clipped(commit.author, 60)
    head = f"{hit.rank}. {commit.sha[:SHORT_SHA]} {day(commit.committer_time)} {author}{where}"
    if not detail.lines:
        return [f"{head}: {clipped(commit.subject, 100)} # {clipped(hit.path, 150)} [diff left out]"]
    return [
        head,
        *message_lines(commit.message, detail.message),
        *_part(hit),
        place_of(hit),
        *excerpt_lines(hit, detail.lines),
        *_company(hit),
    ]


def _part(hit: Hit) -> list[str]:
    """What the commit did to the lines that are explained, what became of them, and the commit's thread."""
    told = []
    if hit.explained is not None:
        words = [role_words(hit.explained), arrival_words(hit.explained), omitted_words(hit.explained)]
        told.append(f"[{clipped('; '.join(word for word in words if word), 300)}]")
    if hit.structural is not None:
        told.append(f"[{clipped(match_count_phrase(hit.structural), 300)}]")
    if hit.fate is not None and (became := fate_phrase(hit.fate, day)):
        told.append(f"[{clipped(became, 200)}]")
    if hit.thread is not None:
        told.append(f"[of the thread that began with {hit.thread[:SHORT_SHA]}]")
    return told


def place_of(hit: Hit) -> str:
    """The path of a hit, and git's range."""
    if not hit.path:
        return "[no file]"
    old = f"{clipped(hit.old_path, 300)} -> " if hit.old_path and hit.old_path != hit.path else ""
    kind = "" if hit.kind == "modified" else f" ({hit.kind})"
    symbol = f" {clipped(hit.symbol or hit.header, 120)}" if hit.symbol or hit.header else ""
    return (
        f"# {old}{clipped(hit.path, 300)}{kind} {range_of(hit)}{symbol}"
        if hit.excerpt
        else (f"# {old}{clipped(hit.path, 300)}{kind} [no text]")
    )


def excerpt_lines(hit: Hit, most: int) -> list[str]:
    """At most so many lines of a hunk, around what matched; how many are left out is said."""
    if not hit.excerpt:
        return []
    lines = hit.excerpt.split("\n")
    marks: dict[int, list[Match]] = {}
    for match in hit.matches:
        marks.setdefault(match.line, []).append(match)
    first, end = _window(lines, sorted(marks), most)
    shown = [diff_line(line, marks.get(number, ())) for number, line in enumerate(lines[first:end], first)]
    if end == first:
        return [f"[all {len(lines)} lines of this hunk left out]"]
    above = [f"[{first} lines of this hunk above left out]"] if first else []
    below = [f"[{len(lines) - end} lines of this hunk below left out]"] if end < len(lines) else []
    return [*above, *shown, *below]


def diff_line(line: str, matches: Sequence[Match] = ()) -> str:
    """One line of a diff, its sign first; a very long one is cut around what matched, and says so."""
    sign = line[:1] if line[:1] in {"+", "-", " ", "\\"} else " "
    return sign + _cut(line[1:].removesuffix("\r"), matches)


def _cut(text: str, matches: Sequence[Match]) -> str:
    inert = sanitize(text, keep="\t")
    if len(inert) <= _LONGEST_LINE:
        return inert
    at = min((match.start for match in matches), default=0)
    start = max(0, at - _BEFORE_MATCH) if at > _LONGEST_LINE - _BEFORE_MATCH else 0
    end = min(len(inert), start + _LONGEST_LINE)
    before = f"[{start:,} characters]" if start else ""
    after = f"[{len(inert) - end:,} characters]" if end < len(inert) else ""
    return f"{before}{inert[start:end]}{after}"


def _window(lines: Sequence[str], matched: Sequence[int], most: int) -> tuple[int, int]:
    """Which lines to show: all, or those around the first that matched or changed."""
    if len(lines) <= most:
        return 0, len(lines)
    if most <= 0:
        return 0, 0
    changed = [number for number, line in enumerate(lines) if line[:1] in _CHANGED]
    centre = next(
        iter([number for number in matched if lines[number][:1] in _CHANGED] or matched or changed), 0
    )
    first = max(0, min(centre - most // 3, len(lines) - most))
    return first, first + most


def _company(hit: Hit) -> list[str]:
    told = []
    if hit.more_in_commit:
        hunks = "hunk" if hit.more_in_commit == 1 else "hunks"
        told.append(f"[{hit.more_in_commit} more {hunks} of this commit: show_commit]")
    if hit.also_in:
        named = ", ".join(sha[:SHORT_SHA] for sha in hit.also_in[:_MOST_ALSO])
        more = f" and {len(hit.also_in) - _MOST_ALSO} more" if len(hit.also_in) > _MOST_ALSO else ""
        told.append(f"[the same change in {named}{more}]")
    return told

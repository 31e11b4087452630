"""Cuts an excerpt out of a hunk: centred on the matches, which are marked. Pure.

An excerpt is a run of the body's own lines, signs included, so that it can be coloured as a diff. Very long
lines are cut around their first match, with an ellipsis, unless the whole hunk is requested; where a hunk is
read, only those that are longer by far. Nothing is escaped here: text is sanitized where it is shown.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ohara.long_lines import LineLimit, limit_for_reading
from ohara.model import READ_HUNK, WHOLE_HUNK, Match, Polarity
from ohara.records import dataclass
from ohara.words import SEPARATED, index_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

CONTEXT_LINES = 3  # as in git diff

# What is shown of several matched lines before context is added: a statement, not a page.
_CORE_LINES = 6

# A match on a changed line is why the hunk was found; one on a context line counts less. A changed line
# without a match still counts more than a context line.
_CHANGED_MARK = 4
_CONTEXT_MARK = 1
_CHANGED_LINE = 0.01
_CHANGED = frozenset("+-")

_RUN = re.compile(r"[#\w]+")
_REMEMBERED_NAMES = 1 << 15  # the excerpts of a page hold some two thousand, most of them seen before
_SIGN_OF = {Polarity.ADDED: "+", Polarity.REMOVED: "-"}


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a hunk with their matches; `line` and `old_line` number the first line that matched.

    Without a match they number the first changed line. A removed line has no number in the new file: there
    `line` is where it would be. `top` and `old_top` number the first line that is shown in the same way.
    `above` and `below` count the changed lines that are left out before and after the excerpt.
    """

    text: str
    matches: tuple[Match, ...]
    line: int
    old_line: int
    top: int
    old_top: int
    above: int = 0
    below: int = 0


def cut(
    body: str,
    marks: Iterable[Match],
    *,
    old_start: int,
    new_start: int,
    context: int = CONTEXT_LINES,
    hunks: int = 1,
) -> Excerpt:
    """The excerpt around the densest matches, with this many lines of context on either side.

    Of long lines in a hunk that is read, more is shown the fewer `hunks` there are in the answer.
    """
    lines = body.split("\n")
    by_line: dict[int, list[Match]] = {}
    for mark in marks:
        by_line.setdefault(mark.line, []).append(mark)
    first, last = _core(lines, by_line)
    is_whole = context >= WHOLE_HUNK
    top, bottom = max(0, first - context), min(len(lines), last + 1 + context)
    limit = limit_for_reading(lines, hunks) if context >= READ_HUNK else LineLimit()
    shown: list[str] = []
    matches: list[Match] = []
    for number in range(top, bottom):
        marked = by_line.get(number, ())
        text, found = (lines[number], list(marked)) if is_whole else limit.fit(lines[number], marked)
        shown.append(text)
        matches += [Match(number - top, mark.start, mark.end, mark.name) for mark in found]
    signs = [line[:1] for line in lines]
    return Excerpt(
        text="\n".join(shown),
        matches=tuple(matches),
        line=new_start + _counted(signs[:first], "+ "),
        old_line=old_start + _counted(signs[:first], "- "),
        top=new_start + _counted(signs[:top], "+ "),
        old_top=old_start + _counted(signs[:top], "- "),
        above=_counted(signs[:top], "+-"),
        below=_counted(signs[bottom:], "+-"),
    )


def _counted(signs: list[str], which: str) -> int:
    """How many of some lines have one of two signs."""
    return signs.count(which[0]) + signs.count(which[1])


def word_marks(body: str, terms: Collection[str], polarity: Polarity = Polarity.ANY) -> tuple[Match, ...]:
    """Mark the words of a query in a body, by their stems; with a polarity, on that side only.

    Code says the same names again and again, few of them asked for: only these are looked for in it.
    """
    wanted = frozenset(terms)
    lines = body.split("\n")
    text = "\n".join([line[1:] for line in lines])
    held = [name for name in set(_names_in(text)) if not wanted.isdisjoint(words_of(name))]
    sign = _SIGN_OF.get(polarity)
    found: list[Match] = []
    number = begins = 0  # of the line that was reached
    for start, end in sorted(place for name in held for place in _places(text, name)):
        breaks = text.count("\n", begins, start)
        if breaks:
            number += breaks
            begins = text.rindex("\n", begins, start) + 1
        of_line = lines[number][:1]
        if of_line != "\\" and (sign is None or of_line == sign):
            found.append(Match(number, start - begins, end - begins))
    return tuple(found)


def _names_in(text: str) -> list[str]:
    if text.isascii():  # in a third of the time
        return text.encode().translate(SEPARATED).decode().split()
    return _RUN.findall(text)


def _places(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Where a name stands in a text, from and up to which character, and not as part of a longer one."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not _is_in_name(text[start - 1 : start]) and not _is_in_name(text[end : end + 1]):
            yield start, end
        start = text.find(name, end)


def _is_in_name(char: str) -> bool:
    return char.isalnum() or (char != "" and char in "_#")


@lru_cache(maxsize=_REMEMBERED_NAMES)
def words_of(name: str) -> tuple[str, ...]:
    """The words that a name is made of, as the index has them."""
    return tuple(index_text(name).split())


def _core(lines: Sequence[str], by_line: dict[int, list[Match]]) -> tuple[int, int]:
    """The first and last line of the best few lines, without unmatched lines at the edges."""
    weights = [_CHANGED_LINE if line[:1] in _CHANGED else 0.0 for line in lines]
    for number, marks in by_line.items():
        if marks:
            weights[number] = _CHANGED_MARK if weights[number] else _CONTEXT_MARK
    height = min(_CORE_LINES, len(weights))
    best = total = sum(weights[:height])
    first = 0
    for start in range(1, len(weights) - height + 1):
        total += weights[start + height - 1] - weights[start - 1]
        if total > best + 1e-9:
            best, first = total, start
    least = _CONTEXT_MARK if any(by_line.values()) else _CHANGED_LINE
    telling = [number for number in range(first, first + height) if weights[number] >= least]
    return (telling[0], telling[-1]) if telling else (first, first)

"""Shows more or less of a file around a change: lines of the file put around an excerpt, or taken off. Pure.

Context is the same on both sides of a diff, so the new file's lines serve for both. What changed is never
taken off.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from ohara.long_lines import overlaid

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ohara.long_lines import Overlaid
    from ohara.model import Hit, Match


class Lines(NamedTuple):
    """Lines of a new file and the number of the first of them."""

    first: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """Hunks, how many lines of context to show around their changes, and the lines fetched for that."""

    given: tuple[Hit, ...] = ()
    context: int | None = None
    around: Mapping[int, Lines] = field(default_factory=dict)

    def lines(self) -> int:
        """How many lines of context there are at most."""
        if self.context is not None:
            return self.context
        return max((max(lead(hit), tail(hit)) for hit in self.given if hit.excerpt), default=0)

    def shown(self) -> tuple[Hit, ...]:
        """The hunks with as much of that context as is here."""
        return self.given if self.context is None else tuple(map(self._framed, range(len(self.given))))

    def _framed(self, number: int) -> Hit:
        hit = self.given[number]
        if not hit.excerpt or self.context is None:
            return hit
        if number in self.around:
            hit = widened(hit, *self._unchanged(hit, self.around[number]))
        return narrowed(hit, self.context)

    def _unchanged(self, hit: Hit, around: Lines) -> Lines:
        """The lines without those that are no context: of other hunks, or without a counterpart before."""
        last = _last(hit)
        low = hit.top if hit.above or not hit.old_top else max(1, hit.top - hit.old_top + 1)
        high = last if hit.below or not hit.old_top else around.first + len(around.lines) - 1
        for other in self.given:
            if other is not hit and other.path == hit.path and other.commit.sha == hit.commit.sha:
                if other.top > last:
                    high = min(high, other.top - 1)
                elif _last(other) < hit.top:
                    low = max(low, _last(other) + 1)
        start = max(around.first, low)
        return Lines(start, around.lines[start - around.first : high - around.first + 1])


def lead(hit: Hit) -> int:
    """How many lines of context come before the first change."""
    return _run(hit.excerpt.split("\n"))


def tail(hit: Hit) -> int:
    """How many lines of context come after the last change."""
    lines = hit.excerpt.split("\n")
    count = _run(reversed(lines))
    return count if count < len(lines) else 0  # nothing changed: all of it is before


def _last(hit: Hit) -> int:
    """The number of its last line in the new file."""
    return hit.top + _new_lines(hit.excerpt.split("\n")) - 1


def _new_lines(lines: Iterable[str]) -> int:
    return sum(line[:1] in {"+", " "} for line in lines)


def _run(lines: Iterable[str]) -> int:
    return sum(1 for _ in takewhile(lambda line: line[:1] == " ", lines))


def missing(hit: Hit, context: int) -> tuple[int, int] | None:
    """The lines of the new file (1-based, inclusive) to read for so much context; None when it is there."""
    if not hit.excerpt or hit.top < 1:
        return None  # a deleted file has no new lines around it
    lines = hit.excerpt.split("\n")
    shown = _new_lines(lines)
    first = max(1, hit.top - max(0, context - lead(hit)))
    last = hit.top + shown - 1 + max(0, context - tail(hit))
    return None if (first, last) == (hit.top, hit.top + shown - 1) else (first, last)


def widened(hit: Hit, first: int, lines: Sequence[str]) -> Hit:
    """The hit with lines of the new file put around it; `first` numbers the first of them.

    The lines reach over the whole excerpt; those before and after it are added.
    """
    excerpt = hit.excerpt.split("\n")
    shown = _new_lines(excerpt)
    before = [" " + line for line in lines[: max(0, hit.top - first)]]
    after = [" " + line for line in lines[hit.top - first + shown :]]
    if excerpt[-1][:1] == "\\":
        after = []  # the file ends here
    return replace(
        hit,
        excerpt="\n".join([*before, *excerpt, *after]),
        matches=tuple(replace(match, line=match.line + len(before)) for match in hit.matches),
        top=hit.top - len(before),
        old_top=hit.old_top - len(before),
    )


def marked_like(whole: Hit, found: Hit) -> Hit:
    """A whole hunk with the marks of an excerpt of it; of a line that is cut, the part with the marks."""
    lines, excerpt = whole.excerpt.split("\n"), found.excerpt.split("\n")
    for off in range(len(lines) - len(excerpt) + 1):
        here = _overlaid(lines[off : off + len(excerpt)], excerpt)
        if here is not None:
            lines[off : off + len(excerpt)] = [each.line for each in here]
            return replace(
                whole,
                excerpt="\n".join(lines),
                matches=tuple(_moved(match, off, here[match.line].shift) for match in found.matches),
            )
    return whole


def _overlaid(lines: Sequence[str], others: Sequence[str]) -> list[Overlaid] | None:
    """Each line as two excerpts show it; None when they are not the same lines."""
    found: list[Overlaid] = []
    for line, other in zip(lines, others, strict=True):
        both = overlaid(line, other)
        if both is None:
            return None
        found.append(both)
    return found


def _moved(match: Match, lines: int, columns: int) -> Match:
    return replace(match, line=match.line + lines, start=match.start + columns, end=match.end + columns)


def narrowed(hit: Hit, context: int) -> Hit:
    """The hit with no more than so much context before its first and after its last change."""
    excerpt = hit.excerpt.split("\n")
    if all(line[:1] == " " for line in excerpt):
        return hit
    off = max(0, lead(hit) - context)
    end = len(excerpt) - max(0, tail(hit) - context)
    return replace(
        hit,
        excerpt="\n".join(excerpt[off:end]),
        matches=tuple(
            replace(match, line=match.line - off) for match in hit.matches if off <= match.line < end
        ),
        top=hit.top + off,
        old_top=hit.old_top + off,
    )

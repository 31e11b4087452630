"""Matches patterns against changed lines, in time proportional to the text. The only importer of RE2.

Each changed line is matched by itself, without its sign and without its line end, as `git log -G` does.
For speed many bodies are searched at once where the pattern allows it: RE2 is told never to match a line
end, so a match lies within one line, and looking back from it finds the line's sign. It reads no database
and ranks nothing.
"""

from __future__ import annotations

import math
import re
import time
from bisect import bisect_right
from enum import Enum, auto
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Protocol

from ohara.errors import QueryError
from ohara.model import Match, Polarity
from ohara.records import replace
from ohara.retrieve.expression import Unreadable, read_expression
from ohara.retrieve.expression_tree import Choice, Place, Repeat, Sequence
from ohara.retrieve.regex_errors import regex_error

if TYPE_CHECKING:
    from collections import abc

    import re2

    from ohara.model import Pattern
    from ohara.retrieve.expression_tree import Tree

ADDED = 1
REMOVED = 2
BOTH = ADDED | REMOVED

_SIDES = {ord("+"): ADDED, ord("-"): REMOVED}
# How a line that is worth looking at begins, by the sides that are not known to match yet.
_BEGINS = {0: b"", ADDED: b"\n+", REMOVED: b"\n-", BOTH: b"\n"}
_WANTED = {Polarity.ANY: BOTH, Polarity.ADDED: ADDED, Polarity.REMOVED: REMOVED}

# Lines that are looked through at once before any is marked; an expression may be slow.
_RUN_CHARACTERS = 8_192

# RE2's own default is 8 MiB for each expression; past it, matching slows down but stays linear.
_COMPILED_BYTES = 16 * 2**20
_KEPT = 16  # compiled expressions: each may hold as much


class Finder(Protocol):
    """Finds where the next match begins, at or after a position, or says -1."""

    def __call__(self, text: bytes, start: int, /) -> int:
        """The position."""
        ...


class Matcher:
    """A compiled pattern; an invalid one raises a QueryError that says where it is wrong."""

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self.wanted = _WANTED[pattern.polarity]
        self._sides: abc.Callable[[abc.Sequence[bytes]], list[int]]
        self._lines: abc.Callable[[bytes], int]
        self._numbers: abc.Callable[[list[str]], abc.Iterable[int]]  # of the lines that may match
        self._spans: abc.Callable[[str], abc.Iterator[tuple[int, int]]]
        if pattern.is_regex:
            self._prepare_expression(pattern)
        else:
            self._prepare_text(pattern)

    def sides(self, bodies: abc.Sequence[bytes]) -> list[int]:
        """For each body, the wanted sides (ADDED, REMOVED) on which some line matches; 0 for none."""
        return self._sides(bodies)

    def lines(self, text: bytes) -> int:
        """How many lines of a text match; these have no signs."""
        return self._lines(text)

    def marks(self, body: str, *, until: float = math.inf) -> list[Match]:
        """Where the pattern matches on the wanted changed lines of a body, as far as the time allows."""
        found: list[Match] = []
        for first, lines in _runs(body.split("\n")):
            for number in self._numbers(lines):
                line = lines[number]
                if _SIDES.get(ord(line[0]) if line else 0, 0) & self.wanted:
                    for start, end in self._spans(line[1:]):
                        found.append(Match(first + number, start, end))
                        if time.monotonic() > until:
                            return found
                if time.monotonic() > until:
                    return found
            if time.monotonic() > until:
                return found
        return found

    # -- literal text ----------------------------------------------------------------------------

    def _prepare_text(self, pattern: Pattern) -> None:
        needle = _encoded(pattern)
        if b"\n" in needle:
            raise QueryError(
                "a quoted text is looked for within one line, and this one has several",
                hint="search for its most telling line, or paste it without quotes to find changes like it",
            )

        def find(text: bytes, start: int, /) -> int:
            return text.find(needle, start) if start <= len(text) else -1

        def spans(line: str) -> abc.Iterator[tuple[int, int]]:
            start = line.find(pattern.text)
            while start >= 0:
                yield start, start + len(pattern.text)
                start = line.find(pattern.text, start + max(1, len(pattern.text)))

        self._sides = lambda bodies: _sides_within(bodies, find, self.wanted)
        self._lines = lambda text: _count_lines(text, find)
        self._numbers = lambda lines: _numbers_within(lines, find)
        self._spans = spans

    # -- regular expressions ---------------------------------------------------------------------

    def _prepare_expression(self, pattern: Pattern) -> None:
        if _ONE_BYTE.search(_QUOTED.sub("", pattern.text)):
            raise QueryError(
                r"\C stands for a byte, which may be a part of a character",
                hint="a dot stands for a character",
            )
        any_case = "i" in pattern.flags
        alone = _compiled(pattern, _encoded(pattern), any_case=any_case, never_newline=False)
        core = _core(pattern)  # whether it matches is all that is asked of most lines
        source = _encoded(core)
        lonely = _compiled(core, source, any_case=any_case, never_newline=False)
        way = _way(core)
        signed = b"(?m)^[+-](?:" + source[1:] + b")" if way is _Way.FROM_SIGN else b"(?m)" + source
        joined = _compiled(pattern, signed, any_case=any_case, never_newline=True)
        skipped = 1 if way is _Way.FROM_SIGN else 0

        def find(text: bytes, start: int, /) -> int:
            found = joined.search(text, start) if start <= len(text) else None
            return found.start() + skipped if found else -1

        def spans(line: str) -> abc.Iterator[tuple[int, int]]:
            at_least_one = False
            for found in alone.finditer(line):
                start, end = found.span()
                if end > start or not at_least_one:
                    yield start, end
                at_least_one = True

        def unsigned(text: bytes, start: int, /) -> int:
            plain = _compiled(pattern, b"(?m)" + source, any_case=any_case, never_newline=True)
            found = plain.search(text, start) if start <= len(text) else None
            return found.start() if found else -1

        self._lines = lambda text: _count_lines(text, unsigned)
        self._numbers = lambda lines: range(len(lines))
        match way:
            case _Way.ALONE:
                self._sides = lambda bodies: [_sides_one_by_one(body, lonely, self.wanted) for body in bodies]
                self._lines = lambda text: sum(lonely.search(line) is not None for line in text.split(b"\n"))
            case _Way.WITHOUT_SIGNS:
                self._sides = lambda bodies: _sides_without_signs(bodies, find, self.wanted)
            case _Way.FROM_SIGN | _Way.ANYWHERE:
                self._sides = lambda bodies: _sides_within(bodies, find, self.wanted)
                self._numbers = lambda lines: _numbers_within(lines, find)
        self._spans = spans


_QUOTED = re.compile(r"\\Q.*?(?:\\E|$)", re.DOTALL)
_ONE_BYTE = re.compile(r"(?<!\\)(?:\\\\)*\\C")


class _Way(Enum):
    """The ways to search for an expression, fastest first."""

    ANYWHERE = auto()  # it does not ask where a line begins
    FROM_SIGN = auto()  # it begins with ^, which then stands for the line's sign
    WITHOUT_SIGNS = auto()  # it asks for ^ elsewhere, so signs must go first
    ALONE = auto()  # it asks for what joined lines would change


def _sides_within(bodies: abc.Sequence[bytes], find: Finder, wanted: int) -> list[int]:
    """Search bodies as they are: what is sought does not look at a line's beginning.

    Signs are no part of a word, so the edges of words are where they are without signs. A match that begins
    at a sign is none; the search goes on behind the sign.
    """
    text = b"\n".join(bodies)
    starts = [0, *accumulate(len(body) + 1 for body in bodies)]
    sides = [0] * len(bodies)
    at = find(text, 0)
    while at >= 0:
        line = text.rfind(b"\n", 0, at) + 1
        if at == line:
            at = find(text, at + 1)
            continue
        which = bisect_right(starts, at) - 1
        sides[which] |= _SIDES.get(text[line], 0) & wanted
        # Of a side that is known to match, no further line is looked at.
        begins = _BEGINS[wanted & ~sides[which]]
        end = text.find(begins, at, starts[which + 1] - 1) + 1 if begins else 0
        at = find(text, end or starts[which + 1])
    return sides


def _sides_without_signs(bodies: abc.Sequence[bytes], find: Finder, wanted: int) -> list[int]:
    """Search the changed lines without their signs, so that ^ finds where a line begins."""
    lines: list[bytes] = []
    owners: list[tuple[int, int]] = []
    for which, body in enumerate(bodies):
        for line in body.split(b"\n"):
            side = _SIDES.get(line[0] if line else 0, 0) & wanted
            if side:
                lines.append(line[1:])
                owners.append((which, side))
    text = b"\n".join(lines)
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    sides = [0] * len(bodies)
    at = find(text, 0) if lines else -1
    while at >= 0:
        number = bisect_right(starts, at) - 1
        which, side = owners[number]
        sides[which] |= side
        at = find(text, starts[number + 1]) if number + 1 < len(lines) else -1
    return sides


def _sides_one_by_one(body: bytes, alone: re2._Regexp, wanted: int) -> int:
    """Search each changed line alone, for expressions that mean its first or last byte."""
    sides = 0
    for line in body.split(b"\n"):
        side = _SIDES.get(line[0] if line else 0, 0) & wanted & ~sides
        if side and alone.search(line[1:]):
            sides |= side
            if sides == wanted:
                break
    return sides


def _runs(lines: list[str]) -> abc.Iterator[tuple[int, list[str]]]:
    """Lines that are searched at once, with the number of the first."""
    first = size = 0
    for number, line in enumerate(lines):
        if size > _RUN_CHARACTERS:
            yield first, lines[first:number]
            first = number
            size = 0
        size += len(line)
    yield first, lines[first:]


def _numbers_within(lines: list[str], find: Finder) -> abc.Iterator[int]:
    """The lines with a match, which may begin at a sign and then is none."""
    text = "\n".join(lines).encode("utf-8", "surrogatepass")
    number, counted, at = 0, 0, find(text, 0)
    while at >= 0:
        number += text.count(b"\n", counted, at)
        yield number
        counted = text.find(b"\n", at)
        at = find(text, counted + 1) if counted >= 0 else -1


def _count_lines(text: bytes, find: Finder) -> int:
    """How many lines hold a match; none goes beyond its line."""
    lines, at = 0, find(text, 0)
    while at >= 0:
        lines += 1
        end = text.find(b"\n", at)
        at = find(text, end + 1) if end >= 0 else -1
    return lines


def _core(pattern: Pattern) -> Pattern:
    """The pattern that matches in the same lines and is the least to search for."""
    try:
        return replace(pattern, text=read_expression(pattern.text).core)
    except Unreadable:
        return pattern


def _way(pattern: Pattern) -> _Way:
    try:
        expression = read_expression(pattern.text)
    except Unreadable:
        return _Way.ALONE
    marks = list(_marks_in(expression.tree))
    if expression.sets_lines or expression.any_byte or not {"\\A", "\\z"}.isdisjoint(marks):
        return _Way.ALONE
    match expression.tree:
        case Sequence((Place("^"), *_)) | Place("^") if marks.count("^") == 1:
            return _Way.FROM_SIGN
    return _Way.WITHOUT_SIGNS if "^" in marks else _Way.ANYWHERE


def _marks_in(tree: Tree) -> abc.Iterator[str]:
    match tree:
        case Place(mark):
            yield mark
        case Sequence(parts) | Choice(parts):
            for part in parts:
                yield from _marks_in(part)
        case Repeat(part):
            yield from _marks_in(part)


# -- compiling -----------------------------------------------------------------------------------


def _encoded(pattern: Pattern) -> bytes:
    try:
        return pattern.text.encode()
    except UnicodeEncodeError as error:
        raise QueryError(
            f"{pattern.text!r} is not text: character {error.start + 1} stands alone",
            hint="type the pattern in the encoding of your terminal",
        ) from error


@lru_cache(maxsize=_KEPT)
def _compiled_source(source: bytes, *, any_case: bool, never_newline: bool) -> re2._Regexp:
    import re2  # takes milliseconds, which a search without expressions must not pay for

    options = re2.Options()
    options.case_sensitive = not any_case
    options.never_nl = never_newline
    options.never_capture = True
    options.log_errors = False
    options.max_mem = _COMPILED_BYTES
    return re2.compile(source, options)


def _compiled(pattern: Pattern, source: bytes, *, any_case: bool, never_newline: bool) -> re2._Regexp:
    import re2  # as above

    try:
        return _compiled_source(source, any_case=any_case, never_newline=never_newline)
    except re2.error as error:
        said = error.args[0] if error.args else b""
        raise regex_error(
            pattern, said.decode(errors="replace") if isinstance(said, bytes) else str(said)
        ) from None

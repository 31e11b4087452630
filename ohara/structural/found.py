"""A match of a pattern in a text, and what its names stand for there; positions count from 0."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    import msgspec

    Sides = tuple[tuple["Found", ...], tuple["Found", ...]]


class Capture(NamedTuple):
    """What a name stands for in a match: its text and where it is, the end exclusive."""

    name: str
    text: str
    first_line: int
    first_column: int
    last_line: int
    last_column: int


class Found(NamedTuple):
    """A match: where it is, the end exclusive; its text; what the pattern's names stand for."""

    first_line: int
    first_column: int
    last_line: int
    last_column: int
    text: str
    captures: tuple[Capture, ...] = ()

    def moved(self, lines: int) -> Found:
        """The same match, so many lines further down."""
        if not lines:
            return self
        captures = tuple(
            each._replace(first_line=each.first_line + lines, last_line=each.last_line + lines)
            for each in self.captures
        )
        first, last = self.first_line + lines, self.last_line + lines
        return self._replace(first_line=first, last_line=last, captures=captures)


UNPARSED = -1  # in place of a number of matches


@dataclass(frozen=True, slots=True)
class Difference:
    """How many matches two versions hold, and as JSON those that came and went, which few are asked for."""

    before: int
    after: int
    written: bytes = b"[[],[]]"

    @classmethod
    def of(cls, before: int, after: int, came: Sequence[Found], went: Sequence[Found]) -> Difference:
        """Write down how two versions differ."""
        return cls(before, after, json.dumps((came, went), separators=(",", ":")).encode())

    @classmethod
    def from_line(cls, line: bytes) -> Difference:
        """Read what `line` makes."""
        before, after, written = line.split(b" ", 2)
        return cls(int(before), int(after), written)

    @property
    def is_known(self) -> bool:
        """Whether both versions could be parsed."""
        return UNPARSED not in {self.before, self.after}

    @property
    def line(self) -> bytes:
        """One line that says it all."""
        return b"%d %d %s" % (self.before, self.after, self.written)

    def matches(self) -> tuple[tuple[Found, ...], tuple[Found, ...]]:
        """The matches that came and those that went, in order."""
        return _reader().decode(self.written)


@cache
def _reader() -> msgspec.json.Decoder[Sides]:
    import msgspec  # not in the process that parses, which only writes

    return msgspec.json.Decoder(tuple[tuple[Found, ...], tuple[Found, ...]])

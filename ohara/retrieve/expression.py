"""Parses regular expressions as RE2 does, into a tree for analysis. Pure.

RE2 checks an expression first, so this parser need not report errors: on syntax that it does not know it
raises `Unreadable`, and the caller then assumes nothing. What it does parse it must read exactly as RE2 does.
It keeps what decides which texts match (characters, order, alternatives, repeats) and drops what does not
(groups, greediness). Zero-width assertions are kept.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from ohara.records import dataclass
from ohara.retrieve.expression_tree import MANY, Character, Choice, Place, Repeat, Sequence

if TYPE_CHECKING:
    from collections.abc import Sequence as Sequence_

    from ohara.retrieve.expression_tree import Tree


class Unreadable(Exception):
    """The expression uses syntax that this parser does not know."""


# Enough for [0-9] and vowels; more alternatives tell a text from others no better than no knowledge at all.
_FEW = 10

_REPEAT = re.compile(r"\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)?)?\}")
_GROUP_NAME = re.compile(r"\?P?<[^>]*>")
_GROUP_FLAGS = re.compile(r"\?([imsU]*(?:-[imsU]+)?)([:)])")
_POSIX_CLASS = re.compile(r"\[:\^?[a-z]+:\]")
_PROPERTY = re.compile(r"[pP](?:\{[^}]*\}|[A-Za-z])")
_HEX = re.compile(r"x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))")
_OCTAL = re.compile(r"0[0-7]{0,2}|[1-7][0-7]{1,2}")
_CONTROLS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_UNINDEXED = frozenset(
    ["\0", *map(chr, range(0xD800, 0xE000))]
)  # the index drops the first and cannot hold the rest
_DEEPEST = 200  # RE2 allows a thousand; nobody writes so many by hand


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression's tree, whether it sets the m flag itself, and whether it asks for single bytes (\\C).

    `core` is an expression that matches in the same lines, if not as much of them: it does not repeat more
    often than it must at either end, where nothing is asked for around it.
    """

    tree: Tree
    sets_lines: bool
    any_byte: bool
    core: str


def read_expression(source: str, *, any_case: bool = False) -> Expression:
    """The tree of an expression that RE2 accepts, or Unreadable."""
    reader = _Reader(source, any_case=any_case)
    tree = reader.choice(0)
    if reader.at != len(source):
        raise Unreadable(source[reader.at :])
    core = source if isinstance(tree, Choice) else _core(source, reader.outermost)
    return Expression(tree, reader.sets_lines, reader.any_byte, core)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part that stands in no group: where it, its repeats and what follows begin, and how often it is."""

    start: int
    repeated: int
    end: int
    least: int
    most: int | None


def _core(source: str, parts: Sequence_[_Part]) -> str:
    """The source with its first and last parts as seldom as they may be: .{0,9}x.+ is found where x. is."""
    seldom: dict[_Part, str] = {}
    for ordered in (parts, parts[::-1]):
        for part in ordered:
            if part.least:
                if part.most != part.least:
                    seldom[part] = f"{source[part.start : part.repeated]}{{{part.least}}}"
                break
            seldom[part] = ""
    for part in sorted(seldom, key=lambda part: part.start, reverse=True):
        source = source[: part.start] + seldom[part] + source[part.end :]
    return source


class _Reader:
    """A position in the source and whether case counts there."""

    def __init__(self, source: str, *, any_case: bool) -> None:
        self.source = source
        self.at = 0
        self.any_case = any_case
        self.sets_lines = False
        self.any_byte = False
        self.outermost: list[_Part] = []

    def choice(self, depth: int) -> Tree:
        """Alternatives up to a closing parenthesis or the end; flags set inside end with it."""
        if depth > _DEEPEST:
            raise Unreadable("nested too deeply")
        before = self.any_case
        parts = [self._sequence(depth)]
        while self._take("|"):
            parts.append(self._sequence(depth))
        self.any_case = before
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _sequence(self, depth: int) -> Tree:
        parts: list[Tree] = []
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            start = self.at
            if self._take("\\Q"):
                parts.extend(self._quoted())
                self._note(depth, start, self.at, [])
                continue
            part = self._atom(depth)
            if part is not None:
                parts.append(part)
            repeated, repeats = self.at, []
            while parts and (bounds := self._bounds()):
                parts[-1] = Repeat(parts[-1], *bounds)
                repeats.append(bounds)
            if part is not None or repeats:
                self._note(depth, start, repeated, repeats if part is not None else [])
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _note(self, depth: int, start: int, repeated: int, repeats: list[tuple[int, int | None]]) -> None:
        """Remember an outermost part; one that is repeated twice over counts as one that is not repeated."""
        if not depth:
            least, most = repeats[0] if len(repeats) == 1 else (1, 1)
            self.outermost.append(_Part(start, repeated, self.at, least, most))

    def _atom(self, depth: int) -> Tree | None:
        """One part without its repeats; None when it only set flags."""
        char = self.source[self.at]
        if char == "(":
            return self._group(depth)
        if char == "[":
            return self._class()
        self.at += 1
        match char:
            case ".":
                return MANY
            case "^" | "$":
                return Place(char)
            case "\\":
                return self._escape()
            case "*" | "+" | "?":
                raise Unreadable(char)
        return self._one(char)

    def _group(self, depth: int) -> Tree | None:
        self.at += 1
        inner = outer = self.any_case
        if self.source.startswith("?", self.at):
            if named := _GROUP_NAME.match(self.source, self.at):
                self.at = named.end()
            elif flags := _GROUP_FLAGS.match(self.source, self.at):
                self.at = flags.end()
                inner = self._flags(flags[1])
                if flags[2] == ")":
                    self.any_case = inner
                    return None
            else:
                raise Unreadable(self.source[self.at :])
        self.any_case = inner
        tree = self.choice(depth + 1)
        self.any_case = outer
        if not self._take(")"):
            raise Unreadable("missing )")
        return tree

    def _flags(self, written: str) -> bool:
        """Whether case counts no more after these flags."""
        on, _, off = written.partition("-")
        if "m" in written:
            self.sets_lines = True
        return (self.any_case or "i" in on) and "i" not in off

    def _bounds(self) -> tuple[int, int | None] | None:
        """The repeat that stands here, if one does, its greed skipped."""
        bounds: tuple[int, int | None]
        if self._take("*"):
            bounds = (0, None)
        elif self._take("+"):
            bounds = (1, None)
        elif self._take("?"):
            bounds = (0, 1)
        elif found := _REPEAT.match(self.source, self.at):
            self.at = found.end()
            least = int(found[1])
            bounds = (least, (int(found[3]) if found[3] else None) if found[2] else least)
        else:
            return None
        self._take("?")
        return bounds

    def _escape(self) -> Tree:
        if self.at >= len(self.source):
            raise Unreadable("trailing backslash")
        char = self.source[self.at]
        if char in "AzbB":
            self.at += 1
            return Place(f"\\{char}")
        if char == "C":
            self.at += 1
            self.any_byte = True
            return MANY
        if self._many():
            return MANY
        return self._one(self._literal())

    def _many(self) -> bool:
        """Skip what follows a backslash and stands for many characters, if that is what follows."""
        if self.source[self.at] in "dDsSwW":
            self.at += 1
            return True
        if found := _PROPERTY.match(self.source, self.at):
            self.at = found.end()
            return True
        return False

    def _literal(self) -> str:
        """The character that an escape stands for."""
        char = self.source[self.at]
        if char in _CONTROLS:
            self.at += 1
            return _CONTROLS[char]
        if found := _HEX.match(self.source, self.at):
            self.at = found.end()
            return chr(int(found[1] or found[2], 16))
        if found := _OCTAL.match(self.source, self.at):
            self.at = found.end()
            return chr(int(found[0], 8))
        if char.isascii() and not char.isalnum() and char != "_":
            self.at += 1
            return char
        raise Unreadable(f"\\{char}")

    def _quoted(self) -> list[Tree]:
        """The characters up to \\E or the end; a repeat behind it belongs to the last of them."""
        end = self.source.find("\\E", self.at)
        text = self.source[self.at : end if end >= 0 else len(self.source)]
        self.at += len(text) + (2 if end >= 0 else 0)
        parts: list[Tree] = [self._one(char) for char in text]
        while parts and (bounds := self._bounds()):
            parts[-1] = Repeat(parts[-1], *bounds)
        return parts

    def _class(self) -> Tree:
        self.at += 1
        negated = self._take("^")
        members: set[str] | None = set()
        first = True
        while first or not self._take("]"):
            if self.at >= len(self.source):
                raise Unreadable("missing ]")
            first = False
            found = self._members()
            members = None if members is None or found is None or len(members) > 4 * _FEW else members | found
        if negated or members is None:
            return MANY
        return self._among(members)

    def _members(self) -> set[str] | None:
        """One item of a class: a character, a range or a named class; None stands for many."""
        if named := _POSIX_CLASS.match(self.source, self.at):
            self.at = named.end()
            return None
        if self.source.startswith("\\", self.at) and self.at + 1 < len(self.source):
            self.at += 1
            if self._many():
                return None
            self.at -= 1
        low = self._member()
        if self.source.startswith("-", self.at) and not self.source.startswith("-]", self.at):
            self.at += 1
            high = self._member()
            # In a class ASCII letters count once for both cases: a range of twenty may be ten.
            if ord(high) - ord(low) >= 2 * _FEW:
                return None
            return {chr(code) for code in range(ord(low), ord(high) + 1)}
        return {low}

    def _member(self) -> str:
        if self.at >= len(self.source):
            raise Unreadable("missing ]")
        char = self.source[self.at]
        self.at += 1
        if char != "\\":
            return char
        if self.at >= len(self.source):
            raise Unreadable("trailing backslash")
        return self._literal()

    def _one(self, char: str) -> Character:
        return self._among({char})

    def _among(self, chars: set[str]) -> Character:
        if not chars.isdisjoint(_UNINDEXED) or (self.any_case and not all(map(_folds_alike, chars))):
            return MANY
        folded = frozenset(char.lower() if char.isascii() else char for char in chars)
        return Character(folded) if 0 < len(folded) <= _FEW else MANY

    def _take(self, text: str) -> bool:
        if self.source.startswith(text, self.at):
            self.at += len(text)
            return True
        return False


def _folds_alike(char: str) -> bool:
    """Whether all that RE2 takes for this character in any case is one character to the index too.

    True of ASCII (the index folds K and the Kelvin sign, s and the long s together, as RE2 does) and of
    what has no case at all. Elsewhere the tables of RE2, the index and Python differ by their ages.
    """
    if char.isascii():
        return True
    return unicodedata.category(char) in {"Lo", "Nd", "Po", "Pd", "Ps", "Pe", "Sm", "Sc", "Zs"}

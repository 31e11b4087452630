"""The syntax tree of a regular expression: characters, assertions, sequences, choices and repeats. Pure."""

from __future__ import annotations

from typing import TypeAlias

from ohara.records import dataclass


@dataclass(frozen=True, slots=True)
class Character:
    """One character out of a few, or with None out of many; ASCII letters stand for both their cases."""

    among: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Place:
    """A position that must hold and takes no text, as it is written: ^, $, \\b, \\B, \\A or \\z."""

    mark: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts one after another."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Any one of the parts."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part repeated at least and at most so many times (None: without limit)."""

    part: Tree
    least: int
    most: int | None


Tree: TypeAlias = Character | Place | Sequence | Choice | Repeat

MANY = Character(None)
NOTHING = Sequence(())

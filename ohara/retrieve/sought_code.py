"""What a structural search looks for, and in what: contents of files, compared two by two. Pure."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from ohara.metavariables import atoms
from ohara.records import dataclass
from ohara.structural.pool import Task

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.query.structure import Structure
    from ohara.structural.rules import Rule

_FORMAT = 4  # of what is kept: how a difference is written


@dataclass(frozen=True, slots=True)
class SoughtCode:
    """What is looked for: a pattern or a rule, and the languages it is code in."""

    task: Task
    atoms: tuple[str, ...]

    @classmethod
    def of(cls, structure: Structure, languages: Iterable[str]) -> SoughtCode:
        """A pattern in some languages."""
        return cls(Task(tuple(languages), structure.text, dict(structure.where)), atoms(structure.text))

    @classmethod
    def of_rule(cls, rule: Rule, text: str, languages: Iterable[str]) -> SoughtCode:
        """A rule of ast-grep's own in some languages."""
        words = tuple(dict.fromkeys(atom for each in rule.patterns for atom in atoms(each)))
        return cls(Task(tuple(languages), text, rule=rule.config), words)

    def name(self, languages: frozenset[str]) -> str:
        """What is found of this in files of some languages is kept under."""
        task = self.task
        told = repr((_FORMAT, sorted(languages), task.pattern, sorted(task.where.items()), task.rule))
        return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class Side(NamedTuple):
    """A file's content before or after a change, in a language."""

    language: str
    blob: str


class Compared(NamedTuple):
    """Two contents that are compared; None where there is nothing that could match."""

    old: Side | None
    new: Side | None

    @property
    def languages(self) -> frozenset[str]:
        """The languages of both."""
        return frozenset(side.language for side in self if side is not None)

    @property
    def key(self) -> str:
        """Their contents, in hexadecimal digits."""
        size = max(len(side.blob) for side in self if side is not None)
        return "".join("0" * size if side is None else side.blob for side in self)

"""What can be asked of the trigrams of an index: trigrams joined by "all of" and "either of". Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class All:
    """Every part must hold; without parts it asks for nothing."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """At least one part must hold."""

    parts: tuple[Formula, ...]


Formula: TypeAlias = str | All | Either
"""A trigram, or formulas joined."""

ANYTHING = All(())


def all_of(formulas: Iterable[Formula]) -> Formula:
    """One formula that asks for what all of these ask for."""
    parts: dict[Formula, None] = {}
    for formula in formulas:
        parts.update(dict.fromkeys(formula.parts if isinstance(formula, All) else (formula,)))
    return next(iter(parts)) if len(parts) == 1 else All(tuple(parts))


def either_of(formulas: Iterable[Formula]) -> Formula:
    """One formula that holds where any of these does."""
    parts: dict[Formula, None] = {}
    for formula in formulas:
        if formula == ANYTHING:
            return ANYTHING
        parts.update(dict.fromkeys(formula.parts if isinstance(formula, Either) else (formula,)))
    return next(iter(parts)) if len(parts) == 1 else Either(tuple(parts))


def count_trigrams(formula: Formula) -> int:
    """How many trigrams a formula names."""
    return 1 if isinstance(formula, str) else sum(map(count_trigrams, formula.parts))

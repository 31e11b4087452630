"""What can be asked of the trigram table: trigrams joined by "all of" and "either of". Pure.

Of encoded lines, which have no trigrams, less can be asked: whether they have the signs of these trigrams.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ohara.encoded import may_hold

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


def match_expression(formula: Formula) -> str:
    """The formula in FTS5's words, every trigram quoted; ANYTHING has none."""
    match formula:
        case str():
            return '"' + formula.replace('"', '""') + '"'
        case All(parts):
            if not parts:
                raise ValueError("nothing is required: there is nothing to ask for")
            return f"({' AND '.join(map(match_expression, parts))})"
        case Either(parts):
            return f"({' OR '.join(map(match_expression, parts))})"


def signs_expression(formula: Formula) -> str:
    """The formula as a condition on `encoded.signs`: true wherever encoded lines may hold its trigrams."""
    match formula:
        case str():
            return _has_signs(may_hold(formula))
        case All(parts):
            trigrams = "".join(part for part in parts if isinstance(part, str))
            others = (signs_expression(part) for part in parts if not isinstance(part, str))
            return f"({' AND '.join([_has_signs(may_hold(trigrams)), *others])})"
        case Either(parts):
            return f"({' OR '.join(map(signs_expression, parts))})"


def _has_signs(signs: int) -> str:
    return f"(signs & {signs}) = {signs}"

"""Asks the table of trigrams: numbers in arrays, found by an index of their elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.store.postgres.tokens import trigram_of
from ohara.store.sql.literal import TrigramTable
from ohara.store.trigram_query import All, Either

if TYPE_CHECKING:
    from ohara.store.trigram_query import Formula


def trigram_table(formula: Formula) -> TrigramTable:
    """Where a formula of trigrams is looked up."""
    parameters: list[object] = []
    holds = _condition(formula, parameters)
    return TrigramTable("literal", "literal.content_id", holds, tuple(parameters))


def _condition(formula: Formula, parameters: list[object]) -> str:
    match formula:
        case str():
            parameters.append([trigram_of(formula)])
            return "keys @> ?::int[]"
        case All(parts):
            conditions: list[str] = []
            trigrams = [trigram_of(part) for part in parts if isinstance(part, str)]
            if trigrams:
                parameters.append(trigrams)
                conditions.append("keys @> ?::int[]")
            conditions += [_condition(part, parameters) for part in parts if not isinstance(part, str)]
            return f"({' AND '.join(conditions)})"
        case Either(parts):
            return f"({' OR '.join([_condition(part, parameters) for part in parts])})"

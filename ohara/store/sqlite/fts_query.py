"""Writes FTS5 match expressions, every word quoted: nothing a person types is ever syntax. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.store.trigram_query import All, Either

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.answers import WordQuery
    from ohara.store.trigram_query import Formula


def selecting_expression(words: WordQuery) -> str:
    """What finds the hunks that words select."""
    return within(words.columns, any_of(words.selecting))


def scoring_expression(words: WordQuery) -> str:
    """What finds those of these hunks that hold a common word, too.

    The rows of rare words are looked up among those of common ones, so that the long lists are not walked;
    and in bm25 all words count.
    """
    return within(words.columns, f"{any_of(words.selecting)} AND {any_of(words.common)}")


def phrase(words: str) -> str:
    """Words that must stand next to each other, in this order."""
    escaped = words.replace('"', '""').replace("\0", " ")  # which would end the expression
    return f'"{escaped}"'


def any_of(phrases: Iterable[str]) -> str:
    """At least one of the phrases."""
    return f"({' OR '.join(map(phrase, phrases))})"


def all_of(phrases: Iterable[str]) -> str:
    """Every one of the phrases."""
    return f"({' AND '.join(map(phrase, phrases))})"


def within(columns: Sequence[str], expression: str) -> str:
    """An expression that must match inside some columns; none means all."""
    return f"{{{' '.join(columns)}}} : ({expression})" if columns else expression


def trigram_expression(formula: Formula) -> str:
    """A formula of trigrams; ANYTHING has none."""
    match formula:
        case str():
            return phrase(formula)
        case All(parts):
            if not parts:
                raise ValueError("nothing is required: there is nothing to ask for")
            return f"({' AND '.join(map(trigram_expression, parts))})"
        case Either(parts):
            return f"({' OR '.join(map(trigram_expression, parts))})"

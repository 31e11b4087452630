"""Finds and scores rows by words: BM25 in SQL over the words that ohara analysed.

A row has its words in order, as numbers, with 0 between its columns (`seq`); an index of those numbers
selects rows, and the positions of a word in the array say how often it stands in which column. The formula
and its constants are those of SQLite's FTS5, so both engines give the same scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, NamedTuple

from ohara.store.postgres import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.store.postgres.session import Session

COLUMNS = ("message", "path", "header", "added", "removed", "context")

# BM25's own constants, and what a word in more than half of the rows is worth, as in FTS5.
_K1, _B = 1.2, 0.75
_LEAST_IDF = 1e-6


@dataclass(frozen=True, slots=True)
class Texts:
    """A table of texts: whose they are, and how many columns they have."""

    table: str
    owner: str
    columns: int


HUNKS = Texts("hunk_text", "hunk_id", 6)
SYMBOLS = Texts("symbol_text", "symbol_id", 3)


class Condition(NamedTuple):
    """A condition on a table of texts, with its parameters."""

    where: str
    parameters: tuple[object, ...]


NOTHING = Condition("false", ())


class Phrase(NamedTuple):
    """Words that stand next to each other, by their numbers; where they may stand, no columns: anywhere."""

    words: tuple[int, ...]
    columns: tuple[int, ...]
    hunks: int  # that hold its first word

    @property
    def is_plain(self) -> bool:
        """True for one word, wherever it stands."""
        return len(self.words) == 1 and not self.columns


def phrases(session: Session, written: Sequence[str], columns: Sequence[str] = ()) -> list[Phrase]:
    """The phrases that can be found at all: those of which every word is known."""
    places = tuple(COLUMNS.index(column) for column in columns)
    cut = [tokens.words(each) for each in written]
    numbers = session.word_numbers({word for each in cut for word in each})
    return [
        Phrase(tuple(numbers[word][0] for word in each), places, numbers[each[0]][1])
        for each in cut
        if each and all(word in numbers for word in each)
    ]


def holding_any(wanted: Sequence[Phrase]) -> Condition:
    """Rows that hold at least one of the phrases."""
    plain = [each.words[0] for each in wanted if each.is_plain]
    others = [holding(each) for each in wanted if not each.is_plain]
    if plain:
        others.insert(0, Condition("seq && ?::int[]", (plain,)))
    if not others:
        return NOTHING
    return Condition(
        f"({' OR '.join(each.where for each in others)})",
        tuple(value for each in others for value in each.parameters),
    )


def holding_all(wanted: Sequence[Phrase]) -> Condition:
    """Rows that hold all phrases."""
    each = [holding(one) for one in wanted]
    if not each:
        return NOTHING
    return Condition(
        f"({' AND '.join(one.where for one in each)})",
        tuple(value for one in each for value in one.parameters),
    )


def holding(phrase: Phrase) -> Condition:
    """Rows that hold a phrase."""
    within = Condition("seq @> ?::int[]", (list(phrase.words),))
    if phrase.is_plain:
        return within
    there = _standing(phrase, "array_positions(seq, 0)")
    return Condition(
        f"({within.where} AND EXISTS (SELECT 1 FROM unnest(array_positions(seq, ?::int)) AS at"
        f" WHERE {there.where}))",
        (*within.parameters, phrase.words[0], *there.parameters),
    )


def _standing(phrase: Phrase, bounds: str) -> Condition:
    """Where a phrase that begins at a position goes on, in a column it may stand in."""
    parts = [f"seq[at + {offset}] = ?::int" for offset in range(1, len(phrase.words))]
    values: list[object] = list(phrase.words[1:])
    if phrase.columns:
        parts.append(f"width_bucket(at, {bounds}) = ANY(?::int[])")
        values.append(list(phrase.columns))
    return Condition(" AND ".join(parts) or "true", tuple(values))


class Scoring(NamedTuple):
    """A statement that names rows with their scores under each weighting, best mixture first."""

    statement: str
    parameters: tuple[object, ...]


_SCORED = """WITH chosen AS MATERIALIZED (
    SELECT {owner} AS id, seq, array_positions(seq, 0) AS bounds, cardinality(seq) - {ends} AS length
    FROM {table} WHERE {selected}),
  found AS ({found}),
  scored AS MATERIALIZED (SELECT id, {scores} FROM found WHERE f0 IS NOT NULL GROUP BY id),
  best AS (SELECT {bests} FROM scored),
  first AS (SELECT scored.*, {mixed} AS mixed FROM scored, best ORDER BY mixed DESC, id LIMIT ?)"""
_FREQUENCIES = "sum((?::float8[])[width_bucket(at, bounds) + 1]) AS f{}"
_ONE_WORD = """SELECT id, length, idf, f.* FROM chosen
  JOIN unnest(?::int[], ?::float8[]) AS term(word, idf) ON term.word = ANY(chosen.seq)
  CROSS JOIN LATERAL (
    SELECT {frequencies} FROM unnest(array_positions(seq, term.word)) AS at WHERE {there}) AS f"""
_ONE_PHRASE = """SELECT id, length, ?::float8 AS idf, f.* FROM chosen
  CROSS JOIN LATERAL (SELECT {frequencies} FROM unnest(array_positions(seq, ?::int)) AS at WHERE {there}) AS f
  WHERE seq @> ?::int[]"""
# The same as BM25 in FTS5: how often a word stands in a row, each time worth its column's weight.
_BM25 = (
    f"sum(idf * f{{at}} * {_K1 + 1} / (f{{at}} + {_K1} * ({1 - _B} + {_B} * length / ?::float8))) AS s{{at}}"
)


def scoring(
    session: Session,
    texts: Texts,
    wanted: Sequence[Phrase],
    selected: Condition,
    *,
    weightings: Sequence[tuple[Sequence[float], float]],
    limit: int,
    times: int = 1,
) -> Scoring:
    """How selected rows are scored; `times` is how often each word counts."""
    total = session.text_total(texts)
    idfs = [times * session.idf(texts, each) for each in wanted]
    numbers = range(len(weightings))
    frequencies = ", ".join(_FREQUENCIES.format(at) for at in numbers)
    weights = [list(map(float, each)) for each, _ in weightings]
    parts: list[str] = []
    values: list[object] = [*selected.parameters]
    single = [(each, idf) for each, idf in zip(wanted, idfs, strict=True) if len(each.words) == 1]
    if single:
        there = _standing(single[0][0], "bounds")
        parts.append(_ONE_WORD.format(frequencies=frequencies, there=there.where))
        values += [
            [each.words[0] for each, _ in single],
            [idf for _, idf in single],
            *weights,
            *there.parameters,
        ]
    for each, idf in zip(wanted, idfs, strict=True):
        if len(each.words) > 1:
            there = _standing(each, "bounds")
            parts.append(_ONE_PHRASE.format(frequencies=frequencies, there=there.where))
            values += [idf, *weights, each.words[0], *there.parameters, list(each.words)]
    average = total.tokens / total.texts if total.texts else 1.0
    statement = _SCORED.format(
        owner=texts.owner,
        ends=texts.columns - 1,
        table=texts.table,
        selected=selected.where,
        found=" UNION ALL ".join(parts),
        scores=", ".join(_BM25.format(at=at) for at in numbers),
        bests=", ".join(f"greatest(max(s{at}), 1e-9) AS b{at}" for at in numbers),
        mixed=" + ".join(f"{share} * s{at} / b{at}" for at, (_, share) in enumerate(weightings)),
    )
    return Scoring(statement, (*values, *([average or 1.0] * len(weightings)), limit))


def idf(texts: int, holding: int) -> float:
    """What a word is worth that so many of the rows hold."""
    worth = log((texts - holding + 0.5) / (holding + 0.5))
    return worth if worth > 0 else _LEAST_IDF

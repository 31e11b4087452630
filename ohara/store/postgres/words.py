"""Finds and scores texts by words: BM25 in SQL over the words that ohara analysed.

Postings say which texts hold a word, and how often in which column (`postings`). The formula and its
constants are those of SQLite's FTS5, so both engines give the same scores. A text has its words in order as
well, as numbers with 0 between its columns (`seq`): there, words that have to stand side by side are found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ohara.records import dataclass
from ohara.store.bm25 import K1 as _K1
from ohara.store.bm25 import B as _B
from ohara.store.tokens import words as words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.store.postgres.session import Session

LENGTH_BITS = 24  # of a place: how many words its text has
LONGEST = (1 << LENGTH_BITS) - 1


@dataclass(frozen=True, slots=True)
class Texts:
    """Tables of texts: their postings, their words in order, whose they are, and their columns."""

    postings: str
    sequences: str
    owner: str
    columns: tuple[str, ...]


HUNKS = Texts("posting", "hunk_text", "hunk_id", ("message", "path", "header", "added", "removed", "context"))
SYMBOLS = Texts("symbol_posting", "symbol_text", "symbol_id", ("kind", "name", "neighbours"))


class Statement(NamedTuple):
    """A statement, or a part of one, with its parameters."""

    sql: str
    parameters: tuple[object, ...]


class Phrase(NamedTuple):
    """Words that stand next to each other, by their numbers; where they may stand, no columns: anywhere."""

    words: tuple[int, ...]
    columns: tuple[int, ...]
    hunks: int  # that hold its first word
    rarest: int  # the word that the fewest hunks hold

    @property
    def is_plain(self) -> bool:
        """True for one word, wherever it stands."""
        return len(self.words) == 1 and not self.columns


def phrases(session: Session, written: Sequence[str], columns: Sequence[str] = ()) -> list[Phrase]:
    """The phrases that can be found at all: those of which every word is known."""
    places = tuple(HUNKS.columns.index(column) for column in columns)
    cut = [words_of(each) for each in written]
    known = session.word_numbers({word for each in cut for word in each})
    return [
        Phrase(
            tuple(known[word][0] for word in each),
            places,
            known[each[0]][1],
            min((known[word] for word in each), key=lambda word: word[1])[0],
        )
        for each in cut
        if each and all(word in known for word in each)
    ]


# -- which texts hold them -----------------------------------------------------------------------

_HOLDING_WORDS = "SELECT unnest(places) >> {bits} FROM {postings} WHERE word = ANY(?::int[]){there}"
_HOLDING_PHRASE = """SELECT {owner} FROM {sequences}
  WHERE {owner} IN ({rarest}) AND seq @> ?::int[]
    AND EXISTS (SELECT 1 FROM unnest(array_positions(seq, ?::int)) AS at WHERE {there})"""
_NOTHING = Statement("SELECT NULL::bigint WHERE false", ())


def holding_any(texts: Texts, wanted: Sequence[Phrase]) -> Statement:
    """The numbers of texts that hold at least one of the phrases; some more than once."""
    words = [each for each in wanted if len(each.words) == 1]
    parts = [_holding_words(texts, words)] if words else []
    return _joined("UNION ALL", [*parts, *(holding(texts, each) for each in wanted if len(each.words) > 1)])


def holding_all(texts: Texts, wanted: Sequence[Phrase]) -> Statement:
    """The numbers of texts that hold all phrases."""
    return _joined("INTERSECT", [holding(texts, each) for each in wanted])


def holding(texts: Texts, phrase: Phrase) -> Statement:
    """The numbers of texts that hold a phrase; some more than once."""
    if len(phrase.words) == 1:
        return _holding_words(texts, [phrase])
    rarest = _HOLDING_WORDS.format(bits=LENGTH_BITS, postings=texts.postings, there="")
    there = _standing(phrase, "array_positions(seq, 0)")
    return Statement(
        _HOLDING_PHRASE.format(owner=texts.owner, sequences=texts.sequences, rarest=rarest, there=there.sql),
        ([phrase.rarest], list(phrase.words), phrase.words[0], *there.parameters),
    )


def _holding_words(texts: Texts, wanted: Sequence[Phrase]) -> Statement:
    there = in_columns(texts, wanted[0].columns)
    statement = _HOLDING_WORDS.format(bits=LENGTH_BITS, postings=texts.postings, there=there)
    return Statement(statement, ([each.words[0] for each in wanted],))


def _joined(how: str, parts: Sequence[Statement]) -> Statement:
    if not parts:
        return _NOTHING
    return Statement(
        f" {how} ".join(each.sql for each in parts),
        tuple(value for each in parts for value in each.parameters),
    )


def in_columns(texts: Texts, columns: Sequence[int]) -> str:
    """The condition that a word stands in one of some columns; all phrases of a question name the same."""
    return f" AND {' + '.join(texts.columns[at] for at in columns)} > 0" if columns else ""


def _standing(phrase: Phrase, bounds: str) -> Statement:
    """Where a phrase that begins at a position goes on, in a column it may stand in."""
    parts = [f"seq[at + {offset}] = ?::int" for offset in range(1, len(phrase.words))]
    values: list[object] = list(phrase.words[1:])
    if phrase.columns:
        parts.append(f"width_bucket(at, {bounds}) = ANY(?::int[])")
        values.append(list(phrase.columns))
    return Statement(" AND ".join(parts) or "true", tuple(values))


# -- how they are scored -------------------------------------------------------------------------

# A word is worth `idf * f * (K1 + 1) / (f + K1 * (1 - B + B * length / average))` in a text, f being how
# often it stands there, each time worth its column's weight. What does not depend on the length is computed
# once for all texts that hold it as often: `gain` above the line, `base` below it.
_GAIN = f"idf * f{{at}} * {_K1 + 1} AS gain{{at}}, f{{at}} + {_K1 * (1 - _B)} AS base{{at}}"
_BM25 = f"sum(gain{{at}} / (base{{at}} + ?::float8 * (place & {LONGEST}))) AS s{{at}}"

_SCORED = """WITH selecting AS MATERIALIZED (
    SELECT place, {sums} FROM ({selecting}) AS entry WHERE true{allowed} GROUP BY place),
  {common}scored AS MATERIALIZED (SELECT place >> {bits} AS id, {added} FROM selecting{joined}),
  best AS (SELECT {bests} FROM scored),
  first AS (SELECT scored.*, {mixed} AS mixed FROM scored, best ORDER BY mixed DESC, id LIMIT ?)"""
_COMMON = """common AS (
    SELECT place, {sums} FROM ({entries}) AS entry WHERE place IN (SELECT place FROM selecting)
    GROUP BY place),
  """
_OF_WORDS = """SELECT unnest(places) AS place, {names} FROM (
    SELECT places, {gains} FROM (
      SELECT places, idf, {frequencies} FROM unnest(?::int[], ?::float8[]) AS term(word, idf)
        JOIN {postings} USING (word) WHERE true{there} OFFSET 0) AS counted OFFSET 0) AS worth"""
_OF_PHRASE = """SELECT place, {gains} FROM (
    SELECT place, ?::float8 AS idf, f.* FROM (
      SELECT {owner} << {bits} | least(cardinality(seq) - {ends}, {longest}) AS place, seq,
        array_positions(seq, 0) AS bounds
      FROM {sequences} WHERE {owner} IN ({rarest}) AND seq @> ?::int[]) AS held
    CROSS JOIN LATERAL (
      SELECT {frequencies} FROM unnest(array_positions(seq, ?::int)) AS at WHERE {there}) AS f) AS counted
  WHERE f0 IS NOT NULL"""


def scoring(
    session: Session,
    texts: Texts,
    selecting: Sequence[Phrase],
    common: Sequence[Phrase] = (),
    *,
    allowed: Statement = Statement("", ()),  # noqa: B008 - a tuple
    weightings: Sequence[tuple[Sequence[float], float]],
    limit: int,
) -> Statement:
    """The part of a statement that names texts with their scores, `first`, the best mixture first.

    `common` phrases score the texts that others select; `allowed` is a condition on a text's `place`.
    """
    scorer = _Scorer(session, texts, [list(map(float, weights)) for weights, _ in weightings])
    numbers = range(len(weightings))
    chosen = scorer.entries(selecting)
    beside = scorer.entries(common) if common else None
    lengths = [scorer.by_length] * len(weightings)
    sums = ", ".join(_BM25.format(at=at) for at in numbers)
    statement = _SCORED.format(
        selecting=chosen.sql,
        sums=sums,
        allowed=allowed.sql,
        common=_COMMON.format(sums=sums, entries=beside.sql) if beside else "",
        bits=LENGTH_BITS,
        added=", ".join(
            f"selecting.s{at} + coalesce(common.s{at}, 0) AS s{at}" if beside else f"s{at}" for at in numbers
        ),
        joined=" LEFT JOIN common USING (place)" if beside else "",
        bests=", ".join(f"greatest(max(s{at}), 1e-9) AS b{at}" for at in numbers),
        mixed=" + ".join(f"{share} * s{at} / b{at}" for at, (_, share) in enumerate(weightings)),
    )
    more = (*lengths, *beside.parameters) if beside else ()
    return Statement(statement, (*lengths, *chosen.parameters, *allowed.parameters, *more, limit))


class _Scorer:
    """How words are worth in texts, under each weighting of columns."""

    def __init__(self, session: Session, texts: Texts, weights: Sequence[Sequence[float]]) -> None:
        self._session = session
        self._texts = texts
        self._weights = weights
        total = session.text_total(texts)
        average = (total.tokens / total.texts if total.texts else 0.0) or 1.0
        self.by_length = _K1 * _B / average
        self._gains = ", ".join(_GAIN.format(at=at) for at in range(len(weights)))

    def entries(self, wanted: Sequence[Phrase]) -> Statement:
        """A row for each phrase and text that holds it: the text's place, and what the phrase gives it."""
        words = [each for each in wanted if len(each.words) == 1]
        parts = [self._words(words)] if words else []
        return _joined("UNION ALL", [*parts, *(self._phrase(each) for each in wanted if len(each.words) > 1)])

    def _words(self, wanted: Sequence[Phrase]) -> Statement:
        columns = wanted[0].columns
        names = ", ".join(f"gain{at}, base{at}" for at in range(len(self._weights)))
        statement = _OF_WORDS.format(
            names=names,
            gains=self._gains,
            frequencies=", ".join(
                f"{self._weighted(weights, columns)} AS f{at}" for at, weights in enumerate(self._weights)
            ),
            postings=self._texts.postings,
            there=in_columns(self._texts, columns),
        )
        return Statement(
            statement, ([each.words[0] for each in wanted], [self._idf(each) for each in wanted])
        )

    def _weighted(self, weights: Sequence[float], columns: Sequence[int]) -> str:
        """How often a word stands in a text, each time worth its column's weight."""
        return " + ".join(
            f"{weights[at]!r}::float8 * {self._texts.columns[at]}"
            for at in columns or range(len(self._texts.columns))
        )

    def _phrase(self, phrase: Phrase) -> Statement:
        texts = self._texts
        there = _standing(phrase, "bounds")
        rarest = _HOLDING_WORDS.format(bits=LENGTH_BITS, postings=texts.postings, there="")
        statement = _OF_PHRASE.format(
            gains=self._gains,
            owner=texts.owner,
            bits=LENGTH_BITS,
            longest=LONGEST,
            ends=len(texts.columns) - 1,
            sequences=texts.sequences,
            rarest=rarest,
            frequencies=", ".join(
                f"sum((?::float8[])[width_bucket(at, bounds) + 1]) AS f{at}"
                for at in range(len(self._weights))
            ),
            there=there.sql,
        )
        asked = (
            self._idf(phrase), [phrase.rarest], list(phrase.words), *self._weights, phrase.words[0],
            *there.parameters,
        )  # fmt: skip
        return Statement(statement, asked)

    def _idf(self, phrase: Phrase) -> float:
        return self._session.idf(self._texts, phrase)

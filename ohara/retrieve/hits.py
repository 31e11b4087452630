"""Makes hits of the hunks of a page: cuts the excerpt, marks the matches, chooses the symbol. Pure."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING

from ohara.model import Hit, Polarity
from ohara.query import required_patterns
from ohara.records import dataclass
from ohara.retrieve import structural_hits
from ohara.retrieve.excerpt import CONTEXT_LINES, cut, word_marks, words_of
from ohara.words import query_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import HunkId, Match, Pattern, Query
    from ohara.retrieve.pickaxe import Change
    from ohara.retrieve.ranking import ScoredHunk
    from ohara.retrieve.request import TracedHunk
    from ohara.store.answers import StoredHunk


@dataclass(frozen=True, slots=True)
class Sought:
    """What an excerpt should mark: the words or patterns of a query."""

    terms: tuple[str, ...]
    patterns: tuple[Pattern, ...]
    polarity: Polarity
    context: int

    @classmethod
    def by(cls, query: Query, context: int | None) -> Sought:
        """The words and patterns of a query; if there are patterns, only these are marked."""
        return cls(
            terms=query_terms(query.words) if query.words else (),
            patterns=required_patterns(query),
            polarity=query.polarity,
            context=CONTEXT_LINES if context is None else context,
        )

    def marks(self, body: str, *, until: float) -> tuple[Match, ...]:
        """The matches of the query in a body; only the first ones after the deadline."""
        if self.patterns:
            from ohara.retrieve.lanes import literal  # late: questions of words alone need none of it

            return literal.marks(body, self.patterns, until=until)
        return word_marks(body, self.terms, self.polarity)


def make_hits(
    shown: Sequence[ScoredHunk],
    rows: Mapping[HunkId, StoredHunk],
    sought: Sought,
    *,
    repository: str = "",
    first_rank: int = 1,
    until: float = math.inf,
    changes: Mapping[HunkId, Change] = MappingProxyType({}),
    traced: Mapping[HunkId, TracedHunk] = MappingProxyType({}),
) -> tuple[Hit, ...]:
    """One hit for each hunk, ranked from `first_rank`; after `until`, only first matches are marked."""
    return tuple(
        _hit(
            one,
            rows[one.hunk],
            sought,
            rank,
            until,
            hunks=len(shown),
            repository=repository,
            change=changes.get(one.hunk),
            traced=traced.get(one.hunk),
        )
        for rank, one in enumerate(shown, first_rank)
    )


def _hit(
    scored: ScoredHunk,
    row: StoredHunk,
    sought: Sought,
    rank: int,
    until: float,
    *,
    hunks: int,
    repository: str,
    change: Change | None,
    traced: TracedHunk | None,
) -> Hit:
    if change:
        marks = structural_hits.marks(row, change)
    else:
        marks = traced.marks if traced else sought.marks(row.body, until=until)
    excerpt = cut(
        row.body,
        marks,
        old_start=row.old_start,
        new_start=row.new_start,
        context=sought.context,
        hunks=hunks,
    )
    return Hit(
        rank=rank,
        score=scored.score,
        hunk=row.hunk,
        commit=row.commit,
        path=row.path,
        old_path=row.old_path,
        kind=row.kind,
        line=excerpt.line,
        old_line=excerpt.old_line,
        header=row.header,
        symbol=traced.symbol if traced else telling_symbol(row.symbols, sought.terms),
        excerpt=excerpt.text,
        matches=excerpt.matches,
        lanes=dict(scored.lanes),
        lane_scores=dict(scored.lane_scores),
        fused=scored.fused,
        rerank=scored.rerank,
        recency=scored.recency,
        more_in_commit=scored.more,
        also_in=scored.also_in,
        top=excerpt.top,
        old_top=excerpt.old_top,
        above=excerpt.above,
        below=excerpt.below,
        repository=repository,
        structural=structural_hits.match_count(change) if change else None,
    )


def telling_symbol(symbols: Sequence[str], terms: Sequence[str]) -> str | None:
    """The symbol to show for a hunk: the one that shares most words with the query, then the innermost."""
    wanted = frozenset(terms)
    return max(
        symbols,
        key=lambda name: (len(wanted.intersection(words_of(name))) if wanted else 0, name.count("."), name),
        default=None,
    )

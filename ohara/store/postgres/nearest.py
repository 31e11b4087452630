"""The statements behind the lanes of vectors.

Bits are compared with bits by the server (Hamming distance), which says which vectors may be the nearest; a
query's own vector is whole, and tells those few apart exactly. Vectors of numbers are compared by cosine.
Many vectors have an index that is walked from neighbour to neighbour (HNSW); few are read one by one.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, TypeVar

from ohara.model import VectorForm
from ohara.store.answers import VectorSets
from ohara.store.postgres.text import Bits
from ohara.store.postgres.words import Statement

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ohara.store.candidates import Gathered, Probe
    from ohara.store.postgres.filters import WordFilter
    from ohara.store.postgres.generations import Generation
    from ohara.store.postgres.session import Session

V = TypeVar("V", bound="Gathered")

# Of bits compared with bits, so many times as many as are asked for hold nearly all of the right ones.
OVERSAMPLED = 20
FEWEST_COMPARED = 2_000
# From so many vectors on, walking an index takes less time than reading all.
HNSW_FROM = 400_000

_NEAREST = """SELECT {owner}, {stored} FROM {table}
  WHERE generation = ?{allowed} ORDER BY {distance} LIMIT ?"""
_CONTENTS_OF = """ AND content_id IN (
  SELECT hunk.content_id FROM hunk WHERE {} AND hunk.content_id IS NOT NULL)"""
_COMMITS_OF = " AND commit_id IN (SELECT hunk.commit_id FROM hunk WHERE {})"
_STORED = (
    "SELECT content_id, {stored} FROM vec_content WHERE generation = ? AND content_id = ANY(?::bigint[])"
)


def vector_sets(session: Session) -> VectorSets:
    """Which models' vectors are stored."""
    found = session.generations()
    return VectorSets(
        current=found.current.embedder if found.current else None,
        kept=found.kept.embedder if found.kept else None,
    )


def has_commit_vectors(session: Session, model: str) -> bool:
    """True when whole commits have vectors of this model, too."""
    return session.generations().of(model) is not None


def nearest_contents(
    session: Session, probe: Probe[V], model: str, allowed: WordFilter, limit: int
) -> list[tuple[int, float]] | None:
    """The contents nearest to a query with their cosines, best first; None when the model has no vectors."""
    generation = session.generations().of(model)
    if generation is None:
        return None
    narrowed = Statement(_CONTENTS_OF.format(allowed.where) if allowed.where else "", allowed.parameters)
    return _compared(session, probe, generation, limit, table="vec_content", narrowed=narrowed)[:limit]


def nearest_commits(
    session: Session, probe: Probe[V], model: str, allowed: WordFilter, limit: int
) -> list[tuple[int, float]]:
    """The commits nearest to a query, by their subject or by their whole change, best first."""
    generation = session.generations().of(model)
    if generation is None:
        return []
    narrowed = Statement(_COMMITS_OF.format(allowed.where) if allowed.where else "", allowed.parameters)
    found: dict[int, float] = {}
    # Twice as many: a commit may be there twice.
    near = _compared(session, probe, generation, 2 * limit, table="vec_commit", narrowed=narrowed)
    for commit, score in near:
        if len(found) >= limit:
            break
        found.setdefault(commit, score)
    return list(found.items())


def content_vectors(session: Session, contents: Iterable[int], model: str) -> dict[int, bytes]:
    """The vectors of some contents, as they are packed; of those that have one."""
    generation = session.generations().of(model)
    if generation is None:
        return {}
    statement = _STORED.format(stored=_stored(generation))
    rows = session.rows(statement, (generation.number, list(contents)))
    return {content: packed(generation.form, stored) for content, stored in rows}


def content_likeness(
    session: Session, probe: Probe[V], contents: Collection[int], model: str
) -> dict[int, float]:
    """How near some contents are to a query by their stored vectors, of those that have one."""
    stored = content_vectors(session, contents, model)
    return dict(zip(stored, probe.likeness(list(stored.values())), strict=True))


def _compared(
    session: Session,
    probe: Probe[V],
    generation: Generation,
    limit: int,
    *,
    table: str,
    narrowed: Statement,
) -> list[tuple[int, float]]:
    """The nearest by what is stored, compared once more with the whole query; best first, ties by number."""
    first = max(limit * OVERSAMPLED, FEWEST_COMPARED) if generation.form is VectorForm.BIT else limit
    statement = _NEAREST.format(
        owner="content_id" if table == "vec_content" else "commit_id",
        stored=_stored(generation),
        table=table,
        allowed=narrowed.sql,
        distance=distance(generation),
    )
    asked = (generation.number, *narrowed.parameters, as_parameter(generation.form, probe.packed), first)
    rows = session.rows(statement, asked)
    scores = probe.likeness([packed(generation.form, stored) for _, stored in rows])
    near = [(owner, score) for (owner, _), score in zip(rows, scores, strict=True)]
    near.sort(key=lambda one: (-one[1], one[0]))
    return near


def distance(generation: Generation) -> str:
    """How far a stored vector is from a parameter; spelled as the index of neighbours is."""
    if generation.form is VectorForm.BIT:
        return f"bits::bit({generation.dimensions}) <~> ?::bit({generation.dimensions})"
    return f"numbers::halfvec({generation.dimensions}) <=> ?::halfvec({generation.dimensions})"


def as_parameter(form: VectorForm, vector: bytes) -> object:
    """A packed vector as a column takes it; nothing for nothing."""
    if not vector:
        return None
    return Bits(vector) if form is VectorForm.BIT else str(list(array("b", vector)))


def _stored(generation: Generation) -> str:
    return "bits" if generation.form is VectorForm.BIT else "numbers::real[]"


def packed(form: VectorForm, stored: Any) -> bytes:  # noqa: ANN401 - what a column holds
    """A vector as the model packs it, of what a column holds."""
    return stored if form is VectorForm.BIT else array("b", map(int, stored)).tobytes()

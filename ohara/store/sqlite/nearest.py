"""The statements behind the lanes of vectors: contents and commits near to a query, and whose hunks they are.

Bits are all read into memory once and compared there; int8 vectors are searched by sqlite-vec.
"""

from __future__ import annotations

import json
from array import array
from typing import TYPE_CHECKING, TypeVar

from ohara.model import VectorBlock, VectorForm
from ohara.store.answers import VectorSets
from ohara.store.sqlite.generations import has_commits

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ohara.store.candidates import Gathered, Probe
    from ohara.store.sqlite.filters import FtsFilter
    from ohara.store.sqlite.generations import Generation
    from ohara.store.sqlite.session import Session

V = TypeVar("V", bound="Gathered")

_NEAREST = """SELECT rowid, embedding FROM {table}
  WHERE embedding MATCH vec_int8(?) AND k = ?{allowed} ORDER BY distance"""
# The layout that sqlite-vec documents for its tables. Its own search costs 0.3 ms for each place asked for,
# and compares bits with bits only.
_BLOCKS = """SELECT rowids, validity, vectors FROM {table}_chunks
  JOIN {table}_vector_chunks00 AS stored ON stored.rowid = chunk_id ORDER BY chunk_id"""
_CONTENTS_OF = " AND rowid IN (SELECT hunk.content_id FROM hunk WHERE {} AND hunk.content_id IS NOT NULL)"
_COMMIT_VECTORS = "SELECT id, subject, change FROM {}"
# As two texts, which come in half the time that a row for each of all commits takes.
_COMMIT_BITS = """SELECT json_group_array(id), group_concat(hex({column}), '') FROM {table}
  WHERE length({column}) > 0"""
# One look-up each: told of a list, sqlite-vec reads the whole table.
_STORED_VECTORS = """SELECT stored.rowid, stored.embedding FROM numbers(?) AS asked
  CROSS JOIN {table} AS stored ON stored.rowid = asked.value"""
_MOST_NEIGHBOURS = 4096  # sqlite-vec's own limit


def vector_sets(session: Session) -> VectorSets:
    """Which models' vectors are stored."""
    found = session.generations()
    return VectorSets(
        current=found.current.embedder if found.current else None,
        kept=found.kept.embedder if found.kept else None,
    )


def has_commit_vectors(session: Session, model: str) -> bool:
    """True when whole commits have vectors of this model, too."""
    generation = session.generations().of(model)
    return generation is not None and has_commits(session, generation)


def nearest_contents(
    session: Session, probe: Probe[V], model: str, allowed: FtsFilter, limit: int
) -> list[tuple[int, float]] | None:
    """The contents nearest to a query with their cosines, best first; None when the model has no vectors."""
    generation = session.generations().of(model)
    if generation is None:
        return None
    if probe.form is VectorForm.BIT:
        return probe.nearest(_content_bits(session, probe, generation), limit, allowed.contents(session))
    near = _searched(session, probe.packed, allowed, limit, generation.table)
    scores = probe.likeness([stored for _, stored in near])
    return [(content, score) for (content, _), score in zip(near, scores, strict=True)]


def nearest_commits(
    session: Session, probe: Probe[V], model: str, allowed: FtsFilter, limit: int
) -> list[tuple[int, float]]:
    """The commits nearest to a query, by their subject or by their whole change, best first."""
    generation = session.generations().of(model)
    if generation is None or not has_commits(session, generation):
        return []
    among = allowed.commits(session)
    name = f"vectors in {generation.commits}"
    if probe.form is VectorForm.BIT:
        gathered = session.shared(
            (name, session.state()), lambda: probe.gather(commit_blocks(session, generation))
        )
        near = probe.nearest(gathered, 2 * limit, among)  # a commit may be there twice
    else:
        rows = session.remembered(name, lambda: _commit_vectors(session, generation))
        if among is not None:
            rows = [row for row in rows if row[0] <= len(among) and among[row[0] - 1]]
        scores = probe.likeness([vector for _, vector in rows])
        near = [(commit, score) for (commit, _), score in zip(rows, scores, strict=True)]
        near.sort(key=lambda one: (-one[1], one[0]))
    found: dict[int, float] = {}
    for commit, score in near:
        if len(found) >= limit:
            break
        found.setdefault(commit, score)
    return list(found.items())


def content_vectors(session: Session, contents: Iterable[int], model: str) -> dict[int, bytes]:
    """The vectors of some contents, as they are stored; of those that have one."""
    generation = session.generations().of(model)
    if generation is None:
        return {}
    rows = session.rows(_STORED_VECTORS.format(table=generation.table), (session.listed(contents),))
    return {row[0]: row[1] for row in rows}


def content_likeness(
    session: Session, probe: Probe[V], contents: Collection[int], model: str
) -> dict[int, float]:
    """How near some contents are to a query by their stored vectors, of those that have one."""
    generation = session.generations().of(model)
    if generation is None:
        return {}
    if probe.form is VectorForm.BIT:
        return probe.likeness_of(_content_bits(session, probe, generation), contents)
    stored = content_vectors(session, contents, model)
    return dict(zip(stored, probe.likeness(list(stored.values())), strict=True))


def _content_bits(session: Session, probe: Probe[V], generation: Generation) -> V:
    """All bits of a generation, one copy for all readers."""
    return session.shared(
        (f"bits of {generation.table}", session.state()),
        lambda: probe.gather(vector_blocks(session, generation.table)),
    )


def vector_blocks(session: Session, table: str) -> list[VectorBlock]:
    """All vectors of a table as it holds them."""
    return [VectorBlock(*row) for row in session.rows(_BLOCKS.format(table=table))]


def _searched(
    session: Session, vector: bytes, allowed: FtsFilter, limit: int, table: str
) -> list[tuple[int, bytes]]:
    """The contents whose int8 vectors are nearest to one, with theirs, nearest first."""
    narrowed = "" if allowed.everything else _CONTENTS_OF.format(allowed.where)
    statement = _NEAREST.format(table=table, allowed=narrowed)
    rows = session.rows(statement, (vector, min(limit, _MOST_NEIGHBOURS), *allowed.parameters))
    return [(row[0], row[1]) for row in rows]


def _commit_vectors(session: Session, generation: Generation) -> list[tuple[int, bytes]]:
    """All vectors of commits, with whose each is; up to two of each."""
    rows = session.rows(_COMMIT_VECTORS.format(generation.commits))
    return [(commit, stored) for commit, *both in rows for stored in both if stored]


def commit_blocks(session: Session, generation: Generation) -> list[VectorBlock]:
    """The same as two blocks, of subjects and of changes."""
    statements = (
        _COMMIT_BITS.format(column=column, table=generation.commits) for column in ("subject", "change")
    )
    return [_block(*session.rows(statement)[0]) for statement in statements]


def _block(commits: str, vectors: str | None) -> VectorBlock:
    """The vectors of a column as a block: slots come in eights, and the last few may be unused."""
    owners, stored = array("q", json.loads(commits)), bytes.fromhex(vectors or "")
    count = len(owners)
    unused = -count % 8
    owners.extend([0] * unused)
    used = ((1 << count) - 1).to_bytes(len(owners) // 8, "little")
    width = len(stored) // count if count else 0
    return VectorBlock(owners.tobytes(), used, stored + bytes(unused * width))

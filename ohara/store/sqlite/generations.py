"""The vectors of one model, and those of the model before it, which serve until the new ones are all made.

Each generation has tables of its own, one of hunks' contents and one of commits, so two models' vectors are
never in one search. A change of the embedder keeps the old tables and begins others; when the vector pass
has no more to do, the old ones go.
Every step is part of the transaction it belongs to: killed anywhere, an index holds the one or both, whole.

    meta.vectors = {"table": …, "kept": {"table": …, "embedder": …} or null}    absent: vec_hunk alone
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import Pass, VectorForm
from ohara.records import dataclass
from ohara.store.facts import FINGERPRINT
from ohara.store.sql.meta import read_fact, read_meta
from ohara.store.sql.session import PASS_BITS
from ohara.store.sqlite.connection import translated

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.store.sqlite.connected import Connected
    from ohara.store.sqlite.writer import Writer

_KEY = "vectors"
_TABLES = ("vec_hunk", "vec_hunk_other")  # vec0 tables cannot be renamed, so two names take turns
_COMMITS = {"vec_hunk": "vec_commit", "vec_hunk_other": "vec_commit_other"}

_CREATE = "CREATE VIRTUAL TABLE {table} USING vec0(embedding {form}[{dimensions}]{metric})"
# A commit's two vectors are read all together and never one by one: a plain table is smaller.
_CREATE_COMMITS = "CREATE TABLE IF NOT EXISTS {}(id INTEGER PRIMARY KEY, subject BLOB, change BLOB)"
_EXISTS = "SELECT count(*) FROM sqlite_schema WHERE name = ?"
_DELETE = "DELETE FROM {table} WHERE rowid = ?"
_BIT = PASS_BITS[Pass.VECTOR]
_CLEAR = (f"UPDATE commits SET passes = passes & ~{_BIT}", f"UPDATE content SET passes = passes & ~{_BIT}")
_DELETE_COMMITS = "DELETE FROM {table} WHERE id IN (SELECT value FROM numbers(?))"
_MARK_CONTENTS = f"UPDATE content SET passes = passes | {_BIT} WHERE id IN (SELECT rowid FROM {{table}})"


@dataclass(frozen=True, slots=True)
class Generation:
    """A table of contents' vectors and the id of the model that made them."""

    table: str
    embedder: str

    @property
    def commits(self) -> str:
        """The table of commits' vectors."""
        return _COMMITS[self.table]


@dataclass(frozen=True, slots=True)
class Generations:
    """The vectors there are: those of the model in use, and those it replaces, while it does."""

    current: Generation | None
    kept: Generation | None

    def of(self, embedder: str) -> Generation | None:
        """The generation that a model made."""
        return next((one for one in (self.kept, self.current) if one and one.embedder == embedder), None)


def generations(at: Connected) -> Generations:
    """The generations that an index holds now."""
    table, kept = _state(at)
    made_with = read_fact(at, FINGERPRINT)
    current = Generation(table, made_with.embedder if made_with else "") if _exists(at, table) else None
    return Generations(current, kept if kept and _exists(at, kept.table) else None)


def current_table(at: Connected) -> str:
    """The name of the table that the vector pass fills, whether or not it exists yet."""
    return _state(at)[0]


def ensure_tables(at: Connected, dimensions: int, form: VectorForm) -> tuple[str, str]:
    """The tables that the vector pass fills, of contents and of commits, made if they are not there."""
    table = current_table(at)
    if not _exists(at, table):
        metric = "" if form is VectorForm.BIT else " distance_metric=cosine"  # bits are counted
        at.connection.execute(_CREATE.format(table=table, form=form, dimensions=dimensions, metric=metric))
    at.connection.execute(_CREATE_COMMITS.format(_COMMITS[table]))
    return table, _COMMITS[table]


def has_commits(at: Connected, generation: Generation) -> bool:
    """True when commits have vectors: an index that an earlier version made has none yet."""
    return _exists(at, generation.commits)


def delete_vectors(writer: Writer, content_ids: Iterable[int]) -> None:
    """Take contents' vectors away, of every generation."""
    rows = [(content_id,) for content_id in content_ids]
    for table in _TABLES:
        if _exists(writer, table):
            writer.run_many(_DELETE.format(table=table), rows)


def delete_commit_vectors(writer: Writer, commits: Iterable[int]) -> None:
    """Take commits' vectors away, of every generation."""
    asked = writer.listed(commits)
    for table in _COMMITS.values():
        if _exists(writer, table):
            writer.run(_DELETE_COMMITS.format(table=table), (asked,))


def drop_all(writer: Writer) -> None:
    """Forget every vector; the pass begins again."""
    writer.begin()
    with translated(writer.path):
        for table in _TABLES:
            _drop(writer, table)
        for statement in _CLEAR:
            writer.connection.execute(statement)
    writer.set_meta(_KEY, _written(_TABLES[0], None))


def change_embedder(writer: Writer, wanted: str) -> None:
    """Begin the vectors of another model, and keep what serves until they are made.

    Back to the model whose vectors are kept, those are gone on with. A generation that was never finished
    gives way to the one it was to replace. No model at all means no vectors.
    """
    found = generations(writer)
    serves = found.kept or found.current
    if not wanted or serves is None:
        drop_all(writer)
        return
    writer.begin()
    execute = writer.connection.execute
    with translated(writer.path):
        for statement in _CLEAR:
            execute(statement)
        (other,) = (table for table in _TABLES if table != serves.table)
        _drop(writer, other)
        if serves.embedder == wanted:
            execute(_MARK_CONTENTS.format(table=serves.table))
            writer.set_meta(_KEY, _written(serves.table, None))
        else:
            writer.set_meta(_KEY, _written(other, serves))


def retire(writer: Writer) -> None:
    """Drop the vectors that were kept: the new ones are all made."""
    table, kept = _state(writer)
    if kept is None:
        return
    writer.begin()
    with translated(writer.path):
        _drop(writer, kept.table)
    writer.set_meta(_KEY, _written(table, None))
    writer.commit()


def _state(at: Connected) -> tuple[str, Generation | None]:
    stored = read_meta(at, _KEY)
    if not isinstance(stored, dict):
        return _TABLES[0], None
    kept = stored.get("kept")
    return str(stored["table"]), Generation(str(kept["table"]), str(kept["embedder"])) if kept else None


def _written(table: str, kept: Generation | None) -> dict[str, object]:
    return {"table": table, "kept": kept and {"table": kept.table, "embedder": kept.embedder}}


def _drop(at: Connected, table: str) -> None:
    for name in (table, _COMMITS[table]):
        at.connection.execute(f"DROP TABLE IF EXISTS {name}")


def _exists(at: Connected, table: str) -> bool:
    return bool(at.connection.execute(_EXISTS, (table,)).get)

"""Asks the trigram table of former versions, an FTS5 table, until its trigrams have gone over into lists.

An index keeps it until its next run has written all lists (`passes.Passes.convert_literals`). A content is in
that table, in lists, or in both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.store.sqlite.fts_query import trigram_expression

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.store.sqlite.connection import Connection
    from ohara.store.sqlite.session import Session
    from ohara.store.trigram_query import Formula

TABLE = "fts_literal"
_DELETE = f"DELETE FROM {TABLE} WHERE rowid = ?"
_THERE = f"SELECT 1 FROM sqlite_schema WHERE name = '{TABLE}'"
_ANY = f"SELECT 1 FROM {TABLE}_docsize LIMIT 1"
_HOLDING = f"SELECT rowid FROM {TABLE} WHERE {TABLE} MATCH ?"


def are_there(connection: Connection) -> bool:
    """True when an index still has trigrams in that table."""
    return connection.execute(_THERE).fetchone() is not None


def drop_if_empty(connection: Connection) -> None:
    """Drop the table when it has no trigrams, as that of a new index."""
    if are_there(connection) and connection.execute(_ANY).fetchone() is None:
        connection.execute(f"DROP TABLE {TABLE}")


def drop(connection: Connection, contents: Iterable[int]) -> None:
    """Take the trigrams of contents away."""
    connection.executemany(_DELETE, [(content,) for content in contents])


def holding(session: Session, formula: Formula) -> set[int]:
    """The contents in that table that hold what a formula asks for."""
    return {row[0] for row in session.rows(_HOLDING, (trigram_expression(formula),))}

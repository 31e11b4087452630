"""The one connection that writes: transactions that end only between whole commits, and what is asked of it.

A batch is a transaction: readers see finished ones. It refuses to commit half a commit, so whoever is killed
leaves an index of whole commits.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeVar

from psycopg.pq import TransactionStatus

from ohara.errors import InternalError, StoreError
from ohara.model import Sha
from ohara.store.postgres import server as servers
from ohara.store.postgres.commit_rows import CommitRows
from ohara.store.postgres.connected import Connected, spelled
from ohara.store.postgres.connection import connect, translated
from ohara.store.postgres.passes import Passes
from ohara.store.postgres.texts import TextRows
from ohara.store.postgres.upkeep import Upkeep
from ohara.store.sql import collect, meta
from ohara.store.sql.line_rows import LineRows
from ohara.store.sql.symbols import SymbolWriter
from ohara.store.sql.threads import ThreadWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType

    from ohara.model import Pass
    from ohara.store.facts import Fact
    from ohara.store.postgres.connection import Server
    from ohara.store.prepared import PreparedCommit
    from ohara.store.writing import Verdict

T = TypeVar("T")

_UPSERT_META = """INSERT INTO meta(key, value) VALUES(?, ?)
  ON CONFLICT(key) DO UPDATE SET value = excluded.value"""
_DROP_META = "DELETE FROM meta WHERE key = ?"
_KNOWN = "SELECT sha, live FROM commits"
_LINKS = "SELECT sha, committer_time, parents FROM commits"
_KNOWN_AMONG = "SELECT sha, live FROM commits WHERE sha = ANY(?::bytea[])"
_SHA = "SELECT sha FROM commits WHERE id = ?"
_SHOW = "UPDATE commits SET live = ? WHERE sha = ANY(?::bytea[])"
_INCOMPLETE = "SELECT sha, missing FROM failure WHERE missing != '' ORDER BY sha"
_NEXT_STATE = "UPDATE ohara.repository SET state = state + 1, written = now() WHERE id = ? RETURNING 1"
_DROP_TRIGRAMS = "DELETE FROM literal WHERE content_id = ANY(?::bigint[])"
_DROP_CONTENT_VECTORS = "DELETE FROM vec_content WHERE content_id = ANY(?::bigint[])"
_DROP_COMMIT_VECTORS = "DELETE FROM vec_commit WHERE commit_id = ANY(?::bigint[])"


class Writer(Connected):
    """Use as a context manager; call `commit` between batches."""

    def __init__(
        self, server: Server, name: str, *, passes: frozenset[Pass], verdict: Verdict = lambda _: None
    ) -> None:
        """Open for writing; `verdict` says why a path is left out of search, once per new path."""
        super().__init__(server, connect(server, writes=True))
        self.verdict = verdict
        self.hunks_pending = 0
        self._is_outdated = False  # rows were removed that what is remembered may name
        try:
            with translated(server):
                self.found = servers.ensure(self.connection, server, name)
            self.texts = TextRows(self)
            self.commit_rows = CommitRows(self, passes)
        except BaseException:
            self.connection.close()
            raise
        self.passes = Passes(self)
        self.symbols = SymbolWriter(self)
        self.threads = ThreadWriter(self)
        self.lines = LineRows(self)
        self.upkeep = Upkeep(self)

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.connection.close()  # which undoes what is open

    # -- batches ---------------------------------------------------------------------------------

    @property
    def in_batch(self) -> bool:
        """True when a batch is open."""
        return self.connection.info.transaction_status != TransactionStatus.IDLE

    def begin(self) -> None:
        """Start a batch unless one is open."""
        if not self.in_batch:
            self.run("BEGIN")

    def commit(self) -> None:
        """End the batch: everything since `begin` becomes visible at once."""
        if self.in_batch:
            if not self.between_commits:
                raise InternalError("a batch may not end inside a commit")
            self.commit_rows.train()
            self.texts.finish()
            if not self.rows(_NEXT_STATE, (self.found.id,)):
                raise StoreError(
                    f"the index was taken away from {self.server.name} while it was written",
                    hint="push again with: ohara share push",
                )
            self.run("COMMIT")
            self.texts.merge(now=False)
            if self._is_outdated:
                self.commit_rows.load()
                self.symbols.forget()
            self._is_outdated = False
        self.hunks_pending = 0

    def rollback(self) -> None:
        """Forget the open batch, and every number that was handed out for it."""
        if self.in_batch:
            self.run("ROLLBACK")
        self.hunks_pending = 0
        self._is_outdated = False
        self.symbols.forget()
        self.texts.undo()
        self.commit_rows.undo()

    @property
    def between_commits(self) -> bool:
        """True when no commit is half-written, so that a batch may end here."""
        return not self.commit_rows.half_written

    # -- statements ------------------------------------------------------------------------------

    def run(self, statement: str, parameters: Sequence[object] = ()) -> None:
        """Run a statement for what it does."""
        self.rows(statement, parameters)

    def run_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement once for each row of parameters."""
        with translated(self.server):
            self.connection.cursor().executemany(spelled(statement), list(rows))

    def copy(self, table: str, types: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Stream rows into a table; `table` names its columns, `types` their types."""
        if not rows:
            return
        statement = f"COPY {table} FROM STDIN (FORMAT BINARY)"
        with translated(self.server), self.connection.cursor().copy(statement) as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)

    def path_id(self, path: str) -> int:
        """The number of a path, new or known."""
        return self.commit_rows.path_id(path)

    # -- words, trigrams and vectors -------------------------------------------------------------

    def write_symbol_words(self, rows: Iterable[tuple[int, str, str, str]]) -> None:
        """Make these the words that symbols are searched by."""
        self.texts.add_symbols(list(rows))

    def drop_symbol_words(self, symbols: Iterable[int]) -> None:
        """Take the words of symbols away."""
        self.texts.drop_symbols(symbols)

    def drop_hunk_words(self, hunks: Iterable[int]) -> None:
        """Take the words of hunks away."""
        self.texts.drop(hunks)

    def drop_trigrams(self, contents: Iterable[int]) -> None:
        """Take the trigrams of contents away."""
        self.run(_DROP_TRIGRAMS, (list(contents),))

    def drop_content_vectors(self, contents: Iterable[int]) -> None:
        """Take the vectors of contents away, whatever model made them."""
        self.run(_DROP_CONTENT_VECTORS, (list(contents),))

    def drop_commit_vectors(self, commits: Iterable[int]) -> None:
        """Take the vectors of commits away, whatever model made them."""
        self.run(_DROP_COMMIT_VECTORS, (list(commits),))

    def forget_symbols(self) -> None:
        """Forget the numbers of symbols: some are no longer there."""
        self.symbols.forget()

    # -- commits ---------------------------------------------------------------------------------

    def add(self, prepared: Iterable[PreparedCommit]) -> None:
        """Insert commits (or parts of big ones) with their files, hunks, contents and index rows."""
        self.begin()
        self.hunks_pending += self.commit_rows.add(prepared)

    def holds_part_of(self, sha: Sha) -> bool:
        """True when some but not all of this commit has been added."""
        return sha in self.commit_rows.half_written

    def remove_commits(self, shas: Iterable[Sha]) -> int:
        """Remove these commits inside the open batch, and say how many there were."""
        self._is_outdated = True
        return collect.remove_commits(self, shas)

    def sweep(self) -> None:
        """Remove names that nothing mentions any more, inside the open batch."""
        self._is_outdated = True
        collect.sweep(self)

    def show(self, *, live: Iterable[Sha], dead: Iterable[Sha]) -> None:
        """Make commits visible or hide them."""
        self.begin()
        for value, shas in ((1, live), (0, dead)):
            self.run(_SHOW, (value, [bytes.fromhex(sha) for sha in shas]))

    def known_shas(self) -> dict[Sha, bool]:
        """Every indexed commit, and whether it is live."""
        return {Sha(sha.hex()): bool(live) for sha, live in self.rows(_KNOWN)}

    def known_links(self) -> dict[bytes, tuple[int, bytes]]:
        """Every indexed commit by its raw id: its committer time and its parents' raw ids."""
        return {bytes(sha): (time, bytes(parents)) for sha, time, parents in self.rows(_LINKS)}

    def known_among(self, shas: Iterable[Sha]) -> dict[Sha, bool]:
        """Those of the commits that are indexed, and whether they are live."""
        asked = [bytes.fromhex(sha) for sha in shas]
        return {Sha(sha.hex()): bool(live) for sha, live in self.rows(_KNOWN_AMONG, (asked,))}

    def sha_of(self, commit_id: int) -> Sha:
        """The sha of an indexed commit."""
        return Sha(self.rows(_SHA, (commit_id,))[0][0].hex())

    # -- failures --------------------------------------------------------------------------------

    def record_failure(self, sha: Sha, reason: str, missing: Sequence[str] = ()) -> None:
        """Remember that a commit could not be (wholly) read, to show and to retry."""
        self.begin()
        self.commit_rows.record_failure(sha, reason, missing)

    def failed(self) -> list[Sha]:
        """The commits that could not be read at all, and so are not in the index."""
        return meta.read_failed(self)

    def incomplete(self) -> list[tuple[Sha, str]]:
        """Commits that lacked blobs, each with the first blob that was missing."""
        return [(Sha(sha.hex()), missing.split(" ", 1)[0]) for sha, missing in self.rows(_INCOMPLETE)]

    # -- facts about the index -------------------------------------------------------------------

    def fact(self, fact: Fact[T]) -> T:
        """A stored fact, or what holds when it is not stored."""
        return meta.read_fact(self, fact)

    def record(self, fact: Fact[T], value: T) -> None:
        """Store a fact, as part of the open batch."""
        self.set_meta(fact.name, fact.write(value))

    def meta(self, key: str) -> object:
        """The small value that is stored under a name, or None."""
        return meta.read_meta(self, key)

    def set_meta(self, key: str, value: object) -> None:
        """Store a small JSON value under a name."""
        self.begin()
        self.run(_UPSERT_META, (key, json.dumps(value)))

    def drop_meta(self, key: str) -> None:
        """Forget the value that is stored under a name."""
        self.begin()
        self.run(_DROP_META, (key,))

"""The one connection that writes: transactions that end only between whole commits, and what is asked of it.

The writer derives nothing: what to store comes prepared. It refuses to commit half a commit, so a
process killed at any moment leaves an index of whole commits.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeVar

from ohara.errors import InternalError, StoreError
from ohara.model import Sha
from ohara.store.sql import collect, meta
from ohara.store.sql.line_rows import LineRows
from ohara.store.sql.symbols import SymbolWriter
from ohara.store.sql.threads import ThreadWriter
from ohara.store.sqlite import generations
from ohara.store.sqlite.commit_rows import CommitRows
from ohara.store.sqlite.connected import Connected, spelled
from ohara.store.sqlite.connection import connect_writer, translated
from ohara.store.sqlite.content_trigrams import ContentTrigrams
from ohara.store.sqlite.hunk_words import HunkWords
from ohara.store.sqlite.identity import has_moved
from ohara.store.sqlite.passes import Passes
from ohara.store.sqlite.schema import migrate
from ohara.store.sqlite.upkeep import Upkeep

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from types import TracebackType

    from ohara.model import Pass
    from ohara.store.facts import Fact
    from ohara.store.prepared import PreparedCommit
    from ohara.store.writing import Verdict

T = TypeVar("T")

_UPSERT_META = (
    "INSERT INTO meta(key, value) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value"
)
_DROP_META = "DELETE FROM meta WHERE key = ?"
INSERT_NAME = "INSERT INTO fts_symbol_name(rowid, kind, name, sibling_names) VALUES(?, ?, ?, ?)"
_KNOWN = "SELECT sha, live FROM commits"
_LINKS = "SELECT sha, committer_time, parents FROM commits"
_IS_LIVE = "SELECT live FROM commits WHERE sha = ?"
_SHA = "SELECT sha FROM commits WHERE id = ?"
_SHOW = "UPDATE commits SET live = ? WHERE sha = ?"
_INCOMPLETE = "SELECT sha, missing FROM failure WHERE missing != ''"


class Writer(Connected):
    """Use as a context manager; call `commit` between batches."""

    def __init__(self, path: Path, *, passes: frozenset[Pass], verdict: Verdict = lambda _: None) -> None:
        """Open for writing; `verdict` says why a path is left out of search, once per new path."""
        super().__init__(path, connect_writer(path))
        self.path = path
        self.verdict = verdict
        with translated(path):
            migrate(self.connection)
            self.words = HunkWords(self.connection)
            self.trigrams = ContentTrigrams(self.connection)
            self.commit_rows = CommitRows(self.connection, self.words, self.trigrams, passes, verdict)
        self.passes = Passes(self)
        self.symbols = SymbolWriter(self)
        self.threads = ThreadWriter(self)
        self.lines = LineRows(self)
        self.upkeep = Upkeep(self)
        self.hunks_pending = 0
        self._is_outdated = False  # rows were removed that what is remembered may name

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.in_batch:
            self.connection.execute("ROLLBACK")
        self.connection.close()

    # -- batches ---------------------------------------------------------------------------------

    @property
    def in_batch(self) -> bool:
        """True when a batch is open."""
        return bool(self.connection.in_transaction)

    def begin(self) -> None:
        """Start a batch unless one is open."""
        if not self.in_batch:
            with translated(self.path):
                self.connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """End the batch: everything since `begin` becomes visible at once."""
        if self.in_batch:
            if not self.between_commits:
                raise InternalError("a batch may not end inside a commit")
            self.commit_rows.train()
            with translated(self.path):
                self.words.finish()
                self.trigrams.finish()
            if has_moved(self.connection):
                raise StoreError(
                    f"the index {self.path} was taken away while it was written",
                    hint="index again with: ohara index",
                )
            with translated(self.path):
                self.connection.execute("COMMIT")
                if self._is_outdated:
                    self.commit_rows.load()
                    self.symbols.forget()
            self._is_outdated = False
        self.hunks_pending = 0

    def rollback(self) -> None:
        """Forget the open batch, and every id that was handed out for it."""
        if self.in_batch:
            self.connection.execute("ROLLBACK")
        self.hunks_pending = 0
        self._is_outdated = False
        self.symbols.forget()
        with translated(self.path):
            self.words.undo()
            self.trigrams.undo()
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
        with translated(self.path):
            self.connection.executemany(spelled(statement), rows)

    def path_id(self, path: str) -> int:
        """The number of a path, new or known."""
        return self.commit_rows.path_id(path)

    # -- words, trigrams and vectors -------------------------------------------------------------

    def write_symbol_words(self, rows: Iterable[tuple[int, str, str, str]]) -> None:
        """Make these the words that symbols are searched by."""
        self.run_many(INSERT_NAME, rows)

    def drop_symbol_words(self, symbols: Iterable[int]) -> None:
        """Take the words of symbols away."""
        self.run_many("DELETE FROM fts_symbol_name WHERE rowid = ?", [(symbol,) for symbol in symbols])

    def drop_hunk_words(self, hunks: Iterable[int]) -> None:
        """Take the words of hunks away."""
        with translated(self.path):
            self.words.drop(hunks)

    def drop_trigrams(self, contents: Iterable[int]) -> None:
        """Take the trigrams of contents away."""
        with translated(self.path):
            self.trigrams.drop(contents)

    def drop_content_vectors(self, contents: Iterable[int]) -> None:
        """Take the vectors of contents away, whatever model made them."""
        generations.delete_vectors(self, contents)

    def drop_commit_vectors(self, commits: Iterable[int]) -> None:
        """Take the vectors of commits away, whatever model made them."""
        generations.delete_commit_vectors(self, commits)

    def forget_symbols(self) -> None:
        """Forget the numbers of symbols: some are no longer there."""
        self.symbols.forget()

    # -- commits ---------------------------------------------------------------------------------

    def add(self, prepared: Iterable[PreparedCommit]) -> None:
        """Insert commits (or parts of big ones) with their files, hunks, contents and index rows."""
        self.begin()
        with translated(self.path):
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
        with translated(self.path):
            for value, shas in ((1, live), (0, dead)):
                self.connection.executemany(_SHOW, [(value, bytes.fromhex(sha)) for sha in shas])

    def known_shas(self) -> dict[Sha, bool]:
        """Every indexed commit, and whether it is live."""
        with translated(self.path):
            return {Sha(sha.hex()): bool(live) for sha, live in self.connection.execute(_KNOWN)}

    def known_links(self) -> dict[bytes, tuple[int, bytes]]:
        """Every indexed commit by its raw id: its committer time and its parents' raw ids."""
        with translated(self.path):
            return {sha: (time, parents) for sha, time, parents in self.connection.execute(_LINKS)}

    def known_among(self, shas: Iterable[Sha]) -> dict[Sha, bool]:
        """Those of the commits that are indexed, and whether they are live."""
        found: dict[Sha, bool] = {}
        with translated(self.path):
            for sha in shas:
                row = self.connection.execute(_IS_LIVE, (bytes.fromhex(sha),)).fetchone()
                if row is not None:
                    found[sha] = bool(row[0])
        return found

    def sha_of(self, commit_id: int) -> Sha:
        """The sha of an indexed commit."""
        with translated(self.path):
            return Sha(self.connection.execute(_SHA, (commit_id,)).get.hex())

    # -- failures --------------------------------------------------------------------------------

    def record_failure(self, sha: Sha, reason: str, missing: Sequence[str] = ()) -> None:
        """Remember that a commit could not be (wholly) read, to show and to retry."""
        self.begin()
        with translated(self.path):
            self.commit_rows.record_failure(sha, reason, missing)

    def failed(self) -> list[Sha]:
        """The commits that could not be read at all, and so are not in the index."""
        with translated(self.path):
            return meta.read_failed(self)

    def incomplete(self) -> list[tuple[Sha, str]]:
        """Commits that lacked blobs, each with the first blob that was missing."""
        with translated(self.path):
            rows = self.connection.execute(_INCOMPLETE)
            return [(Sha(sha.hex()), missing.split(" ", 1)[0]) for sha, missing in rows]

    # -- facts about the index -------------------------------------------------------------------

    def fact(self, fact: Fact[T]) -> T:
        """A stored fact, or what holds when it is not stored."""
        with translated(self.path):
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
        with translated(self.path):
            self.connection.execute(_UPSERT_META, (key, json.dumps(value)))

    def drop_meta(self, key: str) -> None:
        """Forget the value that is stored under a name."""
        self.begin()
        with translated(self.path):
            self.connection.execute(_DROP_META, (key,))

"""Adds prepared commits to the database, in transactions that end only between whole commits.

The writer derives nothing: what to store comes prepared. It refuses to commit half a commit, so a
process killed at any moment leaves an index of whole commits.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeVar

from ohara.errors import StoreError
from ohara.languages import language_of
from ohara.model import Pass, Sha
from ohara.store.sqlite import meta
from ohara.store.sqlite.codec import SAMPLE_EVERY, TRAINING_SAMPLES, Codec, train_dictionary
from ohara.store.sqlite.connection import connect_writer, translated
from ohara.store.sqlite.identity import has_moved
from ohara.store.sqlite.pass_bits import PASS_BITS
from ohara.store.sqlite.row_batch import INSERT_HUNK, INSERT_TEXT, RowBatch
from ohara.store.sqlite.schema import migrate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from types import TracebackType

    from ohara.store.facts import Fact
    from ohara.store.rows import PreparedCommit, PreparedFile, PreparedHunk

T = TypeVar("T")

_REMEMBERED_HEADERS = 100_000  # some ten megabytes

SELECT_CONTENT = "SELECT id, passes FROM content WHERE digest = ?"
UPDATE_CONTENT_PASSES = "UPDATE content SET passes = passes | ? WHERE id = ?"
UPSERT_FAILURE = """INSERT INTO failure(sha, reason, attempts, missing) VALUES(?, ?, 1, ?)
  ON CONFLICT(sha)
  DO UPDATE SET reason = excluded.reason, attempts = attempts + 1, missing = excluded.missing"""
UPSERT_META = (
    "INSERT INTO meta(key, value) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value"
)


class Writer:
    """The one connection that writes. Use as a context manager; call `commit` between batches."""

    def __init__(
        self, path: Path, *, passes: frozenset[Pass], verdict: Callable[[str], str | None] = lambda _: None
    ) -> None:
        """Open for writing; `verdict` says why a path is left out of search, once per new path."""
        self.path = path
        self._verdict = verdict
        self.connection = connect_writer(path)
        with translated(path):
            migrate(self.connection)
        self._literal = Pass.LITERAL in passes
        self._text = Pass.TEXT in passes
        self._bits = sum(PASS_BITS[stage] for stage in passes & {Pass.TEXT, Pass.LITERAL})
        self._open_commits: dict[Sha, int] = {}
        self._samples: list[str] = []
        self.hunks_pending = 0
        self._load()

    def _load(self) -> None:
        """Read what ids are taken and which names are known, so that inserts need no look-ups."""
        execute = self.connection.execute
        with translated(self.path):
            row = execute("SELECT bytes FROM dictionary ORDER BY id DESC LIMIT 1").fetchone()
            self.codec = Codec(row[0] if row else None)
            self._trained = row is not None
            self._people = {
                (name, mail): i for i, name, mail in execute("SELECT id, name, email FROM person")
            }
            self._paths: dict[str, int] = {path: i for i, path in execute("SELECT id, path FROM path")}
            self._headers: dict[str, int] = {}
            self._next = {
                table: execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}").get
                for table in ("person", "commits", "path", "file", "hunk", "header", "content")
            }

    def reload(self) -> None:
        """Read ids and names anew, after rows were removed behind the caches."""
        self._load()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
        self.connection.close()

    # -- transactions ----------------------------------------------------------------------------

    def begin(self) -> None:
        """Start a batch unless one is open."""
        if not self.connection.in_transaction:
            with translated(self.path):
                self.connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """End the batch: everything since `begin` becomes visible at once."""
        if self.connection.in_transaction:
            if not self._trained and len(self._samples) >= TRAINING_SAMPLES:
                self._train()
            if has_moved(self.connection):
                raise StoreError(
                    f"the index {self.path} was taken away while it was written",
                    hint="index again with: ohara index",
                )
            with translated(self.path):
                self.connection.execute("COMMIT")
        self.hunks_pending = 0

    def rollback(self) -> None:
        """Forget the open batch, and every id that was handed out for it."""
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
        self._open_commits.clear()
        self._samples.clear()
        self.hunks_pending = 0
        self._load()

    @property
    def between_commits(self) -> bool:
        """True when no commit is half-written, so that a batch may end here."""
        return not self._open_commits

    def holds_part_of(self, sha: Sha) -> bool:
        """True when some but not all of this commit has been added."""
        return sha in self._open_commits

    def known_shas(self) -> dict[Sha, bool]:
        """Every indexed commit, and whether it is live."""
        with translated(self.path):
            return {
                Sha(sha.hex()): bool(live)
                for sha, live in self.connection.execute("SELECT sha, live FROM commits")
            }

    def known_among(self, shas: Iterable[Sha]) -> dict[Sha, bool]:
        """Those of the commits that are indexed, and whether they are live."""
        found: dict[Sha, bool] = {}
        with translated(self.path):
            for sha in shas:
                row = self.connection.execute(
                    "SELECT live FROM commits WHERE sha = ?", (bytes.fromhex(sha),)
                ).fetchone()
                if row is not None:
                    found[sha] = bool(row[0])
        return found

    def sha_of(self, commit_id: int) -> Sha:
        """The sha of an indexed commit."""
        with translated(self.path):
            return Sha(
                self.connection.execute("SELECT sha FROM commits WHERE id = ?", (commit_id,)).get.hex()
            )

    def incomplete(self) -> list[tuple[Sha, str]]:
        """Commits that lacked blobs, each with the first blob that was missing."""
        rows = self.connection.execute("SELECT sha, missing FROM failure WHERE missing != ''")
        return [(Sha(sha.hex()), missing.split(" ", 1)[0]) for sha, missing in rows]

    def show(self, *, live: Iterable[Sha], dead: Iterable[Sha]) -> None:
        """Make commits visible or hide them."""
        self.begin()
        with translated(self.path):
            for value, shas in ((1, live), (0, dead)):
                self.connection.executemany(
                    "UPDATE commits SET live = ? WHERE sha = ?", [(value, bytes.fromhex(sha)) for sha in shas]
                )

    def _train(self) -> None:
        dictionary = train_dictionary(self._samples)
        if dictionary is not None:
            self.connection.execute("INSERT INTO dictionary(bytes) VALUES(?)", (dictionary,))
            self.codec = Codec(dictionary)
            self._trained = True
            self._samples = []

    # -- commits ---------------------------------------------------------------------------------

    def add(self, prepared: Iterable[PreparedCommit]) -> None:
        """Insert commits (or parts of big ones) with their files, hunks, contents and index rows."""
        self.begin()
        rows = RowBatch()
        for part in prepared:
            self._add_part(part, rows)
        with translated(self.path):
            rows.insert(self.connection)
        self.hunks_pending += len(rows.hunks)

    def _add_part(self, part: PreparedCommit, rows: RowBatch) -> None:
        commit = part.commit
        if part.first:
            commit_id = self.take("commits")
            rows.commits.append((
                commit_id, bytes.fromhex(commit.sha), bytes.fromhex("".join(commit.parents)),
                self._person(commit.author, commit.email), commit.author_time, commit.author_offset,
                commit.committer_time, commit.committer_offset, commit.message, self._bits,
            ))  # fmt: skip
            self._open_commits[commit.sha] = commit_id
        commit_id = self._open_commits[commit.sha]
        for file in part.files:
            self._add_file(commit_id, part.message_words, file, rows)
        if not part.last:
            return
        del self._open_commits[commit.sha]
        if part.message_only:
            self.add_message_hunk(commit_id, part.message_words)
        if part.missing:
            self.record_failure(
                commit.sha, f"{len(part.missing)} objects are not in this clone, or damaged", part.missing
            )
        elif part.left_out:
            self.record_failure(commit.sha, part.left_out)
        else:
            self.connection.execute("DELETE FROM failure WHERE sha = ?", (bytes.fromhex(commit.sha),))

    def _add_file(self, commit_id: int, message_words: str, file: PreparedFile, rows: RowBatch) -> None:
        file_id = self.take("file")
        rows.files.append((
            file_id, commit_id, self.path_id(file.path),
            self.path_id(file.old_path) if file.old_path else None, file.kind.value,
            bytes.fromhex(file.old_blob) if file.old_blob else None,
            bytes.fromhex(file.new_blob) if file.new_blob else None,
            file.additions, file.deletions, file.left_out.value if file.left_out else None,
        ))  # fmt: skip
        for hunk in file.hunks:
            hunk_id = self.take("hunk")
            content_id = self._content(hunk, rows) if hunk.digest else None
            rows.hunks.append((
                hunk_id, file_id, commit_id, content_id,
                hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines, self._header(hunk.header),
            ))  # fmt: skip
            if hunk.words is not None and self._text:
                rows.texts.append((hunk_id, message_words, file.path_words, *hunk.words))

    def add_message_hunk(self, commit_id: int, message_words: str) -> None:
        """Let a commit without searchable lines be found by its message: a hunk of no file and no lines."""
        hunk_id = self.take("hunk")
        self.connection.execute(INSERT_HUNK, (hunk_id, 0, commit_id, None, 0, 0, 0, 0, None))
        if self._text:
            self.connection.execute(INSERT_TEXT, (hunk_id, message_words, "", "", "", "", ""))

    def _content(self, hunk: PreparedHunk, rows: RowBatch) -> int:
        known = rows.digests.get(hunk.digest)
        if known is not None:
            return known
        literal = PASS_BITS[Pass.LITERAL] if self._literal else 0
        found = self.connection.execute(SELECT_CONTENT, (hunk.digest,)).fetchone()
        if found is not None:
            content_id = int(found[0])
            if literal and not found[1] & literal:
                rows.add_literal(content_id, hunk.changed, hunk.signs)
                self.connection.execute(UPDATE_CONTENT_PASSES, (literal, content_id))
        else:
            content_id = self.take("content")
            if not self._trained and content_id % SAMPLE_EVERY == 0:
                self._samples.append(hunk.body)
            rows.contents.append((content_id, hunk.digest, literal, self.codec.pack(hunk.body)))
            if literal:
                rows.add_literal(content_id, hunk.changed, hunk.signs)
        rows.digests[hunk.digest] = content_id
        return content_id

    def _person(self, name: str, email: str) -> int:
        known = self._people.get((name, email))
        if known is None:
            known = self._people[name, email] = self.take("person")
            self.connection.execute("INSERT INTO person VALUES(?, ?, ?)", (known, name, email))
        return known

    def _header(self, header: str) -> int | None:
        """The id of a header, new or known; most hunks share a few, and those are remembered."""
        if not header:
            return None
        known = self._headers.get(header)
        if known is None:
            found = self.connection.execute("SELECT id FROM header WHERE header = ?", (header,)).fetchone()
            known = int(found[0]) if found else self.take("header")
            if not found:
                self.connection.execute("INSERT INTO header VALUES(?, ?)", (known, header))
            if len(self._headers) >= _REMEMBERED_HEADERS:
                self._headers.clear()
            self._headers[header] = known
        return known

    def path_id(self, path: str) -> int:
        """The id of a path, new or known."""
        known = self._paths.get(path)
        if known is None:
            known = self._paths[path] = self.take("path")
            row = (known, path, language_of(path), self._verdict(path))
            self.connection.execute("INSERT INTO path VALUES(?, ?, ?, ?)", row)
        return known

    def take(self, table: str) -> int:
        """The next free id of a table."""
        taken: int = self._next[table]
        self._next[table] = taken + 1
        return taken

    # -- facts about the index -------------------------------------------------------------------

    def record_failure(self, sha: Sha, reason: str, missing: Sequence[str] = ()) -> None:
        """Remember that a commit could not be (wholly) read, to show and to retry."""
        self.begin()
        with translated(self.path):
            self.connection.execute(UPSERT_FAILURE, (bytes.fromhex(sha), reason, " ".join(missing)))

    def failed(self) -> list[Sha]:
        """The commits that could not be read at all, and so are not in the index."""
        with translated(self.path):
            return meta.read_failed(self.connection)

    def fact(self, fact: Fact[T]) -> T:
        """A stored fact, or what holds when it is not stored."""
        with translated(self.path):
            return meta.read_fact(self.connection, fact)

    def record(self, fact: Fact[T], value: T) -> None:
        """Store a fact, as part of the open batch."""
        self.set_meta(fact.name, fact.write(value))

    def set_meta(self, key: str, value: object) -> None:
        """Store a small JSON value under a name."""
        self.begin()
        with translated(self.path):
            self.connection.execute(UPSERT_META, (key, json.dumps(value)))

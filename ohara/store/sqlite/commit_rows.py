"""Turns prepared commits into rows: gives them ids, and knows the names and contents that are stored already.

It derives nothing and ends no transaction: that is the writer's part.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ohara.languages import language_of
from ohara.model import Pass
from ohara.store.sql.codec import (
    LEARNT_AGAIN,
    SAMPLE_EVERY,
    TRAINING_SAMPLES,
    train_dictionary,
)
from ohara.store.sql.session import PASS_BITS
from ohara.store.sqlite.connected import codec_of
from ohara.store.sqlite.digest_filter import DigestFilter
from ohara.store.sqlite.hunk_words import TextRow
from ohara.store.sqlite.schema import CONTENT_BY_DIGEST
from ohara.store.trigram_codes import packed_trigrams

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.model import Sha
    from ohara.store import trigram_codes
    from ohara.store.prepared import PreparedCommit, PreparedFile, PreparedHunk
    from ohara.store.sqlite.connection import Connection
    from ohara.store.sqlite.content_trigrams import ContentTrigrams
    from ohara.store.sqlite.hunk_words import HunkWords
    from ohara.store.vocabulary import Packed, Vocabulary
    from ohara.store.writing import Verdict

_REMEMBERED_HEADERS = 100_000  # some ten megabytes

INSERT_COMMIT = """INSERT INTO commits(id, sha, parents, author, author_time, author_offset,
  committer_time, committer_offset, message, passes) VALUES(?,?,?,?,?,?,?,?,?,?)"""
INSERT_FILE = "INSERT INTO file VALUES(?,?,?,?,?,?,?,?,?,?)"
INSERT_HUNK = """INSERT INTO hunk(id, file_id, commit_id, content_id,
  old_start, old_lines, new_start, new_lines, header_id)
  VALUES(?,?,?,?,?,?,?,?,?)"""
INSERT_CONTENT = "INSERT INTO content(id, digest, passes, body) VALUES(?,?,?,?)"
INSERT_ENCODED = "INSERT OR REPLACE INTO encoded(content_id, signs) VALUES(?,?)"
UPDATE_CONTENT_PASSES = "UPDATE content SET passes = passes | ? WHERE id = ?"
# A dictionary goes by the first content that may be compressed with it; numbers of contents may come again.
_DICTIONARIES = "SELECT count(*), coalesce(max(id), 0) FROM dictionary"
_ADD_DICTIONARY = """INSERT INTO dictionary(id, bytes)
  VALUES(max(?, 1 + (SELECT coalesce(max(id), 0) FROM dictionary)), ?)"""
_INSERT_PERSON = "INSERT INTO person VALUES(?, ?, ?)"
_INSERT_PATH = "INSERT INTO path VALUES(?, ?, ?, ?)"
_SELECT_HEADER = "SELECT id FROM header WHERE header = ?"
_INSERT_HEADER = "INSERT INTO header VALUES(?, ?)"
_UPSERT_FAILURE = """INSERT INTO failure(sha, reason, attempts, missing) VALUES(?, ?, 1, ?)
  ON CONFLICT(sha)
  DO UPDATE SET reason = excluded.reason, attempts = attempts + 1, missing = excluded.missing"""
_NO_FAILURE = "DELETE FROM failure WHERE sha = ?"


class _RowBatch:
    """The rows of one call, table by table, so that each table is filled by one statement."""

    def __init__(self) -> None:
        self.commits: list[tuple[object, ...]] = []
        self.files: list[tuple[object, ...]] = []
        self.hunks: list[tuple[object, ...]] = []
        self.contents: list[tuple[object, ...]] = []
        self.texts: list[TextRow] = []
        self.literals: list[tuple[int, trigram_codes.Packed | None, str]] = []
        self.encoded: list[tuple[object, ...]] = []
        self.digests: dict[bytes, int] = {}

    def add_literal(self, content_id: int, hunk: PreparedHunk) -> None:
        """The trigrams of a content, and that it has lines without any."""
        self.literals.append((content_id, hunk.trigrams, hunk.changed))
        if hunk.signs is not None:
            self.encoded.append((content_id, hunk.signs))

    def insert(self, connection: Connection) -> None:
        """Write all rows."""
        for statement, rows in (
            (INSERT_COMMIT, self.commits),
            (INSERT_FILE, self.files),
            (INSERT_CONTENT, self.contents),
            (INSERT_HUNK, self.hunks),
            (INSERT_ENCODED, self.encoded),
        ):
            if rows:
                connection.executemany(statement, rows)


def _message_hunk(hunk_id: int, commit_id: int) -> tuple[object, ...]:
    """What stands for the message of a commit without searchable lines: a hunk of no file and no lines."""
    return (hunk_id, 0, commit_id, None, 0, 0, 0, 0, None)


def with_trigrams(
    rows: Sequence[tuple[int, trigram_codes.Packed | None, str]],
) -> list[tuple[int, trigram_codes.Packed]]:
    """Contents with their trigrams, made here where nobody made them before."""
    made = iter(packed_trigrams([changed for _, trigrams, changed in rows if trigrams is None]))
    return [(content, next(made) if trigrams is None else trigrams) for content, trigrams, _ in rows]


class CommitRows:
    """Adds commits through the writer's connection, and remembers what is stored."""

    def __init__(
        self,
        connection: Connection,
        words: HunkWords,
        trigrams: ContentTrigrams,
        passes: frozenset[Pass],
        verdict: Verdict,
    ) -> None:
        self._connection = connection
        self._words = words
        self._trigrams = trigrams
        self._verdict = verdict
        self._literal = Pass.LITERAL in passes
        self._text = Pass.TEXT in passes
        self._bits = sum(PASS_BITS[stage] for stage in passes & {Pass.TEXT, Pass.LITERAL})
        self.half_written: dict[Sha, int] = {}
        self._samples: list[str] = []
        self.load()

    def load(self) -> None:
        """Read what ids are taken and which names are known, so that inserts need no look-ups."""
        execute = self._connection.execute
        self.codec = codec_of(self._connection)
        self._dictionaries, self._learnt_at = execute(_DICTIONARIES).get
        for names in ("_people", "_paths"):  # read when one is asked for: most runs add nothing
            self.__dict__.pop(names, None)
        self._are_failures = bool(execute("SELECT EXISTS(SELECT 1 FROM failure)").get)
        self._headers: dict[str, int] = {}
        self._next = {
            table: execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}").get
            for table in ("person", "commits", "path", "file", "hunk", "header", "content")
        }
        # Of an index that was empty all contents come through here, and most of those that come are new.
        self._added = DigestFilter() if self._next["content"] == 1 else None

    @cached_property
    def _people(self) -> dict[tuple[str, str], int]:
        found = self._connection.execute("SELECT id, name, email FROM person")
        return {(name, mail): number for number, name, mail in found}

    @cached_property
    def _paths(self) -> dict[str, int]:
        return {path: number for number, path in self._connection.execute("SELECT id, path FROM path")}

    def undo(self) -> None:
        """Forget what was added since the last transaction ended: it was rolled back."""
        self.half_written.clear()
        self._samples.clear()
        self.load()

    def train(self) -> None:
        """Learn a dictionary for bodies, once there are enough of them; and another, many bodies later."""
        if len(self._samples) < TRAINING_SAMPLES:
            return
        dictionary = train_dictionary(self._samples, self._dictionaries + 1)
        if dictionary is not None:
            self._learnt_at = self._next["content"]
            self._connection.execute(_ADD_DICTIONARY, (self._learnt_at, dictionary))
            self.codec = codec_of(self._connection)
            self._dictionaries += 1
        self._samples = []  # where nothing could be learnt, from what comes next

    def _is_sample(self, content_id: int) -> bool:
        """True when a dictionary is to be learnt from this content, among others."""
        if not self._dictionaries:
            return True  # until then bodies take twice the room
        begins = LEARNT_AGAIN - SAMPLE_EVERY * TRAINING_SAMPLES
        return content_id % SAMPLE_EVERY == 0 and content_id >= self._learnt_at + begins

    def add(self, prepared: Iterable[PreparedCommit]) -> int:
        """Insert commits (or parts of big ones) with all that belongs to them; how many hunks they have."""
        rows = _RowBatch()
        for part in prepared:
            self._add_part(part, rows)
        rows.insert(self._connection)
        self._words.add(rows.texts)
        self._trigrams.add(with_trigrams(rows.literals))
        return len(rows.hunks)

    def record_failure(self, sha: Sha, reason: str, missing: Sequence[str] = ()) -> None:
        """Remember that a commit could not be (wholly) read, to show and to retry."""
        self._are_failures = True
        self._connection.execute(_UPSERT_FAILURE, (bytes.fromhex(sha), reason, " ".join(missing)))

    def _add_part(self, part: PreparedCommit, rows: _RowBatch) -> None:
        commit = part.commit
        if part.first:
            commit_id = self.take("commits")
            rows.commits.append((
                commit_id, bytes.fromhex(commit.sha), bytes.fromhex("".join(commit.parents)),
                self._person(commit.author, commit.email), commit.author_time, commit.author_offset,
                commit.committer_time, commit.committer_offset, commit.message, self._bits,
            ))  # fmt: skip
            self.half_written[commit.sha] = commit_id
        commit_id = self.half_written[commit.sha]
        for file in part.files:
            self._add_file(commit_id, part, file, rows)
        if not part.last:
            return
        del self.half_written[commit.sha]
        if part.message_only:
            hunk_id = self.take("hunk")
            rows.hunks.append(_message_hunk(hunk_id, commit_id))
            if self._text:
                rows.texts.append(TextRow(part.vocabulary, hunk_id, commit_id, part.message_words))
        if part.missing:
            self.record_failure(
                commit.sha, f"{len(part.missing)} objects are not in this clone, or damaged", part.missing
            )
        elif part.left_out:
            self.record_failure(commit.sha, part.left_out)
        elif self._are_failures:
            self._connection.execute(_NO_FAILURE, (bytes.fromhex(commit.sha),))

    def _add_file(self, commit_id: int, part: PreparedCommit, file: PreparedFile, rows: _RowBatch) -> None:
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
                rows.texts.append(
                    TextRow(
                        part.vocabulary, hunk_id, commit_id, part.message_words, file.path_words, *hunk.words
                    )
                )

    def add_message_hunk(self, commit_id: int, message_words: Packed, vocabulary: Vocabulary) -> None:
        """Let a commit without searchable lines be found by its message."""
        hunk_id = self.take("hunk")
        self._connection.execute(INSERT_HUNK, _message_hunk(hunk_id, commit_id))
        if self._text:
            self._words.add([TextRow(vocabulary, hunk_id, commit_id, message_words)])

    def _content(self, hunk: PreparedHunk, rows: _RowBatch) -> int:
        known = rows.digests.get(hunk.digest)
        if known is not None:
            return known
        literal = PASS_BITS[Pass.LITERAL] if self._literal else 0
        found = self._stored(hunk.digest)
        if found is not None:
            content_id = found[0]
            if literal and not found[1] & literal:
                rows.add_literal(content_id, hunk)
                self._connection.execute(UPDATE_CONTENT_PASSES, (literal, content_id))
        else:
            content_id = self.take("content")
            is_sample = self._is_sample(content_id)
            if isinstance(hunk.body, bytes):  # a worker has compressed it
                body = hunk.body
                if is_sample:
                    self._samples.append(self.codec.unpack(body))
            else:
                body = self.codec.pack(hunk.body)
                if is_sample:
                    self._samples.append(hunk.body)
            rows.contents.append((content_id, hunk.digest, literal, body))
            if self._added is not None:
                self._added.add(hunk.digest)
            if literal:
                rows.add_literal(content_id, hunk)
        rows.digests[hunk.digest] = content_id
        return content_id

    def _stored(self, digest: bytes) -> tuple[int, int] | None:
        """The content with a digest, and its passes."""
        if self._added is not None and not self._added.may_hold(digest):
            return None
        found: tuple[int, int] | None = self._connection.execute(CONTENT_BY_DIGEST, (digest,)).fetchone()
        return found

    def _person(self, name: str, email: str) -> int:
        known = self._people.get((name, email))
        if known is None:
            known = self._people[name, email] = self.take("person")
            self._connection.execute(_INSERT_PERSON, (known, name, email))
        return known

    def _header(self, header: str) -> int | None:
        """The id of a header, new or known; most hunks share a few, and those are remembered."""
        if not header:
            return None
        known = self._headers.get(header)
        if known is None:
            found = self._connection.execute(_SELECT_HEADER, (header,)).fetchone()
            known = int(found[0]) if found else self.take("header")
            if not found:
                self._connection.execute(_INSERT_HEADER, (known, header))
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
            self._connection.execute(_INSERT_PATH, row)
        return known

    def take(self, table: str) -> int:
        """The next free id of a table."""
        taken: int = self._next[table]
        self._next[table] = taken + 1
        return taken

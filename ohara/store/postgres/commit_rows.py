"""Turns prepared commits into rows, many at a time: what is known is asked for once, rows are streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.languages import language_of
from ohara.model import Pass
from ohara.store.postgres import tokens
from ohara.store.sql.codec import SAMPLE_EVERY, TRAINING_SAMPLES, Codec, train_dictionary
from ohara.store.sql.session import PASS_BITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.model import Sha
    from ohara.store.postgres.texts import HunkWords
    from ohara.store.postgres.writer import Writer
    from ohara.store.prepared import PreparedCommit, PreparedFile, PreparedHunk
    from ohara.store.vocabulary import Packed, Vocabulary

_REMEMBERED_HEADERS = 100_000  # some ten megabytes

_COMMITS = """commits(id, sha, parents, author, author_time, author_offset, committer_time, committer_offset,
  message, passes)"""
_COMMIT_TYPES = ("int8", "bytea", "bytea", "int8", "int8", "int4", "int8", "int4", "text", "int4")
_FILES = "file(id, commit_id, path_id, old_path_id, kind, old_blob, new_blob, additions, deletions, left_out)"
_FILE_TYPES = ("int8", "int8", "int8", "int8", "text", "bytea", "bytea", "int4", "int4", "text")
_HUNKS = """hunk(id, file_id, commit_id, content_id, old_start, old_lines, new_start, new_lines, header_id)"""
_HUNK_TYPES = ("int8", "int8", "int8", "int8", "int4", "int4", "int4", "int4", "int8")
_CONTENTS = "content(id, digest, passes, body)"
_CONTENT_TYPES = ("int8", "bytea", "int4", "bytea")
_KNOWN_CONTENTS = "SELECT digest, id, passes FROM content WHERE digest = ANY(?::bytea[])"
_KNOWN_HEADERS = "SELECT header, id FROM header WHERE header = ANY(?::text[])"
_UPSERT_FAILURE = """INSERT INTO failure(sha, reason, attempts, missing) VALUES(?, ?, 1, ?)
  ON CONFLICT(sha) DO UPDATE SET reason = excluded.reason, attempts = failure.attempts + 1,
    missing = excluded.missing"""
_NO_FAILURE = "DELETE FROM failure WHERE sha = ANY(?::bytea[])"
_ADD_PASSES = "UPDATE content SET passes = passes | ? WHERE id = ANY(?::bigint[])"
_ADD_DICTIONARY = "INSERT INTO dictionary(bytes) VALUES(?)"
_IDS = ("person", "commits", "path", "file", "hunk", "header", "content")

Row = tuple[object, ...]


class _Batch:
    """The rows of one call, table by table."""

    def __init__(self) -> None:
        self.commits: list[Row] = []
        self.files: list[Row] = []
        self.hunks: list[Row] = []
        self.contents: list[Row] = []
        self.people: list[Row] = []
        self.paths: list[Row] = []
        self.headers: list[Row] = []
        self.texts: list[HunkWords] = []
        self.literals: list[tuple[int, str, int | None]] = []
        self.read_now: list[int] = []  # known contents that get their trigrams only now
        self.whole: list[bytes] = []  # commits of which nothing is missing
        self.known: dict[bytes, tuple[int, int]] = {}


class CommitRows:
    """Adds commits through the writer, and remembers which names are stored."""

    def __init__(self, writer: Writer, passes: frozenset[Pass]) -> None:
        self._writer = writer
        self._literal = Pass.LITERAL in passes
        self._text = Pass.TEXT in passes
        self._bits = sum(PASS_BITS[stage] for stage in passes & {Pass.TEXT, Pass.LITERAL})
        self.half_written: dict[Sha, int] = {}
        self._samples: list[str] = []
        self._batch = _Batch()
        self.load()

    def load(self) -> None:
        """Read what numbers are taken and which names are known."""
        rows = self._writer.rows
        found = rows("SELECT bytes FROM dictionary ORDER BY id DESC LIMIT 1")
        self.codec = Codec(found[0][0] if found else None)
        self._trained = bool(found)
        self._people = {(name, mail): i for i, name, mail in rows("SELECT id, name, email FROM person")}
        self._paths: dict[str, int] = {path: i for i, path in rows("SELECT id, path FROM path")}
        self._headers: dict[str, int] = {}
        last = ", ".join(f"(SELECT coalesce(max(id), 0) FROM {table})" for table in _IDS)
        self._next = dict(zip(_IDS, (int(number) + 1 for number in rows(f"SELECT {last}")[0]), strict=True))

    def undo(self) -> None:
        """Forget what was added since the last transaction ended: it was rolled back."""
        self.half_written.clear()
        self._samples.clear()
        self.load()

    def train(self) -> None:
        """Learn a dictionary for bodies, once there are enough of them."""
        if self._trained or len(self._samples) < TRAINING_SAMPLES:
            return
        dictionary = train_dictionary(self._samples)
        if dictionary is not None:
            self._writer.run(_ADD_DICTIONARY, (dictionary,))
            self.codec = Codec(dictionary)
            self._trained = True
            self._samples = []

    def add(self, prepared: Iterable[PreparedCommit]) -> int:
        """Insert commits (or parts of big ones) with all that belongs to them; how many hunks they have."""
        parts = list(prepared)
        batch = self._batch = _Batch()
        hunks = [hunk for part in parts for file in part.files for hunk in file.hunks]
        digests = list({hunk.digest for hunk in hunks if hunk.digest})
        batch.known = {
            digest: (number, passes)
            for digest, number, passes in self._writer.rows(_KNOWN_CONTENTS, (digests,))
        }
        self._know_headers({hunk.header for hunk in hunks if hunk.header})
        counted = 0
        for part in parts:
            counted += self._add_part(part, batch)
        self._insert(batch)
        self._batch = _Batch()
        return counted

    def _insert(self, batch: _Batch) -> None:
        copy = self._writer.copy
        copy("person(id, name, email)", ("int8", "text", "text"), batch.people)
        copy("path(id, path, language, left_out)", ("int8", "text", "text", "text"), batch.paths)
        copy("header(id, header)", ("int8", "text"), batch.headers)
        copy(_COMMITS, _COMMIT_TYPES, batch.commits)
        copy(_FILES, _FILE_TYPES, batch.files)
        copy(_CONTENTS, _CONTENT_TYPES, batch.contents)
        copy(_HUNKS, _HUNK_TYPES, batch.hunks)
        self._writer.texts.add(batch.texts)
        self.add_literals(batch.literals)
        if batch.read_now:
            self._writer.run(_ADD_PASSES, (PASS_BITS[Pass.LITERAL], batch.read_now))
        if batch.whole:
            self._writer.run(_NO_FAILURE, (batch.whole,))

    def add_literals(self, rows: Sequence[tuple[int, str, int | None]]) -> None:
        """Add the trigrams of contents that have none, and of what their encoded lines consist."""
        made = [(content, tokens.trigrams(changed)) for content, changed, _ in rows]
        self._writer.copy("literal(content_id, keys)", ("int8", "int4[]"), made)
        encoded = [(content, signs) for content, _, signs in rows if signs is not None]
        self._writer.copy("encoded(content_id, signs)", ("int8", "int8"), encoded)

    def record_failure(self, sha: Sha, reason: str, missing: Sequence[str] = ()) -> None:
        """Remember that a commit could not be (wholly) read, to show and to retry."""
        self._writer.run(_UPSERT_FAILURE, (bytes.fromhex(sha), reason, " ".join(missing)))

    def _add_part(self, part: PreparedCommit, batch: _Batch) -> int:
        commit = part.commit
        if part.first:
            commit_id = self.take("commits")
            batch.commits.append((
                commit_id, bytes.fromhex(commit.sha), bytes.fromhex("".join(commit.parents)),
                self._person(commit.author, commit.email, batch), commit.author_time, commit.author_offset,
                commit.committer_time, commit.committer_offset, commit.message, self._bits,
            ))  # fmt: skip
            self.half_written[commit.sha] = commit_id
        commit_id = self.half_written[commit.sha]
        hunks = 0
        for file in part.files:
            self._add_file(commit_id, part, file, batch)
            hunks += len(file.hunks)
        if part.last:
            self._end(part, commit_id, batch)
        return hunks

    def _end(self, part: PreparedCommit, commit_id: int, batch: _Batch) -> None:
        sha = part.commit.sha
        del self.half_written[sha]
        if part.message_only:
            hunk_id = self.take("hunk")
            batch.hunks.append((hunk_id, 0, commit_id, None, 0, 0, 0, 0, None))
            if self._text:
                batch.texts.append(_message_row(part.vocabulary, hunk_id, part.message_words))
        if part.missing:
            self.record_failure(
                sha, f"{len(part.missing)} objects are not in this clone, or damaged", part.missing
            )
        elif part.left_out:
            self.record_failure(sha, part.left_out)
        else:
            batch.whole.append(bytes.fromhex(sha))

    def _add_file(self, commit_id: int, part: PreparedCommit, file: PreparedFile, batch: _Batch) -> None:
        file_id = self.take("file")
        batch.files.append((
            file_id, commit_id, self._path(file.path, batch),
            self._path(file.old_path, batch) if file.old_path else None, file.kind.value,
            bytes.fromhex(file.old_blob) if file.old_blob else None,
            bytes.fromhex(file.new_blob) if file.new_blob else None,
            file.additions, file.deletions, file.left_out.value if file.left_out else None,
        ))  # fmt: skip
        for hunk in file.hunks:
            hunk_id = self.take("hunk")
            content_id = self._content(hunk, batch) if hunk.digest else None
            batch.hunks.append((
                hunk_id, file_id, commit_id, content_id, hunk.old_start, hunk.old_lines,
                hunk.new_start, hunk.new_lines, self._header(hunk.header, batch),
            ))  # fmt: skip
            if hunk.words is not None and self._text:
                batch.texts.append(
                    (part.vocabulary, hunk_id, part.message_words, file.path_words, *hunk.words)
                )

    def add_message_hunk(self, commit_id: int, message_words: Packed, vocabulary: Vocabulary) -> None:
        """Let a commit without searchable lines be found by its message: a hunk of no file and no lines."""
        hunk_id = self.take("hunk")
        self._writer.copy(_HUNKS, _HUNK_TYPES, [(hunk_id, 0, commit_id, None, 0, 0, 0, 0, None)])
        if self._text:
            self._writer.texts.add([_message_row(vocabulary, hunk_id, message_words)])

    def _content(self, hunk: PreparedHunk, batch: _Batch) -> int:
        literal = PASS_BITS[Pass.LITERAL] if self._literal else 0
        known = batch.known.get(hunk.digest)
        if known is not None:
            content_id, passes = known
            if literal and not passes & literal:
                batch.literals.append((content_id, hunk.changed, hunk.signs))
                batch.read_now.append(content_id)
                batch.known[hunk.digest] = (content_id, passes | literal)
            return content_id
        content_id = self.take("content")
        body = hunk.body
        if isinstance(body, str):
            if not self._trained and content_id % SAMPLE_EVERY == 0:
                self._samples.append(body)
            body = self.codec.pack(body)
        batch.contents.append((content_id, hunk.digest, literal, body))
        if literal:
            batch.literals.append((content_id, hunk.changed, hunk.signs))
        batch.known[hunk.digest] = (content_id, literal)
        return content_id

    def _person(self, name: str, email: str, batch: _Batch) -> int:
        known = self._people.get((name, email))
        if known is None:
            known = self._people[name, email] = self.take("person")
            batch.people.append((known, name, email))
        return known

    def _know_headers(self, headers: set[str]) -> None:
        if len(self._headers) >= _REMEMBERED_HEADERS:
            self._headers.clear()
        unknown = [header for header in headers if header not in self._headers]
        if unknown:
            self._headers.update(self._writer.rows(_KNOWN_HEADERS, (unknown,)))

    def _header(self, header: str, batch: _Batch) -> int | None:
        if not header:
            return None
        known = self._headers.get(header)
        if known is None:
            known = self._headers[header] = self.take("header")
            batch.headers.append((known, header))
        return known

    def path_id(self, path: str) -> int:
        """The number of a path, new or known, outside of a call of `add`."""
        batch = _Batch()
        number = self._path(path, batch)
        if batch.paths:
            self._insert(batch)
        return number

    def _path(self, path: str, batch: _Batch) -> int:
        known = self._paths.get(path)
        if known is None:
            known = self._paths[path] = self.take("path")
            batch.paths.append((known, path, language_of(path), self._writer.verdict(path)))
        return known

    def take(self, table: str) -> int:
        """The next free number of a table."""
        taken: int = self._next[table]
        self._next[table] = taken + 1
        return taken


def _message_row(vocabulary: Vocabulary, hunk_id: int, message_words: Packed) -> HunkWords:
    return vocabulary, hunk_id, message_words, b"", b"", b"", b"", b""

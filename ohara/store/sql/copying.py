"""Reads an index to be copied into another: whole commits and what the passes found, many at a time."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from ohara.history.copies import Copied
from ohara.history.reasons import Reason
from ohara.history.threads import Member
from ohara.model import ChangeKind, Failure, LeftOut, Pass, Sha, Symbol, SymbolKind
from ohara.store.copying import CopiedCommit, CopiedFile, CopiedHunk, CopiedLines, CopiedVectors
from ohara.store.derived import HeadFile, TouchedSymbol
from ohara.store.lines import HeadVersion, How, LineEnd, MergedFile
from ohara.store.sql.hydrate import read_commits
from ohara.store.sql.session import EFFECTIVE_LEFT_OUT, PASS_BITS
from ohara.store.sql.stored_enum import member

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from ohara.model import Commit, VectorForm
    from ohara.store.facts import KnowsFacts
    from ohara.store.sql.session import Session

_COMMITS = "SELECT sha, id, live, passes FROM commits"
_VERDICTS = "SELECT path, left_out FROM path WHERE left_out IS NOT NULL"
_IN = "IN (SELECT value FROM numbers(?))"
_FILES = f"""SELECT file.commit_id, file.id, file.kind, path.path, old.path, file.old_blob, file.new_blob,
    file.additions, file.deletions, file.left_out, {EFFECTIVE_LEFT_OUT} IS NULL
  FROM file JOIN path ON path.id = file.path_id LEFT JOIN path AS old ON old.id = file.old_path_id
  WHERE file.commit_id {_IN} ORDER BY file.id"""
_HUNKS = f"""SELECT hunk.file_id, hunk.id, hunk.content_id, old_start, old_lines, new_start, new_lines,
    coalesce(header.header, ''), content.digest, content.body
  FROM hunk LEFT JOIN content ON content.id = hunk.content_id LEFT JOIN header ON header.id = hunk.header_id
  WHERE hunk.commit_id {_IN} AND hunk.file_id != 0 ORDER BY hunk.id"""
_HUNK_NUMBERS = f"""SELECT commit_id, id, content_id FROM hunk
  WHERE commit_id {_IN} AND file_id != 0 ORDER BY file_id, id"""
_ROOTS = "SELECT sha FROM commits WHERE length(parents) = 0 AND live = 1 ORDER BY sha"
_TOUCHED = f"""SELECT hunk.id, symbol.kind, symbol.name, symbol.qualified FROM hunk
  JOIN hunk_symbol ON hunk_symbol.hunk_id = hunk.id JOIN symbol ON symbol.id = hunk_symbol.symbol_id
  WHERE hunk.commit_id {_IN} ORDER BY hunk.id, symbol.qualified, symbol.kind"""
_CONTENTS = f"""SELECT DISTINCT commit_id, content_id FROM hunk
  WHERE commit_id {_IN} AND content_id IS NOT NULL"""
_ENDS = f"""SELECT commit_id, hunk_id, first, lines, solid, how, to_hunk, to_first FROM line_end
  WHERE commit_id {_IN}"""
_COUNTS = f"""SELECT hunk.commit_id, hunk_id, solid FROM line_count JOIN hunk ON hunk.id = hunk_id
  WHERE hunk.commit_id {_IN}"""
_MERGED = f"""SELECT commit_id, path.path, blob FROM merged_file JOIN path ON path.id = path_id
  WHERE commit_id {_IN}"""
_HEAD_VERSIONS = """SELECT head_version.id, path.path, blob, commit_id FROM head_version
  JOIN path ON path.id = path_id ORDER BY head_version.id"""
_HEAD_LINES = "SELECT version_id, line, lines, solid, hunk_id, first FROM head_line ORDER BY version_id, line"
_HEAD_FILES = """SELECT head_file.blob_id, path.path, blob, parsed_blob.language FROM head_file
  JOIN path ON path.id = head_file.path_id JOIN parsed_blob ON parsed_blob.id = head_file.blob_id"""
_HEAD_SYMBOLS = """SELECT blob_id, kind, name, qualified, first_line, last_line, siblings FROM head_symbol
  JOIN symbol ON symbol.id = symbol_id ORDER BY blob_id, first_line, qualified"""
_THREADS = "SELECT first_id, commit_id, reason FROM thread ORDER BY first_id, place"
_COPIES = """SELECT copy.first_id, copy.commit_id, copy.branches FROM copy
  JOIN commits ON commits.id = copy.commit_id ORDER BY copy.first_id, committer_time, sha"""
_FAILURES = "SELECT sha, reason, attempts, missing FROM failure ORDER BY sha"


class CopySource(ABC):
    """An index that is read to be copied; an engine adds its vectors."""

    def __init__(self, session: Session, facts: KnowsFacts) -> None:
        self._session = session
        self.facts = facts

    @abstractmethod
    def vector_form(self) -> tuple[VectorForm, int] | None:
        """How vectors are packed, and their dimensions; None when there are none."""

    @abstractmethod
    def content_vectors(self, contents: Sequence[int]) -> Mapping[int, bytes]:
        """The vectors of contents by the present model."""

    @abstractmethod
    def commit_vectors(self, numbers: Sequence[int]) -> Mapping[int, tuple[bytes, bytes]]:
        """The vectors of commits' subjects and changes by the present model."""

    def commits(self) -> dict[Sha, tuple[int, bool, frozenset[Pass]]]:
        """Every stored commit."""
        return {
            Sha(sha.hex()): (number, bool(live), _passes(bits))
            for sha, number, live, bits in self._session.rows(_COMMITS)
        }

    def verdicts(self) -> dict[str, str]:
        """Why paths are left out of search."""
        return dict(self._session.rows(_VERDICTS))

    def read(self, numbers: Sequence[int]) -> list[CopiedCommit]:
        """Whole commits."""
        asked = (self._session.listed(numbers),)
        commits: dict[int, Commit] = read_commits(self._session, numbers)
        unpack = self._session.codec.unpack
        hunks: dict[int, list[CopiedHunk]] = defaultdict(list)
        for file, hunk, content, old, old_lines, new, new_lines, header, digest, body in self._session.rows(
            _HUNKS, asked
        ):
            text = unpack(body) if body is not None else ""
            place = (old, old_lines, new, new_lines)
            hunks[file].append(CopiedHunk(hunk, content, *place, header, digest or b"", text))
        files: dict[int, list[CopiedFile]] = defaultdict(list)
        for commit, file, *row in self._session.rows(_FILES, asked):
            files[commit].append(_file(row, hunks.get(file, ())))
        return [CopiedCommit(each, commits[each], tuple(files.get(each, ()))) for each in numbers]

    def hunks(self, numbers: Sequence[int]) -> dict[int, list[tuple[int, int | None]]]:
        """The hunks of some commits, each with its content."""
        found: dict[int, list[tuple[int, int | None]]] = {number: [] for number in numbers}
        for commit, hunk, content in self._session.rows(_HUNK_NUMBERS, (self._session.listed(numbers),)):
            found[commit].append((hunk, content))
        return found

    def roots(self) -> tuple[str, ...]:
        """The live commits without parents."""
        return tuple(row[0].hex() for row in self._session.rows(_ROOTS))

    def touched(self, numbers: Sequence[int]) -> dict[int, list[TouchedSymbol]]:
        """The symbols that each hunk of some commits touches."""
        found: dict[int, list[TouchedSymbol]] = defaultdict(list)
        for hunk, *symbol in self._session.rows(_TOUCHED, (self._session.listed(numbers),)):
            found[hunk].append(TouchedSymbol(*symbol))
        return found

    def vectors(self, numbers: Sequence[int]) -> dict[int, CopiedVectors]:
        """The vectors of some commits."""
        contents: dict[int, list[int]] = defaultdict(list)
        for commit, content in self._session.rows(_CONTENTS, (self._session.listed(numbers),)):
            contents[commit].append(content)
        known = self.content_vectors([one for each in contents.values() for one in each])
        whole = self.commit_vectors(numbers)
        return {
            number: CopiedVectors(
                {content: known.get(content, b"") for content in contents.get(number, ())},
                *whole.get(number, (b"", b"")),
            )
            for number in numbers
        }

    def lines(self, numbers: Collection[int]) -> dict[int, CopiedLines]:
        """What some commits did to lines."""
        if not self._session.has_lines:
            return {}
        asked = (self._session.listed(numbers),)
        ends: dict[int, list[LineEnd]] = defaultdict(list)
        for commit, hunk, first, lines, solid, how, to_hunk, to_first in self._session.rows(_ENDS, asked):
            ends[commit].append(
                LineEnd(hunk, first, lines, solid, commit, member(How, how), to_hunk, to_first)
            )
        counts: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for commit, hunk, solid in self._session.rows(_COUNTS, asked):
            counts[commit].append((hunk, solid))
        merged: dict[int, list[MergedFile]] = defaultdict(list)
        for commit, path, blob in self._session.rows(_MERGED, asked):
            merged[commit].append(MergedFile(path, blob.hex()))
        return {
            number: CopiedLines(tuple(ends[number]), tuple(counts[number]), tuple(merged[number]))
            for number in numbers
        }

    def head_lines(self) -> list[HeadVersion]:
        """The files kept for HEAD."""
        if not self._session.has_lines:
            return []
        runs: dict[int, list[tuple[int, ...]]] = defaultdict(list)
        for version, *run in self._session.rows(_HEAD_LINES):
            runs[version].append(tuple(run))
        return [
            _version(path, blob, commit, runs.get(version, ()))
            for version, path, blob, commit in self._session.rows(_HEAD_VERSIONS)
        ]

    def head_symbols(self) -> Iterator[tuple[HeadFile, list[Symbol]]]:
        """The files of HEAD with what they define."""
        symbols: dict[int, list[Symbol]] = defaultdict(list)
        for blob, kind, name, qualified, first, last, siblings in self._session.rows(_HEAD_SYMBOLS):
            symbols[blob].append(
                Symbol(SymbolKind(kind), name, qualified, first, last, tuple(siblings.split()))
            )
        for number, path, blob, language in self._session.rows(_HEAD_FILES):
            yield HeadFile(path, blob.hex(), language), symbols.get(number, [])

    def threads(self) -> tuple[list[list[Member]], list[list[Copied]]]:
        """The threads, and the copies of changes."""
        if not self._session.has_threads:
            return [], []
        threads: dict[int, list[Member]] = defaultdict(list)
        for first, commit, reason in self._session.rows(_THREADS):
            threads[first].append(Member(commit, member(Reason, reason)))
        copies: dict[int, list[Copied]] = defaultdict(list)
        for first, commit, branches in self._session.rows(_COPIES):
            copies[first].append(Copied(commit, tuple(json.loads(branches))))
        return list(threads.values()), list(copies.values())

    def failures(self) -> list[tuple[Failure, tuple[str, ...]]]:
        """The commits that could not be wholly read."""
        return [
            (Failure(Sha(sha.hex()), reason, attempts), tuple(missing.split()))
            for sha, reason, attempts, missing in self._session.rows(_FAILURES)
        ]


def _passes(bits: int) -> frozenset[Pass]:
    return frozenset(stage for stage, bit in PASS_BITS.items() if bits & bit)


def _file(row: Sequence[Any], hunks: Iterable[CopiedHunk]) -> CopiedFile:
    kind, path, old_path, old, new, additions, deletions, left_out, searched = row
    return CopiedFile(
        member(ChangeKind, kind),
        path,
        old_path,
        old and old.hex(),
        new and new.hex(),
        additions,
        deletions,
        member(LeftOut, left_out) if left_out else None,
        bool(searched),
        tuple(hunks),
    )


def _version(path: str, blob: bytes, commit: int, runs: Iterable[tuple[int, ...]]) -> HeadVersion:
    """A version as it was given; of blank lines only the number is stored: a run's first stand for them."""
    segments: list[tuple[int, int, int]] = []
    blank: set[int] = set()
    at = 0
    for line, lines, solid, hunk, first in runs:
        if line - 1 > at:
            segments.append((line - 1 - at, 0, 0))
        segments.append((lines, hunk, first))
        blank.update(range(line - 1, line - 1 + lines - solid))
        at = line - 1 + lines
    return HeadVersion(path, blob.hex(), commit, segments, frozenset(blank))

"""The first step over a commit, in a worker: its diff, cut into pieces, as words and as lines.

Everything that does not need the database happens here, so that the one writer only inserts.
"""

from __future__ import annotations

import time
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ohara.encoded import is_mostly_encoded, leave_out
from ohara.errors import RepositoryError, reason_of
from ohara.git import decode
from ohara.git.bounds import MOST_ENTRIES
from ohara.git.diff import DiffOptions, iter_changes
from ohara.git.patches import Patches
from ohara.git.repo import Repository
from ohara.git.walk import read_commit
from ohara.index.ipc import Failed, Part
from ohara.index.lines import sides, with_trigrams
from ohara.index.numbered import NO_WORDS, NumberedWords, with_vocabulary
from ohara.index.rules import Exclusions
from ohara.languages import language_of
from ohara.model import Hunk
from ohara.parse.chunks import split
from ohara.store.prepared import HunkWords, PreparedCommit, PreparedFile, PreparedHunk
from ohara.store.trigram_codes import packed_trigrams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ohara.index.ipc import Task, WorkerSetup
    from ohara.model import FileChange, Sha
    from ohara.store.vocabulary import Packed

_PART_CHARS = 1 << 20  # a message to the writer carries about this much diff text
_LITERAL_ONLY_FACTOR = 20  # left-out files are only searched exactly: larger pieces cost them nothing

_WORTH_GIT = 12  # commits in a task from which on a git to compare them is worth its start

_SHORT_LINES = 4  # so many times shorter than the two budgets agree on: a mean of some four characters

# A pure rename, a mode change or a submodule: no lines, yet found by its path and the commit's words.
_NO_LINES = (Hunk(old_start=0, old_lines=0, new_start=0, new_lines=0, header="", body=""),)


class Extractor:
    """Prepares commits of one repository."""

    def __init__(self, setup: WorkerSetup) -> None:
        self._setup = setup
        self._repository = Repository.open(Path(setup.repository))
        self._exclusions = Exclusions(setup.rules)
        self._options = DiffOptions(max_blob_bytes=setup.max_blob_bytes)
        self._patches = Patches(self._repository, self._options)
        self._words = NumberedWords()

    def run(self, task: Task) -> Iterator[Part | Failed]:
        """Prepare each commit of the task; one that cannot be read is reported and the rest goes on."""
        ready: list[PreparedCommit] = []
        size = 0
        if len(task.items) >= _WORTH_GIT:
            self._patches.ask(task.items)  # type: ignore[arg-type]
        for sha in task.items:
            begun = len(ready)
            try:
                for part in self.prepare(sha):  # type: ignore[arg-type]
                    ready.append(part)
                    size += _size(part)
                    if size >= _PART_CHARS:
                        yield Part(task.number, self._finished(ready))
                        ready, size, begun = [], 0, 0
            except MemoryError:
                raise  # this process is of no more use
            except Exception as fault:  # noqa: BLE001 - one commit's fault must not stop the others
                del ready[begun:]
                yield Failed(task.number, sha, reason_of(fault))
        if ready:
            yield Part(task.number, self._finished(ready))

    def _finished(self, ready: list[PreparedCommit]) -> tuple[PreparedCommit, ...]:
        """Commits with what is made of many at once."""
        return with_vocabulary(_with_packed_trigrams(ready), self._words)

    def prepare(self, sha: Sha) -> Iterator[PreparedCommit]:
        """One commit, in more than one part when it is too big to hold at once; without a vocabulary yet."""
        commit = read_commit(self._repository, sha)
        message_words = self._words.pack(commit.message)
        files: list[PreparedFile] = []
        missing: set[str] = set()
        beyond: set[bytes] = set()
        size = 0
        first, searchable = True, False
        ends = time.process_time() + self._setup.commit_seconds
        for change in iter_changes(
            self._repository, sha, self._options, missing=missing, beyond=beyond, patches=self._patches
        ):
            prepared = self._file(change)
            files.append(prepared)
            searchable = searchable or any(hunk.words is not None for hunk in prepared.hunks)
            size += sum(len(hunk.body) for hunk in prepared.hunks) + 200
            if time.process_time() > ends:
                raise RepositoryError(f"it takes longer than {self._setup.commit_seconds:g} s", hint="")
            if size >= _PART_CHARS:
                yield PreparedCommit(
                    commit, message_words, tuple(files), (), False, NO_WORDS, first, last=False
                )
                files, size, first = [], 0, False
        yield PreparedCommit(
            commit,
            message_words,
            tuple(files),
            tuple(sorted(missing)),
            not searchable,
            NO_WORDS,
            first,
            left_out=_beyond(beyond),
        )

    def _file(self, change: FileChange) -> PreparedFile:
        left_out = self._exclusions.change(change)
        searchable = self._exclusions.reason_beside(left_out, change.path) is None
        hunks = change.hunks or (_NO_LINES if change.left_out is None else ())
        return PreparedFile(
            kind=change.kind,
            path=change.path,
            old_path=change.old_path,
            old_blob=change.old_blob,
            new_blob=change.new_blob,
            additions=change.additions,
            deletions=change.deletions,
            left_out=left_out,
            path_words=self._words.pack(change.path),
            hunks=tuple(
                _hunk(piece, self._words.pack if searchable else None)
                for hunk in hunks
                for piece in self._pieces(hunk, change, searchable=searchable)
            ),
        )

    def _pieces(self, hunk: Hunk, change: FileChange, *, searchable: bool) -> tuple[Hunk, ...]:
        """The hunk cut to the budget, on syntax boundaries when it will be searched by meaning."""
        chars, lines = self._setup.chunk_chars, self._setup.chunk_lines
        if searchable and len(hunk.body) <= chars and hunk.body.count("\n") < lines:
            return (hunk,)
        # Of encoded text there is nothing to find by words either; what stands beside it is in its piece.
        if not searchable or is_mostly_encoded(hunk.body):
            chars, lines = chars * _LITERAL_ONLY_FACTOR, lines * _LITERAL_ONLY_FACTOR
            return split(hunk, None, None, chars=chars, lines=lines)
        # A screen of lines that hold a few characters each says nothing yet: then characters alone count.
        if len(hunk.body) * lines < (hunk.body.count("\n") + 1) * chars // _SHORT_LINES:
            return split(hunk, None, None, chars=chars, by_size=True)
        # Parsing the hunk's own lines cuts as well as parsing its whole file, in a fifth of the time.
        return split(hunk, None, language_of(change.path), chars=chars, lines=lines)


def _hunk(hunk: Hunk, pack: Callable[[str], Packed] | None) -> PreparedHunk:
    kept = leave_out(hunk.body)
    parts = sides(kept.body)
    words = None
    if pack is not None and not kept.is_bare:
        words = HunkWords(*map(pack, (hunk.header, parts.added, parts.removed, parts.context)))
    digest = (
        blake2b(hunk.body.encode("utf-8", "surrogatepass"), digest_size=16).digest() if hunk.body else b""
    )
    return PreparedHunk(
        hunk.old_start,
        hunk.old_lines,
        hunk.new_start,
        hunk.new_lines,
        hunk.header,
        digest,
        hunk.body,
        with_trigrams(parts.changed),
        words,
        kept.signs,
    )


def _with_packed_trigrams(ready: list[PreparedCommit]) -> list[PreparedCommit]:
    """Commits with the trigrams of their changed lines in place of these."""
    hunks = [hunk for commit in ready for file in commit.files for hunk in file.hunks]
    packed = packed_trigrams([hunk.changed for hunk in hunks])
    made = iter(
        [hunk._replace(changed="", trigrams=trigrams) for hunk, trigrams in zip(hunks, packed, strict=True)]
    )
    return [
        commit._replace(
            files=tuple([file._replace(hunks=tuple(islice(made, len(file.hunks)))) for file in commit.files])
        )
        for commit in ready
    ]


def _beyond(folders: set[bytes]) -> str:
    """The reason for folders with more files than are read of one commit."""
    if not folders:
        return ""
    others = f" and {len(folders) - 1:,} more folders" if len(folders) > 1 else ""
    return (
        f"{decode.text(min(folders))}{others} left out: more than {MOST_ENTRIES:,} files, or nested too deep"
    )


def _size(part: PreparedCommit) -> int:
    return 500 + sum(200 + len(hunk.body) for file in part.files for hunk in file.hunks)

"""The first step over a commit, in a worker: its diff, cut into pieces, as words and as lines.

Everything that does not need the database happens here, so that the one writer only inserts.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from ohara.encoded import is_mostly_encoded
from ohara.errors import RepositoryError, reason_of
from ohara.git import decode
from ohara.git.bounds import MOST_ENTRIES
from ohara.git.diff import DiffOptions, iter_changes
from ohara.git.patches import Patches
from ohara.git.repo import Repository
from ohara.git.walk import read_commit
from ohara.index.hunk_texts import hunk_texts
from ohara.index.ipc import Failed, Part
from ohara.index.numbered import NO_WORDS
from ohara.index.rules import Exclusions
from ohara.languages import language_of
from ohara.model import Hunk
from ohara.parse.chunks import split
from ohara.store.prepared import PreparedCommit, PreparedFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ohara.index.ipc import Task, WorkerSetup
    from ohara.model import FileChange, Sha

_PART_CHARS = 1 << 20  # a message to the writer carries about this much diff text
_LITERAL_ONLY_FACTOR = 20  # left-out files are only searched exactly: larger pieces cost them nothing

# An index learns to compress from its first 4,000 bodies, and again later; after so many hunks of its own a
# worker looks whether it has, and then now and then whether it has learnt more.
_FIRST_LOOK_HUNKS = 2_500
_NEXT_LOOK_HUNKS = 1_500
_LATER_LOOK_HUNKS = 8_000

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
        self._texts = hunk_texts()
        self._compress: Callable[[bytes], bytes] | None = None
        self._until_look = _FIRST_LOOK_HUNKS  # whether the index has learnt how to compress
        self._sent_chars = 0  # of diff text, in all
        self._spent_s = _ProcessorTime()

    def run(self, task: Task) -> Iterator[Part | Failed]:
        """Prepare each commit of the task; one that cannot be read is reported and the rest goes on."""
        ready: list[PreparedCommit] = []
        before = self._sent_chars
        if len(task.items) >= _WORTH_GIT:
            self._patches.ask(task.items)  # type: ignore[arg-type]
        self._learn_to_compress()
        for sha in task.items:
            begun = len(ready)
            try:
                for part in self.prepare(sha):  # type: ignore[arg-type]
                    ready.append(part)
                    if self._sent_chars - before >= _PART_CHARS:
                        yield Part(task.number, self._texts.finished(ready))
                        ready, before, begun = [], self._sent_chars, 0
            except MemoryError:
                raise  # this process is of no more use
            except Exception as fault:  # noqa: BLE001 - one commit's fault must not stop the others
                del ready[begun:]
                yield Failed(task.number, sha, reason_of(fault))
        if ready:
            yield Part(task.number, self._texts.finished(ready))

    def prepare(self, sha: Sha) -> Iterator[PreparedCommit]:
        """One commit, in more than one part when it is too big to hold at once; without a vocabulary yet."""
        commit = read_commit(self._repository, sha)
        message_words = self._texts.pack(commit.message)
        files: list[PreparedFile] = []
        missing: set[str] = set()
        beyond: set[bytes] = set()
        size = 500
        first, searchable = True, False
        ends = self._spent_s() + self._setup.commit_seconds
        for change in iter_changes(
            self._repository, sha, self._options, missing=missing, beyond=beyond, patches=self._patches
        ):
            prepared = self._file(change)
            files.append(prepared)
            self._until_look -= len(prepared.hunks)
            searchable = searchable or any(hunk.words is not None for hunk in prepared.hunks)
            size += sum(len(hunk.body) for hunk in change.hunks) + 200 * (1 + len(prepared.hunks))
            if self._spent_s() > ends:
                raise RepositoryError(f"it takes longer than {self._setup.commit_seconds:g} s", hint="")
            if size >= _PART_CHARS:
                self._sent_chars += size
                yield PreparedCommit(
                    commit, message_words, tuple(files), (), False, NO_WORDS, first, last=False
                )
                files, size, first = [], 0, False
                message_words = self._texts.pack(commit.message)  # words may have other numbers by now
        self._sent_chars += size
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

    def _learn_to_compress(self) -> None:
        """Look now and then whether the index has learnt how to compress bodies: then that is done here."""
        if self._until_look <= 0:
            from ohara.store.engines import index_at  # late: the newest commits are there before it is loaded

            self._compress = index_at(self._setup.location).stored_commits().compress
            self._until_look = _NEXT_LOOK_HUNKS if self._compress is None else _LATER_LOOK_HUNKS

    def _file(self, change: FileChange) -> PreparedFile:
        left_out = self._exclusions.change(change)
        searchable = self._exclusions.reason_beside(left_out, change.path) is None
        hunks = change.hunks or (_NO_LINES if change.left_out is None else ())
        pieces = [piece for hunk in hunks for piece in self._pieces(hunk, change, searchable=searchable)]
        path_words, prepared = self._texts.prepared(
            change.path, pieces, searchable=searchable, compress=self._compress
        )
        return PreparedFile(
            kind=change.kind,
            path=change.path,
            old_path=change.old_path,
            old_blob=change.old_blob,
            new_blob=change.new_blob,
            additions=change.additions,
            deletions=change.deletions,
            left_out=left_out,
            path_words=path_words,
            hunks=prepared,
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


class _ProcessorTime:
    """What this process has had of the processor, as of less than a second ago.

    The system is asked, which takes as long as a small file's hunks do; the clock is read without it.
    """

    def __init__(self) -> None:
        self._spent_s = 0.0
        self._until = 0.0

    def __call__(self) -> float:
        if (now := time.monotonic()) >= self._until:
            self._spent_s, self._until = time.process_time(), now + 1
        return self._spent_s


def _beyond(folders: set[bytes]) -> str:
    """The reason for folders with more files than are read of one commit."""
    if not folders:
        return ""
    others = f" and {len(folders) - 1:,} more folders" if len(folders) > 1 else ""
    return (
        f"{decode.text(min(folders))}{others} left out: more than {MOST_ENTRIES:,} files, or nested too deep"
    )

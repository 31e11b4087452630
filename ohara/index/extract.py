"""The first step over a commit, in a worker: its diff, cut into pieces, as words and as lines.

Everything that does not need the database happens here, so that the one writer only inserts.
"""

from __future__ import annotations

import time
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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
        self._words = NumberedWords()
        self._compress: Callable[[bytes], bytes] | None = None
        self._until_look = _FIRST_LOOK_HUNKS  # whether the index has learnt how to compress
        self._sent_chars = 0  # of diff text, in all

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
                        yield Part(task.number, self._finished(ready))
                        ready, before, begun = [], self._sent_chars, 0
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
        size = 500
        first, searchable = True, False
        ends = time.process_time() + self._setup.commit_seconds
        for change in iter_changes(
            self._repository, sha, self._options, missing=missing, beyond=beyond, patches=self._patches
        ):
            prepared = self._file(change)
            files.append(prepared)
            self._until_look -= len(prepared.hunks)
            searchable = searchable or any(hunk.words is not None for hunk in prepared.hunks)
            size += sum(len(hunk.body) for hunk in change.hunks) + 200 * (1 + len(prepared.hunks))
            if time.process_time() > ends:
                raise RepositoryError(f"it takes longer than {self._setup.commit_seconds:g} s", hint="")
            if size >= _PART_CHARS:
                self._sent_chars += size
                yield PreparedCommit(
                    commit, message_words, tuple(files), (), False, NO_WORDS, first, last=False
                )
                files, size, first = [], 0, False
                message_words = self._words.pack(commit.message)  # words may have other numbers by now
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
        cut = [
            _Cut.of(piece) for hunk in hunks for piece in self._pieces(hunk, change, searchable=searchable)
        ]
        texts = [text for each in cut if searchable for text in each.texts]
        path_words, *columns = self._words.pack_all([change.path, *texts])
        words = iter(columns)
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
            hunks=tuple(
                [
                    _hunk(
                        each,
                        HunkWords(*islice(words, len(each.texts))) if searchable and each.texts else None,
                        self._compress,
                    )
                    for each in cut
                ]
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


class _Cut(NamedTuple):
    """A piece of a hunk taken apart: its body as bytes, its changed lines, its columns that have words.

    Encoded text is in its body alone; where it is nothing else, no column has words.
    """

    hunk: Hunk
    data: bytes
    changed: str
    signs: int | None
    texts: tuple[str, ...]

    @classmethod
    def of(cls, hunk: Hunk) -> _Cut:
        """Take a piece apart."""
        data = hunk.body.encode("utf-8", "surrogatepass")
        kept = leave_out(hunk.body, data)
        added, removed, context, changed = sides(kept.body)
        texts = () if kept.is_bare else (hunk.header, added, removed, context)
        return cls(hunk, data, with_trigrams(changed), kept.signs, texts)


def _hunk(cut: _Cut, words: HunkWords | None, compress: Callable[[bytes], bytes] | None) -> PreparedHunk:
    hunk, data, changed, signs, _ = cut
    return PreparedHunk(
        hunk.old_start,
        hunk.old_lines,
        hunk.new_start,
        hunk.new_lines,
        hunk.header,
        blake2b(data, digest_size=16).digest() if data else b"",
        compress(data) if compress is not None and data else hunk.body,
        changed,
        words,
        signs,
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

"""Where added lines stand in the files of one commit: as it is kept for HEAD, or looked up for another.

For a commit other than the one whose files are kept, only the files that differ are looked up, and of those
only the ones that may hold what is asked for.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from ohara.fate.origins import Origins, Wanted
from ohara.git import decode, tree
from ohara.model import HunkId
from ohara.store.facts import HEAD_LINES
from ohara.store.lines import HeadLines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from ohara.git.repo import Repository
    from ohara.model import Sha
    from ohara.store.lines import Segment
    from ohara.store.reading import Reader


_MOST_REMEMBERED = 200  # files, whose lines come in some hundreds of runs each
_MOST_LINES = 200_000  # of the files whose text is remembered: some thirty megabytes
_MOST_LOOKED_UP = 60  # files, at up to a tenth of a second each


class TookTooLong(Exception):
    """Looking up the files that differ did not end in time."""


class MadeLines(NamedTuple):
    """A run of lines of a file, from a line on, with the commit that made them."""

    start: int
    lines: int
    commit: int


class MadeBy:
    """Which commits made the lines of a file.

    It is remembered, and so are other files' lines: whatever is kept as numbers and not as objects, the
    collector of garbage need not go through again and again.
    """

    def __init__(self, runs: Iterable[MadeLines]) -> None:
        """The runs come in their order."""
        kept = list(runs)
        self._starts = [run.start for run in kept]
        self._ends = [run.start + run.lines for run in kept]
        self._commits = [run.commit for run in kept]

    def commit_of(self, line: int) -> int | None:
        """The commit that made a line, from 1; None where that is not known."""
        at = bisect_right(self._starts, line) - 1
        return self._commits[at] if at >= 0 and line < self._ends[at] else None


class FileLines:
    """The lines of a file, and which texts are among them."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self._texts = frozenset(lines)

    def places(self, wanted: AbstractSet[str]) -> dict[str, list[int]]:
        """At which places (from 0) each of some texts is, of those that are there."""
        there = self._texts & wanted
        found: dict[str, list[int]] = {text: [] for text in there}
        if there:
            for at, line in enumerate(self.lines):
                if line in there:
                    found[line].append(at)
        return found


class Tip:
    """The files of a commit, and whose lines they consist of."""

    def __init__(self, repository: Repository, sha: Sha) -> None:
        self._repository = repository
        self.sha = sha
        self._blobs: dict[str, str] | None = None
        self._found: dict[str, list[HeadLines]] = {}
        self._made: dict[str, MadeBy] = {}
        self._files: dict[str, FileLines] = {}
        self._lines_kept = 0
        self._kept_files: tuple[set[tuple[str, str]], set[str]] | None = None

    @property
    def blobs(self) -> dict[str, str]:
        """The content of every file."""
        if self._blobs is None:
            root = self._repository.links(self.sha).tree
            self._blobs = {
                decode.path(path): entry.blob
                for path, entry in tree.files(self._repository.objects, root, set())
            }
        return self._blobs

    def lines_of(self, reader: Reader, hunks: Collection[int], until: float) -> list[HeadLines]:
        """Where added lines of some hunks stand; TookTooLong when that is not known by then."""
        kept = reader.at_head(hunks)
        if self.is_kept(reader):
            return kept
        return [*self._still(reader, kept), *self._differing(reader, set(hunks), until)]

    def all_lines(self, reader: Reader, until: float) -> list[HeadLines]:
        """Where added lines of all hunks stand; TookTooLong when that is not known by then."""
        return [*self._still(reader, reader.all_at_head()), *self._differing(reader, None, until)]

    def file(self, path: str) -> FileLines:
        """A file's lines, read once; none where there is no file."""
        if path not in self._files:
            lines = self._repository.lines_at(self.sha, path)
            if self._lines_kept > _MOST_LINES or len(self._files) >= _MOST_REMEMBERED:
                self._files.clear()
                self._lines_kept = 0
            self._files[path] = FileLines(lines or [])
            self._lines_kept += len(lines or ())
        return self._files[path]

    def made(self, path: str, find: Callable[[str], list[MadeLines]]) -> MadeBy:
        """Which commits made the lines of a file, found once: questions come back to the same few files."""
        if path not in self._made:
            if len(self._made) >= _MOST_REMEMBERED:
                self._made.clear()
            self._made[path] = MadeBy(find(path))
        return self._made[path]

    def is_kept(self, reader: Reader) -> bool:
        """True when the files that are kept are those of this commit."""
        return reader.fact(HEAD_LINES) == self.sha

    def is_far(self, reader: Reader) -> bool:
        """True when so many files differ from those that are kept that looking them all up takes too long."""
        kept, _ = self._kept(reader)
        return sum(1 for each in self.blobs.items() if each not in kept) > _MOST_LOOKED_UP

    def segments(self, reader: Reader, path: str) -> Sequence[Segment]:
        """The origins of a file's lines, in order; none where there is no file."""
        # Of one file there is no need to list them all, which in a new process takes longer than its answer.
        is_listed = self._blobs is not None
        blob = self.blobs.get(path) if is_listed else self._repository.blob_at(self.sha, path)
        if blob is None:
            return ()
        if self.is_kept(reader):  # what is kept was found for this very commit
            kept = reader.head_origins(path, blob, of_head=True)
            if kept is not None:
                return kept
        return self._looked_up(reader).of(Wanted(path, blob, self.sha))

    def _still(self, reader: Reader, kept: Iterable[HeadLines]) -> Iterator[HeadLines]:
        """What is kept for files that this commit has as well."""
        _, same = self._kept(reader)
        return (each for each in kept if each.path in same)

    def _kept(self, reader: Reader) -> tuple[set[tuple[str, str]], set[str]]:
        """The files that are kept for HEAD, and the paths of those that this commit has as well.

        A tip is for one state of the index and of what is kept there: they are asked for once.
        """
        if self._kept_files is None:
            kept = reader.head_versions()
            self._kept_files = kept, {path for path, blob in kept if self.blobs.get(path) == blob}
        return self._kept_files

    def _differing(self, reader: Reader, hunks: set[int] | None, until: float) -> Iterator[HeadLines]:
        kept, _ = self._kept(reader)
        paths = self.blobs if hunks is None else reader.paths_reached(map(HunkId, hunks))
        for path in paths:
            blob = self.blobs.get(path)
            if blob is None or (path, blob) in kept:
                continue
            if path not in self._found:
                reader.check()
                if time.monotonic() > until:
                    raise TookTooLong
                self._found[path] = list(self._lines(reader, path, blob))
            yield from (each for each in self._found[path] if hunks is None or each.hunk in hunks)

    def _lines(self, reader: Reader, path: str, blob: str) -> Iterator[HeadLines]:
        lines = (self._repository.read_blob(blob) or b"").split(b"\n")
        at = 0
        for count, hunk, first in self.segments(reader, path):
            if at >= len(lines):
                break
            if hunk:
                solid = sum(1 for line in lines[at : at + count] if line.strip())
                yield HeadLines(hunk, first, count, solid, path, at + 1)
            at += count

    def _looked_up(self, reader: Reader) -> Origins:
        links = reader.remembered("links", lambda: {link.sha: link for link in reader.links()})
        return Origins(self._repository, reader, links)

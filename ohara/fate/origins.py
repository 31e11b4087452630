"""Finds the origins of any file version's lines by going back to what is known, version by version.

Which change made a version is mostly told by its path and content alone. Where several did (a revert brings
a former content back), history is walked from the commit that has it. What no indexed change made has
unknown origins: nothing is guessed.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from ohara.fate.hunk_lines import own_lines, take_apart
from ohara.fate.merging import Merged, Side, merge_lines
from ohara.fate.segments import UNKNOWN, apply, by_line, of_lines
from ohara.git.hunks import groups
from ohara.git.other_folder import OtherFolders

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from ohara.fate.merging import Origin
    from ohara.git.repo import Repository
    from ohara.model import Sha
    from ohara.store.lines import ChangedHunk, CommitLink, LineHistory, Maker, Segment

_KEPT_SEGMENTS = 2_000_000  # of versions that may be asked for again: some 200 MB
_BINARY_SCAN = 8_000  # bytes, as git decides


class Wanted(NamedTuple):
    """A file version, and a commit that has it."""

    path: str
    blob: str
    at: Sha


class Origins:
    """Looks origins up; what was found is kept for the next question, within bounds."""

    def __init__(self, repository: Repository, history: LineHistory, links: Mapping[Sha, CommitLink]) -> None:
        self._repository = repository
        self._history = history
        self._links = links
        self._folders = OtherFolders(repository)
        self._known: OrderedDict[tuple[int, str], Sequence[Segment]] = OrderedDict()
        self._size = 0

    def of(self, wanted: Wanted) -> Sequence[Segment]:
        """The origins of a version's lines, in order."""
        waiting = [self._found(wanted)]
        value: Sequence[Segment] | None = None
        while waiting:
            try:
                need = waiting[-1].send(value)
            except StopIteration as done:
                waiting.pop()
                value = done.value
            else:
                waiting.append(self._found(need))
                value = None
        return value or []

    def made_by(self, wanted: Wanted) -> int:
        """The commit that made a version, 0 when none is indexed."""
        maker = self._maker(wanted, self._history.makers(wanted.path, wanted.blob))
        return maker.commit if maker else 0

    def _found(self, wanted: Wanted) -> Generator[Wanted, Sequence[Segment] | None, Sequence[Segment]]:
        """The origins of one version; yields the versions that it needs, and is sent their origins."""
        makers = self._history.makers(wanted.path, wanted.blob)
        if len(makers) < 2:
            stored = self._history.head_origins(wanted.path, wanted.blob)
            if stored is not None:
                return stored
        maker = self._maker(wanted, makers)
        if maker is None:
            return UNKNOWN
        key = (maker.commit, wanted.path)
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        link = self._links[maker.sha]
        if len(link.parents) > 1:
            sides: list[tuple[str, Sequence[Segment]]] = []
            for parent in link.parents:
                found = self._in_parent(wanted, parent, maker)
                if found is not None:
                    sides.append((found.blob, (yield found) or []))
            whole = next((origins for blob, origins in sides if blob == wanted.blob), None)
            merged = None if whole else put_together(self._repository, wanted.blob, sides, self._own(maker))
            segments: Sequence[Segment] = whole or (of_lines(merged.origins) if merged else UNKNOWN)
        else:
            segments = yield from self._changed(wanted, maker, link)
        self._keep(key, segments)
        return segments

    def _changed(
        self, wanted: Wanted, maker: Maker, link: CommitLink
    ) -> Generator[Wanted, Sequence[Segment] | None, Sequence[Segment]]:
        version = next(each for each in self._history.changed_files(maker.commit) if each.file == maker.file)
        before: Sequence[Segment] = []
        if version.old_blob is not None:
            if link.parents and link.parents[0] in self._links:
                older = Wanted(version.old_path or wanted.path, version.old_blob, link.parents[0])
                before = (yield older) or []
            else:
                before = UNKNOWN
        hunks = self._history.changed_hunks(maker.commit, version.file)
        return changed(before, hunks, is_same=version.old_blob == version.new_blob)

    def _maker(self, wanted: Wanted, makers: Sequence[Maker]) -> Maker | None:
        """The change that made a version: of several, the last one on the way to the commit that has it."""
        if len(makers) < 2:
            return makers[0] if makers else None
        by_sha = {maker.sha: maker for maker in makers}
        sha = wanted.at
        while sha in self._links:
            if sha in by_sha:
                return by_sha[sha]
            parents = self._links[sha].parents
            if len(parents) > 1:
                parents = tuple(
                    each for each in parents if self._repository.blob_at(each, wanted.path) == wanted.blob
                )
            if not parents:
                return None
            sha = parents[0]
        return None

    def _in_parent(self, wanted: Wanted, parent: Sha, maker: Maker) -> Wanted | None:
        """A parent's version of a file that a merge made, under the name that it has there."""
        if parent not in self._links:
            return None
        names = [wanted.path]
        if maker.file is not None:
            files = self._history.changed_files(maker.commit)
            names += [each.old_path for each in files if each.file == maker.file and each.old_path]
        for path in names:
            if (blob := self._repository.blob_at(parent, path)) is not None:
                return Wanted(path, blob, parent)
        for path, blob in self._folders.before(maker.sha, parent, wanted.path, wanted.blob):
            if self._history.makers(path, blob):
                return Wanted(path, blob, parent)
        return None

    def _own(self, maker: Maker) -> dict[int, Origin]:
        if maker.file is None:
            return {}
        return own_origins(self._history.changed_hunks(maker.commit, maker.file))

    def _keep(self, key: tuple[int, str], segments: Sequence[Segment]) -> None:
        self._known[key] = segments
        self._size += len(segments)
        while self._size > _KEPT_SEGMENTS and len(self._known) > 1:
            self._size -= len(self._known.popitem(last=False)[1])


def changed(before: Sequence[Segment], hunks: Sequence[ChangedHunk], *, is_same: bool) -> Sequence[Segment]:
    """The origins after the hunks of a file; a change without any was not read, unless nothing changed."""
    if not hunks:
        return before if is_same else UNKNOWN
    changes = [change for each in take_apart(hunks) for change in each.changes]
    return apply(before, changes)[0]


def own_origins(hunks: Iterable[ChangedHunk]) -> dict[int, Origin]:
    """The lines (from 0) of a merged file that the merge's own hunks add."""
    return {
        line: (hunk.hunk, offset) for hunk in hunks for offset, line in enumerate(own_lines(hunk).added_at)
    }


def put_together(
    repository: Repository,
    blob: str,
    sides: Sequence[tuple[str, Sequence[Segment]]],
    own: Mapping[int, Origin],
) -> Merged | None:
    """The lines of a merged file by its parents' versions; None when a text cannot be read as lines."""
    text = text_of(repository, blob)
    if text is None:
        return None
    compared: list[Side] = []
    for old, segments in sides:
        before = text_of(repository, old)
        if before is not None:
            compared.append(Side(by_line(segments, count_lines(before)), groups(before, text)))
    return merge_lines(count_lines(text), compared, own)


def count_lines(text: bytes) -> int:
    """How many lines a text has; one that does not end in a newline counts."""
    return text.count(b"\n") + (not text.endswith(b"\n") and bool(text))


def text_of(repository: Repository, blob: str) -> bytes | None:
    """A file's text; None where it cannot be read as lines."""
    data = repository.read_blob(blob)
    return None if data is None or _has_null(data) else data


def is_binary(repository: Repository, blob: str) -> bool:
    """True for a file that was read and has no lines."""
    data = repository.read_blob(blob)
    return data is not None and _has_null(data)


def _has_null(data: bytes) -> bool:
    return b"\0" in data[:_BINARY_SCAN]

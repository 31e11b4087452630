"""The structural search: in which changes matches of a pattern of syntax came or went, file by file.

As `git log -S` counts texts, this counts nodes of syntax trees, in the whole file before and after a change:
a hunk cuts trees apart. The changes of versions that may match (`version_candidates`) are compared in another
process, newest first.

Merges are passed over, as `git log -S` does.
"""

from __future__ import annotations

from dataclasses import field
from threading import Lock
from typing import TYPE_CHECKING

from ohara.git import tree
from ohara.git.file_diff import is_binary
from ohara.git.repo import Repository
from ohara.languages import language_of
from ohara.records import dataclass
from ohara.retrieve.shares import Shares
from ohara.retrieve.sought_code import Compared, Side, SoughtCode
from ohara.retrieve.version_candidates import Version
from ohara.structural.found import UNPARSED, Difference
from ohara.structural.pool import Pair, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from ohara.model import Sha
    from ohara.retrieve.version_candidates import Candidates
    from ohara.store.answers import FileVersion
    from ohara.structural.found import Found
    from ohara.structural.pool import Answered, Parsers

MOST_BYTES = 2 * 2**20  # of one file: larger ones are not code that a person wrote
_BATCH_CHANGES = 128
_BATCH_BYTES = 2 * 2**20
_KEPT_BYTES = 32 * 2**20  # of files that were read: the next change of a file begins with what this one made


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a file after which it has more matches, or fewer: those that came and those that went."""

    version: FileVersion
    before: int
    after: int
    gained: tuple[Found, ...]
    lost: tuple[Found, ...]


@dataclass(slots=True)
class Progress:
    """How far a search is: how many changes are looked at, of how many, how many of them differ in matches.

    And what cannot be parsed.
    """

    done: int = 0
    total: int = 0
    differing: int = 0
    unparsed: set[Side] = field(default_factory=set)


class Objects:
    """Files of one repository by their contents, read for one search at a time."""

    def __init__(self, place: Path) -> None:
        self._repository = Repository.open(place)

    def text(self, blob: str) -> bytes | None:
        """A file's text; None when it is missing or too large. A binary file has none."""
        data = self._repository.read_blob(blob, cap=MOST_BYTES)
        if data is None:
            return None
        return b"" if is_binary(data) else data

    def blobs_at(self, sha: Sha, paths: Iterable[str]) -> dict[str, str]:
        """What some paths hold in a commit."""
        root = self._repository.links(sha).tree
        found: dict[str, str] = {}
        for path in paths:
            entry = tree.find(self._repository.objects, root, path)
            if entry is not None:
                found[path] = entry.blob
        return found


# -- what matches --------------------------------------------------------------------------------


class Pickaxe:
    """One structural search: changes are looked at in batches, the newest first."""

    def __init__(self, sought: SoughtCode, found: Candidates, objects: Objects, parsers: Parsers) -> None:
        self._sought = sought
        self._found = found
        self._objects = objects
        self._parsers = parsers
        self._texts: dict[str, bytes | None] = {}
        self._text_bytes = 0
        self._lengths: dict[str, int] = {}
        self._words = [atom.encode() for atom in sought.atoms]
        self._differences: dict[Compared, Difference | None] = {}
        self._counts: dict[Side, int] = {}
        self.shares = Shares(())
        self._seen: dict[str, str] = {}
        self._reading = Lock()
        self._names: dict[frozenset[str], str] = {}
        self._unreadable: set[Side] = set()  # missing or too large, which is soon seen again, or for now
        self._hostile: set[Side] = set()
        self.rows: list[FileVersion] = []
        self.progress = Progress()

    def narrow(self, files: Callable[[Sequence[int]], set[int]] | None) -> None:
        """Choose the changes that are looked at: of files that hold the word, and that may answer."""
        rows = [
            row
            for row in self._found.versions
            if not row.merge and row.old_blob != row.new_blob and any(map(self._may_match, _sides(row)))
        ]
        may = files([row.file for row in rows]) if files is not None else None
        self.rows = rows if may is None else [row for row in rows if row.file in may]
        self._queue((self._compared(row), row.path) for row in self.rows)

    def _queue(self, compared: Iterable[tuple[Compared, str]]) -> None:
        paths = {each: path for each, path in compared if each.old != each.new}
        waiting = [(each, path) for each, path in paths.items() if each not in self._differences]
        self.shares = Shares(waiting)
        self.progress.total += len(waiting)

    def _compared(self, row: FileVersion) -> Compared:
        return Compared(self._side(_old(row)), self._side(_new(row)))

    def _side(self, version: Version | None) -> Side | None:
        if version is None or not self._may_match(version):
            return None
        language = language_of(version.path)
        return Side(language, version.blob) if language in self._sought.task.languages else None

    def _may_match(self, version: Version) -> bool:
        return self._found.may_match(version, self._text)

    def _text(self, blob: str) -> bytes | None:
        with self._reading:
            if blob not in self._texts:
                text = self._texts[blob] = self._objects.text(blob)
                self._text_bytes += len(text or b"")
                while self._text_bytes > _KEPT_BYTES and len(self._texts) > 1:
                    self._text_bytes -= len(self._texts.pop(next(iter(self._texts))) or b"")
            return self._texts[blob]

    def known(self, kept: Callable[[str, Sequence[str]], Mapping[str, Difference]]) -> None:
        """Take what earlier searches kept."""
        names: dict[str, dict[str, Compared]] = {}
        waiting = self.shares.waiting()
        for each, _, _ in waiting:
            names.setdefault(self._name(each), {})[each.key] = each
        for name, keys in names.items():
            for key, found in kept(name, list(keys)).items():
                self._take(keys[key], found)
        left = [(each, path) for each, path, _ in waiting if each not in self._differences]
        self.shares = Shares(left, self._parsers.count)
        self.progress.done += len(waiting) - len(left)

    def _name(self, compared: Compared) -> str:
        languages = compared.languages
        if languages not in self._names:
            self._names[languages] = self._sought.name(languages)
        return self._names[languages]

    def _take(self, compared: Compared, found: Difference) -> None:
        self._differences[compared] = found if found.is_known else None
        self.progress.differing += found.is_known and found.before != found.after
        for side, count in zip(compared, (found.before, found.after), strict=True):
            if side is not None and count == UNPARSED:
                self.progress.unparsed.add(side)
            elif side is not None and found.is_known:
                self._counts[side] = count

    def advance(self, share: int = 0) -> dict[str, dict[str, Difference]]:
        """Look at the next changes of a share; what is new, by the pattern's name and the contents'.

        Each share may be looked at in a thread of its own.
        """
        batch: list[Compared] = []
        texts: dict[Side, Text] = {}
        size = taken = 0
        waiting = self.shares.next(share)
        for compared, path, _ in waiting:
            if taken >= _BATCH_CHANGES or size >= _BATCH_BYTES:
                break
            taken += 1
            for side in reversed(compared):
                if side is not None and side not in texts and (length := self._length(side)):
                    texts[side] = Text(side.language, side.blob, self._seen.get(path, ""))
                    size += length
                    self._seen[path] = side.blob
            batch.append(compared)
        found = self._look_at(batch, texts, share)
        if found is None:
            return {}  # the same again, without the text that ended the parser
        del waiting[:taken]
        self.progress.done += taken
        fresh: dict[str, dict[str, Difference]] = {}
        for compared, difference in found.items():
            self._take(compared, difference)
            if not self._unreadable.intersection(compared):
                fresh.setdefault(self._name(compared), {})[compared.key] = difference
        return fresh

    def _length(self, side: Side) -> int:
        """How much is parsed of a content: nothing of one without the words, or that cannot be read."""
        length = self._lengths.get(side.blob)
        if length is None:
            data = self._text(side.blob)
            if data is None:
                self._unreadable.add(side)
            holds = data is not None and all(word in data for word in self._words)
            self._lengths[side.blob] = length = len(data or b"") if holds else 0
        return length

    def _look_at(
        self, batch: Sequence[Compared], texts: Mapping[Side, Text], share: int
    ) -> dict[Compared, Difference] | None:
        """Compare contents; those of which no text is sent hold nothing. None when the parser broke off."""
        at = {side: number for number, side in enumerate(texts)}
        pairs = {compared: Pair(*(at.get(side) if side else None for side in compared)) for compared in batch}
        unfit = self._unreadable | self._hostile
        sent = [
            compared
            for compared, pair in pairs.items()
            if pair != (None, None) and unfit.isdisjoint(compared)
        ]
        found = {compared: self._untold(compared) for compared in batch}
        if sent:
            answered = self._compare(list(texts.values()), [pairs[compared] for compared in sent], share)
            if answered.broken_off:
                if answered.ended_by is not None:
                    unfit = self._unreadable if answered.for_now else self._hostile
                    unfit.add(Side(answered.ended_by.language, answered.ended_by.name))
                    self._lengths[answered.ended_by.name] = 0
                return None
            found.update(zip(sent, answered.differences, strict=True))
        return found

    def _untold(self, compared: Compared) -> Difference:
        """What is kept of contents that hold nothing, or of which one cannot be parsed."""
        unfit = self._unreadable | self._hostile
        before, after = (UNPARSED if side in unfit else 0 for side in compared)
        return Difference(before, after)

    def _compare(self, texts: Sequence[Text], pairs: Sequence[Pair], share: int) -> Answered:
        def read(blob: str) -> bytes:
            return self._text(blob) or b""

        return self._parsers.compare(self._sought.task, texts, pairs, read, by=share)

    @property
    def is_done(self) -> bool:
        """True when every change that may differ is looked at."""
        return not self.shares.waiting()

    def changes(self) -> list[Change]:
        """The changes whose number of matches is known to rise or fall, newest first."""
        found: list[Change] = []
        for row in self.rows:
            difference = self._differences.get(self._compared(row))
            if difference is not None and difference.before != difference.after:
                gained, lost = difference.matches()
                found.append(Change(row, difference.before, difference.after, gained, lost))
        return found

    def look_at(self, sha: Sha) -> None:
        """Have the files of a commit looked at as well, at the paths of all candidates."""
        at = self._objects.blobs_at(sha, {row.path for row in self._found.versions})
        sides = ((self._side(Version(path, blob)), path) for path, blob in at.items())
        self._at = {path: side for side, path in sides if side is not None}
        self._queue(
            (Compared(None, side), path) for path, side in self._at.items() if side not in self._counts
        )

    _at: Mapping[str, Side] = {}

    def counted(self) -> tuple[int, int]:
        """How many matches there are in how many files of the commit that was looked at."""
        counts = [self._counts.get(side, 0) for side in self._at.values()]
        return sum(counts), sum(count > 0 for count in counts)


def _old(row: FileVersion) -> Version | None:
    return Version(row.old_path or row.path, row.old_blob) if row.old_blob else None


def _new(row: FileVersion) -> Version | None:
    return Version(row.path, row.new_blob) if row.new_blob else None


def _sides(row: FileVersion) -> list[Version]:
    return [side for side in (_new(row), _old(row)) if side is not None]

"""The structural search: in which changes matches of a pattern of syntax came or went, file by file.

As `git log -S` counts texts, this counts nodes of syntax trees, in the whole file before and after a change:
a hunk cuts trees apart. The versions that may match (`version_candidates`) are parsed in another process,
newest first, each once.

Merges are passed over, as `git log -S` does.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ohara.git import tree
from ohara.git.file_diff import is_binary
from ohara.git.repo import Repository
from ohara.languages import language_of
from ohara.model import LeftOut
from ohara.query.structure import atoms
from ohara.retrieve.version_candidates import Version
from ohara.structural.found import Listed
from ohara.structural.pool import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from ohara.model import Sha
    from ohara.query.structure import Structure
    from ohara.retrieve.version_candidates import Candidates
    from ohara.store.answers import FileVersion
    from ohara.structural.found import Found
    from ohara.structural.pool import Parsers
    from ohara.structural.rules import Rule

MOST_BYTES = 2 * 2**20  # of one file: larger ones are not code that a person wrote
_FORMAT = 3  # of what is kept: how a match is written
_NOTHING = Listed(0)
_BATCH_TEXTS = 32
_BATCH_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a file after which it has more matches, or fewer: those that came and those that went."""

    version: FileVersion
    before: int
    after: int
    gained: tuple[Found, ...]
    lost: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class SoughtCode:
    """What is looked for: a pattern or a rule, and the languages it is code in."""

    tasks: Mapping[str, Task]
    atoms: tuple[str, ...]

    @classmethod
    def of(cls, structure: Structure, languages: Iterable[str]) -> SoughtCode:
        """A pattern in some languages."""
        tasks = {each: Task(each, structure.text, dict(structure.where)) for each in languages}
        return cls(tasks, atoms(structure.text))

    @classmethod
    def of_rule(cls, rule: Rule, text: str, languages: Iterable[str]) -> SoughtCode:
        """A rule of ast-grep's own in some languages."""
        tasks = {each: Task(each, text, rule=rule.config) for each in languages}
        return cls(tasks, tuple(dict.fromkeys(atom for each in rule.patterns for atom in atoms(each))))

    def name(self, language: str) -> str:
        """What matches of this in a language are kept under."""
        task = self.tasks[language]
        told = repr((_FORMAT, language, task.pattern, sorted(task.where.items()), task.rule))
        return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(slots=True)
class Progress:
    """How far a search is: how many versions are looked at, of how many, and how many cannot be parsed."""

    done: int = 0
    total: int = 0
    unparsed: int = 0


class Objects:
    """Files of one repository by their contents, read for one search at a time."""

    def __init__(self, place: Path) -> None:
        self._repository = Repository.open(place)

    def text(self, blob: str) -> bytes | None:
        """A file's text; None when it is missing or too large. A binary file has none."""
        data = self._repository.objects.blob(bytes.fromhex(blob), MOST_BYTES)
        if isinstance(data, LeftOut):
            return None
        return b"" if is_binary(data) else data

    def blobs_at(self, sha: Sha, paths: Iterable[str]) -> dict[str, str]:
        """What some paths hold in a commit."""
        root = self._repository.links(sha).tree
        found: dict[str, str] = {}
        for path in paths:
            entry = tree.find(self._repository.objects, root, path)
            if entry is not None:
                found[path] = entry.oid.hex()
        return found


# -- what matches --------------------------------------------------------------------------------


class Pickaxe:
    """One structural search: versions are parsed in batches, the newest first."""

    def __init__(self, sought: SoughtCode, found: Candidates, objects: Objects, parsers: Parsers) -> None:
        self._sought = sought
        self._found = found
        self._objects = objects
        self._parsers = parsers
        self._texts: dict[str, bytes | None] = {}
        self._matches: dict[tuple[str, str], Listed | None] = {}
        self._waiting: list[tuple[str, str]] = []
        self.rows: list[FileVersion] = []
        self.progress = Progress()

    def narrow(self, files: Callable[[Sequence[int]], set[int]]) -> None:
        """Choose the changes that are looked at: of files that hold the word, and that may answer."""
        rows = [
            row
            for row in self._found.versions
            if not row.merge and row.old_blob != row.new_blob and any(map(self._may_match, _sides(row)))
        ]
        may = files([row.file for row in rows])
        self.rows = [row for row in rows if row.file in may]
        self._queue(side for row in self.rows for side in _sides(row) if self._may_match(side))

    def _queue(self, versions: Iterable[Version]) -> None:
        keys = dict.fromkeys((self._language(each.path), each.blob) for each in versions)
        self._waiting = [key for key in keys if key[0] and key not in self._matches]
        self.progress.total += len(self._waiting)

    def _language(self, path: str) -> str:
        language = language_of(path) or ""
        return language if language in self._sought.tasks else ""

    def _may_match(self, version: Version) -> bool:
        return self._found.may_match(version, self._text)

    def _text(self, blob: str) -> bytes | None:
        if len(self._texts) > 4 * _BATCH_TEXTS:
            self._texts.clear()
        if blob not in self._texts:
            self._texts[blob] = self._objects.text(blob)
        return self._texts[blob]

    def known(self, kept: Callable[[str, Sequence[str]], Mapping[str, Listed]]) -> None:
        """Take what earlier searches kept."""
        by_language: dict[str, list[str]] = {}
        for language, blob in self._waiting:
            by_language.setdefault(language, []).append(blob)
        for language, blobs in by_language.items():
            for blob, matches in kept(self._sought.name(language), blobs).items():
                self._matches[language, blob] = matches
        before = len(self._waiting)
        self._waiting = [key for key in self._waiting if key not in self._matches]
        self.progress.done += before - len(self._waiting)

    def advance(self) -> dict[str, dict[str, Listed]]:
        """Parse the next versions; what is new to be kept, by the pattern's name and the content's."""
        language = self._waiting[0][0]
        batch: list[tuple[str, bytes]] = []
        taken = size = 0
        fresh: dict[str, Listed] = {}
        for each, blob in self._waiting:
            if each != language or len(batch) >= _BATCH_TEXTS or size >= _BATCH_BYTES:
                break
            taken += 1
            text = self._text(blob)
            if text is None:
                self._matches[language, blob] = None
                self.progress.unparsed += 1
            elif not all(atom.encode() in text for atom in self._sought.atoms):
                fresh[blob] = self._matches[language, blob] = _NOTHING
            else:
                batch.append((blob, text))
                size += len(text)
        del self._waiting[:taken]
        if batch:
            answers = self._parsers.matches(self._sought.tasks[language], [text for _, text in batch])
            for (blob, _), found in zip(batch, answers, strict=True):
                self._matches[language, blob] = found
                if found is None:
                    self.progress.unparsed += 1
                else:
                    fresh[blob] = found
        self.progress.done += taken
        return {self._sought.name(language): fresh}

    @property
    def is_done(self) -> bool:
        """True when every version that may match is looked at."""
        return not self._waiting

    def changes(self) -> list[Change]:
        """The changes whose number of matches is known to rise or fall, newest first."""
        found: list[Change] = []
        for row in self.rows:
            before, after = (self._of(each) for each in (_old(row), _new(row)))
            if before is not None and after is not None and before.count != after.count:
                old, new = before.matches(), after.matches()
                gained, lost = _beyond(new, old), _beyond(old, new)
                found.append(Change(row, before.count, after.count, gained, lost))
        return found

    def _of(self, version: Version | None) -> Listed | None:
        """What matches in a version; None when it is not known."""
        if version is None or not self._may_match(version):
            return _NOTHING
        language = self._language(version.path)
        return self._matches.get((language, version.blob)) if language else _NOTHING

    def look_at(self, sha: Sha) -> None:
        """Have the files of a commit parsed as well, at the paths of all candidates."""
        self._at = self._objects.blobs_at(sha, {row.path for row in self._found.versions})
        self._queue(
            version for path, blob in self._at.items() if self._may_match(version := Version(path, blob))
        )

    _at: Mapping[str, str] = {}

    def counted(self) -> tuple[int, int]:
        """How many matches there are in how many files of the commit that was looked at."""
        counts = [(self._of(Version(path, blob)) or _NOTHING).count for path, blob in self._at.items()]
        return sum(counts), sum(count > 0 for count in counts)


def _old(row: FileVersion) -> Version | None:
    return Version(row.old_path or row.path, row.old_blob) if row.old_blob else None


def _new(row: FileVersion) -> Version | None:
    return Version(row.path, row.new_blob) if row.new_blob else None


def _sides(row: FileVersion) -> list[Version]:
    return [side for side in (_new(row), _old(row)) if side is not None]


def _beyond(these: Sequence[Found], those: Sequence[Found]) -> tuple[Found, ...]:
    """The matches on one side whose text is not as often on the other; the last of equal ones."""
    left = Counter(each.text for each in those)
    found: list[Found] = []
    for each in these:
        if left[each.text] > 0:
            left[each.text] -= 1
        else:
            found.append(each)
    return tuple(found)

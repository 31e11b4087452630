"""Which versions of files may hold a pattern of syntax: those that hold all of its rarest words.

How many lines of a version hold a word follows from the hunks that the index has, so that hardly a file need
be read to know.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ohara.model import Filters
from ohara.records import dataclass
from ohara.retrieve.trigrams import text_trigrams
from ohara.words import index_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from ohara.store.answers import FileVersion
    from ohara.store.reading import Reader

_SHORTEST_ATOM = 3  # a trigram
_WORDS_LOOKED_UP = 4
_FEW = 500  # hunks: looked through in no time
_TIMES_AS_COMMON = 4  # as the rarest: a word beyond rules out few of the versions that are left
_TOO_COMMON = 20_000  # hunks: looking through them takes longer than reading some files in vain
_CONTENTS_AT_ONCE = 1_000


class Version(NamedTuple):
    """A file's content under a name."""

    path: str
    blob: str


class Presence:
    """In how many lines of each version a word stands, told by the hunks that changed such lines."""

    def __init__(self, atom: bytes, deltas: Mapping[int, int], makers: Mapping[Version, FileVersion]) -> None:
        self._atom = atom
        self._deltas = deltas
        self._makers = makers
        self._lines: dict[Version, int] = {}

    def lines(self, version: Version, text: Callable[[str], bytes | None]) -> int:
        """How many lines of a version hold the word; it is read where the index does not tell.

        One that cannot be read counts as holding it: it is left to who parses to say so.
        """
        chain: list[tuple[Version, int]] = []
        seen: set[Version] = set()
        at: Version | None = version
        base = 0
        while at is not None:
            known = self._lines.get(at)
            maker = self._makers.get(at)
            if known is None and (maker is None or at in seen):
                read = text(at.blob)
                known = 1 if read is None else sum(1 for _ in line_starts(self._atom, read))
                self._lines[at] = known
            if known is not None or maker is None:
                base = known or 0
                break
            seen.add(at)
            chain.append((at, self._deltas.get(maker.file, 0)))
            at = Version(maker.old_path or maker.path, maker.old_blob) if maker.old_blob else None
        for made, delta in reversed(chain):
            base += delta
            self._lines[made] = base
        return base


@dataclass(frozen=True, slots=True)
class Candidates:
    """Changes of files that may hold the pattern, newest first, and where its rare words stand."""

    versions: list[FileVersion]
    words: tuple[Presence, ...] = ()

    def may_match(self, version: Version, text: Callable[[str], bytes | None]) -> bool:
        """Whether a version holds all the rare words."""
        return all(word.lines(version, text) > 0 for word in self.words)


def candidates(reader: Reader, words: Sequence[str], languages: Collection[str]) -> Candidates:
    """The versions of files that ever held the rarest of some words; of all files without one."""
    rare = _rarest(reader, words)
    if not rare:
        return Candidates(reader.file_versions(None, languages))
    deltas = [_deltas(reader, atom) for atom in rare]
    versions = reader.file_versions(deltas[0].keys(), languages)
    makers: dict[Version, FileVersion] = {}
    for each in versions:
        if each.new_blob is not None and not each.merge and not each.unread:
            makers.setdefault(Version(each.path, each.new_blob), each)
    present = tuple(Presence(atom.encode(), each, makers) for atom, each in zip(rare, deltas, strict=True))
    return Candidates(versions, present)


def _deltas(reader: Reader, atom: str) -> dict[int, int]:
    """How many more lines hold a word after each change of a file that touched such a line."""
    found = reader.by_trigrams(text_trigrams(atom), reader.allow(Filters()))
    wanted = atom.encode()
    deltas: dict[int, tuple[int, bool]] = {}
    contents = list(dict.fromkeys(one.content for one in found))
    for first in range(0, len(contents), _CONTENTS_AT_ONCE):
        reader.check()
        for content, body in reader.bodies(contents[first : first + _CONTENTS_AT_ONCE]).items():
            deltas[content] = _lines_with(wanted, body)
    holding = {one.hunk: one.content for one in found if deltas[one.content][1]}
    files = reader.files_of_hunks(holding)
    summed: Counter[int] = Counter()
    for hunk, content in holding.items():
        if hunk in files:
            summed[files[hunk]] += deltas[content][0]
    return dict(summed)


def _lines_with(atom: bytes, body: bytes) -> tuple[int, bool]:
    """How many more lines hold a word after a hunk than before, and whether any changed line does."""
    signs = [body[start : start + 1] for start in line_starts(atom, body)]
    added, removed = signs.count(b"+"), signs.count(b"-")
    return added - removed, bool(added or removed)


def line_starts(word: bytes, text: bytes) -> Iterator[int]:
    """Where the lines of a text begin that hold a word."""
    at = text.find(word)
    while at >= 0:
        yield text.rfind(b"\n", 0, at) + 1
        end = text.find(b"\n", at)
        at = text.find(word, end) if end >= 0 else -1


def _rarest(reader: Reader, words: Sequence[str]) -> list[str]:
    """The words that the fewest hunks hold, of those that the index can look up, the rarest first."""
    long = [word for word in words if len(word) >= _SHORTEST_ATOM and word.isascii()]
    parts = {word: index_text(word).split() for word in long}
    known = reader.document_frequencies({part for each in parts.values() for part in each})
    common = {word: min((known[part] for part in parts[word]), default=_TOO_COMMON) for word in long}
    rare = sorted(long, key=lambda word: (common[word], -len(word)))
    if not rare:
        return []
    most = min(_TOO_COMMON, max(_FEW, _TIMES_AS_COMMON * common[rare[0]]))
    return [rare[0], *(word for word in rare[1:_WORDS_LOOKED_UP] if common[word] < most)]

"""What the later passes read of stored commits, and what they hand back to be stored.

Commits, hunks and contents go by the numbers that the engine gave them; a content is the lines of a hunk,
kept once however often they occur. Plain tuples, because they cross a process boundary by the thousand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ohara.model import Sha
    from ohara.store import trigram_codes
    from ohara.store.vocabulary import Packed, Vocabulary


class IndexedHunk(NamedTuple):
    """A hunk as the index has it; no content: a change without lines.

    `searchable` is false where the change or its path is left out of search by words and meaning.
    """

    hunk_id: int
    path: str
    language: str | None
    header: str
    searchable: bool
    content_id: int | None
    has_vector: bool
    body: str
    old_blob: str | None
    new_blob: str | None
    old_start: int
    new_start: int


class ChangedFile(NamedTuple):
    """A file's change in a commit, with the hunks that symbols are to be found for."""

    commit_id: int
    path_id: int
    old_blob: str
    new_blob: str
    hunks: tuple[int, ...]


class NamelessSubmodule(NamedTuple):
    """The change of a submodule that does not say which commits it names; `old_path` is where it was before.

    `lacks_old` and `lacks_new` say of which version the commit is not known.
    """

    file: int
    commit: Sha
    path: str
    old_path: str
    lacks_old: bool
    lacks_new: bool


class NamedSubmodule(NamedTuple):
    """What is to stand for the versions of a changed submodule (`model.submodule_blob`); None: as it was."""

    file: int
    old_blob: str | None
    new_blob: str | None


class StoredCommits(Protocol):
    """Reads commits back as they were stored; for one thread."""

    def message(self, commit_id: int) -> str:
        """A commit's message."""
        ...

    def hunks(self, commit_id: int) -> list[IndexedHunk]:
        """A commit's hunks with their lines, in the order in which they were added."""
        ...

    @property
    def compress(self) -> Callable[[bytes], bytes] | None:
        """What makes of a body what this index keeps of it; None until it has learnt how to."""
        ...

    def hunks_by_id(self, hunks: Iterable[int]) -> dict[int, IndexedHunk]:
        """Those of the hunks that are there, with their lines."""
        ...


class HunkText(NamedTuple):
    """A hunk's columns of the text pass, as index words."""

    hunk_id: int
    message: Packed
    path: Packed
    header: Packed
    added: Packed
    removed: Packed
    context: Packed


class DerivedTexts(NamedTuple):
    """A commit's words, made again from stored bodies; without any, it is found by its message alone."""

    commit_id: int
    rows: tuple[HunkText, ...]
    message_words: Packed
    vocabulary: Vocabulary


class ContentLines(NamedTuple):
    """The changed lines of a content, and of what their encoded lines consist (None: there are none).

    Where their trigrams are made already, the lines are empty.
    """

    content_id: int
    changed: str
    signs: int | None
    trigrams: trigram_codes.Packed | None = None


class DerivedLiterals(NamedTuple):
    """A commit's changed lines, made again from stored bodies."""

    commit_id: int
    rows: tuple[ContentLines, ...]


class DerivedVectors(NamedTuple):
    """A commit's vectors: of its contents, its subject and all that it changed, packed as the model's are.

    Empty bytes stand for a text without a word that the model knows: it has no vector.
    """

    commit_id: int
    vectors: tuple[tuple[int, bytes], ...]
    subject: bytes
    change: bytes


class TouchedSymbol(NamedTuple):
    """A symbol that a hunk touches."""

    kind: str
    name: str
    qualified: str


class TouchedHunk(NamedTuple):
    """A hunk and the symbols whose lines it changes."""

    hunk_id: int
    symbols: tuple[TouchedSymbol, ...]


class HeadFile(NamedTuple):
    """A file of HEAD's tree that has symbols to offer."""

    path: str
    blob: str
    language: str

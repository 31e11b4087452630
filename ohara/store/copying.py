"""What an index hands over to be copied into another, whatever engines keep them.

Numbers are the source's own; who copies translates them by shas and by the order of a commit's hunks. Words
and trigrams are not here: they follow from the bodies, without a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ohara.history.copies import Copied
    from ohara.history.threads import Member
    from ohara.model import ChangeKind, Commit, Failure, LeftOut, Pass, Sha, Symbol, VectorForm
    from ohara.store.derived import HeadFile, TouchedSymbol
    from ohara.store.facts import KnowsFacts
    from ohara.store.lines import HeadVersion, LineEnd, MergedFile


class CopiedHunk(NamedTuple):
    """A hunk as it is stored; no digest: a change without lines."""

    hunk: int
    content: int | None
    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    header: str
    digest: bytes
    body: str


class CopiedFile(NamedTuple):
    """A changed file with its hunks; `searched` is false where the change or its path is left out."""

    kind: ChangeKind
    path: str
    old_path: str | None
    old_blob: str | None
    new_blob: str | None
    additions: int
    deletions: int
    left_out: LeftOut | None
    searched: bool
    hunks: tuple[CopiedHunk, ...]


class CopiedCommit(NamedTuple):
    """A commit with all that it changed."""

    number: int
    commit: Commit
    files: tuple[CopiedFile, ...]


class CopiedVectors(NamedTuple):
    """The vectors of a commit's contents, of its subject and of its change; none: empty."""

    contents: dict[int, bytes]
    subject: bytes
    change: bytes


class CopiedLines(NamedTuple):
    """What a commit did to lines, by the numbers of the source."""

    ends: tuple[LineEnd, ...]
    counts: tuple[tuple[int, int], ...]
    merged: tuple[MergedFile, ...]


class CopySource(Protocol):
    """An index that is read to be copied, in one state."""

    @property
    def facts(self) -> KnowsFacts:
        """What it knows about itself."""
        ...

    def commits(self) -> dict[Sha, tuple[int, bool, frozenset[Pass]]]:
        """Every stored commit: its number, whether it is live, which passes are done with it."""
        ...

    def verdicts(self) -> dict[str, str]:
        """Why paths are left out of search, or that they were taken back in ("kept")."""
        ...

    def read(self, numbers: Sequence[int]) -> list[CopiedCommit]:
        """Whole commits, in the order that was asked for."""
        ...

    def hunks(self, numbers: Sequence[int]) -> dict[int, list[tuple[int, int | None]]]:
        """The hunks of some commits that are of files, each with its content, in the order of the diff."""
        ...

    def roots(self) -> tuple[str, ...]:
        """The live commits without parents, by sha."""
        ...

    def touched(self, numbers: Sequence[int]) -> dict[int, list[TouchedSymbol]]:
        """The symbols that each hunk of some commits touches."""
        ...

    def vectors(self, numbers: Sequence[int]) -> dict[int, CopiedVectors]:
        """The vectors of some commits, by the present model."""
        ...

    def vector_form(self) -> tuple[VectorForm, int] | None:
        """How those are packed, and their dimensions; None when there are none."""
        ...

    def lines(self, numbers: Collection[int]) -> dict[int, CopiedLines]:
        """What some commits did to lines."""
        ...

    def head_lines(self) -> list[HeadVersion]:
        """The files kept for HEAD with the origins of their lines."""
        ...

    def head_symbols(self) -> Iterable[tuple[HeadFile, Sequence[Symbol]]]:
        """The files of HEAD with what they define."""
        ...

    def threads(self) -> tuple[list[list[Member]], list[list[Copied]]]:
        """The threads, and the copies of changes."""
        ...

    def failures(self) -> list[tuple[Failure, tuple[str, ...]]]:
        """The commits that could not be wholly read, and which objects were missing."""
        ...

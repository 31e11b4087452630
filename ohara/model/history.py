"""Values of git history: commits, the files they change, their hunks, and the symbols in them."""

from __future__ import annotations

from enum import StrEnum
from typing import NewType

from ohara.records import dataclass

Sha = NewType("Sha", str)
HunkId = NewType("HunkId", int)


class ChangeKind(StrEnum):
    """What happened to a file in a commit."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"


class LeftOut(StrEnum):
    """Why a changed file is left out of the text, symbol and vector passes.

    `BINARY`, `OVERSIZED` and `MISSING` files are not read at all; the others stay in the literal pass.
    `ENCODED` applies to single lines: the rest of their file is read.
    """

    BINARY = "binary"
    OVERSIZED = "oversized"
    MISSING = "missing"
    LOCK = "lock"
    MINIFIED = "minified"
    VENDORED = "vendored"
    GENERATED = "generated"
    LARGE = "large"
    IGNORED = "ignored"
    ENCODED = "encoded"

    @property
    def unread(self) -> bool:
        """True when not even the literal pass reads the file."""
        return self in _UNREAD


_UNREAD = frozenset({LeftOut.BINARY, LeftOut.OVERSIZED, LeftOut.MISSING})


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit's sha, people, times and message, without its changes."""

    sha: Sha
    parents: tuple[Sha, ...]
    author: str
    email: str
    author_time: int
    author_offset: int
    committer_time: int
    committer_offset: int
    message: str

    @property
    def subject(self) -> str:
        """The message's first line that is not blank."""
        return next((line.strip() for line in self.message.splitlines() if line.strip()), "")

    @property
    def is_merge(self) -> bool:
        """True when the commit joins two or more lines of history."""
        return len(self.parents) > 1


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of changed lines with their context, or one piece of such a run that was too long.

    `body` is in unified form: each line starts with "+", "-" or " " ("\\" for git's remark on a
    missing final newline) and lines are joined by a single newline, with none at the end.
    """

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    header: str
    body: str


# Follows a submodule's commit in the place of a blob: the first byte of git's mode for it, 0o160000.
_SUBMODULE_MARK = "e0"
_SHA_DIGITS = 40


def submodule_blob(commit: str) -> str:
    """What stands for a submodule where other files have a blob: the commit that it names, marked."""
    return commit + _SUBMODULE_MARK


def submodule_text(blob: str) -> bytes | None:
    """The line that git shows for a submodule; None for a blob, which is to be read."""
    if len(blob) != _SHA_DIGITS + len(_SUBMODULE_MARK) or not blob.endswith(_SUBMODULE_MARK):
        return None
    return f"Subproject commit {blob[:_SHA_DIGITS]}\n".encode()


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file's part in a commit. No hunks: a pure rename, a mode change, or left out.

    A submodule is a file of one line; in the place of a blob it has its commit, marked (`submodule_blob`).
    """

    kind: ChangeKind
    path: str
    old_path: str | None
    old_blob: str | None
    new_blob: str | None
    additions: int
    deletions: int
    hunks: tuple[Hunk, ...]
    left_out: LeftOut | None = None


class SymbolKind(StrEnum):
    """The kinds of named things that the parsers tell apart."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    STRUCT = "struct"
    INTERFACE = "interface"
    TRAIT = "trait"
    ENUM = "enum"
    MODULE = "module"
    TYPE = "type"
    CONSTANT = "constant"
    MACRO = "macro"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named thing defined in a file; `first_line` and `last_line` are 1-based and inclusive."""

    kind: SymbolKind
    name: str
    qualified: str
    first_line: int
    last_line: int
    siblings: tuple[str, ...] = ()

"""Reads the two sides of a file and compares them, within one commit's bounds.

Paths do not matter here: what is vendored, generated or ignored is decided by others; only binary,
over-large and missing content is left out, and said so. Attributes that change how git diffs (`-diff`,
`textconv`, `diff=python`) are not read.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Final

from ohara.git import hunks
from ohara.git.tree import SUBMODULE, Entry
from ohara.model import Hunk, LeftOut, submodule_text
from ohara.records import dataclass

if TYPE_CHECKING:
    from ohara.git.objects import Objects

# Larger than any file a person wrote.
DEFAULT_CAP: Final = 16 * 1024 * 1024

# git compares up to 1000 x 1000 pairs; here a pair costs ~50 microseconds, so this is about a second.
DEFAULT_RENAME_PAIRS: Final = 20_000

# git takes a file with a NUL among its first bytes for binary.
_BINARY_PROBE_BYTES: Final = 8000


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """Bounds on one file and one commit: larger blobs are not read, more pairs are not compared."""

    max_blob_bytes: int = DEFAULT_CAP
    max_rename_pairs: int = DEFAULT_RENAME_PAIRS


DEFAULT_OPTIONS: Final = DiffOptions()


def is_binary(data: bytes) -> bool:
    """Whether git takes a file for binary."""
    return data.find(b"\0", 0, _BINARY_PROBE_BYTES) >= 0


@dataclass(frozen=True, slots=True)
class Reading:
    """How one commit's files are read.

    Ids of objects that could not be are added to `missing`, folders with too many files to `beyond`.
    """

    objects: Objects
    options: DiffOptions = DEFAULT_OPTIONS
    missing: set[str] = field(default_factory=set)
    beyond: set[bytes] = field(default_factory=set)

    def text(self, entry: Entry | None) -> bytes | LeftOut:
        """Returns a file's text, or why there is none; a submodule reads as git's own line about it."""
        if entry is None:
            return b""
        if entry.type == SUBMODULE:
            return submodule_text(entry.blob) or b""
        data = self.objects.blob(entry.oid, self.options.max_blob_bytes)
        if isinstance(data, LeftOut):
            if data is LeftOut.MISSING:
                self.missing.add(entry.oid.hex())
            return data
        return LeftOut.BINARY if is_binary(data) else data

    def hunks(self, old: Entry | None, new: Entry | None) -> tuple[Hunk, ...] | LeftOut:
        """Returns the hunks of a file, or why there are none."""
        is_same_type = old is not None and new is not None and old.type == new.type
        if is_same_type and old and new and old.oid == new.oid:
            return ()  # moved, or only its mode changed
        before, after = self.text(old), self.text(new)
        if (
            old
            and new
            and not is_same_type
            and any(isinstance(each, bytes) and each for each in (before, after))
        ):
            # A link in place of a binary file: git shows the lines of the one and none of the other.
            before, after = (b"" if each is LeftOut.BINARY else each for each in (before, after))
        if isinstance(before, LeftOut):
            return before
        if isinstance(after, LeftOut):
            return after
        if is_same_type:
            return tuple(hunks.between(before, after))
        # Added, deleted, or one type of file in place of another, which git shows as both.
        return tuple(hunk for hunk in (hunks.whole(before, "-"), hunks.whole(after, "+")) if hunk)

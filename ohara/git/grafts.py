"""Where history differs from the objects: shallow, grafted and replaced commits.

libgit2 ignores replacements, so ohara applies all three itself, as git does: `shallow` cuts
parents off, `info/grafts` rewrites them, and `refs/replace/<id>` swaps one object for another
under the first one's name. Read once when a repository is opened.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING, Final

from ohara.git.gitdir import LIST_BYTES, POINTER_BYTES
from ohara.records import dataclass
from ohara.safe_read import IrregularFile, read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_ID = re.compile(rb"[0-9a-f]{40}")
_PACKED_REPLACEMENT = re.compile(rb"^([0-9a-f]{40}) refs/replace/([0-9a-f]{40})$", re.MULTILINE)

_LONGEST_CHAIN: Final = 5


@dataclass(frozen=True, slots=True)
class Grafts:
    """Rewritten parents by commit, and replaced objects by id; ids are raw bytes."""

    shallow: frozenset[bytes] = frozenset()
    parents: Mapping[bytes, tuple[bytes, ...]] = field(default_factory=dict)
    replaced: Mapping[bytes, bytes] = field(default_factory=dict)

    @classmethod
    def load(cls, common_dir: Path) -> Grafts:
        """Reads them from the repository's common git directory; unreadable files are ignored."""
        shallow = frozenset(ids[0] for ids in _lines_of_ids(common_dir / "shallow"))
        parents = {ids[0]: tuple(ids[1:]) for ids in _lines_of_ids(common_dir / "info" / "grafts")}
        parents |= dict.fromkeys(shallow, ())
        return cls(shallow=shallow, parents=parents, replaced=_replacements(common_dir))

    def told(self) -> dict[str, str]:
        """All entries as text, to be stored and compared later."""
        said = {oid.hex(): " ".join(["parents", *map(bytes.hex, ids)]) for oid, ids in self.parents.items()}
        for oid, other in self.replaced.items():
            said[oid.hex()] = f"{said.get(oid.hex(), '')} is {other.hex()}".lstrip()
        return said


def _read(path: Path, most: int = LIST_BYTES) -> bytes:
    try:
        return read_regular(path, most, follow=True) or b""
    except (OSError, IrregularFile):
        return b""


def _lines_of_ids(path: Path) -> Iterator[list[bytes]]:
    for line in _read(path).splitlines():
        words = line.split()
        if words and all(_ID.fullmatch(word) for word in words):
            yield [bytes.fromhex(word.decode()) for word in words]


def _replacements(common_dir: Path) -> dict[bytes, bytes]:
    """Loose references win over packed ones, as everywhere in git."""
    packed = _read(common_dir / "packed-refs")
    # Thousands of refs and no replacement is the rule: telling that takes no search line by line.
    found = _PACKED_REPLACEMENT.findall(packed) if b" refs/replace/" in packed else ()
    pairs = [(old, new) for new, old in found]
    folder = common_dir / "refs" / "replace"
    try:
        names = sorted(entry.name for entry in folder.iterdir())
    except OSError:
        names = []
    pairs += [(name.encode(), _read(folder / name, POINTER_BYTES).strip()) for name in names]
    replaced = {
        bytes.fromhex(old.decode()): bytes.fromhex(new.decode())
        for old, new in pairs
        if _ID.fullmatch(old) and _ID.fullmatch(new) and old != new
    }
    return {old: _last(new, replaced) for old, new in replaced.items()}


def _last(oid: bytes, replaced: Mapping[bytes, bytes]) -> bytes:
    """Follows replacements of replacements, as far as git does."""
    for _ in range(_LONGEST_CHAIN):
        oid = replaced.get(oid, oid)
    return oid

"""What git itself says about a commit, read as bytes, to hold ohara's reading against."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fixtures.git import git_bytes
from ohara.git import decode
from ohara.model import Hunk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Said:
    """One file of a commit, as `git diff-tree` reports it."""

    status: str
    path: str
    old_path: str | None
    is_binary: bool
    hunks: tuple[Hunk, ...]


def files_of(path: Path, sha: str) -> list[Said]:
    """Every file a commit changes against its parent, with renames, in git's order."""
    patches = list(_patches(path, sha))
    said = []
    for status, old_path, new_path in _raw(path, sha):
        # A change of type is one file but two patches: the old thing goes, the new one comes.
        own = [patches.pop(0) for _ in range(2 if status == "T" else 1)]
        said.append(
            Said(
                status[0],
                decode.text(new_path),
                decode.text(old_path) if status[0] == "R" else None,
                any(is_binary for is_binary, _ in own),
                tuple(hunk for _, hunks in own for hunk in hunks),
            )
        )
    assert not patches
    return said


def _raw(path: Path, sha: str) -> Iterator[tuple[str, bytes, bytes]]:
    fields = git_bytes(path, "diff-tree", "--root", "-r", "-M", "-z", "--raw", "--no-commit-id", sha).split(
        b"\0"
    )
    while len(fields) > 1:
        status = fields.pop(0).rpartition(b" ")[2]
        old_path = fields.pop(0)
        new_path = fields.pop(0) if status.startswith((b"R", b"C")) else old_path
        yield status.decode(), old_path, new_path


def _patches(path: Path, sha: str) -> Iterator[tuple[bool, tuple[Hunk, ...]]]:
    output = git_bytes(path, "diff-tree", "--root", "-r", "-M", "-p", "--no-commit-id", sha)
    lines = output.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    is_binary, hunks, started = False, list[Hunk](), False
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line.startswith(b"diff --git "):
            if started:
                yield is_binary, tuple(hunks)
            is_binary, hunks, started = False, [], True
        elif line.startswith(b"Binary files "):
            is_binary = True
        elif header := _HUNK.fullmatch(line):
            hunk, position = _hunk(header, lines, position)
            hunks.append(hunk)
    if started:
        yield is_binary, tuple(hunks)


def _hunk(header: re.Match[bytes], lines: list[bytes], position: int) -> tuple[Hunk, int]:
    old_start, old_count, new_start, new_count, function = header.groups()
    old_lines, new_lines = int(old_count or 1), int(new_count or 1)
    old_left, new_left = old_lines, new_lines
    start = position
    while old_left or new_left or (position < len(lines) and lines[position].startswith(b"\\")):
        sign = lines[position][:1]
        old_left -= sign in b" -" and sign != b""
        new_left -= sign in b" +" and sign != b""
        position += 1
    body = decode.text(b"\n".join(lines[start:position]))
    hunk = Hunk(int(old_start), old_lines, int(new_start), new_lines, decode.cut(function).rstrip(), body)
    return hunk, position

"""What a structural search must answer, by brute force: every version of every file, parsed."""

from __future__ import annotations

import subprocess
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ohara.languages import language_of
from ohara.structural.matcher import compile_pattern, matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from ohara.structural.pool import Task

_NONE = "0" * 40
_BATCH = 200


class Row(NamedTuple):
    """One file of one commit, as git's raw diff names it."""

    sha: str
    path: str
    old_path: str
    old_blob: str | None
    new_blob: str | None


def rows(repository: Path, commits: Iterable[str] | None) -> Iterator[Row]:
    """Every changed file of every commit (or of some) that is no merge, renames paired."""
    some = [] if commits is None else ["--no-walk", "--stdin"]
    told = subprocess.run(
        ["git", "-C", str(repository), "-c", "diff.renameLimit=0", "log", "--no-merges", "--raw", "-M", "-z",
         "--no-abbrev", "--format=%x01%H", *some],
        input="".join(f"{each}\n" for each in commits or ()).encode(),
        capture_output=True, check=True,
    ).stdout.decode("utf-8", "surrogateescape")  # fmt: skip
    for record in told.split("\x01")[1:]:
        sha, _, rest = record.partition("\0")
        fields = iter(rest.lstrip("\n").split("\0"))
        for head in fields:
            if not head.startswith(":"):
                continue
            _, _, old, new, status = head.split(" ")
            path = next(fields)
            renamed = next(fields) if status[0] in "RC" else path
            yield Row(
                sha.strip(), renamed, path, None if old == _NONE else old, None if new == _NONE else new
            )


def changed_counts(
    repository: Path, tasks: Mapping[str, Task], *, commits: Iterable[str] | None = None
) -> dict[tuple[str, str], tuple[int, int]]:
    """By commit and path, how many matches there were before and after, where that is not the same."""
    found = list(rows(repository, commits))
    wanted: dict[tuple[str, str], None] = {}
    for row in found:
        for path, blob in ((row.old_path, row.old_blob), (row.path, row.new_blob)):
            language = language_of(path) or ""
            if blob is not None and language in tasks:
                wanted[language, blob] = None
    counts = _counts(repository, tasks, list(wanted))
    changed: dict[tuple[str, str], tuple[int, int]] = {}
    for row in found:
        before = counts[language_of(row.old_path) or "", row.old_blob or ""]
        after = counts[language_of(row.path) or "", row.new_blob or ""]
        if before != after:
            changed[row.sha, row.path] = (before, after)
    return changed


def _counts(
    repository: Path, tasks: Mapping[str, Task], wanted: list[tuple[str, str]]
) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for language, task in tasks.items():
        rule = task.rule or compile_pattern(task.pattern, task.where, language)
        blobs = [blob for each, blob in wanted if each == language]
        for first in range(0, len(blobs), _BATCH):
            batch = blobs[first : first + _BATCH]
            for blob, text in zip(batch, _texts(repository, batch), strict=True):
                counts[language, blob] = len(matches(text.decode("utf-8", "replace"), rule, language, ()))
    return counts


def _texts(repository: Path, blobs: list[str]) -> list[bytes]:
    told = subprocess.run(
        ["git", "-C", str(repository), "cat-file", "--batch"],
        input="".join(f"{blob}\n" for blob in blobs).encode(),
        capture_output=True,
        check=True,
    ).stdout
    texts: list[bytes] = []
    at = 0
    for _ in blobs:
        line_end = told.index(b"\n", at)
        head = told[at:line_end].split()
        size = int(head[2]) if len(head) == 3 and head[1] == b"blob" else 0
        text = told[line_end + 1 : line_end + 1 + size]
        texts.append(b"" if b"\0" in text[:8000] else text)
        at = line_end + 1 + (size + 1 if len(head) == 3 else 0)
    return texts

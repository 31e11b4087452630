"""Counts the lines in HEAD's files that a pattern matches, within bounds of time and bytes.

Files are read as for diffs: binary, over-large and missing ones are skipped, as in a search of history. It
keeps its own repository open, so that other threads do not wait for it.
"""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING

from ohara.git import decode, tree
from ohara.git.file_diff import Reading
from ohara.git.repo import Repository
from ohara.model import AtHead, LeftOut

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ohara.model import Sha
    from ohara.retrieve.matching import Matcher
    from ohara.retrieve.scan import Scan

MOST_BYTES = 64 * 2**20  # a second's worth of reading


class HeadLines:
    """The files of one repository, for counting; one count at a time."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._lock = Lock()
        self._repository: Repository | None = None

    def count(self, sha: Sha, paths: Sequence[str], matcher: Matcher, ends: float) -> AtHead:
        """How many lines of a commit's files at some paths match; not exact when the bounds ended it."""
        if not self._lock.acquire(timeout=max(0.0, ends - time.monotonic())):
            return AtHead(sha, 0, 0, exact=False)
        try:
            return self._count(sha, paths, matcher, ends)
        finally:
            self._lock.release()

    def _count(self, sha: Sha, paths: Sequence[str], matcher: Matcher, ends: float) -> AtHead:
        from ohara.retrieve.scan import OutOfTime, Scan  # late: questions of words alone need none of it

        if self._repository is None:
            self._repository = Repository.open(self._place)
        objects = self._repository.objects
        root = self._repository.links(sha).tree
        reading = Reading(objects)
        scan = Scan(matcher, ends, _nobody_leaves)
        lines = files = taken = 0
        for path in paths:
            entry = tree.find(objects, root, path)
            text = reading.text(entry) if entry is not None else b""
            if isinstance(text, LeftOut):
                continue
            taken += len(text)
            if time.monotonic() > ends or taken > MOST_BYTES:
                return AtHead(sha, lines, files, exact=False)
            try:
                matching = count_lines(text, scan)
            except OutOfTime:
                return AtHead(sha, lines, files, exact=False)
            lines += matching
            files += matching > 0
        return AtHead(sha, lines, files)


def count_lines(text: bytes, scan: Scan) -> int:
    """How many lines of a file match; OutOfTime when the deadline comes first."""
    if not text:
        return 0
    return scan.lines(decode.utf8(text).removesuffix(b"\n"))


def _nobody_leaves() -> None:
    """Never cancelled: a count is short."""

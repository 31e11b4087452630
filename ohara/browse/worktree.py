"""Maps lines of a file as it lies in the work tree to lines of the commit that is checked out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ohara.browse.span import Span, Spans, carry_all, joined
from ohara.git import decode
from ohara.git.file_diff import DEFAULT_CAP
from ohara.git.hunks import groups
from ohara.safe_read import IrregularFile, read_regular

if TYPE_CHECKING:
    from ohara.git.repo import Repository


class Committed(NamedTuple):
    """Lines as the commit has them, and those that are not committed yet, as the work tree has them."""

    spans: Spans
    uncommitted: Spans


def read_work_tree(repository: Repository, path: str) -> bytes | None:
    """A file of the work tree; None without one, and where it is no plain file of a size that is read."""
    if repository.work_dir is None:
        return None
    for encoded in decode.encodings(path):
        try:
            data = read_regular(repository.work_dir / os.fsdecode(encoded), DEFAULT_CAP)
        except (IrregularFile, OSError, ValueError):
            continue
        if data is not None:
            return data
    return None


def committed(lines: Spans, work: bytes, blob: bytes) -> Committed:
    """Where lines of the work tree stand in the committed content, and which of them do not."""
    if b"\r\n" in work and b"\r\n" not in blob:
        work = work.replace(b"\r\n", b"\n")  # as git checks files out where line ends are Windows'
    if work == blob:
        return Committed(lines, ())
    changed = groups(blob, work)
    new = joined(
        Span(max(span.first, group.new + 1), min(span.last, group.new_end))
        for group in changed
        for span in lines
        if group.new < span.last and group.new_end >= span.first and group.new_lines
    )
    return Committed(carry_all(lines, changed).before, new)


def line_count(text: bytes) -> int:
    """How many lines a text has, as git counts."""
    return text.count(b"\n") + (bool(text) and not text.endswith(b"\n"))

"""Reads files that a repository chooses, so that none of them can hang or exhaust whoever reads it.

A link to a device, a pipe that nobody writes to, a file of a terabyte: an archive that somebody unpacks may
hold any of them. What is read here is a regular file of bounded size, or refused.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class IrregularFile(Exception):
    """The file is a link, a pipe, a device or a folder, or larger than anybody would make it."""

    def __init__(self, file: Path, most: int) -> None:
        size = f"{most // 2**20:,} MiB" if most >= 2**20 else f"{most // 2**10:,} KiB"
        super().__init__(f"{file}: not a regular file of at most {size}")


def read_regular(file: Path, most: int, *, follow: bool = False) -> bytes | None:
    """The content of a regular file of at most so many bytes; None when there is no such file.

    A link is refused, or with `follow` taken for what it leads to: git's own files may be links, but a link
    in a work tree would let a repository choose which of the user's files is read.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(file, flags)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENXIO, errno.EMLINK}:  # a link, a socket
            raise IrregularFile(file, most) from error
        raise
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > most:
            raise IrregularFile(file, most)
        content = bytearray()
        while len(content) <= most and (more := os.read(descriptor, most + 1 - len(content))):
            content += more
    finally:
        os.close(descriptor)
    if len(content) > most:  # it grew meanwhile
        raise IrregularFile(file, most)
    return bytes(content)


def refuse_irregular(file: Path, most: int) -> None:
    """Raise unless a file that somebody else will read, links followed, is regular and of bounded size."""
    try:
        found = file.stat()
    except OSError:  # not there, or not for us: whoever reads it says so
        return
    if not stat.S_ISREG(found.st_mode) or found.st_size > most:
        raise IrregularFile(file, most)

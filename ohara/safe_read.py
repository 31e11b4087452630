"""Reads files of a repository safely: only regular files of bounded size.

An unpacked archive may hold a link to a device, a pipe that nobody writes to, or a file of a terabyte:
reading those would hang or exhaust memory. They are refused.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class IrregularFile(Exception):
    """The file is a link, a pipe, a device or a folder, or larger than the limit."""

    def __init__(self, file: Path, most: int) -> None:
        size = f"{most // 2**20:,} MiB" if most >= 2**20 else f"{most // 2**10:,} KiB"
        super().__init__(f"{file}: not a regular file of at most {size}")


def read_regular(file: Path, most: int, *, follow: bool = False) -> bytes | None:
    """The content of a regular file of at most `most` bytes; None when there is no such file.

    A link is refused unless `follow` is set: git's own files may be links, but a link in a work tree would
    let a repository choose which of the user's files is read.
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
    """Raise unless a file that a library will read is regular and of bounded size; links are followed."""
    try:
        found = file.stat()
    except OSError:  # not there, or not for us: whoever reads it says so
        return
    if not stat.S_ISREG(found.st_mode) or found.st_size > most:
        raise IrregularFile(file, most)

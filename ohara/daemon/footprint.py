"""What the service itself takes: memory, threads, descriptors; and how it keeps little."""

from __future__ import annotations

import ctypes
import os
import resource
import sys
import threading
from contextlib import suppress
from pathlib import Path

_M_ARENA_MAX = -8  # of mallopt
_ARENAS = 2


def use_few_arenas() -> None:
    """Let all threads share a few heaps: each of its own would keep what its largest request once took.

    Only the C library of GNU has such heaps, by default eight for each processor.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)


def give_back() -> None:
    """Return to the system what was freed."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def memory_bytes() -> int:
    """Resident memory now; where that cannot be told, the most there ever was.

    Without what is mapped from files: pages of indexes and libraries are the system's to keep or to drop.
    """
    try:
        resident, mapped = map(int, Path("/proc/self/statm").read_text().split()[1:3])
        return (resident - mapped) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


def threads() -> int:
    """Threads of Python; models may have more of their own."""
    return threading.active_count()


def descriptors() -> int:
    """Open file descriptors."""
    try:
        return len(os.listdir("/dev/fd"))  # noqa: PTH208 - names only, thousands of times
    except OSError:
        return 0

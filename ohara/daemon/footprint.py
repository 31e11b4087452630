"""What the service itself takes: memory, threads, descriptors."""

from __future__ import annotations

import os
import resource
import sys
import threading
from pathlib import Path


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

"""The service's own use of memory, threads and file descriptors, and how it frees memory."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import sys
import threading
from contextlib import suppress
from pathlib import Path

_M_ARENA_MAX = -8  # of mallopt
_ARENAS = 2

# By itself the collector looks through what is young five times in a question, and in every twenty-fifth
# through all that the service remembers, which takes as long as a question: that waits until it tidies up.
_YOUNGEST, _YOUNG, _OLD = 20_000, 20, 1_000


def use_few_arenas() -> None:
    """Let all threads share a few malloc arenas: with one each, every arena would keep its peak memory.

    Only glibc has arenas, by default eight per processor.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)


def collect_seldom() -> None:
    """Have garbage looked for about every fifty questions, and among all that is kept in `give_back`."""
    gc.set_threshold(_YOUNGEST, _YOUNG, _OLD)


def give_back() -> None:
    """Free what only refers to itself, and return freed memory to the system."""
    gc.collect()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def memory_bytes() -> int:
    """Resident memory now; where that is unknown, its maximum so far.

    Pages mapped from files (indexes, libraries) do not count: the system can drop them at any time.
    """
    try:
        resident, mapped = map(int, Path("/proc/self/statm").read_text().split()[1:3])
        return (resident - mapped) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


def threads() -> int:
    """The number of Python threads; models may have more of their own."""
    return threading.active_count()


def descriptors() -> int:
    """The number of open file descriptors."""
    try:
        return len(os.listdir("/dev/fd"))  # noqa: PTH208 - names only, thousands of times
    except OSError:
        return 0

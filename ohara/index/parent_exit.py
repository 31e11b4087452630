"""Ends a worker process when its parent ends, whatever it is doing."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import threading

OF_MAIN_THREAD = "--of-main-thread"  # tells a worker which thread of its parent has started it

_PR_SET_PDEATHSIG = 1


def end_with_parent(pipe: int, *, by_signal: bool) -> None:
    """End this process as soon as nobody holds the other end of a pipe.

    A thread waits for that, and may have to wait for a library that holds the interpreter for seconds. With
    `by_signal` the kernel ends the process at once, where it can: it does so when the thread that started the
    process ends, so that must have been the parent's main thread.
    """
    threading.Thread(target=_watch, args=(pipe,), daemon=True).start()
    if by_signal and sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _watch(pipe: int) -> None:
    poll = select.poll()
    poll.register(pipe, 0)  # hanging up is always told
    poll.poll()
    os._exit(0)

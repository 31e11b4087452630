"""Ends a process that has answered without taking apart what it loaded.

Before it ends, an interpreter takes apart every module and frees every object, one after the other: 6 ms
after a search, 12 after one that was reranked. The system frees all of it at once. What was opened is closed
by then; what is registered to be done at the end is done, and what is still to be written is written.
"""

from __future__ import annotations

import atexit
import os
import sys

TYPE_CHECKING = False  # as in typing, which takes milliseconds to import
if TYPE_CHECKING:
    from typing import NoReturn


def leave(code: int) -> NoReturn:
    """End this process: at once, unless a thread is still at work or something cannot be written."""
    if _is_alone() and _written():
        atexit._run_exitfuncs()  # noqa: SLF001 - what the interpreter calls here, too
        if _written():
            os._exit(code)
    sys.exit(code)


def _is_alone() -> bool:
    """True when no thread is left that an interpreter would wait for."""
    threading = sys.modules.get("threading")  # which a search by the service does not load
    if threading is None:
        return True
    return all(each.daemon or each is threading.current_thread() for each in threading.enumerate())


def _written() -> bool:
    """Write what was printed; False where that fails, which the interpreter reports."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return False
    return True

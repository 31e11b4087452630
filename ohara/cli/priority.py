"""Lowers the priority of this process, so that processes that answer queries get the processor first."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_NICENESS = 10  # a ninth of an ordinary process's share when both want to run; all of it when alone

# Linux may share the processor between sessions before it looks at niceness, which then counts only among the
# processes of one session. A session has a niceness of its own. Here it means a third of an ordinary share:
# queries keep three quarters of a core, and a busy machine still indexes.
_SESSION = Path("/proc/self/autogroup")
_SESSION_NICENESS = 5


def lower_priority() -> None:
    """Raise the niceness of this process for good, and that of its session if it leads one."""
    os.nice(_NICENESS)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):  # not Linux, or a kernel without it
            _SESSION.write_text(f"{_SESSION_NICENESS}\n", encoding="ascii")

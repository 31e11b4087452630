"""Opens the terminal UI by replacing this process: nothing of it is ever imported here."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

from ohara.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def is_terminal() -> bool:
    """True when a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def open_ui(query: str = "", repo: Path | str | None = None) -> NoReturn:
    """Become the terminal UI.

    The folder that one stands in is kept off the path of modules: a repository may hold a `tui` of its own.
    """
    if not is_terminal():
        raise UsageError("the terminal UI needs a terminal", hint="ohara find answers anywhere")
    command = [sys.executable, "-P", "-m", "tui"]
    if repo is not None:
        command += ["--repo", str(repo)]
    if query:
        command += ["--", query]
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, command)  # noqa: S606 - that is the point

"""Opens the terminal UI by replacing this process; never imports any part of it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

from ohara.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def is_terminal() -> bool:
    """True when both stdin and stdout are terminals."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def open_ui(query: str = "", repo: Path | str | None = None, index: str | None = None) -> NoReturn:
    """Replace this process by the terminal UI, which asks one's own index or the shared one of a name.

    `-P` keeps the current folder off the module path: a repository may hold a `tui` package of its own.
    """
    if not is_terminal():
        raise UsageError("the terminal UI needs a terminal", hint="ohara find answers anywhere")
    command = [sys.executable, "-P", "-m", "tui"]
    if repo is not None:
        command += ["--repo", str(repo)]
    if index is not None:
        command += ["--index", index]
    if query:
        command += ["--", query]
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, command)  # noqa: S606 - that is the point

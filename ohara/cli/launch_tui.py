"""Opens the terminal UI by replacing this process; never imports any part of it."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, NoReturn

from ohara.errors import UsageError
from ohara.extras import install_command

if TYPE_CHECKING:
    from pathlib import Path


def is_terminal() -> bool:
    """True when both stdin and stdout are terminals, on which text can be placed."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def open_ui(
    query: str = "",
    repo: Path | str | None = None,
    index: str | None = None,
    *,
    serve: bool = False,
    port: int = 0,
) -> NoReturn:
    """Replace this process by the terminal UI, which asks one's own index or the shared one of a name.

    With `serve`, by what serves it to a browser. `-P` keeps the current folder off the module path: a
    repository may hold a `tui` package of its own.
    """
    command = [sys.executable, "-P", "-m", "tui"]
    if serve:
        if find_spec("textual_serve") is None:
            raise UsageError(
                "the terminal UI cannot be served: textual-serve is not installed",
                hint=install_command("web"),
            )
        command = [sys.executable, "-P", "-m", "tui.serve", "--port", str(port)]
    elif not is_terminal():
        able = " that can do more than TERM=dumb says" if os.environ.get("TERM") == "dumb" else ""
        raise UsageError(f"the terminal UI needs a terminal{able}", hint="ohara find answers anywhere")
    if repo is not None:
        command += ["--repo", str(repo)]
    if index is not None:
        command += ["--index", index]
    if query:
        command += ["--", query]
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, command)  # noqa: S606 - that is the point

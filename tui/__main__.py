"""Starts the terminal UI: `python -m tui [QUERY] [--repo PATH] [--index NAME]`; `ohara tui` becomes it."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from pathlib import Path

from ohara.errors import OharaError
from ohara.sanitize import sanitize


def main(arguments: list[str] | None = None) -> int:
    """Run the UI until it ends; returns the exit code."""
    parser = argparse.ArgumentParser(prog="ohara tui", description="Search a repository's history on screen.")
    parser.add_argument("query", nargs="?", default="", help="what to search for at once")
    parser.add_argument("--repo", type=Path, default=None, help="a path in the repository (default: here)")
    parser.add_argument("--index", default="", help="the shared index to ask (default: this machine's own)")
    given = parser.parse_args(arguments)
    in_browser = os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")  # started by `tui.serve`
    if not in_browser and not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("ohara: the terminal UI needs a terminal\n  hint: ohara find", file=sys.stderr)  # noqa: T201
        return 2
    if (
        not in_browser and not sys.stderr.isatty()
    ):  # it is drawn there: a screen sent to a file would leave this one blank
        os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
    gc.disable()  # until the first paint: what a start makes it keeps, and looking through it costs a tenth
    try:
        from tui.app import OharaApp

        app = OharaApp(given.repo, given.query, index=given.index)
    except OharaError as error:
        hint = f"\n  hint: {sanitize(error.hint)}" if error.hint else ""
        print(f"ohara: {sanitize(error.message)}{hint}", file=sys.stderr)  # noqa: T201
        return 2
    if not in_browser:
        from tui.terminal import Terminal

        app.driver_class = Terminal
    app.run()
    return app.return_code or 0


if __name__ == "__main__":
    sys.exit(main())

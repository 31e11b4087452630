"""Shows output through a pager, as git does: on a terminal, by the user's own choice, never a repository's.

Loads next to nothing: `ohara.cli.entry` uses it on the fast path.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in typing, which takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# As git starts less and lv: colours as they are, what fits the screen printed at once and left there.
_DEFAULTS = {"LESS": "FRX", "LV": "-c"}
_NONE = frozenset({"", "cat"})
_SHELL = frozenset("|&;<>()$`\\\"'*?[]#~=%!{}")  # what only a shell can tell the program from


def page_out(out: str, err: str) -> bool:
    """Show text for stdout, then what stderr should say, in a pager; False when they are yet to be printed.

    Text for stderr goes there as well when that is the terminal, so that it stands below what it speaks of.
    """
    if not out or not sys.stdout.isatty():
        return False
    command = pager_command(os.environ)
    if command is None:
        return False
    talks = sys.stderr.isatty()
    run_pager(command, [(out + err if talks else out).encode("utf-8", "backslashreplace")])
    if not talks:
        sys.stderr.write(err)
        sys.stderr.flush()
    return True


def pager_command(environment: Mapping[str, str]) -> str | None:
    """The user's pager, as a shell would run it; None when there is none, or it is not on this machine."""
    from ohara.gitcommand import DEFAULT_PAGER, user_pager

    command = user_pager(environment, keys=("core.pager",)).strip()
    if command in _NONE or environment.get("TERM") == "dumb":
        return None

    import shutil

    program = command.split()[0]
    if _SHELL.isdisjoint(program) and not shutil.which(program, path=environment.get("PATH")):
        if program != DEFAULT_PAGER:
            sys.stderr.write(f"the pager {program} is not to be found\n")
        return None
    return command


def run_pager(command: str, pieces: Iterable[bytes]) -> None:
    """Feed a pager until there is no more or the person leaves it, which is no error."""
    import contextlib
    import signal
    import subprocess

    sys.stdout.flush()
    # Ctrl+c is the pager's. A handler that does nothing, unlike an ignored signal, is not inherited.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        pager = subprocess.Popen(
            ["/bin/sh", "-c", command], stdin=subprocess.PIPE, env={**_DEFAULTS, **os.environ}
        )
        with contextlib.suppress(BrokenPipeError), pager:
            for piece in pieces:
                pager.stdin.write(piece)  # type: ignore[union-attr]  # a pipe was asked for
    finally:
        signal.signal(signal.SIGINT, before)

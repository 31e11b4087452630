"""The `ohara` that a shell starts: a plain search goes straight to the service, all else to the commands.

Imports nothing but what the straight way needs; a warm search spends most of its time in imports.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in typing, which takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Sequence

_INTERRUPTED = 130  # as in ohara.cli.report, which loads click


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line to its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _straight(given[1:]) if given[:1] == ["find"] else None
        if code is None:
            from ohara.cli.main import main as run

            return run(given)
    except KeyboardInterrupt:  # while modules are loaded
        return _INTERRUPTED
    return code


def _straight(arguments: list[str]) -> int | None:
    """Let the service answer and print; None when it cannot."""
    if sys.stdout is None or sys.stderr is None:
        return None

    from ohara.client.fastpath import printed

    answer = printed(arguments, environ=os.environ, stdout=sys.stdout, stderr=sys.stderr)
    if answer is None:
        return None
    code, out, err = answer
    try:
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        sys.stdout.write(out)
        sys.stderr.write(err)
        sys.stderr.flush()
        sys.stdout.flush()
    except (OSError, KeyboardInterrupt) as fault:
        from ohara.cli.report import ended_by

        return ended_by(fault)
    return code

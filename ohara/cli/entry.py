"""The entry point of `ohara`: a plain search takes the fast path through the service, all else goes to click.

Imports only what the fast path needs: a search by a running service spends most of its time in imports.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False  # as in typing, which takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

# Looking for garbage among all that was loaded, and once more at the end, is a fifth of what a search in a
# new process takes; a process that writes an index would look 800 times. Commands that answer or write, close
# what they opened and end, look rarely and not at the end.
_ANSWERING = frozenset({"find", "show", "explain"})
_COLLECTING_SELDOM = _ANSWERING | {"index"}
_COLLECTED_AFTER = 200_000  # objects; a search makes about as many

_INTERRUPTED = 130  # the same as in ohara.cli.report, which would load click


def run() -> NoReturn:
    """Run the command line of this process and end it."""
    code = main()
    if _ANSWERING.isdisjoint(sys.argv[1:2]):
        sys.exit(code)
    from ohara.cli.leaving import leave

    leave(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; without arguments, that of this process."""
    if arguments is not None:
        return _run(list(arguments))
    given = sys.argv[1:]
    if _COLLECTING_SELDOM.isdisjoint(given[:1]):
        return _run(given)
    gc.set_threshold(_COLLECTED_AFTER)
    try:
        return _run(given, ends=True)
    finally:
        gc.freeze()


def _run(given: list[str], *, ends: bool = False) -> int:
    """Run a command; `ends` says that this process ends with it."""
    try:
        code = _find_fast(given[1:]) if given[:1] == ["find"] else None
        if code is None:
            if ends and given[:1] == ["find"]:
                from ohara.cli.memory import keep_freed_memory

                keep_freed_memory()
            from ohara.cli.main import main as run

            return run(given)
    except KeyboardInterrupt:  # while modules are loaded
        return _INTERRUPTED
    return code


def _find_fast(arguments: list[str]) -> int | None:
    """Print the service's answer and return the exit code; None when the service cannot answer."""
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
        if sys.stdout.isatty() and "--no-pager" not in arguments:
            from ohara.cli.pager import page_out

            if page_out(out, err):
                return code
        sys.stdout.write(out)
        sys.stderr.write(err)
        sys.stderr.flush()
        sys.stdout.flush()
    except (OSError, KeyboardInterrupt) as fault:
        from ohara.cli.report import report_fault

        return report_fault(fault)
    return code

"""Turns the end of a command into an exit code, and an error into one line and a hint.

The only module that prints errors for a shell. No traceback is shown unless `OHARA_DEBUG=1`. Messages are
sanitized before they are printed, because they may quote text from a repository.
"""

from __future__ import annotations

import contextlib
import os
import sys
from enum import IntEnum
from io import TextIOBase
from typing import TYPE_CHECKING

import click

from ohara.errors import InternalError, OharaError, UsageError
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Callable

DEBUG_VARIABLE = "OHARA_DEBUG"
_DEBUG_HINT = f"{DEBUG_VARIABLE}=1 shows the traceback"


class ExitCode(IntEnum):
    """Exit codes, with the meanings that grep gives them."""

    FOUND = 0
    NOTHING_FOUND = 1
    ERROR = 2
    INTERRUPTED = 130


def guard(command: Callable[[], object]) -> int:
    """Run a command and return its exit code, whatever it raises.

    What the command returns is its exit code; None means success. A reader that closes its end of the
    pipe has read enough, so that is success too.
    """
    try:
        try:
            code = command()
        except click.exceptions.Exit as ended:
            code = ended.exit_code
        _flush()
    except (Exception, KeyboardInterrupt, BaseExceptionGroup) as fault:  # noqa: BLE001 - nothing above catches it
        return report_fault(fault)
    return code if isinstance(code, int) else ExitCode.FOUND


def describe(error: OharaError) -> str:
    """The error as it is printed: one line, and a second one for the hint."""
    lines = [f"ohara: {sanitize(error.message)}"]
    if error.hint:
        lines.append(f"  hint: {sanitize(error.hint)}")
    return "\n".join(lines)


def as_ohara_error(fault: BaseException) -> OharaError:
    """Any exception as an OharaError."""
    match fault:
        case OharaError():
            return fault
        case click.ClickException():
            return _usage(fault)
        case OSError() if fault.strerror:
            place = f": {fault.filename}" if fault.filename else ""
            return OharaError(f"{fault.strerror}{place}", hint=_DEBUG_HINT)
    said = str(fault).strip()
    return InternalError(
        f"internal fault: {type(fault).__name__}{': ' if said else ''}{said}",
        hint=f"{_DEBUG_HINT}; please report it",
    )


def report_fault(fault: BaseException) -> int:
    """Print an error for an exception that ended a command, and return its exit code."""
    cause = _cause(fault)
    try:
        _flush()
    except OSError:
        _discard_output()
    match cause:
        case KeyboardInterrupt() | click.Abort():
            return ExitCode.INTERRUPTED
        case BrokenPipeError():
            return ExitCode.FOUND
    with contextlib.suppress(OSError):  # stderr itself may be closed; the exit code is still right
        if os.environ.get(DEBUG_VARIABLE, "") not in {"", "0"}:
            import traceback

            click.echo(sanitize("".join(traceback.format_exception(fault)), keep="\n\t"), nl=False, err=True)
        click.echo(describe(as_ohara_error(cause)), err=True)
    return ExitCode.ERROR


def _cause(fault: BaseException) -> BaseException:
    """The exception to report out of those that a task group collected."""
    if not isinstance(fault, BaseExceptionGroup):
        return fault
    leaves = [_cause(inner) for inner in fault.exceptions]
    return min(leaves, key=lambda leaf: not isinstance(leaf, KeyboardInterrupt | OharaError))


def _usage(error: click.ClickException) -> UsageError:
    """A usage error of click as one line in ohara's form, with the help command as its hint."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and isinstance(error.ctx.command, click.Group):
        commands = ", ".join(error.ctx.command.list_commands(error.ctx))
        said = f"{error.ctx.info_name} needs a command: {commands}"
        return UsageError(said, hint=f"{error.ctx.command_path} -h")
    context = error.ctx if isinstance(error, click.UsageError) else None
    said = " ".join(error.format_message().split()).rstrip(".")
    hint = f"{context.command_path if context else 'ohara'} -h"
    if context and isinstance(error, click.NoSuchOption) and _takes_words(context.command):
        what = (
            error.option_name if error.option_name.startswith("--") else "…"
        )  # a bundle is told by its first
        hint += f"; to search for what begins with a dash: {context.command_path} -- {what}"
    return UsageError(said[:1].lower() + said[1:], hint=hint)


def _takes_words(command: click.Command) -> bool:
    """True for a command whose arguments are a query."""
    return any(isinstance(each, click.Argument) and each.nargs == -1 for each in command.params)


def _flush() -> None:
    """Flush stdout, if this process has one."""
    if isinstance(sys.stdout, TextIOBase):
        sys.stdout.flush()


def _discard_output() -> None:
    """Redirect stdout to /dev/null, so that the interpreter's flush at exit does not fail."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)

"""Turns however a command ends into an exit code, and what went wrong into one line and a hint.

The one place where errors become words for a person at a shell. No traceback is shown unless
`OHARA_DEBUG=1`, and nothing in a message can disturb the terminal: messages quote repositories.
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
    """How a command ended, in the manner of grep."""

    FOUND = 0
    NOTHING_FOUND = 1
    ERROR = 2
    INTERRUPTED = 130


def guard(command: Callable[[], object]) -> int:
    """Run a command to its exit code, whatever happens in it.

    What the command returns is its exit code; nothing means success. A reader that closes its end of a
    pipe has seen enough, which is success too.
    """
    try:
        try:
            code = command()
        except click.exceptions.Exit as ended:
            code = ended.exit_code
        _flush()
    except (Exception, KeyboardInterrupt, BaseExceptionGroup) as fault:  # noqa: BLE001 - the last defence
        return ended_by(fault)
    return code if isinstance(code, int) else ExitCode.FOUND


def describe(error: OharaError) -> str:
    """The error as it is shown: one line, and one more for the hint."""
    lines = [f"ohara: {sanitize(error.message)}"]
    if error.hint:
        lines.append(f"  hint: {sanitize(error.hint)}")
    return "\n".join(lines)


def understood(fault: BaseException) -> OharaError:
    """The fault in ohara's own terms, whoever raised it."""
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


def ended_by(fault: BaseException) -> int:
    """Say what there is to say about a fault, and its exit code."""
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
    with contextlib.suppress(OSError):  # stderr itself may be closed; the exit code still tells
        if os.environ.get(DEBUG_VARIABLE, "") not in {"", "0"}:
            import traceback

            click.echo(sanitize("".join(traceback.format_exception(fault)), keep="\n\t"), nl=False, err=True)
        click.echo(describe(understood(cause)), err=True)
    return ExitCode.ERROR


def _cause(fault: BaseException) -> BaseException:
    """The one fault worth telling of those that a task group gathered."""
    if not isinstance(fault, BaseExceptionGroup):
        return fault
    leaves = [_cause(inner) for inner in fault.exceptions]
    return min(leaves, key=lambda leaf: not isinstance(leaf, KeyboardInterrupt | OharaError))


def _usage(error: click.ClickException) -> UsageError:
    """What click complains of as one line in our form, with the help to ask for as its hint."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and isinstance(error.ctx.command, click.Group):
        commands = ", ".join(error.ctx.command.list_commands(error.ctx))
        said = f"{error.ctx.info_name} needs a command: {commands}"
        return UsageError(said, hint=f"{error.ctx.command_path} -h")
    context = error.ctx if isinstance(error, click.UsageError) else None
    said = " ".join(error.format_message().split()).rstrip(".")
    return UsageError(said[:1].lower() + said[1:], hint=f"{context.command_path if context else 'ohara'} -h")


def _flush() -> None:
    """Write out what is buffered; a process started without a standard output has nothing to flush."""
    if isinstance(sys.stdout, TextIOBase):
        sys.stdout.flush()


def _discard_output() -> None:
    """Send what is still buffered nowhere, so that the interpreter does not complain at exit."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)

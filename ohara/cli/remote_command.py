"""Runs `ohara find` in the service for a command line of another process, and returns what it should print.

That process need not import click and the printing code. Options are parsed and results rendered by the same
code as in `ohara find` itself. What only the other process can do (its stdin, its help) is refused.
"""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
import click

from ohara import wire
from ohara.cli import visit
from ohara.cli.commands import find
from ohara.cli.find_arguments import read_arguments
from ohara.cli.main import PROGRAM, cli
from ohara.cli.output import exit_code, rendered
from ohara.cli.printing import Terminal
from ohara.cli.remote import names_paths, unread
from ohara.cli.report import ExitCode, as_ohara_error, describe
from ohara.cli.search import joined, read_query
from ohara.errors import DaemonError, IndexMissing, InternalError, OharaError
from ohara.model import Query

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ohara.cli.find_arguments import FindArguments
    from ohara.model import Results

_ZONE = "TZ"


async def answer_typed(
    request: wire.Typed, search: Callable[[wire.Find], Awaitable[wire.Found]]
) -> wire.Printed:
    """What to print for a command line; `search` runs the query in the service."""
    if request.environment.get(_ZONE) != os.environ.get(_ZONE):
        raise DaemonError("dates mean something else in the zone of that shell")
    try:
        asked = _read(request.arguments)
        question = _question(request, asked)
        _check_page(question)
        results = (await search(question)).results
        _check_indexed(results, asked)
        _check_reached(results)
        terminal = Terminal(request.width, request.talks, request.environment)
        word = partial(rendered, results, asked.printing, terminal, now=time.time(), notes=unread(results))
        answer = await anyio.to_thread.run_sync(word)
    except (IndexMissing, DaemonError, InternalError):
        raise  # the client handles these: it searches in process
    except (OharaError, click.ClickException) as error:
        return wire.Printed(
            id=request.id, code=ExitCode.ERROR, out="", err=describe(as_ohara_error(error)) + "\n"
        )
    return wire.Printed(id=request.id, code=exit_code(results), out=answer.out, err=answer.err)


def _check_indexed(results: Results, asked: FindArguments) -> None:
    """Leave it to the client to start the index of a repository that was named and has none."""
    if any(each.kind == IndexMissing.__name__ for each in results.unanswered) and names_paths(asked.repos):
        raise IndexMissing("one of them has no index yet")


def _check_page(question: wire.Find) -> None:
    """Leave it to the client to go on with an answer that it may have made with a branch of its own."""
    if isinstance(question.query, Query) and visit.may_go_on(question.options, question.query.filters):
        raise DaemonError("a branch is read where it was asked for")


def _check_reached(results: Results) -> None:
    """Leave it to the client to read a small branch that is not indexed, and to show how far it is."""
    if visit.is_worth(results):
        raise DaemonError("a branch is read where it was asked for")


def _read(arguments: tuple[str, ...]) -> FindArguments:
    """Parse the arguments of `ohara find`."""
    above = click.Context(cli, info_name=PROGRAM, **cli.context_settings)
    try:
        context = find.command.make_context("find", list(arguments), parent=above)
    except click.exceptions.Exit as help_was_asked:
        raise DaemonError("help is printed where it was asked for") from help_was_asked
    with context:
        asked = read_arguments(**context.params)
    alone = asked.batch or asked.no_daemon or asked.rule is not None or asked.shared is not None
    if alone or find.STDIN in asked.words:
        raise DaemonError("only the process that was asked can do this")
    return asked


def _question(request: wire.Typed, asked: FindArguments) -> wire.Find:
    first, *others = [_absolute(each, request.folder) for each in asked.repos or (".",)]
    return wire.Find(
        id=request.id,
        deadline_ms=request.deadline_ms,
        repo=first,
        also=tuple(others),
        implied=not asked.repos,
        query=read_query(joined(asked.words), asked.options),
        options=asked.options,
    )


def _absolute(repo: str, folder: str) -> str:
    return repo if repo.startswith("@") else str(Path(folder) / repo)

"""`ohara related`: what changes together with a file, a symbol, some lines or a commit."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import click

from ohara.cli.options import color_option, completes, repo_option
from ohara.cli.output import page_for, say
from ohara.cli.printing import Form, OutputOptions
from ohara.cli.report import ExitCode
from ohara.cli.typed import decoded
from ohara.client.fastpath import overrides_settings
from ohara.errors import DaemonError, IndexMissing, InternalError
from ohara.plural import counted
from ohara.present.json import written
from ohara.present.related import related_lines, related_object

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.model import Related

_MOST = 1_000


@click.command("related")
@click.argument("place", metavar="PLACE", shell_complete=completes("path"))
@repo_option
@click.option(
    "-k",
    "count",
    type=click.IntRange(1, _MOST),
    default=10,
    show_default=True,
    metavar="N",
    help="How many files, and how many symbols.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--no-daemon", is_flag=True, help="Answer in this process, even if a daemon runs.")
@color_option
def command(place: str, repo: Path, *, count: int, as_json: bool, no_daemon: bool, color: str) -> ExitCode:
    """Show what changes together with PLACE, with the commits.

    \b
    PLACE is a path, path:LINE or path:FIRST-LAST, a symbol, path:SYMBOL,
    or a commit: what usually changes with its files, and did not in it.
    """
    notes: list[str] = []
    place = decoded(place)
    found = None if no_daemon else _by_daemon(repo, place, count)
    if found is None:
        from ohara.cli.freshness import freshen
        from ohara.engine import Engine

        engine = Engine.open(repo)
        notes = freshen(engine, quiet=as_json)
        found = engine.related(place, count)
    if as_json:
        sys.stdout.write(written(related_object(found)) + "\n")
    else:
        lines = related_lines(found, page_for(OutputOptions(Form.TEXT, color), now=time.time()))
        sys.stdout.write("".join(f"{line}\n" for line in lines))
    say([*_said(found), *found.notes, *notes])
    return ExitCode.FOUND if found.files or found.symbols else ExitCode.NOTHING_FOUND


def _by_daemon(repo: Path, place: str, count: int) -> Related | None:
    """What the background service says, if one runs that would say what this process does."""
    if overrides_settings(os.environ):
        return None
    from ohara import client
    from ohara.client import RemoteSearcher

    try:
        there = client.running()
        if there is None:
            return None
        with there:
            return RemoteSearcher(there, repo).related(place, count)
    except (IndexMissing, DaemonError, InternalError):
        return None  # this process answers, or says why it cannot


def _said(found: Related) -> list[str]:
    if not found.files and not found.symbols:
        return [f"nothing changes together with {found.subject}: it changed alone, or in sweeps only"]
    return [f"{counted(found.swept, 'commit')} of more than 30 files left out"] if found.swept else []

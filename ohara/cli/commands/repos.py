"""`ohara repos`: every index on this machine."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import click

from ohara.cli.commands.status import ago
from ohara.cli.report import ExitCode
from ohara.sanitize import sanitize
from ohara.store.locate import not_entered

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.engine import KnownIndex


@click.command("repos")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def command(*, as_json: bool) -> ExitCode:
    """List all indexes on this machine: path, size, freshness."""
    from ohara.engine import all_indexes
    from ohara.store.locate import closed_indexes

    found = False
    for known in all_indexes():
        found = True
        click.echo(json.dumps(_object(known)) if as_json else _line(known))
    for folder in closed_indexes():
        found = True
        click.echo(json.dumps(_closed_object(folder)) if as_json else _closed_line(folder))
    if not found:
        click.echo("nothing is indexed yet (ohara index)", err=True)
    return ExitCode.FOUND if found else ExitCode.NOTHING_FOUND


def _line(known: KnownIndex) -> str:
    status = known.status
    if status is None:
        hint = f" ({sanitize(known.fault.hint)})" if known.fault and known.fault.hint else ""
        said = f"{sanitize(known.fault.message) if known.fault else ''}{hint}"
    else:
        run = status.last_run
        when = f", indexed {ago(time.time() - run.started)}" if run else ""
        commits = f"{status.indexed:,} commit{'s' if status.indexed != 1 else ''}"
        said = f"{commits}, {status.behind:,} behind{when}"
    return f"{sanitize(known.repository)}  {known.store.size_bytes() / 1e6:,.1f} MB  {said}"


def _object(known: KnownIndex) -> dict[str, object]:
    status, fault = known.status, known.fault
    return {
        "path": known.repository,
        "index": str(known.store.location.folder),
        "size_bytes": known.store.size_bytes(),
        "available": status is not None,
        "indexed": status.indexed if status else None,
        "behind": status.behind if status else None,
        "fault": fault.message if fault else None,
        "hint": fault.hint if fault else None,
    }


def _closed_line(folder: Path) -> str:
    """An index whose folder may not be looked into: whose it is, is not known."""
    fault = not_entered(folder)
    return sanitize(f"{folder}  {fault.message} ({fault.hint})")


def _closed_object(folder: Path) -> dict[str, object]:
    fault = not_entered(folder)
    return {
        "path": None,
        "index": str(folder),
        "size_bytes": None,
        "available": False,
        "indexed": None,
        "behind": None,
        "fault": fault.message,
        "hint": fault.hint,
    }

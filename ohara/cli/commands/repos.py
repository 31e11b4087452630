"""`ohara repos`: every index on this machine."""

from __future__ import annotations

import json
import time

import click

from ohara.cli.commands.status import ago
from ohara.cli.report import ExitCode
from ohara.plain import inert


@click.command("repos")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def command(*, as_json: bool) -> ExitCode:
    """List all indexes on this machine: path, size, freshness."""
    from ohara.engine import all_indexes

    found = False
    for location, status in all_indexes():
        found = True
        path = status.repository if status else str(location.common_dir)
        if as_json:
            fact = {
                "path": path,
                "index": str(location.folder),
                "size_bytes": location.size_bytes(),
                "available": status is not None,
                "indexed": status.indexed if status else None,
                "behind": status.behind if status else None,
            }
            click.echo(json.dumps(fact))
            continue
        if status is None:
            freshness = "the repository is gone (ohara forget PATH removes its index)"
        else:
            run = status.last_run
            when = f", indexed {ago(time.time() - run.started)}" if run else ""
            commits = f"{status.indexed:,} commit{'s' if status.indexed != 1 else ''}"
            freshness = f"{commits}, {status.behind:,} behind{when}"
        click.echo(f"{inert(path)}  {location.size_bytes() / 1e6:,.1f} MB  {freshness}")
    return ExitCode.FOUND if found else ExitCode.NOTHING_FOUND

"""`ohara export`: an index as one file, for other clones of the repository."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ohara.cli.options import repo_option


@click.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@repo_option
@click.option("--small", is_flag=True, help="Leave out what an import can make again, which takes it longer.")
def command(file: Path, repo: Path, *, small: bool) -> None:
    """Write the index of a repository to FILE, for other clones of it.

    The same history makes the same file. ohara import FILE takes it over.
    """
    from ohara.engine import Engine
    from ohara.index.portable import export

    engine = Engine.open(repo)
    engine.require_index()
    commits = export(engine.repository, engine.store, file, derived=not small)
    click.echo(f"{file}: {commits:,} commits, {os.stat(file).st_size / 1e6:,.1f} MB", err=True)  # noqa: PTH116

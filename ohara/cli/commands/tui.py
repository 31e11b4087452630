"""`ohara tui`: becomes the terminal UI, which is a program of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ohara.cli.launch_tui import open_ui
from ohara.cli.options import completes_query, index_option, only_one
from ohara.cli.search import joined
from ohara.config import require_known
from ohara.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


@click.command("tui")
@click.argument("query", nargs=-1, shell_complete=completes_query)
@click.option(
    "--repo",
    type=click.Path(),
    multiple=True,
    callback=only_one,
    metavar="PATH",
    help="A work tree, a folder in one, or a bare repository (default: here).",
)
@index_option
@click.option("--serve", is_flag=True, help="Serve it to a browser on this machine, and print its address.")
@click.option(
    "--port",
    type=click.IntRange(1, 65_535),
    metavar="N",
    help="The port for --serve (default: one that is free).",
)
def command(
    query: tuple[str, ...], *, repo: Path | None, shared: str | None, serve: bool, port: int | None
) -> None:
    """Search and browse history on screen.

    Several arguments are joined by blanks, as for ohara find.
    """
    if port is not None and not serve:
        raise UsageError("--port is for --serve", hint="ohara tui --serve --port N")
    if str(repo or "").startswith("@"):
        raise UsageError(
            "the terminal UI opens one repository", hint="its query searches others: repo:NAME, repo:~/src/**"
        )
    require_known(shared)
    open_ui(joined(query), repo, shared, serve=serve, port=port or 0)

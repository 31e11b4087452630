"""`ohara man`: the manual page, shown on a terminal, printed in roff elsewhere."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from ohara.cli.man_page import man_page

if TYPE_CHECKING:
    from collections.abc import Iterator

_VIEWERS = (("man", "-l", "-"), ("groff", "-man", "-Tutf8"))


@click.command("man")
def command() -> None:
    """Show the manual page; into a pipe or a file, print its source.

    \b
    ohara man > ~/.local/share/man/man1/ohara.1
    """
    from ohara.cli.main import PROGRAM, cli

    page = man_page(PROGRAM, cli, dict(_all_commands()))
    if not (sys.stdout.isatty() and _shown(page)):
        sys.stdout.write(page)


def _all_commands() -> Iterator[tuple[str, click.Command]]:
    """Each command and subcommand, by the words that call it."""
    from ohara.cli.main import COMMANDS, PROGRAM

    for name, entry in COMMANDS.items():
        loaded = entry.load()
        yield f"{PROGRAM} {name}", loaded
        if isinstance(loaded, click.Group):
            for inner, sub in loaded.commands.items():
                yield f"{PROGRAM} {name} {inner}", sub


def _shown(page: str) -> bool:
    """Show the page by what this machine has for manual pages; False when it has nothing."""
    import shutil
    import subprocess

    for viewer in _VIEWERS:
        if shutil.which(viewer[0]):
            done = subprocess.run(viewer, input=page.encode(), env=os.environ, check=False)
            if done.returncode == 0:
                return True
    return False

"""`ohara hook`: let git itself say when there is something new to index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ohara.cli.command_group import CommandGroup
from ohara.cli.options import repo_option
from ohara.cli.report import ExitCode
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from pathlib import Path

_BACKGROUND_NICENESS = 10


@click.group("hook", cls=CommandGroup)
def command() -> None:
    """Index after every commit, merge, checkout and rebase, by git's own hooks."""


@command.command("install")
@repo_option
def install(repo: Path) -> ExitCode:
    """Add a marked block to the hooks of a repository; hooks that exist stay as they are otherwise."""
    from ohara.setup import hook

    refused = False
    for one in hook.install(repo):
        if one.refused:
            refused = True
            click.echo(f"left alone: {sanitize(str(one.file))}: {sanitize(one.refused)}", err=True)
        else:
            click.echo(f"{one.done}: {sanitize(str(one.file))}")
    if refused:
        click.echo("add these lines there by hand (ohara hook snippet prints them again):\n", err=True)
        click.echo(sanitize(hook.snippet(), keep="\n"), err=True, nl=False)
    return ExitCode.ERROR if refused else ExitCode.FOUND


@command.command("remove")
@repo_option
def remove(repo: Path) -> ExitCode:
    """Take the block out of the hooks again."""
    from ohara.setup import hook

    gone = hook.remove(repo)
    for one in gone:
        click.echo(f"{one.done}: {sanitize(str(one.file))}")
    if not gone:
        click.echo("no hook holds a block of ohara")
    return ExitCode.FOUND if gone else ExitCode.NOTHING_FOUND


@command.command("snippet")
def snippet() -> None:
    """Print the shell lines that a hook needs, for a hook manager."""
    from ohara.setup import hook

    click.echo(hook.snippet(), nl=False)


@command.command("run")
@repo_option
def run(repo: Path) -> None:
    """Do what a hook leaves running: wait for the refs to settle, then index what is new."""
    import os

    from ohara.setup.hook_run import follow

    os.nice(_BACKGROUND_NICENESS)
    follow(repo)

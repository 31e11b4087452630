"""`ohara share`: put indexes on a PostgreSQL server that a team searches, and look after them."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

import click

from ohara.cli.command_group import CommandGroup
from ohara.cli.progress import Reporter
from ohara.cli.report import ExitCode
from ohara.errors import UsageError
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from ohara.store.shared import SharedServer

_server_option = click.option(
    "--index",
    "server",
    metavar="NAME",
    help="Which server ([shared.NAME] in the settings; default: the only one).",
)


def _server(name: str | None) -> SharedServer:
    """The server that is meant."""
    from ohara import config, paths
    from ohara.sharing import server_named

    known = config.load().shared
    if name is None and len(known) == 1:
        name = next(iter(known))
    if name is None and known:
        raise UsageError("which shared index?", hint=f"--index {next(iter(known))}")
    if name is None:
        raise UsageError(
            "no shared index is known here",
            hint=f'write [shared.team] and dsn = "…" in {paths.config_file()}; ohara share init makes one',
        )
    return server_named(name)


@click.group("share", cls=CommandGroup)
def command() -> None:
    """Share indexes with a team: a PostgreSQL server keeps them."""


@command.command("init")
@click.argument("dsn")
@click.option(
    "--name", default="team", show_default=True, metavar="NAME", help="What to call the server here."
)
def init(dsn: str, name: str) -> ExitCode:
    """Set a server up, or bring it up to date: roles, tables, row-level security.

    DSN is libpq's: postgresql://host/database or service=NAME. A password does
    not belong in it: libpq finds one in ~/.pgpass or in a service file.
    """
    from ohara import config, paths
    from ohara.store.engines import shared_server

    known = config.load().shared
    what = shared_server(name, dsn).initialise()
    click.echo(f"{sanitize(name)} is set up: {what}")
    if name not in known:
        where = sanitize(str(paths.config_file()))
        click.echo(f'add to {where}:\n\n[shared.{sanitize(name)}]\ndsn = "…"  # the same')
    return ExitCode.FOUND


@command.command("push")
@click.option(
    "--repo",
    "repos",
    multiple=True,
    metavar="PATH",
    help="A repository (default: here); repeatable.",
)
@_server_option
@click.option("--as", "name", metavar="NAME", help="What the server calls it (default: as its remote does).")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def push(repos: tuple[str, ...], server: str | None, name: str | None, *, quiet: bool) -> ExitCode:
    """Copy what is new in indexes to the server; one that is missing here is made first."""
    from ohara.engine import Engine
    from ohara.index.portable import require_whole_history
    from ohara.index.push import push as copied
    from ohara.sharing import require_same_history, shared_index, shared_name

    if name is not None and len(repos) > 1:
        raise UsageError("--as names one repository", hint="push them one by one")
    there = _server(server)
    for repo in repos or (".",):
        engine = Engine.open(repo)
        require_whole_history(engine.repository)
        reporter = Reporter(quiet=quiet, as_json=False)
        with closing(engine.index()) as moments:
            for moment in moments:
                reporter.show(moment)
        called = name or shared_name(engine.repository)
        target = shared_index(engine.repository, there, called)
        if target.exists:
            require_same_history(engine.repository, target, called)
        began = time.monotonic()
        with closing(copied(engine.store, target)) as moments:
            for moment in moments:
                reporter.show(moment)
        reporter.close()
        if not quiet:
            with target.statistics() as known:
                told = f"{known.commits():,} commits, {known.hunks():,} hunks"
            took = f"{time.monotonic() - began:,.1f} s"
            click.echo(f"pushed {sanitize(called)} to {sanitize(there.name)}: {told}, {took}")
    return ExitCode.FOUND


@command.command("status")
@_server_option
def status(server: str | None) -> ExitCode:
    """List the indexes of a server that you may read."""
    from ohara.cli.commands.status import ago

    there = _server(server)
    found = there.indexes()
    now = time.time()
    for each in found:
        readers = f", read by {', '.join(map(sanitize, each.readers))}" if each.readers else ""
        click.echo(
            f"{sanitize(each.name)}: {each.commits:,} commits, {each.hunks:,} hunks,"
            f" {each.size_bytes / 1e6:,.0f} MB, pushed {ago(now - each.written)}{readers}"
        )
    if not found:
        click.echo(f"{sanitize(there.name)} has no index that you may read (ohara share push)", err=True)
    return ExitCode.FOUND if found else ExitCode.NOTHING_FOUND


@command.command("grant")
@click.argument("role")
@click.argument("name")
@_server_option
def grant(role: str, name: str, server: str | None) -> None:
    """Let the server's ROLE read the index NAME, and no other that it was not granted."""
    _server(server).grant(role, name)
    click.echo(f"{sanitize(role)} may read {sanitize(name)}")


@command.command("revoke")
@click.argument("role")
@click.argument("name")
@_server_option
def revoke(role: str, name: str, server: str | None) -> None:
    """Let ROLE read the index NAME no more."""
    _server(server).revoke(role, name)
    click.echo(f"{sanitize(role)} may no longer read {sanitize(name)}")


@command.command("drop")
@click.argument("name")
@_server_option
def drop(name: str, server: str | None) -> None:
    """Delete the index NAME from the server; the repository and your own index stay."""
    there = _server(server)
    freed = there.drop(name)
    click.echo(f"dropped {sanitize(name)} from {sanitize(there.name)}, freed {freed / 1e6:,.1f} MB")

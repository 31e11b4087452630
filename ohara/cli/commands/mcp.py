"""`ohara mcp`: serve coding agents over the Model Context Protocol, and tell their programs of it."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ohara.cli.command_group import CommandGroup
from ohara.cli.options import index_option, only_one
from ohara.cli.report import ExitCode
from ohara.config import require_known
from ohara.errors import ConfigError, UsageError
from ohara.extras import install_command
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from ohara.setup.agent_clients import Change


@click.group("mcp", cls=CommandGroup, invoke_without_command=True)
@click.option(
    "--repo",
    type=click.Path(path_type=Path),
    multiple=True,
    callback=only_one,
    metavar="PATH",
    help="The repository that questions are about (default: here).",
)
@click.option(
    "--allow",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="PATH",
    help="A repository, or a folder of such, that may be indexed when asked about (repeatable).",
)
@index_option
@click.option("--http", metavar="HOST:PORT", help="Serve several clients over HTTP: 127.0.0.1:8123.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Over HTTP, let in only who sends the token in FILE.",
)
@click.option("--client", metavar="NAME", help="Which program started this; marks what install wrote.")
@click.pass_context
def command(
    context: click.Context,
    *,
    repo: Path | None,
    allow: tuple[Path, ...],
    shared: str | None,
    http: str | None,
    token_file: Path | None,
    client: str | None,
) -> None:
    """Serve coding agents over the Model Context Protocol.

    Without a command, speaks the protocol over stdin and stdout, as the programs of agents expect.
    """
    del client
    if context.invoked_subcommand is not None:
        return
    _require_sdk()
    if token_file is not None and http is None:
        raise UsageError(
            "--token-file is for --http", hint="over stdin and stdout only who started it can ask"
        )
    from ohara.mcp.repositories import Choice

    require_known(shared)
    choice = Choice(Path.cwd(), repo, tuple(path.absolute() for path in allow), shared or "")
    if http is None:
        from ohara.mcp.transports import run_stdio

        run_stdio(choice)
        return
    from ohara.mcp.transports import read_token, run_http

    host, port = _address(http)
    run_http(choice, host, port, read_token(token_file) if token_file else None)


def _require_sdk() -> None:
    if importlib.util.find_spec("mcp") is None:
        raise UsageError(
            "serving agents needs the mcp package, which is not installed",
            hint=install_command("mcp"),
        )


def _address(http: str) -> tuple[str, int]:
    host, colon, port = http.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise UsageError(f"--http takes HOST:PORT, not {http!r}", hint="--http 127.0.0.1:8123")
    return host.removeprefix("[").removesuffix("]"), int(port)


# -- telling the programs of agents --------------------------------------------------------------

_client = click.argument("client", type=click.Choice(["claude-code", "cursor", "vscode", "codex", "zed"]))
_scope = (
    click.option(
        "--project",
        "scope",
        flag_value="project",
        default="project",
        help="In this project's file (default).",
    ),
    click.option("--user", "scope", flag_value="user", help="In your own file, for all projects."),
)
_dry_run = click.option("--dry-run", is_flag=True, help="Show it, and write nothing.")


@command.command("install")
@_client
@_scope[0]
@_scope[1]
@_dry_run
def install(client: str, *, scope: str, dry_run: bool) -> None:
    """Add ohara to the servers that a program of agents starts; nothing else in its file changes."""
    from ohara.setup import agent_clients as agents

    change = agents.install(agents.CLIENTS[client], agents.Scope(scope), Path.cwd())
    _carry_out(change, dry_run=dry_run, nothing="already there")
    if scope == agents.Scope.PROJECT and shutil.which("ohara") is None:
        click.echo("note: ohara is not on PATH, where the program will look for it", err=True)


@command.command("uninstall")
@_client
@_scope[0]
@_scope[1]
@_dry_run
def uninstall(client: str, *, scope: str, dry_run: bool) -> ExitCode:
    """Take ohara out of that file again, if install wrote it."""
    from ohara.setup import agent_clients as agents

    change = agents.uninstall(agents.CLIENTS[client], agents.Scope(scope), Path.cwd())
    _carry_out(change, dry_run=dry_run, nothing="nothing of ohara there")
    return ExitCode.FOUND if change.changes else ExitCode.NOTHING_FOUND


@command.command("status")
def status() -> ExitCode:
    """Show which programs of agents know ohara, here and for all projects."""
    from ohara.setup import agent_clients as agents

    found = False
    for client in agents.CLIENTS.values():
        for scope in agents.Scope:
            try:
                file, said = client.file(scope, Path.cwd()), agents.state(client, scope, Path.cwd())
            except ConfigError as error:
                click.echo(f"{client.name} ({scope}): {sanitize(error.message)}")
                continue
            except UsageError:  # not in a project
                continue
            found = found or said in {agents.State.INSTALLED, agents.State.OUTDATED}
            click.echo(f"{client.name} ({scope}): {said}: {sanitize(str(file))}")
    if importlib.util.find_spec("mcp") is None:
        click.echo(f"note: the mcp package is not installed: {install_command('mcp')}", err=True)
    return ExitCode.FOUND if found else ExitCode.NOTHING_FOUND


def _carry_out(change: Change, *, dry_run: bool, nothing: str) -> None:
    """Show what changes in a file, and write it."""
    name = sanitize(str(change.file))
    if not change.changes:
        click.echo(f"{nothing}: {name}")
        return
    import difflib

    lines = difflib.unified_diff(
        change.before.splitlines(), (change.text or "").splitlines(), name, name, lineterm=""
    )
    for line in lines:
        click.echo(sanitize(line, keep="\t"))
    if not dry_run:
        change.write()
        click.echo(f"{'deleted' if change.text is None else 'written'}: {name}")

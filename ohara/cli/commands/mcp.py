"""`ohara mcp`: serve coding agents over the Model Context Protocol, and tell their programs of it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import click

from ohara.cli.options import only_one
from ohara.errors import UsageError


@click.group("mcp", invoke_without_command=True)
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

    choice = Choice(Path.cwd(), repo, tuple(path.absolute() for path in allow))
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
            hint="pipx install 'ohara[mcp]', or into its environment: pip install 'mcp>=2.3,<3'",
        )


def _address(http: str) -> tuple[str, int]:
    host, colon, port = http.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise UsageError(f"--http takes HOST:PORT, not {http!r}", hint="--http 127.0.0.1:8123")
    return host.removeprefix("[").removesuffix("]"), int(port)

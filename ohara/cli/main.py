"""The `ohara` command: a table of commands, each imported only when it is typed.

Answering `-h`, `--version` or a bare `ohara` imports nothing but click. To add a command, write a module
in `ohara/cli/commands/` that exposes a click command named `command`, and add its line to `COMMANDS`.
"""

from __future__ import annotations

import importlib
import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING

import click

from ohara import __version__
from ohara.cli import report
from ohara.errors import UsageError
from ohara.records import dataclass
from ohara.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click.shell_completion import CompletionItem

PROGRAM = "ohara"
_LONGEST_HINT = 100
COMPLETE_VARIABLE = "_OHARA_COMPLETE"


@dataclass(frozen=True, slots=True)
class Lazy:
    """A command that is not imported yet: its module and its line in the help."""

    module: str
    summary: str

    def load(self) -> click.Command:
        """Import the module and return its command."""
        command: click.Command = importlib.import_module(f"ohara.cli.commands.{self.module}").command
        return command


COMMANDS: Mapping[str, Lazy] = {
    "find": Lazy("find", "Search a repository's whole history."),
    "tui": Lazy("tui", "Search and browse history on screen."),
    "explain": Lazy("explain", "Tell how lines, a file or a symbol came to be, commit by commit."),
    "mcp": Lazy("mcp", "Serve coding agents over the Model Context Protocol."),
    "show": Lazy("show", "Show a commit's message, what became of it, and its diff, which git apply takes."),
    "related": Lazy("related", "Show what changes together with PLACE, with the commits."),
    "index": Lazy("index", "Read what is new in a repository's history, newest first."),
    "status": Lazy("status", "Show what is indexed, what is left out and why, and how far each pass is."),
    "repos": Lazy("repos", "List all indexes on this machine: path, size, freshness."),
    "export": Lazy("export_index", "Write the index of a repository to FILE, for other clones of it."),
    "import": Lazy("import_index", "Take over the index in FILE, which another clone exported."),
    "gc": Lazy("gc", "Remove commits that were rewritten away, and give their space back."),
    "share": Lazy("share", "Share indexes with a team: a PostgreSQL server keeps them."),
    "forget": Lazy(
        "forget", "Delete the index of the repository at PATH (default: here), never the repository."
    ),
    "daemon": Lazy("daemon", "Run, stop and look after the background service."),
    "schedule": Lazy(
        "schedule", "Keep indexes fresh with a systemd timer, launchd or cron instead of a daemon."
    ),
    "hook": Lazy("hook", "Index after every commit, merge, checkout and rebase, by git's own hooks."),
    "doctor": Lazy("doctor", "Check the installation and every index, and say how to mend what is wrong."),
    "models": Lazy(
        "models", "List the models that ship, were added or can be pulled, and which of them serve."
    ),
    "config": Lazy("config", "Show every setting, its value and where it came from."),
    "man": Lazy("man", "Show the manual page; into a pipe or a file, print its source."),
    "completion": Lazy("completion", "Print the completion script for a shell."),
}


class LazyGroup(click.Group):
    """A click group that lists commands from the `COMMANDS` table and imports only the one it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the named command."""
        entry = COMMANDS.get(cmd_name)
        return entry.load() if entry else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the typed command, or suggest the one that may have been meant."""
        typed = args[0]
        if typed not in COMMANDS and not ctx.resilient_parsing:
            meant = nearest(typed, COMMANDS, within=1)
            hint = f"did you mean {PROGRAM} {meant}?" if meant else _to_search_for(args)
            raise UsageError(f"no such command: {typed}", hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete command names from the table, and options as click does."""
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=entry.summary)
            for name, entry in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)


def _to_search_for(words: Sequence[str]) -> str:
    """The command that searches for what was typed in place of a command."""
    import shlex

    command = shlex.join([PROGRAM, "find", *words])
    shown = command if len(command) <= _LONGEST_HINT else f"{PROGRAM} find …"
    return f"to search for it: {shown}; {PROGRAM} -h lists the commands"


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Find the diff hunks where it happened: search a repository's whole history.",
)
@click.version_option(__version__, prog_name=PROGRAM, message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Run the named command; without one, open the UI or print the help."""
    if ctx.invoked_subcommand is None:
        _run_without_command(ctx)


def _run_without_command(ctx: click.Context) -> None:
    """Open the UI on a terminal inside a repository; elsewhere print the help."""
    from ohara.cli import launch_tui

    if launch_tui.is_terminal() and _in_work_tree():
        launch_tui.open_ui()
    click.echo(ctx.get_help())


def _in_work_tree() -> bool:
    from pathlib import Path

    from ohara.config import work_tree

    return work_tree(Path()) is not None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    _fill_streams()
    _print_anything()
    given = list(sys.argv[1:] if arguments is None else arguments)
    return report.guard(lambda: _run(given))


def _run(arguments: list[str]) -> object:
    if instruction := os.environ.get(COMPLETE_VARIABLE):
        from click.shell_completion import shell_complete

        from ohara.cli.shells import register

        register()
        return shell_complete(cli, {}, PROGRAM, COMPLETE_VARIABLE, instruction)
    with cli.make_context(PROGRAM, arguments) as ctx:
        return cli.invoke(ctx)


def _fill_streams() -> None:
    """Open /dev/null for standard streams that are closed, before another file takes their descriptors."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - as long as the process


def _print_anything() -> None:
    """Print characters that the terminal's encoding lacks as escapes instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

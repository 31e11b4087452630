"""A group of commands whose help lists them by whole sentences; click cuts those that are long."""

from __future__ import annotations

import click

_WHOLE = 10_000  # characters of a summary: more than any has


class CommandGroup(click.Group):
    """A click group that shows the first sentence of each of its commands, wrapped and not cut."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, as the help of `ohara` lists its own."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, each.get_short_help_str(_WHOLE)) for name, each in commands if each is not None]
            )

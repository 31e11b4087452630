"""`ohara completion`: the script that teaches a shell to complete commands, options, filters and values."""

from __future__ import annotations

import click
from click.shell_completion import FishComplete, ShellComplete

from ohara.cli.main import COMPLETE_VARIABLE, PROGRAM, cli
from ohara.cli.shells import OharaBashComplete, OharaZshComplete

_SHELLS: dict[str, type[ShellComplete]] = {
    "bash": OharaBashComplete,
    "zsh": OharaZshComplete,
    "fish": FishComplete,
}


@click.command("completion")
@click.argument("shell", type=click.Choice(list(_SHELLS)))
def command(shell: str) -> None:
    """Print the completion script for a shell.

    \b
    bash:  ohara completion bash >> ~/.bashrc
    zsh:   ohara completion zsh > "${fpath[1]}/_ohara"
    fish:  ohara completion fish > ~/.config/fish/completions/ohara.fish
    """
    # The base class's `source` leaves out a check of the bash that happens to be on PATH: the script may
    # be meant for another machine, and the check speaks even when all is well.
    completion = _SHELLS[shell](cli, {}, PROGRAM, COMPLETE_VARIABLE)
    click.echo(ShellComplete.source(completion), nl=False)

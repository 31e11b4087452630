"""Begins work in git from a commit: the command is shown, confirmed, and run where its words can be read."""

from __future__ import annotations

import os
import subprocess
from functools import partial
from typing import TYPE_CHECKING

from anyio import to_thread

from ohara.gitcommand import git_command, git_environment
from tui.shell_commands import GitCommand, commands_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from ohara.model import Hit
    from tui.screens.host import Commands, Host

_AT_MOST_S = 60.0
_TOLD_LINES = 4


class GitActions:
    """Runs commands of git on the commit of a hit, after a question."""

    def __init__(self, host: Host, hit: Callable[[], Hit | None]) -> None:
        self._host = host
        self._hit = hit

    def commands(self) -> Commands:
        """Its commands, by action name."""
        return {"git": self.choose}

    def choose(self) -> None:
        """Ask which command to run."""
        from tui.screens.menu import Item, MenuScreen

        hit = self._hit()
        if hit is None:
            return
        offered = {command.key: command for command in commands_for(hit.commit.sha)}
        items = [Item(command.key, command.title, command.shown) for command in offered.values()]

        def chosen(key: str | None) -> None:
            if key is not None:
                self._confirm(offered[key])

        self._host.ohara.push_screen(MenuScreen(f"git at {hit.commit.sha[:10]}", items), chosen)

    def _confirm(self, command: GitCommand) -> None:
        from tui.screens.menu import Item, MenuScreen

        items = (Item("y", "run it", command.shown), Item("n", "leave it", self._host.repository))

        def chosen(key: str | None) -> None:
            if key == "y":
                self._host.start_worker(partial(self._run, command), group="git", exclusive=True)

        self._host.ohara.push_screen(MenuScreen(command.shown, items), chosen)

    async def _run(self, command: GitCommand) -> None:
        code, said = await to_thread.run_sync(_run_git, self._host.repository, command.arguments)
        shown = "\n".join([command.shown, *said.strip().split("\n")[-_TOLD_LINES:]])
        self._host.notify(shown, severity="warning" if code else "information", timeout=8, markup=False)


def _run_git(repository: str, arguments: tuple[str, ...]) -> tuple[int, str]:
    """Run git without anything that the repository's configuration names; its exit code and words."""
    try:
        done = subprocess.run(
            git_command(repository, *arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_AT_MOST_S,
            env=git_environment(os.environ),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")

"""Counts commits with a git process: all the UI needs to know of a repository without an index."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import anyio

from ohara.gitcommand import git_command, git_environment

if TYPE_CHECKING:
    from pathlib import Path

_AT_MOST_S = 10.0  # counting half a million commits takes a second or two


async def count_commits(path: Path | str) -> int | None:
    """How many commits an index would read; None when git does not answer in time."""
    command = git_command(path, "rev-list", "--count", "HEAD")
    with anyio.move_on_after(_AT_MOST_S):
        try:
            done = await anyio.run_process(
                command, stderr=subprocess.DEVNULL, check=False, env=git_environment(os.environ)
            )
        except OSError:
            return None
        text = done.stdout.decode("ascii", "replace").strip()
        return int(text) if done.returncode == 0 and text.isdecimal() else None
    return None

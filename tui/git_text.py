"""Checks with a git process whether the text of a diff is byte for byte what git has.

A diff is shown as text in any case; a patch is bytes. Text or a path in another encoding than UTF-8 looks
right and would apply as something else.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import anyio

from ohara.gitcommand import git_command, git_environment

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ohara.model import Hit

_AT_MOST_S = 10.0  # for one version of one file


async def inexact(repository: Path | str, hits: Iterable[Hit]) -> frozenset[tuple[str, int]]:
    """The hits, by sha and hunk, whose lines or paths are not byte for byte what git has."""
    odd = set()
    for hit in hits:
        is_plain = (hit.excerpt + hit.path + (hit.old_path or "")).isascii()
        if not is_plain and not await _is_exact(repository, hit):
            odd.add((hit.commit.sha, hit.hunk))
    return frozenset(odd)


async def _is_exact(repository: Path | str, hit: Hit) -> bool:
    sha, lines = hit.commit.sha, hit.excerpt.split("\n")
    sides = (
        (f"{sha}:{hit.path}", hit.top, "+ "),
        (f"{sha}^:{hit.old_path or hit.path}", hit.old_top, "- "),
    )
    for name, top, signs in sides:
        shown = [line[1:].encode("utf-8", "replace") for line in lines if line[:1] and line[0] in signs]
        if shown and (await _lines(repository, name))[top - 1 :][: len(shown)] != shown:
            return False
    return True


async def _lines(repository: Path | str, name: str) -> list[bytes]:
    """The lines of a file in a commit; none where git does not find it in time."""
    command = git_command(repository, "cat-file", "blob", name)
    with anyio.move_on_after(_AT_MOST_S):
        try:
            done = await anyio.run_process(
                command, stderr=subprocess.DEVNULL, check=False, env=git_environment(os.environ)
            )
        except (OSError, ValueError):
            return []
        return done.stdout.split(b"\n") if done.returncode == 0 else []
    return []

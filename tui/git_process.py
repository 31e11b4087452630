"""What the UI asks of git, in a process of its own: how many commits there are, exact diffs.

The service is not needed for any of it. A diff is shown as text in any case; a patch is bytes: text or a path
in another encoding than UTF-8 looks right and would apply as something else.
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

_AT_MOST_S = 10.0  # counting half a million commits takes a second or two; a version of a file far less


async def count_commits(path: Path | str) -> int | None:
    """How many commits an index would read; None when git does not answer in time."""
    text = (await _output(path, "rev-list", "--count", "HEAD") or b"").decode("ascii", "replace").strip()
    if text.isdecimal():
        return int(text)
    return 0 if await _output(path, "rev-list", "--all", "--max-count=1") == b"" else None


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
        content = await _output(repository, "cat-file", "blob", name) if shown else None
        if shown and (content or b"").split(b"\n")[top - 1 :][: len(shown)] != shown:
            return False
    return True


async def _output(repository: Path | str, *arguments: str) -> bytes | None:
    """What git prints; None when it fails, cannot be started or does not answer in time."""
    with anyio.move_on_after(_AT_MOST_S):
        try:
            done = await anyio.run_process(
                git_command(repository, *arguments),
                stderr=subprocess.DEVNULL,
                check=False,
                env=git_environment(os.environ),
            )
        except (OSError, ValueError):  # a path with a NUL in it cannot be an argument
            return None
        return done.stdout if done.returncode == 0 else None
    return None

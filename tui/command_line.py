"""The `ohara find` that asks what is on screen. Pure."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ohara.model import Intent


def find_command(
    source: str, *, repository: str, index: str = "", order: str = "rank", intent: Intent | None = None
) -> str:
    """The command, quoted for a shell; options that change nothing are left out."""
    words = ["ohara", "find", "--repo", repository]
    if index:
        words += ["--index", index]
    if order != "rank":
        words += ["--order", order]
    if intent is not None:
        words += ["--intent", str(intent)]
    if source.startswith("-"):
        words.append("--")
    return shlex.join([*words, source])

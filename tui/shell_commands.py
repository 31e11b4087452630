"""What can be begun in git from a commit, as commands that are shown before they are run. Pure."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

_SHA = re.compile(r"[0-9a-fA-F]{4,64}")
_SHORT = 10


@dataclass(frozen=True, slots=True)
class GitCommand:
    """A command of git: the key that chooses it, what it does, and its arguments."""

    key: str
    title: str
    arguments: tuple[str, ...]

    @property
    def shown(self) -> str:
        """The command as one would type it."""
        return shlex.join(("git", *self.arguments))


def commands_for(sha: str) -> tuple[GitCommand, ...]:
    """What can be begun at a commit; each only adds or moves what git itself can take back."""
    if not _SHA.fullmatch(sha):
        raise ValueError(f"not a commit's name: {sha!r}")
    name = sha[:_SHORT]
    return (
        GitCommand("c", "checkout", ("checkout", "--detach", sha)),
        GitCommand("b", "branch", ("branch", f"from-{name}", sha)),
        GitCommand("p", "cherry-pick", ("cherry-pick", "-x", "--no-edit", sha)),
        GitCommand("r", "revert", ("revert", "--no-edit", sha)),
        GitCommand("g", "bisect good", ("bisect", "start", "HEAD", sha)),
    )

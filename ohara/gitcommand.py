"""The command line and environment for running git, so that it never runs what a repository's config names.

An unpacked archive brings its own `.git/config`, which can name a pager, differ, converter, signature checker
or transport for git to start. Command-line options and environment variables override that file. The pager
that the user's own configuration names is read separately. Pure except for that.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_OFF: Final = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.sshCommand": "false",
    "core.gitProxy": "false",
    "core.askPass": "false",
    "core.editor": "false",
    "core.alternateRefsCommand": "false",
    "credential.helper": "",
    "gpg.program": "false",
    "gpg.ssh.program": "false",
    "gpg.x509.program": "false",
    "log.showSignature": "false",
    "diff.external": "",
    "diff.submodule": "short",  # more would run git inside the submodule, by its own configuration
    "protocol.allow": "never",
    # Files that are read to their end.
    "core.attributesFile": os.devnull,
    "diff.orderFile": os.devnull,
    "mailmap.file": os.devnull,
}

# These override any configuration. An empty list of protocols allows none: a partial clone fetches nothing.
_ENVIRONMENT: Final = {
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}

# Shows a commit without starting a differ, a converter or a signature checker, and a merge without merging
# again, for which git would start merge drivers.
SHOW_OPTIONS: Final = ("--no-ext-diff", "--no-textconv", "--no-show-signature", "--submodule=short", "--cc")

DEFAULT_PAGER: Final = "less"
_PAGER_KEYS: Final = ("pager.show", "core.pager")
_SWITCHES: Final = frozenset({"", "true", "yes", "on", "1", "false", "no", "off", "0"})
_TIMEOUT_S: Final = 10.0


def git_command(repository: Path | str, *arguments: str, keep: frozenset[str] = frozenset()) -> list[str]:
    """The command line of git in a repository; `keep` names settings that are only read and stay in force."""
    settings = [part for key, value in _OFF.items() if key not in keep for part in ("-c", f"{key}={value}")]
    return ["git", "--no-optional-locks", *settings, "-C", str(repository), *arguments]


def git_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment that git is started in."""
    return {**environment, **_ENVIRONMENT}


def user_pager(environment: Mapping[str, str], *, keys: tuple[str, ...] = _PAGER_KEYS) -> str:
    """The pager of the user's own git configuration, as a shell command, or an empty text.

    `keys` are the settings that may name it, the first of them that does not only switch it on or off.
    """
    if "GIT_PAGER" in environment:
        return environment["GIT_PAGER"]
    chosen = _user_settings(environment)
    named = (chosen[key] for key in keys if chosen.get(key, "").lower() not in _SWITCHES)
    return next(named, "") or environment.get("PAGER", DEFAULT_PAGER)


def _user_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """The pager settings of the user and the system, read outside of any repository."""
    nowhere = {name: value for name, value in environment.items() if not name.startswith("GIT_DIR")}
    try:
        done = subprocess.run(
            ["git", "config", "-z", "--get-regexp", r"^(core\.pager|pager\.show)$"],
            env=git_environment(nowhere) | {"GIT_DIR": os.path.join(os.sep, "nonexistent", "ohara")},  # noqa: PTH118
            cwd=os.sep,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
            timeout=_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    found = (entry.partition("\n") for entry in done.stdout.split("\0") if entry)
    return {key: value for key, _, value in found}

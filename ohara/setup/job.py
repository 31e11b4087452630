"""The scheduled job: a command, how often it runs, and its environment variables. Pure."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Protocol

from ohara.errors import UsageError
from ohara.paths import HOME_VARIABLE
from ohara.records import dataclass
from ohara.setup.subprocesses import ohara_command

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MARK = "ohara-index"  # the name under which every scheduler knows the job
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_SHORTEST_S = 60  # cron's finest step; more often is what the daemon is for
_LONGEST_S = 7 * 86_400


@dataclass(frozen=True, slots=True)
class Job:
    """A command that runs at an interval."""

    command: tuple[str, ...]
    every_s: int
    environment: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Text:
    """A text to write: the path of a file (or the name of a table that is none), and the content."""

    place: str
    content: str


@dataclass(frozen=True, slots=True)
class Preview:
    """Everything that installing would write and run."""

    texts: tuple[Text, ...]
    commands: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Installed:
    """What is installed now: in which files, and whether it is active."""

    places: tuple[str, ...]
    active: bool
    command: str


class Scheduler(Protocol):
    """A scheduler of the operating system."""

    name: str

    def available(self) -> bool:
        """True when this system has the scheduler."""
        ...

    def preview(self, job: Job) -> Preview:
        """What `install` would write and run."""
        ...

    def install(self, job: Job) -> None:
        """Install and activate the job, replacing an earlier one."""
        ...

    def installed(self) -> Installed | None:
        """What is installed, if anything."""
        ...

    def remove(self) -> tuple[str, ...]:
        """Deactivate and remove the job; returns what was removed."""
        ...


def make_job(repositories: Sequence[Path], every_s: int) -> Job:
    """The job that indexes these repositories, or every indexed one when none is named."""
    named = [argument for path in repositories for argument in ("--repo", str(path))]
    for argument in named:
        if "\n" in argument or not argument.isprintable():
            raise UsageError(
                f"a schedule cannot name the path {argument!r}", hint="rename it, or use ohara daemon start"
            )
    home = os.environ.get(HOME_VARIABLE)
    return Job(
        command=ohara_command("schedule", "run", *named),
        every_s=every_s,
        environment=((HOME_VARIABLE, os.path.abspath(home)),) if home else (),  # noqa: PTH100 - "~" is expanded by paths
    )


def parse_every(text: str) -> int:
    """Parse "15m", "2h" or "1d" into seconds."""
    found = re.fullmatch(r"(\d{1,6})\s*([smhd])", text.strip().lower())
    seconds = int(found[1]) * _UNITS[found[2]] if found else 0
    if not _SHORTEST_S <= seconds <= _LONGEST_S:
        raise UsageError(
            f"--every {text}: not a time from one minute to seven days", hint="write it as 15m, 2h or 1d"
        )
    return seconds


def in_words(seconds: int) -> str:
    """The shortest text for a number of seconds that `parse_every` reads back."""
    unit = next(unit for unit in "dhms" if seconds % _UNITS[unit] == 0)
    return f"{seconds // _UNITS[unit]}{unit}"

"""Schedules with a launchd agent on macOS."""

from __future__ import annotations

import os
import plistlib
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ohara import paths
from ohara.setup import subprocesses
from ohara.setup.job import Installed, Preview, Text

if TYPE_CHECKING:
    from ohara.setup.job import Job

LABEL = "io.github.ohara.index"


class Launchd:
    """Schedules with a property list in the user's LaunchAgents."""

    name = "launchd"

    def available(self) -> bool:
        """True on macOS."""
        return sys.platform == "darwin" and subprocesses.has("launchctl")

    def preview(self, job: Job) -> Preview:
        """The property list and the command that loads it."""
        return Preview(
            texts=(Text(str(_file()), plist_text(job)),),
            commands=(("launchctl", "bootstrap", _domain(), str(_file())),),
        )

    def install(self, job: Job) -> None:
        """Write the list and load it, unloading an earlier one first."""
        plan = self.preview(job)
        place = _file()
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(plan.texts[0].content, encoding="utf-8")
        subprocesses.run(("launchctl", "bootout", f"{_domain()}/{LABEL}"))
        for command in plan.commands:
            subprocesses.must(command)

    def installed(self) -> Installed | None:
        """The property list, and whether launchd has it loaded."""
        place = _file()
        if not place.exists():
            return None
        active = (
            subprocesses.has("launchctl")
            and not subprocesses.run(("launchctl", "print", f"{_domain()}/{LABEL}")).returncode
        )
        try:
            command = shlex.join(plistlib.loads(place.read_bytes())["ProgramArguments"])
        except (ValueError, KeyError, TypeError, plistlib.InvalidFileException):
            command = ""
        return Installed((str(place),), active, command)

    def remove(self) -> tuple[str, ...]:
        """Unload the agent and delete its list."""
        place = _file()
        if not place.exists():
            return ()
        if subprocesses.has("launchctl"):
            subprocesses.run(("launchctl", "bootout", f"{_domain()}/{LABEL}"))
        place.unlink(missing_ok=True)
        return (str(place),)


def plist_text(job: Job) -> str:
    """The property list of the agent."""
    log = str(paths.state_dir() / "schedule.log")
    entries: dict[str, object] = {
        "Label": LABEL,
        "ProgramArguments": list(job.command),
        "StartInterval": job.every_s,
        "RunAtLoad": True,
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 10,
        "StandardErrorPath": log,
    }
    if job.environment:
        entries["EnvironmentVariables"] = dict(job.environment)
    return plistlib.dumps(entries, sort_keys=False).decode()


def _file() -> Path:
    return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"


def _domain() -> str:
    return f"gui/{os.getuid()}"

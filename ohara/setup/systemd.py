"""Schedules with a systemd user timer and the service it starts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ohara.setup import subprocesses
from ohara.setup.job import MARK, Installed, Preview, Text

if TYPE_CHECKING:
    from ohara.setup.job import Job

SERVICE = f"{MARK}.service"
TIMER = f"{MARK}.timer"
_SYSTEMCTL = ("systemctl", "--user", "--no-ask-password")

_SERVICE_TEMPLATE = """\
# Written by `ohara schedule install`; `ohara schedule remove` takes it away.
[Unit]
Description=Bring ohara's indexes of git history up to date

[Service]
Type=oneshot
ExecStart={command}
{environment}Nice=10
IOSchedulingClass=idle
NoNewPrivileges=true
"""

_TIMER_TEMPLATE = """\
# Written by `ohara schedule install`; `ohara schedule remove` takes it away.
[Unit]
Description=Bring ohara's indexes of git history up to date, now and then

[Timer]
OnActiveSec=1min
OnUnitInactiveSec={every_s}s
AccuracySec=30s
Unit={service}

[Install]
WantedBy=timers.target
"""


class Systemd:
    """Schedules with units in the user's own folder, so that nothing needs root."""

    name = "systemd"

    def available(self) -> bool:
        """True when this user's systemd answers."""
        return (
            subprocesses.has("systemctl")
            and subprocesses.run((*_SYSTEMCTL, "show", "-p", "Version")).returncode == 0
        )

    def preview(self, job: Job) -> Preview:
        """The two unit files and the commands that activate them."""
        folder = _folder()
        return Preview(
            texts=(
                Text(str(folder / SERVICE), service_text(job)),
                Text(str(folder / TIMER), timer_text(job)),
            ),
            commands=((*_SYSTEMCTL, "daemon-reload"), (*_SYSTEMCTL, "enable", "--now", TIMER)),
        )

    def install(self, job: Job) -> None:
        """Write the units and start the timer."""
        plan = self.preview(job)
        for text in plan.texts:
            place = Path(text.place)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text.content, encoding="utf-8", errors="surrogateescape")
        for command in plan.commands:
            subprocesses.must(command)

    def installed(self) -> Installed | None:
        """The unit files that exist, and whether the timer is on."""
        places = _written()
        if not places:
            return None
        active = (
            subprocesses.has("systemctl")
            and not subprocesses.run((*_SYSTEMCTL, "is-active", TIMER)).returncode
        )
        service = _folder() / SERVICE
        lines = service.read_text(encoding="utf-8", errors="replace").splitlines() if service.exists() else []
        command = next((line.partition("=")[2] for line in lines if line.startswith("ExecStart=")), "")
        return Installed(places, active, command)

    def remove(self) -> tuple[str, ...]:
        """Stop the timer and delete the units, also when the session bus is gone."""
        places = _written()
        if places and subprocesses.has("systemctl"):
            subprocesses.run((*_SYSTEMCTL, "disable", "--now", TIMER))
        for place in places:
            Path(place).unlink(missing_ok=True)
        if places and subprocesses.has("systemctl"):
            subprocesses.run((*_SYSTEMCTL, "daemon-reload"))
        return places


def service_text(job: Job) -> str:
    """The service unit."""
    environment = "".join(f"Environment={quoted(f'{name}={value}')}\n" for name, value in job.environment)
    command = " ".join(quoted(word, in_command=True) for word in job.command)
    return _SERVICE_TEMPLATE.format(command=command, environment=environment)


def timer_text(job: Job) -> str:
    """The timer unit."""
    return _TIMER_TEMPLATE.format(every_s=job.every_s, service=SERVICE)


def quoted(word: str, *, in_command: bool = False) -> str:
    """A word quoted for systemd: specifiers, variables and escapes in it are taken literally."""
    safe = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    if in_command:
        safe = safe.replace("$", "$$")
    return f'"{safe}"'


def _folder() -> Path:
    configured = os.environ.get("XDG_CONFIG_HOME")
    return (Path(configured) if configured else Path.home() / ".config") / "systemd" / "user"


def _written() -> tuple[str, ...]:
    return tuple(str(_folder() / unit) for unit in (SERVICE, TIMER) if (_folder() / unit).exists())

"""Scheduled indexing without a daemon: chooses the system's scheduler, and runs the job itself.

The job starts one niced `ohara index --scheduled` after another, so that a repository that is gone or damaged
does not affect the others.
"""

from __future__ import annotations

import json
import subprocess
import time
from typing import TYPE_CHECKING

from ohara import paths
from ohara.errors import OharaError, UsageError
from ohara.records import dataclass
from ohara.setup.cron import Cron
from ohara.setup.job import Installed, Job, Scheduler, make_job
from ohara.setup.launchd import Launchd
from ohara.setup.subprocesses import ohara_command
from ohara.setup.systemd import Systemd
from ohara.store.engines import index_at
from ohara.store.locate import known_indexes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

# A first full index of a large history takes minutes; a run that takes hours is stuck on a dead disk.
_LONGEST_RUN_S = 4 * 3600.0
_RUN_RECORD = "schedule.json"


def schedulers() -> tuple[Scheduler, ...]:
    """All schedulers, the preferred one first."""
    return (Systemd(), Launchd(), Cron())


def choose(name: str | None = None) -> Scheduler:
    """The named scheduler, or the first that this system has."""
    ways = schedulers()
    if name is not None:
        return next(way for way in ways if way.name == name)
    for way in ways:
        if way.available():
            return way
    raise UsageError(
        "this system has neither a systemd of yours, nor launchd, nor crontab",
        hint="ohara daemon start keeps indexes fresh without them",
    )


def plan(repositories: Sequence[Path], every_s: int) -> Job:
    """The job for these repositories, with absolute paths."""
    return make_job([path.absolute() for path in repositories], every_s)


def install(way: Scheduler, job: Job) -> None:
    """Install the job with one scheduler and remove it from the others, so that it never runs twice."""
    way.install(job)
    for other in schedulers():
        if other.name != way.name:
            other.remove()
    _write_record(Record(job.every_s, installed=int(time.time()), last_run=None))


def found() -> tuple[tuple[Scheduler, Installed], ...]:
    """Everything that is installed on this system."""
    return tuple((way, there) for way in schedulers() if (there := way.installed()) is not None)


def remove() -> tuple[str, ...]:
    """Remove the job from every scheduler; returns what was removed."""
    gone = tuple(place for way in schedulers() for place in way.remove())
    (paths.state_dir() / _RUN_RECORD).unlink(missing_ok=True)
    return gone


# -- the job -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a scheduled run for one repository."""

    repository: Path
    failed: str


def run(repositories: Sequence[Path]) -> Iterator[Outcome]:
    """Index each repository in its own process, stalest index first."""
    record = read_record()
    if record is not None:
        _write_record(Record(record.every_s, record.installed, last_run=int(time.time())))
    for repository in repositories or _stalest_first():
        yield Outcome(repository, _index(repository))


def _stalest_first() -> list[Path]:
    """Every indexed repository that still exists, by when its database last changed."""
    known = [location for location in known_indexes() if location.common_dir.is_dir()]
    return [
        location.common_dir
        for location in sorted(known, key=lambda location: index_at(location).last_written())
    ]


def _index(repository: Path) -> str:
    try:
        done = subprocess.run(
            ohara_command("index", "--scheduled", "--repo", str(repository)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=_LONGEST_RUN_S,
        )
    except subprocess.TimeoutExpired:
        return f"stopped after {_LONGEST_RUN_S / 3600:.0f} hours"
    if not done.returncode:
        return ""
    said = done.stderr.strip().splitlines()
    return said[0].removeprefix("ohara: ") if said else f"exit code {done.returncode}"


# -- when it runs --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Record:
    """The record of the schedule: how often it runs, since when, and its last run."""

    every_s: int
    installed: int
    last_run: int | None

    @property
    def next_run(self) -> int:
        """The approximate time of the next run."""
        return (self.last_run or self.installed) + self.every_s


def read_record() -> Record | None:
    """Read the record, without asking the system's scheduler; None when nothing is scheduled."""
    try:
        stored = json.loads((paths.state_dir() / _RUN_RECORD).read_text(encoding="utf-8"))
        return Record(int(stored["every_s"]), int(stored["installed"]), stored["last_run"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OharaError(
            f"the record of the schedule is damaged ({paths.state_dir() / _RUN_RECORD})",
            hint="ohara schedule install writes it again",
        ) from error


def _write_record(record: Record) -> None:
    folder = paths.made(paths.state_dir())
    text = json.dumps({"every_s": record.every_s, "installed": record.installed, "last_run": record.last_run})
    fresh = folder / f"{_RUN_RECORD}.new"
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(folder / _RUN_RECORD)

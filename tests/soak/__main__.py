"""python -m tests.soak: kill, rewrite and fuzz for as long as it takes; `make soak` is the short way to it.

--kills 300 --histories 1000 --inputs 1000000     how many of each
--minutes 30                                      stop beginning new ones after a third of this for each part
--seed TEXT                                       another seed, other chances; the date unless told
--only PART:UNIT                                  one unit again, in this process, as when it fell
--repo PATH                                       kill in the newest part of a real history as well
"""

from __future__ import annotations

import argparse
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tests.process import ROOT
from tests.soak import fuzz, histories, kills, report
from tests.soak.ledger import Ledger
from tests.soak.runner import Job, done_by

if TYPE_CHECKING:
    from collections.abc import Sequence


def jobs(given: argparse.Namespace, scratch: Path) -> dict[str, list[Job]]:
    """Everything that is asked for, part by part."""
    seed, repo = given.seed, given.repo
    units = -(-given.kills // kills.KILLS_A_UNIT)
    planned = fuzz.blocks(given.inputs) if given.inputs else []
    return {
        kills.PART: [
            Job(kills.PART, unit, functools.partial(kills.run, seed, unit, scratch, slice_of=repo))
            for unit in range(units)
        ],
        histories.PART: [
            Job(histories.PART, unit, functools.partial(histories.run, seed, unit, scratch))
            for unit in range(given.histories)
        ],
        fuzz.PART: [
            Job(
                fuzz.PART,
                unit,
                functools.partial(fuzz.run, seed, unit, scratch, entrance=entrance, count=count),
            )
            for unit, (entrance, count) in enumerate(planned)
        ],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is not done yet, and print the figures; 1 when something fell."""
    given = _parser().parse_args(arguments)
    if given.tables:
        outcomes = [outcome for file in given.tables for outcome in Ledger(file).outcomes]
        print(report.tables(outcomes, heading=", ".join(file.stem for file in given.tables)))
        return 1 if any(outcome.failures for outcome in outcomes) else 0
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    version = commit.stdout.strip()[:10] or "unknown"
    with _scratch() as scratch:
        planned = jobs(given, scratch)
        if given.only:
            return _once(planned, given.only)
        ledger = Ledger(given.progress or _default_progress() / f"{given.seed}-{version}.jsonl")
        _say(f"seed {given.seed}, commit {version}; progress in {ledger.file}")
        for part, wanted in planned.items():
            left = [job for job in wanted if not ledger.has(part, job.unit)]
            deadline = time.monotonic() + given.minutes * 20 if given.minutes else None
            for done, outcome in enumerate(done_by(left, given.jobs, deadline), 1):
                ledger.add(outcome)
                for failure in outcome.failures:
                    _say(f"FELL {part} {outcome.unit}: {failure}")
                if done % max(1, len(left) // 20) == 0:
                    _say(f"{part}: {len(wanted) - len(left) + done} of {len(wanted)} units")
    wanted_units = {(job.part, job.unit) for part in planned.values() for job in part}
    counted = [outcome for outcome in ledger.outcomes if (outcome.part, outcome.unit) in wanted_units]
    print(
        report.tables(counted, heading=f"Seed {given.seed}, commit {version}, {datetime.now(UTC):%Y-%m-%d}.")
    )
    for failure in report.failures(counted):
        print(failure)
    return 1 if any(outcome.failures for outcome in counted) else 0


def _once(planned: dict[str, list[Job]], only: str) -> int:
    part, _, unit = only.partition(":")
    outcome = planned[part][int(unit)].do()
    print(report.tables([outcome], heading=only))
    for failure in outcome.failures:
        print(failure)
    return 1 if outcome.failures else 0


class _scratch:  # noqa: N801 - used as a function
    """A folder for everything that this soak makes; whatever still runs in it is ended with it."""

    def __enter__(self) -> Path:
        self._folder = Path(tempfile.mkdtemp(prefix="ohara-soak-"))
        self._before = os.environ.get("TMPDIR")
        os.environ["TMPDIR"] = str(self._folder)
        tempfile.tempdir = None
        return self._folder

    def __exit__(self, *_raised: object) -> None:
        from tests.soak.processes import end_all_below

        end_all_below(self._folder)
        os.environ.pop("TMPDIR", None)
        if self._before is not None:
            os.environ["TMPDIR"] = self._before
        tempfile.tempdir = None
        shutil.rmtree(self._folder, ignore_errors=True)


def _default_progress() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "ohara-soak"


def _say(line: str) -> None:
    print(f"{datetime.now(UTC):%H:%M:%S} {line}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--histories", type=int, default=1_000)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--seed", default=f"{datetime.now(UTC):%Y-%m-%d}")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repo", type=lambda text: Path(text).resolve(), default=None)
    parser.add_argument("--only", default="")
    parser.add_argument("--tables", type=Path, nargs="+", default=[])
    parser.add_argument("--progress", type=Path, default=None)
    return parser


if __name__ == "__main__":
    sys.exit(main())

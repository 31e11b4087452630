"""`ohara status`: what is in an index, what is missing from it, and why."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from ohara import wire
from ohara.cli.options import repo_option
from ohara.model import Pass
from ohara.plural import counted
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.model import IndexStatus

_FAILURES_SHOWN = 5


@click.command("status")
@repo_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(repo: Path, *, as_json: bool) -> None:
    """Show what is indexed, what is left out and why, and how far each pass is."""
    from ohara.engine import Engine
    from ohara.setup.schedule import read_record

    engine = Engine.open(repo)
    status = engine.status()
    running = engine.indexing_since()
    record = read_record()
    next_run = record.next_run if record else None
    troubles = _troubles({status.repository, str(engine.repository.common_dir)})
    if as_json:
        click.echo(json.dumps({**_object(status, running, next_run), "daemon": troubles}, indent=2))
    else:
        now = time.time()
        told = [f"daemon      {sanitize(each)}" for each in troubles]
        click.echo("\n".join([*lines(status, running, now=now), *_next(next_run, now), *told]))


def _troubles(names: set[str]) -> list[str]:
    """Problems that the background service, if one is running, reports for a repository."""
    from ohara import client
    from ohara.errors import OharaError

    try:
        there = client.running(replace=False)
        if there is None:
            return []
        with there:
            troubles = there.send(wire.HealthCheck()).troubles
    except OharaError as error:
        return [error.message]
    known = set(map(wire.sendable, names))
    return [f"{each.part}: {each.said}" for each in troubles if each.repository in known]


def lines(status: IndexStatus, running: tuple[int, int] | None, *, now: float) -> list[str]:
    """The status as text, one fact per line."""
    said = [
        f"repository  {sanitize(status.repository)}",
        f"commits     {status.indexed:,} of {status.commits:,} indexed"
        + (f", {status.behind:,} behind" if status.behind else ", up to date"),
        f"hunks       {status.hunks:,} ({status.contents:,} distinct), {status.symbols:,} symbols",
        f"size        {status.size_bytes / 1e6:,.1f} MB",
    ]
    said += [f"{part.stage:<12}{_share(part.done, part.total)}" for part in status.passes]
    if all(part.stage is not Pass.VECTOR for part in status.passes):
        said.append(f"{Pass.VECTOR:<12}off: there is no embedder (ohara models)")
    said.append(f"threads     {_share(status.threaded, status.indexed)}")
    said += [f"ref         {sanitize(name)} at {sha[:12]}" for name, sha in status.refs]
    said += [f"gone        {sanitize(name)}: ohara index --ref HEAD chooses again" for name in status.gone]
    if status.older:
        said.append(f"older       {counted(status.older, 'commit')} that index.since leaves out")
    if status.shallow:
        said.append("history     cut off by a shallow clone: git fetch --unshallow brings the rest")
    if status.left_out:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in status.left_out)
        said.append(f"left out    {reasons} (file changes)")
    if status.failures:
        said.append(
            f"not wholly read: {counted(len(status.failures), 'commit')}; what can change is tried again"
        )
        said += [
            f"  {failure.sha[:12]}  {sanitize(failure.reason)} ({failure.attempts} tries)"
            for failure in status.failures[:_FAILURES_SHOWN]
        ]
        if len(status.failures) > _FAILURES_SHOWN:
            said.append(f"  … and {len(status.failures) - _FAILURES_SHOWN:,} more (--json lists all)")
    if status.last_run:
        run = status.last_run
        kind = ", scheduled" if run.scheduled else ""
        said.append(
            f"last run    {ago(now - run.started)}{kind}, {run.elapsed_s:.1f} s, {sanitize(run.outcome)}"
        )
    if running:
        said.append(
            f"indexing    now, process {running[0]}, for {ago(now - running[1]).removesuffix(' ago')}"
        )
    return said


def _next(next_run: int | None, now: float) -> list[str]:
    """When the schedule runs next, if there is one."""
    if next_run is None:
        return []
    minutes = round((next_run - now) / 60)
    return [f"next run    {f'in about {minutes} minutes' if minutes > 0 else 'due'} (ohara schedule status)"]


def _share(done: int, total: int) -> str:
    if done == total:
        return "complete"
    return f"{done:,} of {total:,} commits ({done / total:.0%})"


def ago(seconds: float) -> str:
    """A duration in the past, in its largest unit."""
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1)):
        count = int(seconds // length)
        if count >= 1:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "0 seconds ago"


def _object(status: IndexStatus, running: tuple[int, int] | None, next_run: int | None) -> dict[str, object]:
    said: dict[str, object] = {"schema": 1, **asdict(status)}
    said["passes"] = {part.stage.value: [part.done, part.total] for part in status.passes}
    said["left_out"] = {reason.value: count for reason, count in status.left_out}
    said["refs"] = dict(status.refs)
    said["failures"] = [asdict(failure) for failure in status.failures]
    if status.last_run:
        said["last_run"] = asdict(status.last_run) | {"started": _rfc3339(status.last_run.started)}
    said["next_run"] = _rfc3339(next_run) if next_run is not None else None
    said["indexing"] = {"pid": running[0], "since": _rfc3339(running[1])} if running else None
    return said


def _rfc3339(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")

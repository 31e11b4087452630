"""`ohara daemon`: the background service that keeps indexes fresh and answers at once."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import TYPE_CHECKING

import click

from ohara import wire
from ohara.cli import autostart
from ohara.cli.command_group import CommandGroup
from ohara.cli.report import ExitCode
from ohara.errors import DaemonError
from ohara.plural import counted
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from ohara.client import Client
    from ohara.wire import Health

_STOP_S = 15.0
_POLL_S = 0.05
_TAIL_BYTES = 256 * 2**10


@click.group("daemon", cls=CommandGroup)
def command() -> None:
    """Run, stop and look after the background service."""


@command.command("start")
def start() -> None:
    """Start the service, unless it runs already."""
    from ohara import client

    autostart.allow()
    known = client.running()
    if known is not None:
        with known:
            click.echo(f"already running, process {known.greeting.pid}")
        return
    with client.connect(start=True) as ohara:
        click.echo(f"started, process {ohara.greeting.pid}")


@command.command("stop")
def stop() -> ExitCode:
    """Stop the service; an index run that is stopped goes on the next time.

    Searches do not start it again by themselves; `ohara daemon start` does, and so do the terminal UI
    and agents.
    """
    autostart.leave_stopped()
    return ExitCode.FOUND if _stop() else ExitCode.NOTHING_FOUND


@command.command("restart")
def restart() -> None:
    """Stop the service if it runs, and start it."""
    from ohara import client

    _stop()
    autostart.allow()
    with client.connect(start=True) as ohara:
        click.echo(f"started, process {ohara.greeting.pid}")


@command.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def status(*, as_json: bool) -> ExitCode:
    """Show whether the service runs, what it watches and what it does now."""
    from ohara import client

    known = client.running(replace=False)
    if known is None:
        click.echo(json.dumps({"running": False}) if as_json else _not_running())
        return ExitCode.NOTHING_FOUND
    with known:
        vitals = known.send(wire.HealthCheck())
    if as_json:
        click.echo(json.dumps(_facts(vitals)))
    else:
        click.echo("\n".join(lines(vitals, now=time.time())))
    return ExitCode.FOUND


@command.command("logs")
@click.option(
    "-n",
    "count",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    metavar="N",
    help="How many lines.",
)
def logs(count: int) -> ExitCode:
    """Print the newest lines of the service's log."""
    from ohara import paths

    file = paths.log_file()
    if not file.exists():
        click.echo(f"there is no log yet: {sanitize(str(file))}", err=True)
        return ExitCode.NOTHING_FOUND
    with file.open("rb") as log:
        log.seek(max(0, file.stat().st_size - _TAIL_BYTES))
        for line in log.read().decode("utf-8", "replace").splitlines()[-count:]:
            click.echo(sanitize(line))
    return ExitCode.FOUND


@command.command("pause")
def pause() -> None:
    """Stop indexing; questions are still answered."""
    with _running() as ohara:
        ohara.send(wire.Pause())
    click.echo("paused (ohara daemon resume)")


@command.command("resume")
def resume() -> None:
    """Index again."""
    with _running() as ohara:
        ohara.send(wire.Resume())
    click.echo("indexing again")


@command.command("run")
@click.option(
    "--idle-exit",
    type=click.FloatRange(min=0),
    default=None,
    metavar="SECONDS",
    help="Stop after this long without a client (0: never; default: the setting daemon.idle_exit_s).",
)
@click.option(
    "--ready-for",
    metavar="PATH",
    default=None,
    help="Load what the first question about this repository would wait for.",
)
def run(idle_exit: float | None, ready_for: str | None) -> None:
    """Be the service, in the foreground, for systemd and the like."""
    from ohara.cli.remote_command import answer_typed
    from ohara.daemon import server

    server.serve(server.options(idle_exit, ready_for), answer_typed)


def _not_running() -> str:
    if autostart.is_left_stopped():
        return "not running, as you stopped it: searches leave it so (ohara daemon start)"
    return "not running (ohara daemon start)"


def lines(vitals: Health, *, now: float) -> list[str]:
    """The health of the service, one fact per line."""
    from ohara.cli.commands.status import ago

    began, memory = ago(now - vitals.started), f"{vitals.memory_bytes / 1e6:,.0f} MB"
    said = [
        f"running     process {vitals.pid}, version {sanitize(vitals.version)}, started {began}",
        f"clients     {vitals.connections:,} now, {vitals.requests:,} requests so far",
        f"takes       {memory}, {vitals.threads} threads, {vitals.descriptors} files",
        f"watches     {counted(len(vitals.watched), 'repository')} ({sanitize(vitals.watching)})",
    ]
    troubled: dict[str, list[str]] = {}
    for trouble in vitals.troubles:
        troubled.setdefault(trouble.repository, []).append(f"{trouble.part}: {sanitize(trouble.said)}")
    for name in dict.fromkeys((*vitals.watched, *troubled)):
        said.append(f"  {sanitize(name)}")
        said += [f"    {each}" for each in troubled.get(name, ())]
    if vitals.paused:
        said.append(f"indexing    no: {sanitize(vitals.paused)}")
    elif vitals.running is not None:
        progress = vitals.running.progress
        far = f", {progress.stage} {progress.done:,} of {progress.total:,} commits" if progress else ""
        said.append(f"indexing    {sanitize(vitals.running.repository)}{far}")
    else:
        said.append("indexing    nothing to do")
    said += [f"waiting     {sanitize(name)}" for name in vitals.queued]
    return said


def _facts(vitals: Health) -> dict[str, object]:
    """The health of the service as JSON, without the fields of the protocol."""
    import msgspec

    said: dict[str, object] = msgspec.to_builtins(vitals)
    job = said.pop("running")
    return {"running": True, "job": job, **{name: said[name] for name in said if name not in {"id", "is"}}}


def _running() -> Client:
    from ohara import client

    return client.connect()


def _stop() -> bool:
    """Stop the service by a request or, when it speaks another protocol version, by a signal."""
    from ohara import client

    try:
        known = client.running(replace=False)
    except DaemonError:
        return _stop_by_signal()
    if known is None:
        click.echo("not running")
        return False
    known.shutdown()
    click.echo(f"stopped, process {known.greeting.pid}")
    return True


def _stop_by_signal() -> bool:
    from ohara import paths
    from ohara.client import socket_path

    try:
        pid = int((paths.runtime_dir() / "daemon.pid").read_text())
        os.kill(pid, signal.SIGTERM)
    except (OSError, ValueError) as error:
        raise DaemonError(
            "something answers in the daemon's place, and no pid is written down", hint=f"rm {socket_path()}"
        ) from error
    deadline = time.monotonic() + _STOP_S
    while socket_path().exists():
        if time.monotonic() > deadline:
            raise DaemonError(f"process {pid} does not stop", hint=f"kill -9 {pid}")
        time.sleep(_POLL_S)
    click.echo(f"stopped, process {pid}")
    return True

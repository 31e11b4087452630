"""`ohara schedule`: index in the background, without a daemon, by the system's own scheduler."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

import click

from ohara.cli.command_group import CommandGroup
from ohara.cli.report import ExitCode
from ohara.sanitize import sanitize

_WAYS = click.Choice(["systemd", "launchd", "cron"])


@click.group("schedule", cls=CommandGroup)
def command() -> None:
    """Keep indexes fresh with a systemd timer, launchd or cron instead of a daemon."""


@command.command("install")
@click.option("--every", default="15m", show_default=True, metavar="TIME", help="How often: 15m, 2h, 1d.")
@click.option(
    "--repo",
    "repositories",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="Only this repository (repeatable; default: every indexed one).",
)
@click.option("--via", type=_WAYS, help="How to schedule (default: what this system works by).")
@click.option("--dry-run", is_flag=True, help="Show what would be written and run, and do nothing.")
def install(every: str, repositories: tuple[Path, ...], via: str | None, *, dry_run: bool) -> None:
    """Schedule indexing, or change how it is scheduled."""
    from ohara.setup import schedule
    from ohara.setup.job import in_words, parse_every

    job = schedule.plan(repositories, parse_every(every))
    way = schedule.choose(via)
    preview = way.preview(job)
    if dry_run:
        for text in preview.texts:
            click.echo(f"# {sanitize(text.place)}\n{sanitize(text.content, keep=chr(10) + chr(9))}")
        for line in preview.commands:
            click.echo(f"$ {sanitize(shlex.join(line))}")
        return
    schedule.install(way, job)
    for text in preview.texts:
        click.echo(f"wrote {sanitize(text.place)}")
    click.echo(f"indexing every {in_words(job.every_s)}, by {way.name}")


@command.command("status")
def status() -> ExitCode:
    """Show what is scheduled, where that is written and when it runs."""
    from ohara.cli.commands.status import ago
    from ohara.setup import schedule
    from ohara.setup.job import in_words

    there = schedule.found()
    if not there:
        click.echo("nothing is scheduled (ohara schedule install)")
        return ExitCode.NOTHING_FOUND
    now = time.time()
    for way, installed in there:
        click.echo(f"{way.name}: {'on' if installed.active else 'written, but switched off'}")
        for place in installed.places:
            click.echo(f"  in    {sanitize(place)}")
        click.echo(f"  runs  {sanitize(installed.command)}")
    record = schedule.read_record()
    if record is not None:
        click.echo(f"every {in_words(record.every_s)}")
        click.echo(f"last run  {ago(now - record.last_run) if record.last_run else 'not yet'}")
        left = record.next_run - now
        click.echo(f"next run  {f'in about {max(1, round(left / 60))} minutes' if left > 0 else 'due'}")
    return ExitCode.FOUND


@command.command("remove")
def remove() -> ExitCode:
    """Take away what `install` wrote."""
    from ohara.setup import schedule

    gone = schedule.remove()
    for place in gone:
        click.echo(f"removed {sanitize(place)}")
    if not gone:
        click.echo("nothing was scheduled")
    return ExitCode.FOUND if gone else ExitCode.NOTHING_FOUND


@command.command("run")
@click.option(
    "--repo",
    "repositories",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Only this repository (repeatable; default: every indexed one).",
)
def run(repositories: tuple[Path, ...]) -> ExitCode:
    """Do now what the schedule does: index what is new, quietly and niced."""
    from ohara.setup import schedule

    failed = False
    for outcome in schedule.run(repositories):
        if outcome.failed:
            failed = True
            click.echo(f"{sanitize(str(outcome.repository))}: {sanitize(outcome.failed)}", err=True)
    return ExitCode.ERROR if failed else ExitCode.FOUND

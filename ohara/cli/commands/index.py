"""`ohara index`: read what is new in a repository's history, newest first."""

from __future__ import annotations

import json
import signal
import time
from contextlib import closing
from threading import Event
from typing import TYPE_CHECKING

import click

from ohara.cli.options import repo_option
from ohara.cli.priority import lower_priority
from ohara.cli.progress import Reporter
from ohara.cli.report import ExitCode
from ohara.errors import IndexLocked, UsageError
from ohara.model import Pass
from ohara.plural import counted
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.engine import Engine
    from ohara.index.job import IndexOptions

_LOCK_WAIT_S = 1.0  # a short run that is just ending is worth waiting for


@click.command("index")
@repo_option
@click.option(
    "--ref", "refs", multiple=True, metavar="REF", help="Index this ref's history (repeatable; remembered)."
)
@click.option(
    "--all", "all_refs", is_flag=True, help="Index every branch, remote branch and tag (remembered)."
)
@click.option("--since", metavar="DATE", help="Leave out commits older than DATE (ISO, or '2 years ago').")
@click.option("--max-commits", type=click.IntRange(min=1), metavar="N", help="Only the newest N commits.")
@click.option(
    "--jobs",
    type=click.IntRange(0, 256),
    default=None,
    metavar="N",
    help="Processes (default: the cores available).",
)
@click.option(
    "--passes",
    default=",".join(Pass),
    show_default=True,
    metavar="LIST",
    help="Which passes to run, with commas between them.",
)
@click.option(
    "--scheduled", is_flag=True, help="A background run: quiet, niced, gives way to another indexer."
)
@click.option("--rebuild", is_flag=True, help="Set the index aside and build a new one.")
@click.option("--json", "as_json", is_flag=True, help="Print progress as JSON lines.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def command(
    repo: Path,
    *,
    refs: tuple[str, ...],
    since: str | None,
    max_commits: int | None,
    jobs: int | None,
    passes: str,
    all_refs: bool,
    scheduled: bool,
    rebuild: bool,
    as_json: bool,
    quiet: bool,
) -> ExitCode:
    """Read what is new in a repository's history, newest first.

    \b
    Searching works while it runs. Killed at any moment, the next run goes on
    where it stopped. Without --ref or --all: the refs chosen before, else HEAD
    and the remote's default branch.
    """
    if refs and all_refs:
        raise UsageError("--ref and --all exclude each other", hint="drop one of them")
    if as_json and quiet:
        raise UsageError("--json and -q exclude each other", hint="choose one of them")
    wanted = parse_passes(passes)
    reporter = Reporter(quiet=quiet or (scheduled and not as_json), as_json=as_json)
    stop = Event()
    if scheduled:
        signal.signal(signal.SIGUSR1, lambda *_: stop.set())  # the service says: it is another's turn
        lower_priority()

    from ohara.embed.catalog import serving_embedder
    from ohara.engine import Engine
    from ohara.index.job import IndexOptions
    from ohara.index.plan import Limits
    from ohara.index.survey import RefChoice, earliest

    engine = Engine.open(repo)
    limits = Limits(earliest(since or ""), max_commits)
    choice = RefChoice(refs, all_refs)
    if not rebuild:
        engine.refs_to_index(choice)
    engine.location.prepare()
    reporter.begin(f"indexing {sanitize(engine.repository.name)}")  # nothing that was typed is wrong
    if note := serving_embedder(engine.settings.models.embedder).note:
        reporter.begin(sanitize(note))
    options = IndexOptions(
        refs=choice,
        limits=limits,
        jobs=engine.settings.index.jobs if jobs is None else jobs,
        passes=wanted,
        rebuild=rebuild,
        scheduled=scheduled,
        lock_wait_s=_LOCK_WAIT_S,
        stop=stop,
    )
    try:
        _run(engine, options, reporter, as_json=as_json)
    except IndexLocked:
        if not scheduled:
            raise
    return ExitCode.FOUND


def _run(engine: Engine, options: IndexOptions, reporter: Reporter, *, as_json: bool) -> None:
    started = time.monotonic()
    closing_line = ""
    try:
        with closing(engine.index(options)) as moments:
            for progress in moments:
                reporter.show(progress)
        if reporter.is_quiet:
            return
        status = engine.status(left_out=False)
        closing_line = (
            f"{status.indexed:,} of {status.commits:,} commits, {counted(status.hunks, 'hunk')}, "
            f"{status.size_bytes / 1e6:,.1f} MB, {time.monotonic() - started:.1f} s"
        )
        if status.failures:
            closing_line += f"; {counted(len(status.failures), 'commit')} not wholly read (ohara status)"
        if as_json:
            done = {
                "event": "done",
                "indexed": status.indexed,
                "commits": status.commits,
                "hunks": status.hunks,
                "stopped": options.stop is not None and options.stop.is_set(),
            }
            click.echo(json.dumps(done | {"elapsed_s": round(time.monotonic() - started, 3)}))
    finally:
        reporter.close(closing_line)


def parse_passes(text: str) -> frozenset[Pass]:
    """The passes named in a comma-separated list."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in set(Pass)]
    if unknown or not names:
        what = f"unknown pass: {unknown[0]}" if unknown else "no pass named"
        raise UsageError(what, hint=f"passes are {', '.join(Pass)}")
    return frozenset(Pass(name) for name in names)

"""`ohara import`: takes over an index that another clone exported, and brings it up to date."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from ohara.cli.options import repo_option
from ohara.cli.output import say


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@repo_option
@click.option("--replace", is_flag=True, help="Set aside the index that is there.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def command(file: Path, repo: Path, *, replace: bool, quiet: bool) -> None:
    """Take over the index in FILE, which another clone exported.

    What is new here is read, and what this clone does not have is hidden. A
    file of another repository, or one that was changed, is refused.
    """
    from ohara.cli.freshness import finish_in_background
    from ohara.cli.progress import Reporter
    from ohara.engine import EXACT_PASSES, Engine
    from ohara.index.job import IndexOptions
    from ohara.index.portable import take_over

    engine = Engine.open(repo)
    exported = take_over(engine.repository, engine.store, file, replace=replace, progress=lambda _: None)
    reporter = Reporter(quiet=quiet, as_json=False)
    try:
        with closing(engine.index(IndexOptions(passes=EXACT_PASSES))) as moments:
            for progress in moments:
                reporter.show(progress)
    finally:
        reporter.close()
    notes = finish_in_background(engine)
    if not quiet:
        indexed = engine.status().indexed
        say([f"{exported.commits:,} commits taken over; {indexed:,} of this clone can be searched", *notes])

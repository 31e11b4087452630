"""`ohara show`: a commit's message and hunks, as `ohara find` shows them."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ohara.cli.options import color_option, repo_option
from ohara.cli.output import page_for, say
from ohara.cli.printing import Form, OutputOptions
from ohara.cli.report import ExitCode
from ohara.present.hunks import whole_hunks, with_context
from ohara.present.json import results_object, written
from ohara.present.text import commit_lines, hunk_lines, warnings
from ohara.present.threads import thread_lines

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.model import Results


@click.command("show")
@click.argument("ref", metavar="REF")
@repo_option
@click.option(
    "-C", "--context", type=click.IntRange(0, 200), metavar="N", help="Lines around a change (default: all)."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@color_option
def command(ref: str, repo: Path, *, context: int | None, as_json: bool, color: str) -> ExitCode:
    """Show a commit's message, the thread it belongs to, and its hunks.

    REF is a commit's name or the beginning of one, a branch, a tag, or HEAD~3.
    """
    import anyio

    from ohara.cli.freshness import freshen
    from ohara.engine import Engine

    engine = Engine.open(repo)
    notes = freshen(engine, quiet=as_json)
    results = anyio.run(engine.hunks_of, engine.repository.commit_named(ref))
    hunks = whole_hunks(results.hits)
    results = replace(results, hits=tuple(hunks if context is None else with_context(hunks, context)))
    if as_json:
        sys.stdout.write(written(results_object(results)) + "\n")
    else:
        _print(results, OutputOptions(Form.TEXT, color))
    say([*warnings(results), *notes])
    return ExitCode.FOUND if results.hits else ExitCode.NOTHING_FOUND


def _print(results: Results, printing: OutputOptions) -> None:
    page = page_for(printing, now=time.time())
    commit = results.hits[0].commit
    blocks = [
        commit_lines(commit, page),
        *(thread_lines(thread, page, here=commit.sha) for thread in results.threads),
        *(hunk_lines(hit, page) for hit in results.hits),
    ]
    sys.stdout.write("\n\n".join("\n".join(block) for block in blocks) + "\n")

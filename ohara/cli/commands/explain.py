"""`ohara explain`: the commits that made lines, a file or a symbol what they are."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from ohara.cli.options import color_option, completes, date_option, index_option, no_pager_option, repo_option
from ohara.cli.printing import Form, OutputOptions
from ohara.cli.remote import Answered, explain_by_daemon
from ohara.cli.typed import decoded
from ohara.config import default_server
from ohara.errors import UsageError
from ohara.model import MOST_HITS, ExplainOptions

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.cli.report import ExitCode

_DEFAULT_COMMITS = ExplainOptions().k


@click.command("explain")
@click.argument("place", metavar="PLACE", shell_complete=completes("path"))
@repo_option
@index_option
@click.option(
    "-k",
    "count",
    type=click.IntRange(0, MOST_HITS),
    default=_DEFAULT_COMMITS,
    show_default=True,
    metavar="N",
    help="How many commits; 0 for all.",
)
@click.option("--story", is_flag=True, help="Begin with the oldest commit, and show whole messages.")
@click.option(
    "--ref",
    metavar="REV",
    shell_complete=completes("ref"),
    help="Count lines as in this commit (default: the work tree).",
)
@click.option("--since", metavar="DATE", help="Leave out what is older: ISO, or '2 weeks ago'.")
@click.option(
    "--ignore-rev",
    "ignore",
    multiple=True,
    metavar="REV",
    help="Leave this commit out and look behind it (repeatable).",
)
@click.option(
    "--all-revs", is_flag=True, help="Show what .git-blame-ignore-revs and blame.ignoreRevsFile leave out."
)
@click.option("--no-moves", is_flag=True, help="Do not follow lines to where their commit took them from.")
@click.option("--all-hunks", is_flag=True, help="Show every hunk of a commit that belongs to it, whole.")
@click.option("--after", metavar="CURSOR", help="Go on where an answer ended: its 'next'.")
@click.option(
    "-C", "--context", type=click.IntRange(0, 200), metavar="N", help="Lines around the lines (default: 3)."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--jsonl", "as_lines", is_flag=True, help="Print one JSON object a commit.")
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    metavar="TOKENS",
    help="Print no more than this many tokens, whole commits only.",
)
@click.option("--url", "urls", is_flag=True, help="Name each commit's page on the forge.")
@date_option
@click.option("--no-daemon", is_flag=True, help="Answer in this process, even if a daemon runs.")
@no_pager_option
@color_option
def command(
    place: str,
    repo: Path,
    *,
    shared: str | None,
    count: int,
    story: bool,
    ref: str | None,
    since: str | None,
    ignore: tuple[str, ...],
    all_revs: bool,
    no_moves: bool,
    all_hunks: bool,
    after: str | None,
    context: int | None,
    as_json: bool,
    as_lines: bool,
    budget: int | None,
    urls: bool,
    date: str,
    no_daemon: bool,
    no_pager: bool,
    color: str,
) -> ExitCode:
    """Tell how lines, a file or a symbol came to be, commit by commit.

    \b
    PLACE is lines of a file (path:10, path:10-20, path#L10-L20), a file, a
    symbol (setenv, MonkeyPatch.setenv) or path:symbol, also one that is gone.
    Lines are those of the work tree, with whatever is not committed yet.
    """
    from ohara.query import parse_date
    from ohara.query.place import read_place

    if as_json and as_lines:
        raise UsageError("--json and --jsonl exclude each other", hint="choose one of them")
    place = decoded(place)
    read_place(place)  # what is no place is told before anything is asked
    now = int(time.time())
    options = ExplainOptions(
        k=count,
        story=story,
        ref=ref,
        since=parse_date(since, now=now) if since is not None else None,
        ignore=ignore,
        all_revs=all_revs,
        all_hunks=all_hunks,
        moves=not no_moves,
        after=after,
        context=context,
        folder=_folder(repo),
    )
    form = Form.JSON if as_json else Form.LINES if as_lines else Form.TEXT
    shared = shared or default_server(repo)
    answered = Answered(None) if no_daemon or shared else explain_by_daemon(repo, place, options)
    results, notes = answered.results, list(answered.notes)
    if results is None:
        from ohara.cli.shared import fresh

        engine, more = fresh(repo, shared, quiet=form is not Form.TEXT)
        results, notes = engine.explain(place, options), [*notes, *more]
    from ohara.cli.output import exit_code, print_answer

    printing = OutputOptions(form, color, budget=budget, story=story, date=date, urls=urls)
    print_answer(results, printing, now=time.time(), notes=notes, paged=not no_pager)
    return exit_code(results)


def _folder(repo: Path) -> str:
    """Where in its work tree the command was typed: paths are relative to that, as in git."""
    from ohara.config import work_tree

    here = repo.resolve()
    root = work_tree(here)
    if root is None or here == root:
        return ""
    return decoded(here.relative_to(root.resolve()).as_posix())

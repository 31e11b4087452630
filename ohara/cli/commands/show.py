"""`ohara show`: a commit's message, what became of it, and its diff as git prints it."""

from __future__ import annotations

import os
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from typing import IO, TYPE_CHECKING

import click

from ohara.cli import commit_patch
from ohara.cli.options import color_option, completes, date_style, index_option, no_pager_option, repo_option
from ohara.cli.output import page_for, say
from ohara.cli.pager import pager_command, run_pager
from ohara.cli.partial_clone import lacking, patch_of_the_rest
from ohara.cli.printing import Form, OutputOptions
from ohara.cli.report import ExitCode
from ohara.cli.typed import decoded
from ohara.cli.visit import MOST_COMMITS
from ohara.errors import QueryError, UsageError
from ohara.model import QueryClass, SearchOptions, Sha
from ohara.plural import counted
from ohara.present.commit import commit_lines, fate_lines, harmless_diff
from ohara.present.hunks import whole_hunks, with_context
from ohara.present.json import results_object, written
from ohara.present.text import warnings
from ohara.present.threads import thread_lines
from ohara.query.names import CommitName, read_name, settled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ohara.engine import Engine
    from ohara.model import Results
    from ohara.present.text import Page

_HUNKS_KNOWN = 100  # of which it is looked up what became of them
_COPIED_BYTES = 1 << 16
_PATHS_NAMED = 4  # in a note


class _ShowCommand(click.Command):
    """Takes what stands behind `--` for paths, also where no revision stands before it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what stands before the dashes, and keep the rest: paths, whether they exist or not."""
        end = args.index("--") if "--" in args else len(args)
        rest = super().parse_args(ctx, args[:end])
        ctx.params["dashed"] = tuple(args[end + 1 :])
        return rest


@click.command("show", cls=_ShowCommand)
@click.argument("rev", metavar="[REV]", default="HEAD", shell_complete=completes("ref"))
@click.argument("paths", nargs=-1, metavar="[--] [PATH]...", shell_complete=completes("path"))
@repo_option
@index_option
@click.option(
    "-C",
    "-U",
    "--context",
    type=click.IntRange(0, 200),
    metavar="N",
    help="Lines around a change (default: 3).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, a hit for each hunk.")
@click.option(
    "--date",
    metavar="STYLE",
    callback=lambda context, option, given: given and date_style(context, option, given),
    help="How dates are written, as in git: iso, short, relative, format:%Y …",
)
@no_pager_option
@color_option
def command(
    rev: str,
    paths: tuple[str, ...],
    repo: Path,
    *,
    dashed: tuple[str, ...],
    shared: str | None,
    context: int | None,
    as_json: bool,
    date: str | None,
    no_pager: bool,
    color: str,
) -> ExitCode:
    """Show a commit's message, what became of it, and its diff, which git apply takes.

    \b
    REV is whatever git knows a commit by (a sha, a branch, HEAD~3, :/text), or
    its address on a forge; default: HEAD. PATH bounds the diff, as in git.
    """
    from ohara.cli.shared import opened

    engine, said = opened(repo, shared)
    say(said)
    sha = _commit(engine, repo, rev)
    untouched = _untouched(engine, sha, (*paths, *dashed))
    paths = _pathspecs(engine, repo, sha, rev, paths=paths, dashed=dashed)
    if as_json:
        return _print_object(engine, repo, sha, paths, context, untouched=untouched)
    known, notes = _known(engine, sha)
    page = page_for(OutputOptions(Form.TEXT, color, date=date or ""), now=time.time())
    head = _head(engine, sha, known, page)
    unread = lacking(engine.repository, repo, sha, paths)
    with (
        patch_of_the_rest(repo, sha, unread, context)
        if unread.files
        else commit_patch.patch(repo, sha, paths, context)
    ) as diff:
        if paths and not unread.files and not diff.peek(1):
            notes.append(untouched)
        if page.width is None and not page.style.coloured:
            _copy(head, diff)
        else:
            _show(_text(head, diff, page), pager=not no_pager)
    say(notes)
    if unread.files:
        raise commit_patch.lacking_contents(sha, counted(len(unread.files), "file"))
    return ExitCode.FOUND


def _commit(engine: Engine, repo: Path, rev: str) -> Sha:
    """The commit that was named, by git's own rules or by its address on a forge."""
    name = read_name(rev) if "://" in rev else None
    if name is not None:
        name = settled(name, lambda ref: engine.repository.resolve_existing((ref,)).get(ref))
    if isinstance(name, CommitName):
        rev = name.revision
    elif "://" in rev:
        raise UsageError(f"{rev} is not the address of a commit", hint=f"to search for it: ohara find {rev}")
    found = commit_patch.resolved(repo, rev)
    return Sha(found) if found else engine.repository.commit_named(rev)


def _pathspecs(
    engine: Engine, repo: Path, sha: Sha, rev: str, *, paths: Sequence[str], dashed: Sequence[str]
) -> tuple[str, ...]:
    """What bounds the diff, as git takes it; what may be a slip of the fingers is refused, by git's rules."""
    named = [commit_patch.as_git_knows(repo, sha, path) for path in paths]
    for path in named:
        if commit_patch.is_path(repo, sha, path) or engine.repository.blob_at(sha, path):
            continue
        if commit_patch.resolved(repo, path):
            raise UsageError("one commit is shown at a time", hint=f"ohara show {path}")
        raise UsageError(
            f"{decoded(path)} is neither a revision nor a path of the work tree or of {sha[:10]}",
            hint=f"if it is a path nevertheless: ohara show {rev} -- {decoded(path)}",
        )
    return (*named, *(commit_patch.as_git_knows(repo, sha, path) for path in dashed))


def _untouched(engine: Engine, sha: Sha, paths: Sequence[str]) -> str:
    """What to say where a diff that is bounded by paths is empty."""
    named = ", ".join(map(decoded, paths[:_PATHS_NAMED])) + (", …" if len(paths) > _PATHS_NAMED else "")
    if len(engine.repository.links(sha).parents) > 1:
        return f"{sha[:10]} is a merge, and changes nothing itself in {named}"
    return f"{sha[:10]} does not touch {named}"


# -- what the index knows ------------------------------------------------------------------------


def _known(engine: Engine, sha: Sha) -> tuple[Results | None, list[str]]:
    """What the index knows of a commit, if it has it, and what is to be said about the index."""
    if not engine.store.exists:
        return None, []
    from ohara import blocking
    from ohara.cli.freshness import freshen

    notes = freshen(engine, quiet=True)
    options = SearchOptions(k=_HUNKS_KNOWN, rerank=False, all_hunks=True, context=0, tags=True)
    try:
        results = blocking.run(engine.find, sha, options)
    except QueryError:  # a commit that no query can name
        return None, notes
    is_it = results.query.query_class is QueryClass.SHA and results.hits and results.hits[0].commit.sha == sha
    return (results if is_it else None), notes


def _head(engine: Engine, sha: Sha, known: Results | None, page: Page) -> str:
    """The commit, its thread and what became of its hunks."""
    from ohara.git.walk import read_commit

    hits = known.hits if known else ()
    refs = engine.repository.names_of(sha)
    blocks = [
        commit_lines(read_commit(engine.repository, sha), page, refs=refs, tag=hits[0].tag if hits else None),
        *(thread_lines(thread, page, here=sha) for thread in (known.threads if known else ())),
        fate_lines(hits, page),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n\n"


def _print_object(
    engine: Engine, repo: Path, sha: Sha, paths: Sequence[str], context: int | None, *, untouched: str
) -> ExitCode:
    from ohara import blocking
    from ohara.cli.freshness import freshen

    notes = freshen(engine, quiet=True)
    with engine.visiting((sha,)) if 0 < engine.outside(sha) <= MOST_COMMITS else nullcontext():
        results = blocking.run(engine.hunks_of, sha)
    hunks = whole_hunks(results.hits)
    if paths:
        wanted = commit_patch.changed_paths(repo, sha, paths)
        hunks = [hit for hit in hunks if hit.path in wanted]
        notes += [] if wanted else [untouched]
    shown = tuple(hunks if context is None else with_context(hunks, context))
    results = replace(results, hits=shown, total=len(shown))
    sys.stdout.write(written(results_object(results)) + "\n")
    say([*warnings(results), *notes])
    return ExitCode.FOUND if results.hits else ExitCode.NOTHING_FOUND


# -- printing ------------------------------------------------------------------------------------


def _copy(head: str, diff: IO[bytes]) -> None:
    """Print the head and the diff's own bytes."""
    sys.stdout.write(head)
    sys.stdout.flush()
    while piece := diff.read(_COPIED_BYTES):
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def _text(head: str, diff: IO[bytes], page: Page) -> Iterator[str]:
    yield head
    for line in harmless_diff(diff, page):
        yield f"{line}\n"


def _show(text: Iterator[str], *, pager: bool) -> None:
    """Show text on the terminal, through the pager if there is one."""
    command = pager_command(os.environ) if pager and sys.stdout.isatty() else None
    if command is not None:
        run_pager(command, (part.encode("utf-8", "replace") for part in text))
        return
    for part in text:
        sys.stdout.write(part)

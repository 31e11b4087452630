"""The filters of the query language as command-line options, parsed by the same rules as in a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

from ohara.cli.options import completes
from ohara.errors import UsageError
from ohara.model import ChangeKind, FateFilter, Filters, Polarity

if TYPE_CHECKING:
    from collections.abc import Callable

Command = TypeVar("Command", bound="Callable[..., object]")

_OPTIONS = (
    click.option(
        "--author",
        "authors",
        multiple=True,
        shell_complete=completes("author"),
        metavar="NAME",
        help="Commits by this author (repeatable, as all filters).",
    ),
    click.option(
        "--path",
        "paths",
        multiple=True,
        shell_complete=completes("path"),
        metavar="GLOB",
        help="Changes of these files.",
    ),
    click.option(
        "--not-path",
        "not_paths",
        multiple=True,
        shell_complete=completes("path"),
        metavar="GLOB",
        help="Changes of all other files.",
    ),
    click.option(
        "--lang",
        "langs",
        multiple=True,
        shell_complete=completes("lang"),
        metavar="NAME",
        help="Files in this language.",
    ),
    click.option(
        "--ext",
        "exts",
        multiple=True,
        shell_complete=completes("ext"),
        metavar="ENDING",
        help="Files whose name ends so: py.",
    ),
    click.option(
        "--since",
        multiple=True,
        shell_complete=completes("since"),
        metavar="DATE",
        help="Commits from this day on: ISO, or '2 weeks ago'.",
    ),
    click.option(
        "--until",
        multiple=True,
        shell_complete=completes("until"),
        metavar="DATE",
        help="Commits up to the end of this day.",
    ),
    click.option(
        "--kind",
        "kinds",
        multiple=True,
        type=click.Choice([kind.value for kind in ChangeKind]),
        help="What happened to the file.",
    ),
    click.option(
        "--ref",
        "refs",
        multiple=True,
        shell_complete=completes("ref"),
        metavar="REF",
        help="Commits that this branch, tag or commit reaches.",
    ),
    click.option(
        "--commit",
        "commits",
        multiple=True,
        shell_complete=completes("commit"),
        metavar="REV",
        help="This commit alone: a sha, a tag, HEAD~3.",
    ),
    click.option(
        "--message", "messages", multiple=True, metavar="TEXT", help="Commits whose message contains this."
    ),
    click.option(
        "--symbol",
        "symbols",
        multiple=True,
        metavar="NAME",
        shell_complete=completes("symbol"),
        help="Hunks that touch this symbol.",
    ),
    click.option(
        "--is",
        "fates",
        multiple=True,
        type=click.Choice([state.value for state in FateFilter]),
        help="What became of the added lines, as seen from HEAD or --ref.",
    ),
    click.option(
        "--is-not",
        "not_fates",
        multiple=True,
        type=click.Choice([state.value for state in FateFilter]),
        help="What did not become of them.",
    ),
    click.option(
        "--not-repo",
        "not_repos",
        multiple=True,
        metavar="GLOB",
        help="No repository of this name or path; -repo:GLOB in a query.",
    ),
    click.option(
        "--not-author",
        "not_authors",
        multiple=True,
        shell_complete=completes("author"),
        metavar="NAME",
        help="Commits by all others.",
    ),
    click.option(
        "--not-lang",
        "not_langs",
        multiple=True,
        shell_complete=completes("lang"),
        metavar="NAME",
        help="Files in other languages.",
    ),
    click.option(
        "--not-ext",
        "not_exts",
        multiple=True,
        shell_complete=completes("ext"),
        metavar="ENDING",
        help="Files with other endings.",
    ),
    click.option(
        "--not-kind",
        "not_kinds",
        multiple=True,
        type=click.Choice([kind.value for kind in ChangeKind]),
        help="What did not happen to the file.",
    ),
    click.option(
        "--not-ref",
        "not_refs",
        multiple=True,
        shell_complete=completes("ref"),
        metavar="REF",
        help="Commits that it does not reach.",
    ),
    click.option(
        "--not-commit",
        "not_commits",
        multiple=True,
        shell_complete=completes("commit"),
        metavar="REV",
        help="All commits but this one.",
    ),
    click.option(
        "--not-message",
        "not_messages",
        multiple=True,
        metavar="TEXT",
        help="Commits whose message lacks this.",
    ),
    click.option(
        "--not-symbol",
        "not_symbols",
        multiple=True,
        metavar="NAME",
        shell_complete=completes("symbol"),
        help="Hunks that do not touch it.",
    ),
    click.option("--added", is_flag=True, help="Only added lines count."),
    click.option("--removed", is_flag=True, help="Only removed lines count."),
)


def filter_options(command: Command) -> Command:
    """Add the options of all filters to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_filters(
    *,
    authors: tuple[str, ...],
    paths: tuple[str, ...],
    not_paths: tuple[str, ...],
    langs: tuple[str, ...],
    exts: tuple[str, ...],
    since: tuple[str, ...],
    until: tuple[str, ...],
    kinds: tuple[str, ...],
    refs: tuple[str, ...],
    commits: tuple[str, ...],
    messages: tuple[str, ...],
    symbols: tuple[str, ...],
    fates: tuple[str, ...],
    not_fates: tuple[str, ...],
    not_repos: tuple[str, ...],
    not_authors: tuple[str, ...],
    not_langs: tuple[str, ...],
    not_exts: tuple[str, ...],
    not_kinds: tuple[str, ...],
    not_refs: tuple[str, ...],
    not_commits: tuple[str, ...],
    not_messages: tuple[str, ...],
    not_symbols: tuple[str, ...],
    now: int,
) -> Filters:
    """The filters that the options give; a bad value raises the same error as in a query."""
    from ohara import query

    return Filters(
        authors=tuple(map(query.parse_author, authors)),
        paths=tuple(map(query.parse_path_glob, paths)),
        not_paths=tuple(map(query.parse_path_glob, not_paths)),
        langs=tuple(map(query.parse_lang, langs)),
        exts=tuple(map(query.parse_ext, exts)),
        since=min((query.parse_date(date, now=now) for date in since), default=None),
        until=max((query.parse_date(date, now=now, end=True) for date in until), default=None),
        kinds=tuple(map(query.parse_kind, kinds)),
        refs=tuple(map(query.parse_ref, refs)),
        commits=tuple(map(query.parse_commit, commits)),
        messages=tuple(map(query.parse_message, messages)),
        symbols=tuple(map(query.parse_symbol, symbols)),
        fates=tuple(map(query.parse_fate, fates)),
        not_fates=tuple(map(query.parse_fate, not_fates)),
        not_repos=tuple(map(query.parse_repo, not_repos)),
        not_authors=tuple(map(query.parse_author, not_authors)),
        not_langs=tuple(map(query.parse_lang, not_langs)),
        not_exts=tuple(map(query.parse_ext, not_exts)),
        not_kinds=tuple(map(query.parse_kind, not_kinds)),
        not_refs=tuple(map(query.parse_ref, not_refs)),
        not_commits=tuple(map(query.parse_commit, not_commits)),
        not_messages=tuple(map(query.parse_message, not_messages)),
        not_symbols=tuple(map(query.parse_symbol, not_symbols)),
    )


def read_polarity(*, added: bool, removed: bool) -> Polarity:
    """Which side of a change must match: added lines, removed lines or either."""
    if added and removed:
        raise UsageError(
            "--added and --removed exclude each other", hint="drop one: without both, either side counts"
        )
    return Polarity.ADDED if added else Polarity.REMOVED if removed else Polarity.ANY

"""The filters of the query language as options, read by the same rules as inline."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

import click

from ohara.errors import UsageError
from ohara.model import ChangeKind, Filters, Polarity

if TYPE_CHECKING:
    from collections.abc import Callable

Command = TypeVar("Command", bound="Callable[..., object]")

_OPTIONS = (
    click.option(
        "--author",
        "authors",
        multiple=True,
        metavar="NAME",
        help="Commits by this author (repeatable, as all filters).",
    ),
    click.option("--path", "paths", multiple=True, metavar="GLOB", help="Changes of these files."),
    click.option(
        "--not-path", "not_paths", multiple=True, metavar="GLOB", help="Changes of all other files."
    ),
    click.option("--lang", "langs", multiple=True, metavar="NAME", help="Files in this language."),
    click.option("--since", metavar="DATE", help="Commits from this day on: ISO, or '2 weeks ago'."),
    click.option("--until", metavar="DATE", help="Commits up to the end of this day."),
    click.option(
        "--kind",
        "kinds",
        multiple=True,
        type=click.Choice([kind.value for kind in ChangeKind]),
        help="What happened to the file.",
    ),
    click.option(
        "--ref", "refs", multiple=True, metavar="REF", help="Commits that this branch, tag or commit reaches."
    ),
    click.option(
        "--message", "messages", multiple=True, metavar="TEXT", help="Commits whose message contains this."
    ),
    click.option("--symbol", "symbols", multiple=True, metavar="NAME", help="Hunks that touch this symbol."),
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
    since: str | None,
    until: str | None,
    kinds: tuple[str, ...],
    refs: tuple[str, ...],
    messages: tuple[str, ...],
    symbols: tuple[str, ...],
) -> Filters:
    """The filters that the options ask for; a bad value is the same error as inline."""
    from ohara import query

    now = int(time.time())
    return Filters(
        authors=tuple(map(query.parse_author, authors)),
        paths=tuple(map(query.parse_path_glob, paths)),
        not_paths=tuple(map(query.parse_path_glob, not_paths)),
        langs=tuple(map(query.parse_lang, langs)),
        since=query.parse_date(since, now=now) if since is not None else None,
        until=query.parse_date(until, now=now, end=True) if until is not None else None,
        kinds=tuple(map(query.parse_kind, kinds)),
        refs=tuple(map(query.parse_ref, refs)),
        messages=tuple(map(query.parse_message, messages)),
        symbols=tuple(map(query.parse_symbol, symbols)),
    )


def read_polarity(*, added: bool, removed: bool) -> Polarity:
    """Which side of changes counts."""
    if added and removed:
        raise UsageError(
            "--added and --removed exclude each other", hint="drop one: without both, either side counts"
        )
    return Polarity.ADDED if added else Polarity.REMOVED if removed else Polarity.ANY

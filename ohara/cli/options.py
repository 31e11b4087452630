"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from ohara.errors import UsageError
from ohara.present.times import DATE_STYLES, FORMAT, RELATIVE
from ohara.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click.shell_completion import CompletionItem


Complete: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]"


def completes(name: str) -> Complete:
    """What completes the values of a filter; loaded when a shell asks for it."""

    def complete(context: click.Context, option: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from ohara.cli.completing import complete_value

        return complete_value(context, option, incomplete, name)

    return complete


def completes_query(context: click.Context, option: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What completes the words of a query; loaded when a shell asks for it."""
    from ohara.cli.completing import complete_query

    return complete_query(context, option, incomplete)


def only_one(context: click.Context, option: click.Parameter, given: Sequence[Path]) -> Path | None:
    """The value of an option; giving it twice is an error, where click would drop the first."""
    del context
    if len(given) > 1:
        raise UsageError(
            f"{option.opts[0]} was given {len(given)} times: {', '.join(map(str, given))}",
            hint="name one repository at a time",
        )
    return given[0] if given else None


def or_here(context: click.Context, option: click.Parameter, given: Sequence[Path]) -> Path:
    """The value of an option, or else the current folder; giving it twice is an error."""
    return only_one(context, option, given) or Path()


def date_style(context: click.Context, option: click.Parameter, given: str) -> str:
    """The value of --date, which must be one of git's styles."""
    del context, option
    if given in DATE_STYLES or (given.startswith(FORMAT) and given != FORMAT):
        return given
    meant = nearest(given, DATE_STYLES, within=2)
    listed = f"the styles are {', '.join(DATE_STYLES)} and {FORMAT}%Y-%m-%d"
    raise UsageError(
        f"there is no style of dates called {given!r}",
        hint=f"did you mean {meant}? {listed}" if meant else listed,
    )


repo_option = click.option(
    "--repo",
    type=click.Path(path_type=Path),
    multiple=True,
    callback=or_here,
    metavar="PATH",
    help="A work tree, a folder in one, or a bare repository (default: here).",
)

several_option = click.option(
    "--repo",
    "repos",
    multiple=True,
    metavar="PATH|@GROUP",
    help="A work tree, a folder in one, a bare repository, or a group (default: here); repeatable.",
)

index_option = click.option(
    "--index",
    "shared",
    metavar="NAME",
    help="Ask the shared index of this name ([shared.NAME] in the settings).",
)

everywhere_option = click.option("--everywhere", is_flag=True, help="Search every indexed repository.")

date_option = click.option(
    "--date",
    metavar="STYLE",
    default=RELATIVE,
    show_default=True,
    callback=date_style,
    help="How dates are written, as in git: iso, short, local, unix, format:%Y …",
)

no_pager_option = click.option(
    "--no-pager", is_flag=True, help="Print at once, where a terminal would get git's pager."
)

color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When to colour.",
)

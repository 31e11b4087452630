"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ohara.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


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

everywhere_option = click.option("--everywhere", is_flag=True, help="Search every indexed repository.")

color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When to colour.",
)

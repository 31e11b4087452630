"""`ohara config`: every setting with its value and where that value came from. It changes nothing."""

from __future__ import annotations

from pathlib import Path

import click

from ohara import config, paths
from ohara.cli.options import or_here
from ohara.sanitize import sanitize
from ohara.settings import SETTINGS
from ohara.values import written


@click.group("config", invoke_without_command=True)
@click.option(
    "--repo",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    callback=or_here,
    help="Show what holds in this repository (default: here).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def command(ctx: click.Context, repo: Path, *, as_json: bool) -> None:
    """Show every setting, its value and where it came from.

    \b
    Later places win: defaults, the user's config.toml, .ohara.toml in the
    repository (index.refs and index.ignore only), OHARA_* variables, flags.
    """
    if ctx.invoked_subcommand is None:
        loaded = config.load(repository=config.work_tree(repo))
        click.echo(_as_json(loaded) if as_json else _as_lines(loaded))


@command.command("path")
def path() -> None:
    """Print where the user's settings file is, or would be."""
    click.echo(str(paths.config_file()))


def _as_lines(loaded: config.Loaded) -> str:
    """A line for each setting, written as in a settings file, with the origin beside it."""
    shown = [f"{item.key} = {written(loaded.values[item.key])}" for item in SETTINGS]
    width = min(max(map(len, shown)), 48)
    origins = [sanitize(str(loaded.origins[item.key])) for item in SETTINGS]
    shown += [f"{config.GROUPS}.{name} = {written(listed)}" for name, listed in loaded.groups.items()]
    origins += [sanitize(str(paths.config_file()))] * len(loaded.groups)
    return "\n".join(f"{line:<{width}}  # {origin}" for line, origin in zip(shown, origins, strict=True))


def _as_json(loaded: config.Loaded) -> str:
    import json

    settings = [
        {
            "key": item.key,
            "value": loaded.values[item.key],
            "default": item.default,
            "source": str(loaded.origins[item.key].source),
            "where": loaded.origins[item.key].where,
            "env": item.env,
            "repo_safe": item.rule.repo_safe,
            "expects": item.expects,
            "doc": item.rule.doc,
        }
        for item in SETTINGS
    ]
    groups = {name: list(listed) for name, listed in loaded.groups.items()}
    return json.dumps({"schema": 1, "settings": settings, "groups": groups}, indent=2, default=dict)

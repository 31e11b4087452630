"""`ohara config`: every setting, its value and where that came from; set, unset and edit change them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ohara import config, paths
from ohara.cli.command_group import CommandGroup
from ohara.cli.options import or_here
from ohara.cli.report import ExitCode
from ohara.errors import ConfigError, UsageError
from ohara.sanitize import sanitize
from ohara.settings import SETTINGS
from ohara.suggest import nearest
from ohara.values import written

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from ohara.settings import Setting

_BY_KEY = {item.key: item for item in SETTINGS}
_STRONGER = frozenset({config.Source.ENVIRONMENT, config.Source.REPOSITORY})


def _complete_key(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(key, help=item.rule.doc) for key, item in _BY_KEY.items() if key.startswith(incomplete)
    ]


@click.group("config", cls=CommandGroup, invoke_without_command=True)
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


@command.command("set")
@click.argument("key", shell_complete=_complete_key)
@click.argument("value")
def set_(key: str, value: str) -> None:
    """Write a setting into the user's settings file; the rest of the file stays as it is.

    Lists are separated by commas, tables are name=value pairs.
    """
    from ohara.cli.config_edit import set_value

    item = _setting(key)
    try:
        meant = item.read(value)
    except ValueError as error:
        raise ConfigError(f"{key} {error}", hint="ohara config shows what each is now") from error
    file = set_value(item.section, item.name, meant)
    click.echo(f"{key} = {written(meant)}  # {sanitize(str(file))}")
    _say_what_is_stronger(item)


@command.command("unset")
@click.argument("key", shell_complete=_complete_key)
def unset(key: str) -> ExitCode:
    """Take a setting out of the user's settings file, so that its default holds again.

    Exit code 1 when it is not set there.
    """
    from ohara.cli.config_edit import unset_value

    item = _setting(key)
    file = paths.config_file()
    if config.load().origins[key].source is config.Source.USER or _is_in_file(item, file):
        unset_value(item.section, item.name)
        click.echo(f"{key} = {written(config.load().values[key])}  # {config.load().origins[key]}")
        return ExitCode.FOUND
    click.echo(f"{key} is not set in {sanitize(str(file))}", err=True)
    return ExitCode.NOTHING_FOUND


@command.command("edit")
def edit() -> None:
    """Open the user's settings file in your editor, and check it afterwards.

    The editor is that of VISUAL or EDITOR, else vi.
    """
    import os
    import shlex
    import subprocess

    file = paths.config_file()
    chosen = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        words = shlex.split(chosen)
    except ValueError:
        words = []
    if not words:
        raise UsageError(f"the editor {chosen!r} cannot be read as a command", hint="set VISUAL or EDITOR")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([*words, str(file)], check=False)
    except OSError as error:
        raise UsageError(
            f"the editor {words[0]} cannot be started: {error.strerror}", hint="set VISUAL or EDITOR"
        ) from error
    if done.returncode:
        raise UsageError(f"the editor {words[0]} ended with {done.returncode}", hint=f"look at {file}")
    config.load()  # what is wrong is said now, and not by the next command


def _setting(key: str) -> Setting:
    if key in _BY_KEY:
        return _BY_KEY[key]
    same_name = (known.key for known in SETTINGS if known.name == key.rpartition(".")[2])
    meant = next(same_name, None) or nearest(key, _BY_KEY, within=3)
    raise UsageError(
        f"there is no setting {key}", hint=f"did you mean {meant}?" if meant else "ohara config lists them"
    )


def _is_in_file(item: Setting, file: Path) -> bool:
    """Whether the file sets it, though something stronger holds in this shell."""
    import tomllib

    try:
        section = tomllib.loads(file.read_text(encoding="utf-8")).get(item.section)
    except (OSError, ValueError):
        return False
    return isinstance(section, dict) and item.name in section


def _say_what_is_stronger(item: Setting) -> None:
    """Tell when the new value does not hold here because something else sets it, too."""
    origin = config.load(repository=config.work_tree(Path())).origins[item.key]
    if origin.source in _STRONGER:
        click.echo(f"{sanitize(str(origin))} sets {item.key} here, and wins", err=True)


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

"""`ohara models`: lists models and which are in use; pulls, adds, chooses and removes one.

Only `pull` uses the network, and only after saying what would be downloaded, how much and from where.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ohara.cli.command_group import CommandGroup
from ohara.cli.report import ExitCode
from ohara.errors import UsageError
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from ohara.embed.catalog import Stage

_POOLINGS = ("cls", "mean", "done")

_stage_option = (
    click.option("--embedder", "stage", flag_value="embedder", help="For the vector lane."),
    click.option("--reranker", "stage", flag_value="reranker", help="For the rerank stage."),
)


@click.group("models", cls=CommandGroup, invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def command(ctx: click.Context, *, as_json: bool) -> None:
    """List the models that ship, were added or can be pulled, and which of them serve."""
    if ctx.invoked_subcommand is not None:
        return
    from ohara.cli import model_list

    listing = model_list.read()
    click.echo(model_list.as_json(listing) if as_json else model_list.as_lines(listing))


@command.command("pull")
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def pull(name: str, *, yes: bool) -> ExitCode:
    """Download a model that fastembed knows by name; what was cut off goes on where it stopped."""
    from ohara.cli.progress import Transfer
    from ohara.embed.catalog import ModelSource, find_local
    from ohara.embed.download import address, look_up
    from ohara.embed.hub import find_hub_model
    from ohara.embed.installed import install_pulled

    model = find_hub_model(name)
    here = find_local(model.name)
    if here is not None and here.origin is ModelSource.PULLED:
        click.echo(f"{model.name} is here already; ohara models use {model.name} chooses it")
        return ExitCode.FOUND
    what = f"an embedder of {model.dimensions} dimensions" if model.dimensions else "a reranker"
    click.echo(
        f"{model.name}: {what}, about {model.size_bytes / 1e6:,.0f} MB, licence {model.licence}, "
        f"from {sanitize(address(model))}",
        err=True,
    )
    if not yes and not _agreed():
        return ExitCode.NOTHING_FOUND
    with Transfer(model.name) as transfer:
        for fetched in install_pulled(look_up(model)):
            transfer.show(fetched.done_bytes, fetched.total_bytes)
    click.echo(f"pulled {model.name}; ohara models use {model.name} chooses it")
    return ExitCode.FOUND


@command.command("add")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--name", default="", metavar="NAME", help="What to call it (default: the folder's name).")
@_stage_option[0]
@_stage_option[1]
@click.option(
    "--dimensions",
    type=click.IntRange(min=1),
    default=None,
    metavar="N",
    help="The length of its vectors, where the graph does not say.",
)
@click.option(
    "--pooling",
    type=click.Choice(_POOLINGS),
    default=None,
    help="How an embedder's tokens become one vector, where the folder does not say: "
    "the first (cls), their mean, or the graph has done it.",
)
def add(path: Path, *, name: str, stage: str | None, dimensions: int | None, pooling: str | None) -> None:
    """Take a folder with an ONNX model and its tokeniser; it is copied, and tried once."""
    from ohara.embed.add_model import add_folder
    from ohara.embed.weights import ModelKind, Pooling

    kinds = {"embedder": ModelKind.EMBEDDER, "reranker": ModelKind.CROSS_ENCODER}
    added = add_folder(
        path,
        name,
        kinds[stage] if stage else None,
        dimensions=dimensions or 0,
        pooling=Pooling(pooling) if pooling else None,
    )
    manifest = added.manifest
    is_embedder = manifest.kind is ModelKind.EMBEDDER
    what = f"an embedder of {manifest.dimensions} dimensions" if is_embedder else "a reranker"
    click.echo(f"added {manifest.name}, {what}; ohara models use {manifest.name} chooses it")
    if added.assumed:
        click.echo(f"  {added.assumed}", err=True)


@command.command("use")
@click.argument("name")
@_stage_option[0]
@_stage_option[1]
def use(name: str, *, stage: str | None) -> None:
    """Choose the model that serves: a name, `embedded` for what ships, or `none` to switch a stage off."""
    from ohara import config
    from ohara.cli.config_edit import set_value
    from ohara.embed.catalog import Stage

    config.load()  # a file that cannot be read is not written either
    asked = Stage(stage) if stage else None
    chosen, value = _chosen(name, asked)
    file = set_value("models", chosen, value)
    click.echo(f"{sanitize(str(file))}: models.{chosen} = {value}")
    origin = config.load().origins[f"models.{chosen}"]
    if origin.source is config.Source.ENVIRONMENT:
        click.echo(f"but {origin.where} is set in the environment and is stronger", err=True)
    elif chosen is Stage.EMBEDDER and value != "none":
        click.echo("vectors are made anew at the next ohara index or search; the old ones serve until then")


@command.command("remove")
@click.argument("name")
def remove(name: str) -> None:
    """Delete a model that was added or pulled; what ships stays."""
    from ohara import config
    from ohara.embed.installed import remove_folder

    models = config.load().settings.models
    for stage, setting in (("embedder", models.embedder), ("reranker", models.reranker)):
        if setting.lower() == name.lower():
            raise UsageError(
                f"{name} serves: models.{stage} names it", hint=f"ohara models use embedded --{stage}"
            )
    click.echo(f"removed {name}, freed {remove_folder(name) / 1e6:,.1f} MB")


def _chosen(name: str, asked: Stage | None) -> tuple[Stage, str]:
    """The stage and the value to write for its setting; an error says what is wrong with the choice."""
    from ohara.embed import catalog

    if name in {catalog.NONE, catalog.EMBEDDED}:
        if asked is None:
            raise UsageError(
                f"{name} may mean either stage", hint=f"ohara models use {name} --embedder, or --reranker"
            )
        ships = catalog.find_local(catalog.meant_by(name, asked))
        if name == catalog.EMBEDDED and ships is None:
            raise UsageError(f"no {asked} ships with this ohara", hint="see `ohara models` for the names")
        return asked, name
    entry = catalog.find_local(name)
    if entry is None:
        from ohara.embed.hub import find_hub_model

        known = find_hub_model(name)
        raise UsageError(
            f"the model {known.name} is not on this machine", hint=f"ohara models pull {known.name}"
        )
    if asked is not None and asked is not entry.stage:
        raise UsageError(
            f"{entry.name} is no {asked} but one of the {entry.stage}s", hint="leave the option out"
        )
    return entry.stage, catalog.EMBEDDED if entry.origin is catalog.ModelSource.EMBEDDED else entry.name


def _agreed() -> bool:
    """Ask for confirmation on a terminal; without one, refuse."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("nobody is there to be asked", hint="give --yes to download without asking")
    return click.confirm("download it?", err=True)

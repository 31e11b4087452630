"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

repo_option = click.option(
    "--repo",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="PATH",
    help="A work tree, a folder in one, or a bare repository (default: here).",
)

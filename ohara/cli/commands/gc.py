"""`ohara gc`: remove what no indexed ref reaches any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ohara.cli.options import repo_option
from ohara.plural import counted

if TYPE_CHECKING:
    from pathlib import Path


@click.command("gc")
@repo_option
def command(repo: Path) -> None:
    """Remove commits that were rewritten away, and give their space back."""
    from ohara.engine import Engine

    engine = Engine.open(repo)
    before = engine.store.size_bytes()
    removed = engine.gc()
    freed = max(0, before - engine.store.size_bytes())
    click.echo(f"removed {counted(removed, 'commit')}, freed {freed / 1e6:,.1f} MB")

"""`ohara forget`: delete a repository's index; the repository itself is not touched."""

from __future__ import annotations

from pathlib import Path

import click

from ohara.errors import IndexMissing, RepositoryError


@click.command("forget")
@click.argument("path", type=click.Path(path_type=Path), default=Path())
def command(path: Path) -> None:
    """Delete the index of the repository at PATH (default: here), never the repository."""
    from ohara.engine import Engine, forget
    from ohara.store.engines import index_at
    from ohara.store.locate import known_indexes

    try:
        store = Engine.open(path).store
    except RepositoryError:
        gone = path.resolve()
        found = [known for known in known_indexes() if known.common_dir in {gone, gone / ".git"}]
        if not found:
            raise IndexMissing(f"{path} has no index", hint="ohara repos lists the indexes") from None
        store = index_at(found[0])
    freed = forget(store)
    click.echo(f"forgot {store.location.common_dir}, freed {freed / 1e6:,.1f} MB")

"""Opens a team's index, or this machine's own when the server is away or none was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

from ohara.cli.freshness import freshen
from ohara.config import default_server
from ohara.engine import Engine
from ohara.errors import ServerAway
from ohara.sharing import require_same_history, shared_name

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.federation.searcher import Federation

S = TypeVar("S", "Engine", "Federation")


def opened(repo: Path | str, shared: str | None) -> tuple[Engine, list[str]]:
    """The engine to ask, with remarks: of the shared index that was named or is the default, or of one's own.

    While the server is away one's own index answers, if there is one.
    """
    name = shared or default_server(repo)
    if name is None:
        return closed_at_the_end(Engine.open(repo)), []
    try:
        engine = Engine.open(repo, shared=name)
        require_same_history(engine.repository, engine.store, shared_name(engine.repository))
    except ServerAway as away:
        own = Engine.open(repo)
        if not own.store.exists:
            raise
        return closed_at_the_end(own), [f"{away.message}: answered from this machine's own index"]
    return closed_at_the_end(engine), []


def closed_at_the_end(searcher: S) -> S:
    """Have it closed when the command ends: a server counts its connections, a file is left tidy."""
    if (command := click.get_current_context(silent=True)) is not None:
        command.call_on_close(searcher.close)
    return searcher


def fresh(repo: Path | str, shared: str | None, *, quiet: bool) -> tuple[Engine, list[str]]:
    """The engine to ask, its index brought up to date where it is this machine's own."""
    engine, notes = opened(repo, shared)
    return engine, notes or freshen(engine, quiet=quiet)

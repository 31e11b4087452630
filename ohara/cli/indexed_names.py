"""What an index knows of names, for completion: asked of the service, or else read here.

Whoever presses Tab waits: whatever goes wrong, nothing is told, and None means that git is to be asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara import wire
from ohara.client import running
from ohara.errors import OharaError

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.model import NameKind

_AT_MOST_MS = 2_000


def indexed_names(repository: Path, kind: NameKind, begun: str, most: int) -> tuple[str, ...] | None:
    """The names that one that is begun may become; None where there is no index to be read."""
    try:
        client = running(replace=False)
        if client is None:
            return _read_here(repository, kind, begun, most)
        with client:
            asked = wire.NamesRequest(
                repo=str(repository), kind=kind, begun=begun, k=most, deadline_ms=_AT_MOST_MS
            )
            return client.send(asked).names
    except (OharaError, OSError, ValueError):
        return None


def _read_here(repository: Path, kind: NameKind, begun: str, most: int) -> tuple[str, ...] | None:
    from ohara import blocking
    from ohara.engine import Engine

    engine = Engine.open(repository)
    try:
        if not engine.store.exists:
            return None
        browser = engine.browser
        return blocking.run(browser.names, kind, begun, most)
    finally:
        engine.close()

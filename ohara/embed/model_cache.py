"""Shares models between all repositories of one process: loaded once, freed when no longer used.

The table holds weak references: only the users of a model keep it alive.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from ohara import paths
from ohara.embed.catalog import load_embedder, load_reranker

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.embed.encoder import Embedder, Reranker

_lock = Lock()
_embedders: WeakValueDictionary[tuple[Path, str], Embedder] = WeakValueDictionary()
_rerankers: WeakValueDictionary[tuple[Path, str], Reranker] = WeakValueDictionary()


def shared_embedder(name: str) -> Embedder | None:
    """The embedder of this name, the same object for everyone; None when the stage is off."""
    key = (paths.models_dir(), name)
    with _lock:
        known = _embedders.get(key)
        if known is None and (known := load_embedder(name)) is not None:
            _embedders[key] = known
        return known


def shared_reranker(name: str) -> Reranker | None:
    """The reranker of this name, the same object for everyone; None when the stage is off."""
    key = (paths.models_dir(), name)
    with _lock:
        known = _rerankers.get(key)
        if known is None and (known := load_reranker(name)) is not None:
            _rerankers[key] = known
        return known

"""Which server keeps a team's index, and by which name it knows a repository."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ohara import config, paths
from ohara.errors import RepositoryError
from ohara.store.engines import shared_server
from ohara.store.facts import ROOTS
from ohara.store.locate import IndexLocation

if TYPE_CHECKING:
    from ohara.git.repo import Repository
    from ohara.store.index import Index
    from ohara.store.shared import SharedServer

_LAST_PART = re.compile(r"([^/:\\]+?)(?:\.git)?/*$")


def server_named(name: str) -> SharedServer:
    """The server that the user's settings know by a name."""
    config.require_known(name)
    return shared_server(name, config.load().shared[name].dsn)


def shared_name(repository: Repository) -> str:
    """What a server calls a repository: the last part of where it is fetched from, or its folder."""
    found = _LAST_PART.search(repository.remote_url() or "")
    return found.group(1) if found else repository.name


def shared_index(repository: Repository, server: SharedServer, name: str | None = None) -> Index:
    """The index of a repository on a server, whether or not it exists yet."""
    name = name or shared_name(repository)
    folder = paths.indexes_dir() / f"shared-{server.name}" / name
    return server.index(IndexLocation(repository.common_dir, folder), name)


def require_same_history(repository: Repository, index: Index, name: str) -> None:
    """An error when an index is of another repository that happens to have the same name."""
    with index.statistics() as known:
        roots = known.fact(ROOTS)
    if roots and not any(repository.has_object(root) for root in roots):
        raise RepositoryError(
            f"{name} on the server is the history of another repository",
            hint="push this one under another name: ohara share push --as NAME",
        )

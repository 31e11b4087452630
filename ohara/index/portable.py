"""Exports an index to a file, and takes over one that another clone of the same repository exported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.errors import RepositoryError, StoreError
from ohara.index.rederive import Analysis
from ohara.store.engines import export_index, install_exported, read_exported

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ohara.git.repo import Repository
    from ohara.store.index import Exported, Index

_LOCK_WAIT_S = 10.0


def export(repository: Repository, index: Index, file: Path, *, derived: bool) -> int:
    """Write the index to a file; how many commits it has."""
    require_whole_history(repository)
    return export_index(index.location, file, Analysis(), derived=derived)


def require_whole_history(repository: Repository) -> None:
    """An error in a shallow clone, of which no index is made for others."""
    if repository.is_shallow:
        raise RepositoryError(
            "this is a shallow clone: its index would lack what came before",
            hint="get the whole history with: git fetch --unshallow",
        )


def take_over(
    repository: Repository, index: Index, file: Path, *, replace: bool, progress: Callable[[int], None]
) -> Exported:
    """Install a file as the index of a repository, after checking that it is of the same history.

    The next run reads what is new and hides what this clone does not have.
    """
    exported = read_exported(file)
    if not any(repository.has_object(root) for root in exported.roots):
        raise RepositoryError(
            f"{file} is the index of another repository: none of its first commits is in {repository.path}",
            hint="import it in a whole clone of the repository that it was made from",
        )
    index.location.prepare()
    with index.locked(wait_s=_LOCK_WAIT_S):
        index.location.prepare()
        if index.exists and not replace:
            raise StoreError(
                f"{repository.name} has an index already",
                hint="ohara import --replace sets it aside; ohara index brings it up to date",
            )
        index.set_aside()
        install_exported(index.location, file, progress)
    return exported

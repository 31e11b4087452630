"""Which repositories `repo:` and `-repo:` let through, by their paths. Pure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ohara.query.globs import path_pattern

if TYPE_CHECKING:
    from ohara.model import Filters


def lets_through(filters: Filters, path: str) -> bool:
    """True when filters let the repository at a path through."""
    if filters.repos and not any(names_repository(glob, path) for glob in filters.repos):
        return False
    return not any(names_repository(glob, path) for glob in filters.not_repos)


def names_repository(glob: str, path: str) -> bool:
    """True when a glob names a repository: without a slash by its name, with one by the end of its path."""
    given = Path(glob).expanduser().as_posix() if glob.startswith("~") else glob
    place = Path(path)
    if "/" not in given.rstrip("/"):
        name = place.name.removesuffix(".git") or place.name
        return bool(path_pattern(given.rstrip("/")).fullmatch(name))
    whole = given if given.startswith("/") else f"**/{given}"
    return bool(path_pattern(whole.rstrip("/")).fullmatch(place.as_posix().lstrip("/")))


def filter_source(filters: Filters) -> str:
    """Filters of repositories as they are written in a query."""
    return " ".join(
        (*(f"repo:{glob}" for glob in filters.repos), *(f"-repo:{glob}" for glob in filters.not_repos))
    )

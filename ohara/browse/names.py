"""What a filter can be completed to: the names that an index and its repository know, the likeliest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.completion import endings, fitting, fitting_symbols, next_folders
from ohara.model import NameKind
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.git.repo import Repository
    from ohara.store.reading import Reader


def names(repository: Repository, reader: Reader, kind: NameKind, begun: str, limit: int) -> tuple[str, ...]:
    """The names of a kind that one that is begun may become; none that cannot be shown and typed as it is."""
    found: list[str] = []
    for name in _fitting(repository, reader, kind, begun):
        if len(found) == limit:
            break
        if sanitize(name) == name and '"' not in name:
            found.append(name)
    return tuple(found)


def _fitting(repository: Repository, reader: Reader, kind: NameKind, begun: str) -> Iterable[str]:
    match kind:
        case NameKind.AUTHOR:
            return fitting(reader.remembered("authors", reader.authors), begun)
        case NameKind.PATH:
            return next_folders(_paths(repository, reader), begun)
        case NameKind.EXT:
            return fitting(reader.remembered("endings", lambda: endings(reader.paths())), begun)
        case NameKind.LANG:
            return fitting(reader.languages(), begun)
        case NameKind.SYMBOL:
            return fitting_symbols(reader.remembered("symbol names", reader.symbol_names), begun)
        case NameKind.REF:
            return fitting(("HEAD", *repository.recent_refs()), begun)


def _paths(repository: Repository, reader: Reader) -> list[str]:
    """Every path that there ever was: those of HEAD, then those that are gone."""

    def listed() -> list[str]:
        there = [path for path, _, _ in repository.head_tree_files()]
        return list(dict.fromkeys((*there, *reader.paths())))

    return reader.remembered("paths, those of HEAD first", listed)

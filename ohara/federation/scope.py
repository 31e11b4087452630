"""Which repositories a question is about.

They are named by a path, by `@NAME` (a group of the user's settings) or by `@all` (every index on this
machine). Filters choose among those; filters alone choose among all. Nothing is opened here but what says
where a repository's git directory is.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ohara import config
from ohara.errors import ConfigError, QueryError, RepositoryError, UsageError
from ohara.git import gitdir
from ohara.query.repositories import filter_source, lets_through
from ohara.records import dataclass
from ohara.safe_read import IrregularFile
from ohara.store.locate import known_indexes, locate
from ohara.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.model import Filters

EVERYWHERE = "@all"
_GROUP = "@"
_MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class Chosen:
    """A repository to search: the path to open it by, its path for people, and the name of its index."""

    path: str
    name: str
    key: str


def choose(named: Sequence[str], filters: Filters, *, folder: Path) -> list[Chosen]:
    """The repositories that are meant, each index once; one in `folder` when nothing is said.

    Raises when a filter matches none, or a group is not known.
    """
    filtered = bool(filters.repos or filters.not_repos)
    specified = tuple(named) or ((EVERYWHERE,) if filtered else (".",))
    found: dict[str, Chosen] = {}
    for each in specified:
        for one in _meant(each, folder):
            found.setdefault(one.key, one)
    kept = [one for one in found.values() if lets_through(filters, one.name)]
    if filtered and not kept:
        raise _none_matches(filters, [one.name for one in found.values()])
    if not kept:
        raise UsageError("there is no index on this machine yet", hint="build one with: ohara index")
    return kept


def is_several(named: Sequence[str], filters: Filters) -> bool:
    """True when a question may be about other repositories than a single one that is named by its path."""
    return (
        len(named) > 1
        or any(each.startswith(_GROUP) for each in named)
        or bool(filters.repos or filters.not_repos)
    )


def _meant(specifier: str, folder: Path) -> Iterable[Chosen]:
    if specifier == EVERYWHERE:
        return [_known(location.common_dir) for location in known_indexes()]
    if specifier.startswith(_GROUP):
        return [_at(Path(path).expanduser(), folder) for path in _group(specifier.removeprefix(_GROUP))]
    return [_at(Path(specifier), folder)]


def _group(name: str) -> tuple[str, ...]:
    groups = config.load().groups
    if name in groups:
        return groups[name]
    meant = nearest(name, (*groups, EVERYWHERE.removeprefix(_GROUP)), within=2)
    hint = (
        f"did you mean @{meant}?" if meant else "add it to [groups] in the file that ohara config path names"
    )
    raise ConfigError(f"there is no group {name!r} of repositories", hint=hint)


def _at(path: Path, folder: Path) -> Chosen:
    place = folder / path
    try:
        git_dir = gitdir.find(place)
        common = gitdir.common_dir(git_dir) if git_dir is not None else None
    except (IrregularFile, OSError, ValueError) as error:
        raise RepositoryError(f"{place} cannot be opened: {error}", hint="name a git repository") from error
    if common is None:  # opening it says what is wrong
        return Chosen(str(place), str(place), str(place))
    return Chosen(str(place), _shown(common), locate(common).folder.name)


def _known(common_dir: Path) -> Chosen:
    return Chosen(str(common_dir), _shown(common_dir), locate(common_dir).folder.name)


def _shown(common_dir: Path) -> str:
    return str(common_dir.parent if common_dir.name == ".git" else common_dir)


def _none_matches(filters: Filters, names: Sequence[str]) -> QueryError:
    said = filter_source(filters)
    some = ", ".join(Path(name).name.removesuffix(".git") for name in names[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    hint = f"there are {some}{more}" if names else "nothing is indexed yet: ohara index"
    return QueryError(f"no repository is let through by {said}", hint=hint)

"""Brings submodules of an index of an earlier version up to date: it did not store which commits they name.

Without them a submodule looked as if every change had deleted it, and its lines as if they were gone. Lines
of such an index are followed anew; an index without submodules has nothing to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.errors import RepositoryError
from ohara.model import Pass, Sha, submodule_text
from ohara.store.derived import NamedSubmodule
from ohara.store.facts import SUBMODULES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.git.repo import Repository
    from ohara.store.copying import CopySource
    from ohara.store.derived import NamelessSubmodule
    from ohara.store.writing import Writer

_READ_COMMITS = 200


def name_submodules(writer: Writer, repository: Repository) -> None:
    """Store the commits that submodules name, as git has them; what git no longer has stays as it is."""
    if writer.fact(SUBMODULES):
        return
    _write(writer, [_from_git(repository, each) for each in writer.upkeep.nameless_submodules()])
    writer.record(SUBMODULES, True)
    writer.commit()


def copy_submodules(writer: Writer, there: CopySource, numbers: Mapping[Sha, int]) -> None:
    """Store the commits that submodules name, as another index has them by its numbers of commits."""
    if writer.fact(SUBMODULES) or not there.facts.fact(SUBMODULES):
        return
    nameless = [each for each in writer.upkeep.nameless_submodules() if each.commit in numbers]
    wanted = sorted({numbers[each.commit] for each in nameless})
    known = {
        (number, file.path): file
        for at in range(0, len(wanted), _READ_COMMITS)
        for number, _, files in there.read(wanted[at : at + _READ_COMMITS])
        for file in files
    }
    found = [(each, known.get((numbers[each.commit], each.path))) for each in nameless]
    _write(
        writer,
        [NamedSubmodule(each.file, file.old_blob, file.new_blob) for each, file in found if file is not None],
    )


def _write(writer: Writer, named: Sequence[NamedSubmodule]) -> None:
    named = [each for each in named if each.old_blob or each.new_blob]
    if named:
        writer.upkeep.name_submodules(named)
        writer.upkeep.begin_again(Pass.LINES)


def _from_git(repository: Repository, change: NamelessSubmodule) -> NamedSubmodule:
    """Of several parents of a merge, the first that has a submodule there is the one it was compared with."""
    try:
        parents = [Sha(oid.hex()) for oid in repository.links(change.commit).parents]
        olds = [_submodule(repository, sha, change.old_path) for sha in parents] if change.lacks_old else []
        new = _submodule(repository, change.commit, change.path) if change.lacks_new else None
    except RepositoryError:
        return NamedSubmodule(change.file, None, None)
    return NamedSubmodule(change.file, next(filter(None, olds), None), new)


def _submodule(repository: Repository, sha: Sha, path: str) -> str | None:
    blob = repository.blob_at(sha, path)
    return blob if blob and submodule_text(blob) is not None else None

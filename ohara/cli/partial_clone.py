"""What of a commit's diff a partial clone can show: git fails at the first content that it lacks.

Git would fetch it, from wherever the repository's configuration says; ohara has it fetch nothing.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext, suppress
from io import BufferedReader, BytesIO
from typing import TYPE_CHECKING

from ohara.cli import commit_patch
from ohara.errors import RepositoryError
from ohara.model import submodule_text
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ohara.git.repo import Repository
    from ohara.model import FileChange, Sha

_MOST_PATHS = 1_000  # that are named to git, whose command line has an end


@dataclass(frozen=True, slots=True)
class Lacking:
    """The changed files whose contents are not there, and the paths, old and new, of the others."""

    files: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def lacking(repository: Repository, place: Path, sha: Sha, pathspecs: Sequence[str]) -> Lacking:
    """What cannot be shown of a commit, of the files that pathspecs name; nothing but in a partial clone."""
    if not repository.is_partial:
        return Lacking()
    from ohara.git.diff import changes

    files: list[FileChange] = []
    with suppress(RepositoryError):  # folders are lacking, too: git says so
        wanted = commit_patch.changed_paths(place, sha, pathspecs)
        files = [each for each in changes(repository, sha).files if each.path in wanted]
    judged = [(each, _is_there(repository, each)) for each in files]
    return Lacking(
        tuple(each.path for each, is_there in judged if not is_there),
        tuple(path for each, is_there in judged if is_there for path in (each.path, each.old_path) if path),
    )


def _is_there(repository: Repository, change: FileChange) -> bool:
    """True when both versions of a file can be read; git reads those of a mere rename, too."""
    blobs = (change.old_blob, change.new_blob)
    return all(blob is None or submodule_text(blob) or repository.has_object(blob) for blob in blobs)


def patch_of_the_rest(
    place: Path, sha: Sha, found: Lacking, context: int | None
) -> AbstractContextManager[BufferedReader]:
    """The diff of the files whose contents are there."""
    if not found.others or len(found.others) > _MOST_PATHS:
        return nullcontext(BufferedReader(BytesIO()))
    pathspecs = [f":(top,literal){path}" for path in found.others]
    return commit_patch.patch(place, sha, pathspecs, context)

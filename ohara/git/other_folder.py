"""Where a parent of a merge has a file in another folder: a history merged below one (git subtree)."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ohara.git.repo import Repository
    from ohara.model import Sha

_MOST_FILES = 200_000  # of a commit that are looked through for one that changed its folder


class Elsewhere(NamedTuple):
    """A file of a commit: its path and its content."""

    path: str
    blob: str


class OtherFolders:
    """Looks for files in other folders; the files of the commit that was looked through last are kept."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._listed: tuple[Sha, dict[tuple[str, str], list[str]]] | None = None

    def before(self, merge: Sha, parent: Sha, path: str, blob: str) -> Iterator[Elsewhere]:
        """Which files of a parent a merge's file may be: none that the merge has, too.

        The same path without its first folders, or else the same content under the same last name.
        """
        at = self._repository.blob_at
        for cut in range(1, path.count("/") + 1):
            name = path.split("/", cut)[-1]
            old = at(parent, name)
            if old and at(merge, name) is None:
                yield Elsewhere(name, old)
        for name in self.of_content(parent, path, blob):
            if at(merge, name) is None:
                yield Elsewhere(name, blob)

    def of_content(self, sha: Sha, path: str, blob: str) -> list[str]:
        """The files of a commit that have a content and the last name of a path, wherever they are."""
        if self._listed is None or self._listed[0] != sha:
            found: dict[tuple[str, str], list[str]] = {}
            for name, each in islice(self._repository.files_at(sha), _MOST_FILES):
                found.setdefault((each, _last(name)), []).append(name)
            self._listed = (sha, found)
        return sorted(self._listed[1].get((blob, _last(path)), ()))


def _last(path: str) -> str:
    return path.rsplit("/", 1)[-1]

"""Finds the file that a written path names: at a commit, in the work tree, or gone.

A path is taken from the folder that it was typed in, from the root, or by its end when nothing else is meant.
What names nothing is refused with the nearest thing that is there.
"""

from __future__ import annotations

import posixpath
from itertools import product
from typing import TYPE_CHECKING

from ohara.browse.worktree import read_work_tree
from ohara.errors import UsageError
from ohara.git import decode
from ohara.records import dataclass
from ohara.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ohara.browse.versions import Library
    from ohara.git.repo import Repository
    from ohara.model import Sha
    from ohara.query.place import Target
    from ohara.store.reading import Reader

_MOST_NAMED = 4  # of what may be meant, in a hint


@dataclass(frozen=True, slots=True)
class Revision:
    """The commit in which places are looked for; `within` is what one leads to that was named."""

    sha: Sha
    name: str  # "" for HEAD, or the work tree
    within: Collection[int] | None
    in_work_tree: bool

    @property
    def words(self) -> str:
        """The commit in words."""
        name = self.name or "HEAD"
        return self.sha[:10] if self.sha.startswith(name.lower()) else name


class WrittenPaths:
    """Finds files by what was written, in one repository."""

    def __init__(
        self, repository: Repository, reader: Reader, library: Library, revision: Revision, folder: str
    ) -> None:
        self._repository = repository
        self._reader = reader
        self._library = library
        self._revision = revision
        self._within = revision.within
        self._folder = folder

    def named(self, written: str) -> str | None:
        """The path of a file that is or was there; None when nothing is called so."""
        for path in dict.fromkeys(self._spellings(written)):
            if self._exists(path):
                return path
        if written.startswith("/"):
            return None
        suffix = f"/{written}"
        there = [path for path, _ in self._repository.files_at(self._revision.sha) if path.endswith(suffix)]
        known = () if there else self._reader.paths()
        gone = [path for path in known if path.endswith(suffix)]
        meant = there or [path for path in gone if self._within is None or self._was_there(path)]
        if len(meant) > 1:
            first = ", ".join(meant[:_MOST_NAMED]) + (", …" if len(meant) > _MOST_NAMED else "")
            raise UsageError(f"{written} may be {len(meant)} files", hint=f"say which one: {first}")
        return meant[0] if meant else None

    def as_typed(self, target: Target) -> str | None:
        """The file that is called so, as one may be called `a:12`; None where lines or a symbol are meant."""
        paths = self._spellings(target.typed) if target.typed else ()
        return next((path for path in paths if self._is_committed(path)), None)

    def _spellings(self, written: str) -> Iterable[str]:
        """The paths, from the root, that a path may mean: below the folder it was typed in, or as it is."""
        work_dir = self._repository.work_dir
        if written.startswith("/"):
            root = f"{work_dir}/" if work_dir else ""
            if root and written.startswith(root):
                yield written.removeprefix(root)
            return
        if self._folder:
            for joined_path in dict.fromkeys(_joined(self._folder, written)):
                below = posixpath.normpath(joined_path)
                if not below.startswith("../"):
                    yield below
        plain = posixpath.normpath(written)
        if not plain.startswith(".."):
            yield plain

    def _is_committed(self, path: str) -> bool:
        return bool(self._repository.blob_at(self._revision.sha, path)) or self._was_there(path)

    def _was_there(self, path: str) -> bool:
        """True for a path that changed in history, or in what a commit that was named leads to."""
        versions = self._reader.versions_of(path)
        return any(self._within is None or change.commit_id in self._within for change in versions)

    def _exists(self, path: str) -> bool:
        if self._is_committed(path):
            return True
        return self._revision.in_work_tree and read_work_tree(self._repository, path) is not None

    def no_file(self, written: str) -> UsageError:
        """What to say of a path that names nothing."""
        if later := self.later_file(written):
            return later
        if folder := self.folder_named(written):
            return folder
        path = posixpath.normpath(posixpath.join(self._folder, written))
        guess = nearest_path(path, self._reader.paths())
        hint = f"did you mean {guess}?" if guess else "git ls-files lists the files"
        never = ", and there never was"
        if self._revision.name or self._repository.is_shallow:
            never = f" in {self._revision.words}, nor was there before"
            never += " as far as this shallow clone goes back" if self._repository.is_shallow else ""
        return UsageError(f"there is no file {written}{never}", hint=hint)

    def later_file(self, written: str) -> UsageError | None:
        """What to say of a file that the named commit does not lead to; None when there never was one."""
        for path in self._spellings(written) if self._revision.name else ():
            if self._reader.versions_of(path):
                former = (name for name in self._library.other_names(path) if self._is_committed(name))
                name = next(former, None)
                hint = f"did you mean {name}?" if name else f"history has it: ohara explain {path}"
                return UsageError(f"{path} is not in {self._revision.words}, nor was it before", hint=hint)
        return None

    def folder_named(self, written: str) -> UsageError | None:
        """What to say of a folder; None for what is none."""
        for path in self._spellings(written):
            if path == "." or any(each.startswith(f"{path}/") for each in self._reader.paths()):
                return UsageError(f"{written} is a folder", hint=f"name a file of it: git ls-files {path}")
        return None


def _joined(folder: str, name: str) -> Iterable[str]:
    """A name below a folder: as they are, and as the whole is decoded where either may be no UTF-8."""
    yield posixpath.join(folder, name)
    for parts in product(decode.encodings(folder), decode.encodings(name)):
        yield decode.path(posixpath.join(*parts))


def nearest_path(written: str, known: Sequence[str]) -> str | None:
    """The path that was probably meant: few slips in all of it, or in its last name."""
    name = written.rsplit("/", 1)[-1]
    alike = [path for path in known if abs(len(path) - len(written)) <= 3][:20_000]
    guess = nearest(written, alike, within=max(1, min(3, len(written) // 4)))
    if guess:
        return guess
    by_name = {
        path.rsplit("/", 1)[-1]: path for path in known if abs(len(path.rsplit("/", 1)[-1]) - len(name)) <= 2
    }
    slip = nearest(name, by_name, within=max(1, min(2, len(name) // 4)))
    return by_name[slip] if slip else None

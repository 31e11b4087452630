"""Opens a repository and reads its identity, its refs and its files.

A work tree, a folder inside one, a linked worktree, a bare repository and a `.git` folder all open.
What a person can act on (no repository, refused ownership, an unsupported format) is a RepositoryError
with the command to type. Nothing is written, ever.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pygit2

from ohara.errors import RepositoryError
from ohara.git import commits, decode, refs, tree
from ohara.git.file_diff import DEFAULT_CAP
from ohara.git.gitdir import common_dir, find, object_folders, vet
from ohara.git.grafts import Grafts
from ohara.git.loose_objects import object_database
from ohara.git.objects import Objects, tune
from ohara.model import LeftOut, Sha, submodule_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_SHOWN = 200  # characters of a path that cannot be one


class Repository:
    """One repository, open for reading in this process.

    `handle`, `objects` and `grafts` are for this package. Objects found missing are remembered as
    such while the repository is open.
    """

    def __init__(self, handle: pygit2.Repository) -> None:
        self.handle = handle
        git_dir = Path(handle.path)
        self.common_dir = common_dir(git_dir)
        self.work_dir = _work_dir(handle, git_dir)
        self.is_linked = Path(os.path.realpath(git_dir)) != self.common_dir
        self._shared: Repository | None = None
        folders = object_folders(self.common_dir)
        handle.set_odb(object_database(folders))
        self.grafts = Grafts.load(self.common_dir)
        self.objects = Objects(handle, folders, self.grafts)

    @classmethod
    def open(cls, path: Path | str) -> Repository:
        """Opens the repository that a path lies in or names."""
        tune()
        place = Path(path)
        try:
            if not place.exists():
                raise RepositoryError(f"{place} does not exist", hint="name a folder inside a git repository")
            start = place if place.is_dir() else place.parent
        except (OSError, ValueError) as error:  # a name that is too long, a folder that may not be entered
            shown = f"{str(place)[:_SHOWN]}…" if len(str(place)) > _SHOWN else str(place)
            reason = getattr(error, "strerror", None) or error
            raise RepositoryError(
                f"{shown} cannot be opened: {reason}", hint="name a folder inside a git repository"
            ) from error
        vet(start)
        try:
            return cls(pygit2.Repository(str(start)))
        except (pygit2.GitError, KeyError, ValueError, OSError) as error:
            raise _refusal(start, str(error)) from error

    # -- identity ----------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        """The path that people know it by: the work tree, or a bare repository's git directory."""
        return self.work_dir or self.common_dir

    @property
    def name(self) -> str:
        """A short name for people: the folder's, without `.git`."""
        named = self.common_dir.parent if self.common_dir.name == ".git" else self.common_dir
        return named.name.removesuffix(".git") or named.name

    @property
    def is_shallow(self) -> bool:
        """True when history was cut off by a shallow clone."""
        return bool(self.grafts.shallow)

    def is_cut_off(self, sha: Sha) -> bool:
        """True for a commit whose parents a shallow clone lacks: it seems to add every file."""
        return bytes.fromhex(sha) in self.grafts.shallow

    def remote_url(self) -> str | None:
        """Where `origin`, or else the only remote, is fetched from."""
        return next(iter(self.remote_urls()), None)

    def remote_urls(self) -> tuple[str, ...]:
        """Where `origin`, or else the only remote, is fetched from, then the others; none without that."""
        urls = {
            name.removeprefix("remote.").removesuffix(".url"): url
            for name, url in self._settings().items()
            if name.startswith("remote.") and name.endswith(".url")
        }
        own = urls.get("origin") or (next(iter(urls.values())) if len(urls) == 1 else None)
        return tuple(dict.fromkeys((own, *urls.values()))) if own else ()

    def setting(self, name: str) -> tuple[str, ...]:
        """Every value of a setting of git's; a name alone and an unreadable configuration have none."""
        try:
            values = self.handle.config_snapshot.get_multivar(name)
            return tuple(value for value in values if value is not None)
        except (pygit2.GitError, KeyError, ValueError, OSError):
            return ()

    def _settings(self) -> dict[str, str]:
        """Reads the repository's configuration; an unreadable one says nothing."""
        try:
            return {
                entry.name: entry.value for entry in self.handle.config_snapshot if entry.value is not None
            }
        except (pygit2.GitError, KeyError, ValueError, OSError):
            return {}

    # -- refs ----------------------------------------------------------------------------------

    def default_refs(self) -> tuple[str, ...]:
        """HEAD, the remote's default branch and the HEADs of linked work trees, each commit once."""
        return refs.defaults(self.handle, self._work_trees())

    def _work_trees(self) -> list[str]:
        """The HEADs of linked work trees, by the names that git has for them."""
        folder = self.common_dir / "worktrees"
        try:
            names = sorted(each.name for each in folder.iterdir())
        except OSError:  # there are none
            return []
        return [f"worktrees/{name}/HEAD" for name in names if (folder / name / "HEAD").is_file()]

    @property
    def shared(self) -> Repository:
        """The repository as its main work tree has it: what all linked ones have in common."""
        if self.is_linked and self._shared is None:
            self._shared = Repository.open(self.common_dir)
        return self._shared or self

    def all_refs(self) -> tuple[str, ...]:
        """Every branch, remote branch and tag that leads to a commit."""
        return refs.survey(self.handle).usable

    def resolve(self, names: Iterable[str]) -> dict[str, Sha]:
        """Finds the commit that each name leads to; a HEAD without commits yet leads nowhere."""
        return refs.resolve(self.handle, names)

    def commit_named(self, name: str) -> Sha:
        """Finds the commit that one name leads to; a repository without commits is told as such."""
        found = self.resolve((name,))
        if name not in found:
            raise RepositoryError("this repository has no commits yet", hint="make one with: git commit")
        return found[name]

    def resolve_existing(self, names: Iterable[str]) -> dict[str, Sha]:
        """Finds the commits that names lead to, without those that lead nowhere."""
        return refs.resolve_existing(self.handle, names)

    def find_commit(self, prefix: str) -> Sha | None:
        """Finds the one commit whose id starts with a hexadecimal prefix."""
        return refs.find_commit(self.handle, prefix)

    def recent_refs(self) -> tuple[str, ...]:
        """The short names of branches and tags, the most recent first."""
        return refs.recent(self.handle)

    def tags(self) -> dict[str, Sha]:
        """Every tag that leads to a commit, by its short name."""
        return refs.tags(self.handle)

    def names_of(self, sha: Sha) -> tuple[str, ...]:
        """Short names of the branches and tags that lead to a commit."""
        return refs.pointing_at(self.handle, sha)

    def committer(self, sha: Sha) -> tuple[str, str]:
        """Name and email of whoever put a commit in place; empty when it cannot be read."""
        data = self.objects.commit(bytes.fromhex(sha))
        return commits.committer(data) if data is not None else ("", "")

    # -- files ---------------------------------------------------------------------------------

    def links(self, sha: Sha) -> commits.Links:
        """Reads a commit's tree and parents, as grafts would have them."""
        oid = bytes.fromhex(sha)
        data = self.objects.commit(oid)
        found = commits.links(data) if data is not None else None
        if found is None:
            raise RepositoryError(f"commit {sha} is missing or damaged", hint="run: git fsck")
        parents = self.grafts.parents.get(oid)
        return found if parents is None else commits.Links(found.tree, parents)

    def tree_of(self, oid: bytes) -> bytes | None:
        """Returns the tree of a commit given by raw id; None if the commit cannot be read."""
        data = self.objects.commit(oid)
        found = commits.links(data) if data is not None else None
        return found.tree if found else None

    @property
    def is_partial(self) -> bool:
        """True for a partial clone: a pack of it names objects that were left on the server."""
        return any(True for folder in object_folders(self.common_dir) for _ in folder.glob("pack/*.promisor"))

    def has_object(self, oid: str) -> bool:
        """Looks whether an object has arrived, also one that was found missing before."""
        return self.objects.exists(bytes.fromhex(oid))

    def read_blob(self, oid: str, *, cap: int = DEFAULT_CAP) -> bytes | None:
        """Returns a blob's bytes; None if it is missing, not a blob, or larger than `cap`.

        What stands for a submodule reads as git's own line about it.
        """
        if (text := submodule_text(oid)) is not None:
            return text
        data = self.objects.blob(bytes.fromhex(oid), cap)
        return None if isinstance(data, LeftOut) else data

    def file_at(self, sha: Sha, path: str, *, cap: int = DEFAULT_CAP) -> bytes | None:
        """Returns a file as it was in a commit; None where there is none, as for `read_blob`."""
        entry = tree.find(self.objects, self.links(sha).tree, path)
        return self.read_blob(entry.blob, cap=cap) if entry else None

    def blob_at(self, sha: Sha, path: str) -> str | None:
        """Returns the id of a file as it was in a commit; None where there is none."""
        entry = tree.find(self.objects, self.links(sha).tree, path)
        return entry.blob if entry else None

    def lines_at(self, sha: Sha, path: str) -> list[str] | None:
        """Returns the decoded lines of a file as it was in a commit; None as for `file_at`."""
        data = self.file_at(sha, path)
        if data is None:
            return None
        lines = decode.text(data).split("\n")
        return lines[:-1] if lines[-1] == "" else lines

    def head_tree_files(self) -> Iterator[tuple[str, str, int]]:
        """Yields path, blob and mode of every file and submodule in HEAD's tree."""
        for sha in self.resolve(["HEAD"]).values():
            for path, entry in tree.files(self.objects, self.links(sha).tree, set()):
                yield decode.path(path), entry.blob, entry.mode

    def files_at(self, sha: Sha) -> Iterator[tuple[str, str]]:
        """Yields path and blob of every file and submodule of a commit."""
        for path, entry in tree.files(self.objects, self.links(sha).tree, set()):
            yield decode.path(path), entry.blob


def _work_dir(handle: pygit2.Repository, git_dir: Path) -> Path | None:
    """The checked-out files' folder. Without a config file libgit2 takes any parent folder for one."""
    if handle.is_bare or not handle.workdir:
        return None
    is_guess = (
        git_dir.name != ".git" and not (git_dir / "config").exists() and not (git_dir / "commondir").exists()
    )
    return None if is_guess else Path(handle.workdir).resolve()


def _refusal(place: Path, reason: str) -> RepositoryError:
    """The error for a repository that does not open, with the next command to type."""
    reason = reason.strip().splitlines()[0] if reason.strip() else "unknown reason"
    if "not owned by" in reason:
        owned = reason.partition("repository path '")[2].partition("'")[0] or str(place)
        owned = owned.rstrip("/").removesuffix("/.git")
        return RepositoryError(
            f"git does not trust {owned}: it belongs to another user",
            hint=f"if you trust it: git config --global --add safe.directory {owned}",
        )
    if "not found" in reason.lower() and (git_dir := find(place)) is not None:
        return RepositoryError(
            f"{git_dir} cannot be opened as a git repository", hint=f"see what git says: git -C {place} log"
        )
    if "not found" in reason.lower():
        return RepositoryError(
            f"{place} is not inside a git repository", hint="name one with --repo PATH, or run: git init"
        )
    if "unsupported" in reason or "unknown object format" in reason:
        what = reason.removeprefix(f"{place}: ")
        return RepositoryError(
            f"{place} uses a repository format that libgit2 cannot read ({what})",
            hint="only SHA-1 repositories with files-based refs can be indexed",
        )
    if "ermission denied" in reason:
        return RepositoryError(f"{place} may not be read ({reason})", hint=f"check with: ls -ld {place}")
    return RepositoryError(f"{place} cannot be opened as a git repository ({reason})", hint="run: git fsck")

"""Has git itself compare the files of plain commits, many in a row.

pygit2's wheel carries a libgit2 compiled without optimisation: over a whole history its line diff takes
several times what git's takes. What is bounded or unusual stays here: which files a commit changes is found
as ever (`tree`), and only a commit of ordinary size whose blobs are all there, without files that may have
moved, links in place of files or submodules, is handed to git. Its answer counts if it is about these blobs.

git sees the objects and nothing else of the repository: it runs in an empty one that borrows them, so that no
configuration, attributes, replacements or remotes apply, and it never fetches.
"""

from __future__ import annotations

import os
import subprocess
from collections import deque
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

from ohara.errors import RepositoryError
from ohara.git import hunks, tree
from ohara.git.file_diff import DEFAULT_OPTIONS
from ohara.git.gitdir import object_folders
from ohara.gitcommand import git_environment
from ohara.model import LeftOut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ohara.git.file_diff import DiffOptions
    from ohara.git.repo import Repository
    from ohara.git.tree import Delta
    from ohara.model import Hunk, Sha

# What one commit may hold to be handed over: its patch is held in memory once, and stays far below what git
# would take minutes for.
_MOST_FILES: Final = 1_000
_MOST_BYTES: Final = 8 * 1024 * 1024

_NO_TREE: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git knows the empty tree without having it
_END: Final = b"end\n"  # what is no object's id is sent back as it is
_READ_BYTES: Final = 1 << 16
_INDEX_LINE_WITHIN: Final = 32 * 1024  # two quoted paths come before it
_SENT_AHEAD: Final = 32  # commits in git's hands: what is asked has to fit into a pipe
_MOST_STARTS: Final = 8  # a git that ends as often does not get on with this repository

# git keeps the top folder of everything that it has compared. Over the whole of git's own history that is
# several hundred megabytes, so it is started anew when it has seen so much: in ten milliseconds.
_MOST_KEPT_BYTES: Final = 24 * 1024 * 1024

# Mapped packs and cached bases count as this process's memory as well.
_CONFIG: Final = """[core]
\trepositoryformatversion = 0
\tbare = true
\tpackedGitWindowSize = 1m
\tpackedGitLimit = 16m
\tdeltaBaseCacheLimit = 12m
[diff]
\trenames = false
"""
_COMMAND: Final = (
    *("git", "--no-pager", "--no-replace-objects", "diff-tree", "--stdin", "-r", "-p", "--no-renames"),
    *("--full-index", "--no-color", "--no-ext-diff", "--no-textconv", "--unified=3"),
    *("--diff-algorithm=myers", "--indent-heuristic", "--src-prefix=a/", "--dst-prefix=b/"),
)


class _Asked(NamedTuple):
    """A commit whose files git was asked to compare."""

    sha: Sha
    trees: str
    tree_bytes: int
    deltas: tuple[Delta, ...]


class Patches:
    """One git that compares commits, a few ahead of the one whose hunks are taken."""

    def __init__(self, repo: Repository, options: DiffOptions = DEFAULT_OPTIONS) -> None:
        self._repo = repo
        self._cap = min(options.max_blob_bytes, _MOST_BYTES)
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = 0 if repo.grafts.replaced else _MOST_STARTS
        self._asked: deque[_Asked] = deque()
        self._sent = 0  # of what was asked, so many are in git's hands
        self._kept_bytes = 0  # of top folders, in its memory
        self._said = bytearray()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """End git, and forget what it was asked."""
        self._asked.clear()
        self._sent = 0
        self._said.clear()
        process, self._process = self._process, None
        if process is not None:
            _end(process)

    def ask(self, shas: Iterable[Sha]) -> None:
        """Have the plain ones of these commits compared, in this order."""
        if self._asked:  # somebody stopped in the middle: what is still to come is nobody's
            self.close()
        if self._starts:
            self._asked.extend(asked for sha in shas if (asked := self._plain(sha)) is not None)

    def take(self, sha: Sha) -> tuple[tuple[Delta, tuple[Hunk, ...] | LeftOut], ...] | None:
        """What a commit changed, in git's order; None for a commit that git was not, or cannot be, asked."""
        if not any(asked.sha == sha for asked in self._asked):
            return None
        while self._asked:
            said = self._answer()
            asked = self._asked.popleft()
            if asked.sha == sha:
                return None if said is None else _read(asked.deltas, said)
        return None

    def _plain(self, sha: Sha) -> _Asked | None:
        """What git is asked of a commit, unless it is too large, incomplete or unusual for that."""
        try:
            links = self._repo.links(sha)
        except RepositoryError:  # whoever reads it says so
            return None
        old = self._repo.tree_of(links.parents[0]) if links.parents else None
        if len(links.parents) > 1 or (links.parents and old is None):
            return None
        missing: set[str] = set()
        beyond: set[bytes] = set()
        deltas = sorted(tree.compare(self._repo.objects, old, links.tree, missing, beyond, most=_MOST_FILES))
        if missing or beyond or not self._is_plain(deltas):
            return None
        size = sum(len(self._repo.objects.tree(each) or b"") for each in (old, links.tree) if each)
        return _Asked(sha, f"{old.hex() if old else _NO_TREE} {links.tree.hex()}", size, tuple(deltas))

    def _is_plain(self, deltas: list[Delta]) -> bool:
        """Whether git may compare these files: none moved, all are there, and some need a line diff."""
        has_new, has_gone = any(not delta.old for delta in deltas), any(not delta.new for delta in deltas)
        if (has_new and has_gone) or not any(
            delta.old and delta.new and delta.old.oid != delta.new.oid for delta in deltas
        ):
            return False
        room = _MOST_BYTES
        for delta in deltas:
            sides = [entry for entry in (delta.old, delta.new) if entry]
            if len({entry.type for entry in sides}) > 1 or sides[0].type == tree.SUBMODULE:
                return False
            for entry in sides:
                size = self._repo.objects.size(entry.oid)
                if size is None or size > self._cap:
                    return False
                room -= size
        return room >= 0

    def _send(self) -> None:
        """Keep git busy: give it the next trees, and start it if need be."""
        if self._kept_bytes >= _MOST_KEPT_BYTES and self._process is not None:
            if self._sent:  # what it has in hand comes first
                return
            _end(self._process)
            self._process = None
            self._starts += 1
        if self._process is None and self._starts:
            self._starts -= 1
            self._kept_bytes = 0
            self._process = _started(object_folders(self._repo.common_dir)[0])
        if self._process is None or self._process.stdin is None:
            return
        more = list(islice(self._asked, self._sent, _SENT_AHEAD))
        try:
            self._process.stdin.write(b"".join(b"%b\n%b" % (asked.trees.encode(), _END) for asked in more))
        except OSError:  # it ended: whoever reads its answer sees that
            return
        self._sent += len(more)
        self._kept_bytes += sum(asked.tree_bytes for asked in more)

    def _answer(self) -> bytes | None:
        """What git says of the first commit that it was asked; None when it ended over that."""
        if self._sent <= _SENT_AHEAD // 2:
            self._send()
        if self._process is None or self._process.stdout is None:
            return None
        looked = 0
        while (end := self._said.find(b"\n" + _END, looked)) < 0:
            looked = max(0, len(self._said) - len(_END))
            more = os.read(self._process.stdout.fileno(), _READ_BYTES)
            if not more:  # the others are asked of the next one
                _end(self._process)
                self._process, self._sent = None, 0
                self._said.clear()
                return None
            self._said += more
        said = bytes(self._said[:end])
        del self._said[: end + 1 + len(_END)]
        self._sent -= 1
        return said


def _started(objects: Path) -> subprocess.Popen[bytes] | None:
    """A git that waits for trees to compare; None where git does not run.

    The folder it starts in is gone when it has answered for the first time: it was read by then.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        with TemporaryDirectory(prefix="ohara-git-") as folder:
            here = Path(folder)
            (here / "HEAD").write_text("ref: refs/heads/none\n")
            (here / "config").write_text(_CONFIG)
            (here / "refs").mkdir()
            process = subprocess.Popen(
                _COMMAND,
                env=git_environment(environment)
                | {
                    "GIT_DIR": folder,
                    "GIT_OBJECT_DIRECTORY": str(objects),
                    "GIT_CONFIG_NOSYSTEM": "1",
                    "GIT_CONFIG_GLOBAL": os.devnull,
                    "GIT_ATTR_NOSYSTEM": "1",
                },
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
            )
            assert process.stdin is not None  # noqa: S101 - asked for above
            assert process.stdout is not None  # noqa: S101
            process.stdin.write(_END)
            if process.stdout.read(len(_END)) == _END:
                return process
            _end(process)
    except OSError:
        pass
    return None


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.wait()


def _read(
    deltas: tuple[Delta, ...], said: bytes
) -> tuple[tuple[Delta, tuple[Hunk, ...] | LeftOut], ...] | None:
    """The hunks of each file; None if the answer is not about just these files."""
    patches = said.split(b"\ndiff --git ")[1:]
    if len(patches) != len(deltas):
        return None
    found = list(_hunks(deltas, patches))
    return tuple(zip(deltas, found, strict=True)) if len(found) == len(deltas) else None


def _hunks(deltas: tuple[Delta, ...], patches: list[bytes]) -> Iterator[tuple[Hunk, ...] | LeftOut]:
    """What each patch says, up to the first that is not about its file."""
    for delta, patch in zip(deltas, patches, strict=True):
        before = delta.old.oid.hex() if delta.old else "0" * 40
        after = delta.new.oid.hex() if delta.new else "0" * 40
        if before == after:  # only its mode changed
            yield ()
            continue
        blobs = patch.find(f"\nindex {before}..{after}".encode(), 0, _INDEX_LINE_WITHIN)
        if blobs < 0:
            return
        is_binary = patch.startswith(b"Binary files ", patch.find(b"\n", blobs + 1) + 1)
        yield LeftOut.BINARY if is_binary else tuple(hunks.parsed(patch + b"\n"))

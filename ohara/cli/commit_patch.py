"""A commit's diff as git itself prints it: exact bytes, which git apply takes.

Plumbing is asked, which no configuration of a repository or a user bends; nothing that they name is run.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from io import BufferedReader
from typing import TYPE_CHECKING

from ohara.errors import RepositoryError
from ohara.git import decode
from ohara.gitcommand import git_command, git_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ohara.model import Sha

# A merge is shown as git show does: what it changed beside what its parents did.
_DIFF_TREE = ("diff-tree", "-r", "--root", "--no-commit-id", "--cc")
_PATCH = ("-M", "-p", "--binary", "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short")
_TIMEOUT_S = 60.0
_GLOB = frozenset("*?[\\")


def resolved(repository: Path, name: str) -> str | None:
    """The commit that git finds by a name, such as HEAD@{yesterday} or :/text; None when there is none."""
    wanted = f"{name}^{{commit}}"
    done = _run(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
    sha = done.stdout.decode("ascii", "replace").strip()
    return sha if done.returncode == 0 and sha else None


def changed_paths(repository: Path, sha: Sha, pathspecs: Sequence[str]) -> frozenset[str]:
    """The paths that a commit changed, of those that pathspecs name, as the index spells them."""
    return frozenset(map(decode.path, _changed(repository, sha, pathspecs)))


def _changed(repository: Path, sha: Sha, pathspecs: Sequence[str]) -> list[bytes]:
    done = _run(repository, *_DIFF_TREE, "--name-only", "-z", sha, "--", *pathspecs)
    if done.returncode:
        raise _refused(done.stderr, sha)
    return [path for path in done.stdout.split(b"\0") if path]


def as_git_knows(repository: Path, sha: Sha, pathspec: str) -> str:
    """A pathspec; for a changed path that is not UTF-8, given as the index spells it, one that git takes."""
    if pathspec.isascii() or _changed(repository, sha, (pathspec,)):
        return pathspec
    named = (path for path in _changed(repository, sha, ()) if decode.path(path) == pathspec)
    return next((f":(top,literal){os.fsdecode(path)}" for path in named), pathspec)


def is_path(repository: Path, sha: Sha, pathspec: str) -> bool:
    """True for what git takes for a path without `--` before it, and for files of the commit.

    These are patterns, and what is in the work tree, in the commit, or taken away by it.
    """
    if pathspec.startswith(":") or not _GLOB.isdisjoint(pathspec) or os.path.lexists(repository / pathspec):
        return True
    listed = _run(repository, "ls-tree", "--name-only", "-z", sha, "--", pathspec)
    return bool(listed.stdout) or bool(_changed(repository, sha, (pathspec,)))


@contextmanager
def patch(
    repository: Path, sha: Sha, pathspecs: Sequence[str], context: int | None
) -> Iterator[BufferedReader]:
    """The diff of a commit, to be read as it comes; leaving ends git, and a git that failed is an error."""
    lines = () if context is None else (f"-U{context}",)
    command = git_command(repository, *_DIFF_TREE, *_PATCH, *lines, sha, "--", *pathspecs)
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=git_environment(os.environ),
        )
    except OSError as error:
        raise _no_git(error) from error
    with process:
        assert isinstance(process.stdout, BufferedReader)  # noqa: S101 - a pipe was asked for
        assert process.stderr is not None  # noqa: S101
        try:
            yield process.stdout
        except BaseException:
            process.kill()
            raise
        said = process.stderr.read()
    if process.returncode:
        raise _refused(said, sha)


def _run(repository: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            git_command(repository, *arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=git_environment(os.environ),
            check=False,
            timeout=_TIMEOUT_S,
        )
    except ValueError as error:  # a NUL in a name
        raise RepositoryError("a name holds a character that no name has", hint="type it again") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _no_git(error) from error


def lacking_contents(sha: Sha, files: str) -> RepositoryError:
    """The error for a commit of which a partial clone cannot show all."""
    return RepositoryError(
        f"this is a partial clone, which lacks the contents of {files} that {sha[:10]} changed",
        hint=f"git show {sha[:10]} would fetch them, which ohara does not do by itself",
    )


def _refused(said: bytes, sha: Sha) -> RepositoryError:
    if b"promisor remote" in said:
        return lacking_contents(sha, "files")
    lines = said.decode("utf-8", "replace").strip().splitlines() or ["git failed"]
    return RepositoryError(lines[0].removeprefix("fatal: "), hint="see what git says: git show")


def _no_git(error: Exception) -> RepositoryError:
    return RepositoryError(f"git cannot be run: {error}", hint="install git, or put it on PATH")

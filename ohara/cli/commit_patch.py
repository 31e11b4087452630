"""A commit's diff as git itself prints it: exact bytes, which git apply takes.

Plumbing is asked, which no configuration of a repository or a user bends; nothing that they name is run.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from ohara.errors import RepositoryError
from ohara.gitcommand import git_command, git_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ohara.model import Sha

# A merge is shown as git show does: what it changed beside what its parents did.
_DIFF_TREE = ("diff-tree", "-r", "--root", "--no-commit-id", "--cc", "-M")
_PATCH = ("-p", "--binary", "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short")
_TIMEOUT_S = 60.0


def resolved(repository: Path, name: str) -> str | None:
    """The commit that git finds by a name, such as HEAD@{yesterday} or :/text; None when there is none."""
    wanted = f"{name}^{{commit}}"
    done = _run(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
    sha = done.stdout.decode("ascii", "replace").strip()
    return sha if done.returncode == 0 and sha else None


def changed_paths(repository: Path, sha: Sha, pathspecs: Sequence[str]) -> frozenset[str]:
    """The paths that a commit changed, of those that pathspecs name."""
    done = _run(repository, *_DIFF_TREE, "--name-only", "-z", sha, "--", *pathspecs)
    if done.returncode:
        raise _refused(done.stderr)
    return frozenset(path.decode("utf-8", "replace") for path in done.stdout.split(b"\0") if path)


@contextmanager
def patch(repository: Path, sha: Sha, pathspecs: Sequence[str], context: int | None) -> Iterator[IO[bytes]]:
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
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        assert process.stderr is not None  # noqa: S101
        try:
            yield process.stdout
        except BaseException:
            process.kill()
            raise
        said = process.stderr.read()
    if process.returncode:
        raise _refused(said)


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


def _refused(said: bytes) -> RepositoryError:
    lines = said.decode("utf-8", "replace").strip().splitlines() or ["git failed"]
    return RepositoryError(lines[0].removeprefix("fatal: "), hint="see what git says: git show")


def _no_git(error: Exception) -> RepositoryError:
    return RepositoryError(f"git cannot be run: {error}", hint="install git, or put it on PATH")

"""Finds the commit that last touched a line, by asking git.

For a few lines at a time, on request: git follows the file back through history for it, which is far too slow
to do for every hunk. Renames are followed as git does; replaced commits are not. Not by libgit2, whose blame
runs beside Python and would call our reader of loose objects, which is Python.
"""

from __future__ import annotations

import codecs
import os
import re
import subprocess
from typing import TYPE_CHECKING, Final

from ohara.errors import RepositoryError
from ohara.git import decode
from ohara.gitcommand import git_command, git_environment
from ohara.model import Sha
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ohara.git.repo import Repository

_TIMEOUT_S: Final = 60.0
_ORIGIN = re.compile(rb"([0-9a-f]{40}) (\d+) (\d+)(?: \d+)?")
_FILE: Final = b"filename "
_CONTENT: Final = b"\t"


@dataclass(frozen=True, slots=True)
class BlamedLines:
    """Consecutive lines (1-based, inclusive) last touched by one commit, and their position in it."""

    first_line: int
    last_line: int
    sha: Sha
    path: str
    line: int


def blame(
    repo: Repository, sha: Sha, path: str, line: int, last_line: int | None = None
) -> tuple[BlamedLines, ...]:
    """Returns who last touched a line of a file as of a commit, or each of several lines."""
    end = line if last_line is None else last_line
    try:
        said = _asked(repo, sha, path, line, end)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise _untraced(sha, path, line, end, str(error)) from error
    if said.returncode:
        reason = said.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise _untraced(sha, path, line, end, reason.removeprefix("fatal: "))
    return tuple(_joined(said.stdout))


def _asked(
    repo: Repository, sha: Sha, path: str, first: int, last: int
) -> subprocess.CompletedProcess[bytes]:
    settings = ("-c", "blame.ignoreRevsFile=", "-c", "core.quotePath=false")
    lines = ("blame", "--porcelain", "-L", f"{first},{last}", sha, "--", path)
    return subprocess.run(
        git_command(repo.common_dir, "--no-replace-objects", *settings, *lines),
        env=git_environment(os.environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=_TIMEOUT_S,
    )


def _joined(said: bytes) -> Iterator[BlamedLines]:
    """The lines of git's answer, those that stand together in both files as one."""
    run: BlamedLines | None = None
    for sha, path, origin, number in _lines(said):
        if run and (run.sha, run.path, origin - run.line, number - 1) == (
            sha,
            path,
            number - run.first_line,
            run.last_line,
        ):
            run = BlamedLines(run.first_line, number, sha, path, run.line)
            continue
        if run:
            yield run
        run = BlamedLines(number, number, sha, path, origin)
    if run:
        yield run


def _lines(said: bytes) -> Iterator[tuple[Sha, str, int, int]]:
    """Commit, path there, line there and line here; a commit's path is told only where it is first named."""
    paths: dict[bytes, str] = {}
    origin = None
    for row in said.split(b"\n"):
        if row.startswith(_CONTENT):
            if origin is not None:
                yield Sha(origin[1].decode()), paths[origin[1]], int(origin[2]), int(origin[3])
            origin = None
        elif row.startswith(_FILE) and origin is not None:
            paths[origin[1]] = _unquoted(row.removeprefix(_FILE))
        elif origin is None:
            origin = _ORIGIN.fullmatch(row)


def _unquoted(name: bytes) -> str:
    """A path as git writes it: within quotation marks where it holds what would not survive a line."""
    if name.startswith(b'"') and name.endswith(b'"'):
        name = codecs.escape_decode(name[1:-1])[0]
    return decode.path(name)


def _untraced(sha: Sha, path: str, line: int, end: int, reason: str) -> RepositoryError:
    return RepositoryError(
        f"line {line} of {path} in {sha[:12]} cannot be traced ({reason or 'there is no such line'})",
        hint=f"run: git blame -L {line},{end} {sha[:12]} -- {path}",
    )

"""Finds the commit that last touched a line.

For a few lines at a time, on request: libgit2 follows the file back through history for it, which is far
too slow to do for every hunk. Renames are followed as far as libgit2 does; replaced commits are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pygit2

from ohara.errors import RepositoryError
from ohara.model import Sha

if TYPE_CHECKING:
    from ohara.git.repo import Repository


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
    data = repo.file_at(sha, path) or b""
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    origins: tuple[BlamedLines, ...] = ()
    reason = "there is no such line"
    if data and 1 <= line <= end <= lines:  # libgit2 invents an answer for lines past the end
        try:
            traced = repo.handle.blame(path, newest_commit=sha, min_line=line, max_line=end)
            origins = tuple(origin for hunk in traced if (origin := _origin(hunk, path, line, end)))
        except (KeyError, ValueError, OSError, pygit2.GitError) as error:
            reason = str(error)
    if not origins:
        raise RepositoryError(
            f"line {line} of {path} in {sha[:12]} cannot be traced ({reason})",
            hint=f"run: git blame -L {line},{end} {sha[:12]} -- {path}",
        )
    return origins


def _origin(hunk: pygit2.blame.BlameHunk, path: str, first: int, last: int) -> BlamedLines | None:
    """Cuts a blamed range to the requested lines."""
    start, end = hunk.final_start_line_number, hunk.final_start_line_number + hunk.lines_in_hunk - 1
    if start > last or end < first:
        return None
    return BlamedLines(
        max(first, start),
        min(last, end),
        Sha(str(hunk.final_commit_id)),
        hunk.orig_path or path,
        hunk.orig_start_line_number + max(0, first - start),
    )

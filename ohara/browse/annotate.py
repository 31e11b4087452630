"""Finds whose lines a file has, as it is in a commit: as `git blame` does, by what the index knows.

A line that no indexed commit made (its commit is left out or not read yet) has no commit: nothing is guessed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.errors import RepositoryError
from ohara.fate.origins import Origins, Wanted
from ohara.git.walk import read_commit
from ohara.index.reachability import not_indexed
from ohara.model import AnnotatedLines, Annotation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.git.repo import Repository
    from ohara.store.reading import Reader


def annotate(repository: Repository, reader: Reader, name: str, path: str) -> Annotation:
    """Every line of a file with the commit that last touched it."""
    sha = repository.commit_named(name)
    blob, lines = repository.blob_at(sha, path), repository.lines_at(sha, path)
    if blob is None or lines is None:
        raise RepositoryError(
            f"there is no file {path} in {sha[:10]} that can be read", hint="ohara show lists its files"
        )
    links = reader.remembered("links", lambda: {link.sha: link for link in reader.links()})
    if sha not in links:
        raise not_indexed(sha)
    segments = Origins(repository, reader, links).of(Wanted(path, blob, sha))
    commits = reader.commits_of({hunk for _, hunk, _ in segments if hunk})
    runs = _joined(((count, commits.get(hunk, 0)) for count, hunk, _ in segments), len(lines))
    by_number = reader.remembered("links by commit", lambda: {link.commit: link for link in reader.links()})
    numbers = {
        number: at
        for at, number in enumerate(dict.fromkeys(each for _, _, each in runs if each in by_number))
    }
    told = [read_commit(repository, by_number[number].sha) for number in numbers]
    return Annotation(
        sha=sha,
        path=path,
        lines=tuple(AnnotatedLines(first, count, numbers.get(number, -1)) for first, count, number in runs),
        commits=tuple(replace(commit, message=commit.subject) for commit in told),
    )


def _joined(segments: Iterable[tuple[int, int]], lines: int) -> list[tuple[int, int, int]]:
    """First line, number of lines and commit of each run; what is beyond the segments is nobody's."""
    runs: list[tuple[int, int, int]] = []
    at = 1
    for count, commit in (*segments, (lines, 0)):
        taken = min(count, lines + 1 - at)
        if taken <= 0:
            break
        if runs and runs[-1][2] == commit:
            runs[-1] = (runs[-1][0], runs[-1][1] + taken, commit)
        else:
            runs.append((at, taken, commit))
        at += taken
    return runs

"""What is remembered of commits until the index changes: most that a question finds were found before."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ohara.retrieve.priors import Touched

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ohara.model import Commit
    from ohara.store.reading import Reader

T = TypeVar("T")

_KEPT = 50_000  # commits, in some ten megabytes


def touched_by(reader: Reader, commits: Mapping[int, Commit]) -> dict[int, Touched]:
    """What priors go by of each commit."""
    known: dict[int, Touched] = _remembered(reader, "what commits touched")
    found = {number: touched for number in commits if (touched := known.get(number)) is not None}
    lacking = commits.keys() - found.keys()
    if lacking:
        paths = reader.paths_of_commits(lacking)
        read = {number: Touched.of(commits[number], paths.get(number, ())) for number in lacking}
        known.update(read)
        found.update(read)
    return found


def silences(reader: Reader) -> dict[int, float]:
    """How little the messages of commits say (`silence`), of those that were looked at."""
    return _remembered(reader, "silences of commits")


def _remembered(reader: Reader, what: str) -> dict[int, T]:
    known: dict[int, T] = reader.remembered(what, dict)
    if len(known) > _KEPT:
        known.clear()
    return known

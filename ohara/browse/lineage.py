"""Follows lines of a file back through history, across renames, and finds the commits that touched them.

The index knows which commit gave a file its content, so that one look-up goes from content to content,
however many commits lie between. Where it does not (a clean merge of two changed sides makes content that
no commit wrote), history is walked until the content splits. What came to a file from another one is not
followed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from ohara.browse.span import Carried, Span, carry
from ohara.git.hunks import groups
from ohara.git.walk import read_commit
from ohara.model import Sha

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ohara.git.hunks import Group
    from ohara.git.repo import Repository
    from ohara.store.answers import Made
    from ohara.store.reading import Reader

# Commits walked through in search of the merge that made a content: a second or two.
_FARTHEST = 20_000


class Unknown(Exception):
    """The lines cannot be followed further, with the reason."""


@dataclass(frozen=True, slots=True)
class Position:
    """Lines of a file at a commit: the current position of the search."""

    sha: Sha
    path: str
    span: Span


class Step(NamedTuple):
    """A commit that touched the lines: where they are there, and where they were in its parent.

    Lines that began there have no `older` ones; `parent` is then the place where they were put. Neither
    exists when the file itself began there.
    """

    made: Made
    at: Position
    parent: Position | None
    older: Position | None
    touched: bool


def follow(repository: Repository, reader: Reader, start: Position) -> Iterator[Step]:
    """Yields each commit that touched the lines, newest first; raises Unknown where the trail is lost."""
    _refuse_beyond_the_end(repository, start)
    at = start
    blob = repository.blob_at(at.sha, at.path)
    until = read_commit(repository, start.sha).committer_time
    seen: set[int] = set()
    while blob is not None:
        found = next((each for each in reader.made(at.path, blob, until) if each.file_id not in seen), None)
        if found is None:
            at = _parted(repository, at, blob)
            blob = repository.blob_at(at.sha, at.path)
            continue
        seen.add(found.file_id)
        until = found.time
        step = _step(repository, reader, at, blob, found)
        if step.touched:
            yield step
        if step.older is None:
            return
        at, blob = step.older, found.old_blob


def _refuse_beyond_the_end(repository: Repository, start: Position) -> None:
    lines = repository.lines_at(start.sha, start.path)
    if lines is None:
        raise Unknown(f"there is no file {start.path} in {start.sha[:10]}")
    if start.span.last > len(lines):
        raise Unknown(f"{start.path} has only {len(lines):,} lines in {start.sha[:10]}")


def _step(repository: Repository, reader: Reader, at: Position, blob: str, found: Made) -> Step:
    """What the commit that made a content did to the lines."""
    here = replace(at, sha=found.sha)
    if found.old_blob is None:
        return Step(found, here, None, None, touched=True)
    old_path = found.old_path or at.path
    parent = _parent_with(repository, found, old_path)
    carried = _passed_by(reader, at.span, found) or carry(at.span, _groups(repository, found.old_blob, blob))
    older = Position(parent, old_path, carried.before) if carried.before else None
    near = older or Position(parent, old_path, Span(max(1, carried.near), max(1, carried.near)))
    return Step(found, here, near, older, carried.touched)


def _passed_by(reader: Reader, span: Span, found: Made) -> Carried | None:
    """Where the lines were, if the commit's hunks all lie above or below them: no file need be read."""
    if len(found.parents) != 1:
        return None  # a merge's hunks are not all that differs from a parent
    places = reader.hunks_of_file(found.commit_id, found.file_id)
    above = [place for place in places if place.new_start + place.new_lines <= span.first]
    if not places or any(place.new_start <= span.last for place in places if place not in above):
        return None
    grown = sum(place.new_lines - place.old_lines for place in above)
    before = Span(span.first - grown, span.last - grown)
    return Carried(before, touched=False, near=before.first)


def _parent_with(repository: Repository, found: Made, path: str) -> Sha:
    """The parent that a change is told from: of a merge's several, the one that has the old content."""
    if not found.parents:
        raise Unknown("history was cut off here")
    if len(found.parents) == 1:
        return found.parents[0]
    return next(
        (each for each in found.parents if repository.blob_at(each, path) == found.old_blob),
        found.parents[0],
    )


def _parted(repository: Repository, at: Position, blob: str) -> Position:
    """Walks to the merge that made a content of two, and on to the parent from which the lines came."""
    sha = at.sha
    for _ in range(_FARTHEST):
        parents = [Sha(oid.hex()) for oid in repository.links(sha).parents]
        olds = {each: repository.blob_at(each, at.path) for each in parents}
        same = next((each for each, old in olds.items() if old == blob), None)
        if same is not None:
            sha = same
            continue
        if len(parents) < 2:
            break
        sides = [
            (each, carry(at.span, _groups(repository, old, blob)))
            for each, old in olds.items()
            if old is not None
        ]
        for each, carried in sorted(sides, key=lambda side: side[1].touched):
            if carried.before is not None:
                return Position(each, at.path, carried.before)
        break
    raise Unknown(f"what made {at.path} as it is in {sha[:10]} is not indexed")


def _groups(repository: Repository, old: str, new: str) -> list[Group]:
    before, after = repository.read_blob(old), repository.read_blob(new)
    if before is None or after is None:
        raise Unknown("a version of the file is missing or too large to read")
    return groups(before, after)

"""Tells which files of HEAD are those of the former HEAD, where their content alone does not tell.

A content that came more than once (by a revert, or in two branches) has the origins of the last time on the
way to HEAD. To look for that is to go back through history for every such file. Where HEAD only went on from
where it was, and nothing on that way made the content anew, it is still the time that was found before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ohara.git.repo import Repository
    from ohara.model import Sha
    from ohara.store.lines import CommitLink, LineHistory

_LONGEST_WAY = 1_000  # commits: a longer one is rare, and everything is looked for again


def still_as_in(
    former: Sha, head: Sha, repository: Repository, history: LineHistory, links: Mapping[Sha, CommitLink]
) -> set[tuple[str, str]]:
    """The files, by path and content, whose lines have at HEAD the origins that they had at a former one."""
    way = _way(former, head, links)
    if way is None:
        return set()
    passed = {link.sha for link in way}
    firsts = [link.parents[0] for link in way if len(link.parents) > 1]

    def is_same(path: str, blob: str, made_by: int) -> bool:
        makers = history.makers(path, blob)
        return (
            any(maker.commit == made_by for maker in makers)
            and passed.isdisjoint(maker.sha for maker in makers)
            and all(repository.blob_at(first, path) == blob for first in firsts)
        )

    return {
        (path, blob)
        for (path, blob), made_by in history.doubtful_head_versions().items()
        if is_same(path, blob, made_by)
    }


def _way(former: Sha, head: Sha, links: Mapping[Sha, CommitLink]) -> list[CommitLink] | None:
    """The commits from HEAD back to the former one, by first parents; None where these do not lead there."""
    way: list[CommitLink] = []
    at = head
    while at != former:
        link = links.get(at)
        if link is None or not link.parents or len(way) == _LONGEST_WAY:
            return None
        way.append(link)
        at = link.parents[0]
    return way

"""Hits made by hand, for tests of what is shown of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.model import ChangeKind, Commit, Hit, HunkId, Sha

if TYPE_CHECKING:
    from ohara.model import Match

COMMIT = Commit(
    sha=Sha("3f" * 20),
    parents=(Sha("2e" * 20),),
    author="Ada",
    email="ada@example.org",
    author_time=1_600_000_000,
    author_offset=120,
    committer_time=1_600_000_000,
    committer_offset=120,
    message="Retry with backoff\n\nThe network is not reliable.\n",
)


def hit(
    excerpt: str,
    *,
    path: str = "net/client.py",
    old_path: str | None = None,
    kind: ChangeKind = ChangeKind.MODIFIED,
    matches: tuple[Match, ...] = (),
    top: int = 10,
    old_top: int = 10,
    symbol: str | None = None,
    header: str = "",
    sha: str | None = None,
) -> Hit:
    return Hit(
        rank=1,
        score=1.0,
        hunk=HunkId(1),
        commit=replace(COMMIT, sha=Sha(sha)) if sha else COMMIT,
        path=path,
        old_path=old_path,
        kind=kind,
        line=top,
        old_line=old_top,
        header=header,
        symbol=symbol,
        excerpt=excerpt,
        matches=matches,
        top=top,
        old_top=old_top,
    )

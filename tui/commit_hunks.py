"""The hunks of one commit, fetched page by page while the user scrolls: a huge commit has thousands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from ohara import wire
from ohara.model import READ_HUNK, SearchOptions
from ohara.present.hunks import joined_with_pieces
from tui.diff.context import marked_like

if TYPE_CHECKING:
    from ohara.model import Hit
    from tui.link import Link

_PAGE = 300  # hunks: more than most commits have, a few hundred kilobytes


class CommitHunks:
    """The hunks of a commit fetched so far, joined from their pieces as git has them.

    The one that the commit was opened for keeps its highlighted matches.
    """

    def __init__(self, link: Link, repository: str, sha: str, found: Hit | None = None) -> None:
        self._link = link
        self._repository = repository
        self._sha = sha
        self._found = found
        self._after: str | None = None
        self._turn = anyio.Lock()
        self.was_asked = False
        self.pieces: list[Hit] = []
        self.hits: list[Hit] = []
        self._numbers: dict[int, int] = {}

    @property
    def has_more(self) -> bool:
        """True when there are hunks that were not fetched yet."""
        return not self.was_asked or self._after is not None

    async def fetch(self, path: str | None = None) -> None:
        """Fetch one more page, or as many as it takes to reach a file."""
        async with self._turn:
            if path is None:
                await self._fetch_page()
                return
            while self.has_more and self.first_of(path) is None:
                await self._fetch_page()

    async def fetch_hunk(self, hunk: int) -> None:
        """Fetch as many pages as it takes to reach a hunk."""
        async with self._turn:
            while self.has_more and self.number_of(hunk) is None:
                await self._fetch_page()

    async def fetch_line(self, path: str, line: int) -> None:
        """Fetch as many pages as it takes to reach a line of the new version of a file."""
        async with self._turn:
            while self.has_more and not self._is_past(path, line):
                await self._fetch_page()

    def _is_past(self, path: str, line: int) -> bool:
        """Whether the hunks of a file were fetched as far as a line."""
        tops = [hit.top for hit in self.hits if hit.path == path]
        return bool(tops) and (self.hits[-1].path != path or tops[-1] > line)

    async def _fetch_page(self) -> None:
        if not self.has_more:
            return
        page = (
            await self._link.send(
                wire.Find(
                    repo=self._repository,
                    query=self._sha,
                    options=SearchOptions(k=_PAGE, all_hunks=True, context=READ_HUNK, after=self._after),
                )
            )
        ).results
        self._after, self.was_asked = page.next_cursor, True
        self.pieces += [self._marked(hit) for hit in page.hits if hit.path]
        joined = joined_with_pieces(self.pieces)
        self.hits = [whole for whole, _ in joined]
        self._numbers = {piece.hunk: at for at, (_, pieces) in enumerate(joined) for piece in pieces}

    def _marked(self, hit: Hit) -> Hit:
        found = self._found
        return marked_like(hit, found) if found is not None and found.hunk == hit.hunk else hit

    def first_of(self, path: str) -> int | None:
        """The number of the first hunk of a file, if it was fetched."""
        return next((at for at, hit in enumerate(self.hits) if hit.path == path), None)

    def number_of(self, hunk: int) -> int | None:
        """The number of the hunk that a piece belongs to, if it was fetched."""
        return self._numbers.get(hunk)

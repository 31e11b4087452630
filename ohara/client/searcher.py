"""Searches repositories through the background service, with the methods of `ohara.searcher.Searcher`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara import wire
from ohara.model import ExplainOptions, SearchOptions
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ohara.client.blocking import Client
    from ohara.model import Hit, IndexStatus, Query, Related, Results

DEADLINE_S = 120.0  # a scan of a huge history; the lanes have deadlines of their own


@dataclass(frozen=True, slots=True)
class RemoteSearcher:
    """Searches through a connected client; `meanwhile` is called once while the service works.

    `also` are more repositories to search; places and commits are looked up in `repo`. `implied`: nobody
    named it, so that a query may choose others.
    """

    client: Client
    repo: Path | str
    meanwhile: Callable[[], object] | None = None
    also: tuple[str, ...] = ()
    implied: bool = False

    def find_pattern(self, query: str | Query, options: SearchOptions = SearchOptions()) -> Results:  # noqa: B008 - frozen
        """Search."""
        request = wire.Find(
            repo=str(self.repo),
            query=query,
            options=options,
            deadline_ms=round(DEADLINE_S * 1000),
            also=self.also,
            implied=self.implied,
        )
        return self.client.send(request, meanwhile=self.meanwhile).results

    def explain(self, place: str, options: ExplainOptions = ExplainOptions()) -> Results:  # noqa: B008 - frozen
        """The commits that made a place what it is."""
        request = wire.Explain(
            repo=str(self.repo), place=place, options=options, deadline_ms=round(DEADLINE_S * 1000)
        )
        return self.client.send(request, meanwhile=self.meanwhile).results

    def show(self, commit: str) -> tuple[Hit, ...]:
        """All hunks of one commit, whole."""
        return self.client.send(wire.Show(repo=str(self.repo), commit=commit)).hits

    def related(self, place: str, k: int = 10) -> Related:
        """What changes together with a path, lines of it, a symbol or a commit."""
        return self.client.send(wire.RelatedRequest(repo=str(self.repo), place=place, k=k)).related

    def statuses(self) -> tuple[IndexStatus, ...]:
        """The status of the index."""
        return (self.client.send(wire.Status(repo=str(self.repo))).status,)

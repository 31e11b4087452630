"""The explanation of a place: each commit that made it what it is, with its part in it, newest first.

What `ohara explain` prints, to walk through: lines are followed through renames, moves and reformatting, and
every commit is told with its message, the pull request that brought it in and the first release with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara import wire
from ohara.errors import OharaError
from ohara.model import ExplainOptions, History, Role
from ohara.present.explained import omitted_words, role_words
from tui.advice import Advice
from tui.cells import sanitize
from tui.diff.head import commit_head
from tui.diff.rows import Row, RowKind
from tui.screens.history import HistoryScreen
from tui.trace import place_of
from tui.widgets.row_list import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Hit
    from tui.visits import ExplainVisit
    from tui.widgets.row_list import Row as ListRow

_MOST_COMMITS = 200

_MARKS = {
    Role.BEGAN: ("● began", "good"),
    Role.CHANGED: ("~ changed", "plain"),
    Role.REFORMATTED: ("≈ reformatted", "muted"),
    Role.MOVED: ("⤷ moved", "warning"),
    Role.RENAMED: ("⤷ renamed", "warning"),
    Role.REMOVED: ("✗ removed", "bad"),
}


class ExplainScreen(HistoryScreen):
    """Shows why a place is as it is."""

    def __init__(self, visit: ExplainVisit) -> None:
        super().__init__(visit)
        self._place = visit.place
        self._ref = visit.ref

    def load(self) -> None:
        """Ask for the explanation."""
        self.advise(Advice("◌", "Explaining", (sanitize(self._place),)))
        self.start_worker(self._explain, group="history", exclusive=True)

    async def _explain(self) -> None:
        options = ExplainOptions(k=_MOST_COMMITS, ref=self._ref)
        try:
            results = (
                await self.ohara.link.send(
                    wire.Explain(repo=self.repository, place=self._place, options=options)
                )
            ).results
        except OharaError as error:
            self.advise_retry(error, "Ask again", "reload_history")
            return
        rest = [f"only the newest {_MOST_COMMITS} commits are shown"] if results.next_cursor else []
        self._show(History(results.hits, (), " · ".join([*results.notes, *rest])))

    @property
    def _said(self) -> str:
        at = f" in {self._ref[:10]}" if self._ref else ""
        return f"Why {sanitize(self._place)}{at} is as it is"

    def _step_row(self, at: int, width: int) -> ListRow:
        left, right = super()._step_row(at, width)
        explained = self.steps[at][1][0].explained
        if explained is not None:
            text, tone = _MARKS[explained.role]
            right = [Part(f" {text}", tone)]
        return left, right

    def _head_rows(self, hits: Sequence[Hit], width: int) -> list[Row]:
        """The commit, and above it its part in the place."""
        hit = hits[0]
        if hit.explained is None:
            return commit_head(hit, now=self.ohara.clock(), width=width)
        arrival = hit.explained.arrival
        merged = f"merged in {arrival.merge[:10]}: {sanitize(arrival.merge_subject)}" if arrival.merge else ""
        part = [Row(RowKind.SECTION, role_words(hit.explained), 0)]
        rest = [Row(RowKind.NOTE, said, 0) for said in (merged, omitted_words(hit.explained)) if said]
        return [*part, *commit_head(hit, now=self.ohara.clock(), width=width), *rest]

    def follow_symbol_or_lines(self) -> None:
        """Explain the lines instead of the symbol, or the other way round."""
        from tui.trace import trace_of_hit

        whole = trace_of_hit(self.visit.hit) if self.visit.hit is not None else None
        if whole is None or not whole.symbol:
            self.notify("These lines belong to no symbol that is known.", timeout=3)
            return
        lines = place_of(whole.of_lines())
        self._place = place_of(whole) if self._place == lines else lines
        self.load()

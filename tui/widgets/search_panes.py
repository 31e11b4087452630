"""The panes of a search: hits above their timeline at the left, the diff of the selected one at the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical

from tui.cells import sanitize
from tui.session import Layout
from tui.widgets.diff_renderer import DiffOptions
from tui.widgets.diff_view import DiffView
from tui.widgets.results import ResultList
from tui.widgets.splitter import Splitter
from tui.widgets.timeline_strip import TimelineStrip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from ohara.model import Hit
    from tui.diff.rows import Row

_LEAST_SHARE, _MOST_SHARE = 20, 80
_STALE_OPACITY = 0.55  # set on the pane itself: a class would style all its parts anew, twice for an answer


class SearchPanes(Horizontal):
    """List, timeline and diff; how they share the room can be changed."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(id="main")
        self.results = ResultList(id="results")
        self.timeline = TimelineStrip(id="timeline")
        self.diff = DiffView(
            id="diff",
            options=DiffOptions(layout.numbers, layout.whitespace, layout.wrap),
            is_split=layout.is_split,
        )
        self.share = layout.list_share
        self._left = Vertical(id="left")
        self._stacked = False
        self._laid_out: tuple[int, bool] | None = None

    def compose(self) -> ComposeResult:
        """From left to right."""
        with self._left:
            yield self.results
            yield self.timeline
        yield Splitter(id="splitter")
        yield self.diff

    def show_diff(self, hit: Hit, head: Sequence[Row]) -> None:
        """Show the diff of a hit below what is said of its commit, and its bar in the timeline."""
        self.diff.show(hit, head=head)
        place = f"{hit.path}:{hit.line}" if hit.path and hit.line else hit.path or "(no file)"
        self.diff.set_titles(sanitize(place), sanitize(f"{hit.commit.author} · {hit.commit.sha[:10]}"))
        self.timeline.select(hit)

    def dim(self, *, stale: bool) -> None:
        """Dim the panes while they show the answer to an older query."""
        for pane in (self.results, self.diff):
            pane.styles.text_opacity = _STALE_OPACITY if stale else 1.0

    @property
    def layout_options(self) -> Layout:
        """How the panes are arranged, to be kept for the next time."""
        diff = self.diff
        return Layout(self.share, diff.is_split, diff.shows_numbers, diff.shows_whitespace, diff.wraps)

    # -- room ------------------------------------------------------------------------------------

    def stack(self, *, stacked: bool) -> None:
        """Stack the panes, with a line for each hit, or show them side by side."""
        self._stacked = stacked
        self.results.set_compact(compact=stacked)
        self.share_room(self.share)

    def share_room(self, share: int) -> None:
        """Give the list so many hundredths of the room."""
        self.share = max(_LEAST_SHARE, min(share, _MOST_SHARE))
        if (self.share, self._stacked) != self._laid_out:  # styling costs, also when nothing changes
            self._laid_out = (self.share, self._stacked)
            styles, part = self._left.styles, f"{self.share}%"
            styles.width, styles.height = ("100%", part) if self._stacked else (part, "100%")

    def on_splitter_dragged(self, event: Splitter.Dragged) -> None:
        """Move the boundary between list and diff."""
        self.share_room(round(100 * event.x / max(1, self.size.width)))

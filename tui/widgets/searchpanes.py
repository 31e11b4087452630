"""The panes of an answer: hits above their timeline at the left, the diff of the chosen one at the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical

from tui.inert import plain
from tui.session import Layout
from tui.widgets.brush import Look
from tui.widgets.diffview import DiffView
from tui.widgets.results import ResultList
from tui.widgets.splitter import Splitter
from tui.widgets.strip import TimelineStrip

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ohara.model import Hit

_LEAST_SHARE, _MOST_SHARE = 20, 80
_STALE_OPACITY = 0.55  # set on the pane itself: a class would style all its parts anew, twice for an answer


class SearchDiff(DiffView, inherit_bindings=False):
    """The diff of the selected hit: arrows go on moving the list."""


class SearchPanes(Horizontal):
    """List, timeline and diff; how they share the room can be changed."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(id="main")
        self.results = ResultList(id="results")
        self.timeline = TimelineStrip(id="timeline")
        self.diff = SearchDiff(
            id="diff", look=Look(layout.numbers, layout.whitespace), is_split=layout.is_split
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

    def show_diff(self, hit: Hit) -> None:
        """Show the diff of a hit, and where it stands in time."""
        self.diff.show(hit)
        place = f"{hit.path}:{hit.line}" if hit.path and hit.line else hit.path or "(no file)"
        self.diff.entitle(plain(place), plain(f"{hit.commit.author} · {hit.commit.sha[:10]}"))
        self.timeline.select(hit)

    def dim(self, *, stale: bool) -> None:
        """Show whether this is still the answer to what is asked."""
        for pane in (self.results, self.diff):
            pane.styles.text_opacity = _STALE_OPACITY if stale else 1.0

    @property
    def arrangement(self) -> Layout:
        """How it looks, to be kept for the next time."""
        diff = self.diff
        return Layout(self.share, diff.is_split, diff.shows_numbers, diff.shows_whitespace)

    # -- room ------------------------------------------------------------------------------------

    def stack(self, *, stacked: bool) -> None:
        """Stand one above the other, with a line for each hit, or side by side."""
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

"""The timeline: two rows of bars, hits per month, quarter or year, and a row with their dates.

It counts hits that came. Where more are to come it says so, and takes no period for an empty one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.cells import cell_width, fit
from tui.formats import count
from tui.timeline import BLOCKS, Bar, bars, beside, reaching

if TYPE_CHECKING:
    from rich.style import Style
    from textual import events

    from ohara.model import Hit

_ROWS = 2
_LEVELS = _ROWS * len(BLOCKS)
_WIDEST_BAR = 6
_EMPTY = "·"
_UNCOUNTED = "?"  # none of the hits that came: there may be others


class TimelineStrip(Widget):
    """Hits in time; a click on a bar asks to narrow the period to it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "timeline--bar",
        "timeline--here",
        "timeline--chosen",
        "timeline--label",
    }
    DEFAULT_CSS = "TimelineStrip { height: 3; }"

    class Narrowed(Message):
        """A bar was chosen."""

        def __init__(self, bar: Bar) -> None:
            super().__init__()
            self.bar = bar

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._moments: tuple[int, ...] = ()
        self._now = 0.0
        self._uncounted = range(0)
        self._selected: int | None = None
        self._here: int | None = None
        self._bars: tuple[Bar, ...] = ()
        self._chosen: Bar | None = None
        self._hover: int | None = None
        self._laid_out = 0

    def choose(self, bar: Bar) -> None:
        """Show which bar was narrowed to; the others stay, to be walked to."""
        self._chosen = bar
        self._lay_out()

    def show(
        self, hits: tuple[Hit, ...], selected: Hit | None, *, now: float, uncounted: range = range(0)
    ) -> None:
        """Show when these hits were made, and which one is selected; more may come in `uncounted` months."""
        self._moments = tuple(map(_moment, hits))
        self._now, self._uncounted = now, uncounted
        self._chosen = None
        self._lay_out()
        self.select(selected)

    def select(self, hit: Hit | None) -> None:
        """Point at the bar of the selected hit."""
        self._selected = _moment(hit) if hit is not None else None
        self._point()

    def _point(self) -> None:
        before, self._here = self._here, None
        month = None
        if self._chosen is not None:
            month = self._chosen.first_month
        elif self._selected is not None:
            (one,) = bars([self._selected], 1, now=self._now)
            month = one.first_month
        if month is not None:
            indexes = (
                number
                for number, bar in enumerate(self._bars)
                if bar.first_month <= month < bar.first_month + bar.months
            )
            self._here = next(indexes, None)
        if self._here != before:
            self.refresh()

    @property
    def bars(self) -> tuple[Bar, ...]:
        """What is drawn, or would be if it were not hidden."""
        self._fit()
        return self._bars

    def neighbour(self, by: int) -> Bar | None:
        """The bar before or after the chosen one, or else that of the selected hit, empty ones skipped."""
        self._fit()
        return beside(self._bars, self._here, by, uncounted=self._uncounted, now=self._now)

    @property
    def _room(self) -> int:
        """The width that it has, or would have in its pane: keys walk along it also where it is hidden.

        Without hits the pane is hidden as well, and the width from before counts.
        """
        pane = self.parent
        width = self.size.width
        if not self.display and isinstance(pane, Widget):
            width = pane.size.width - self.gutter.width
        return width if width > 0 else self._laid_out

    def _lay_out(self) -> None:
        self._laid_out = self._room
        width = max(1, self._laid_out - 2)
        self._bars = bars(self._moments, width, now=self._now)
        if self._chosen is not None:
            self._bars = reaching(self._bars, self._chosen, width, now=self._now)
        self.refresh()
        self._point()

    def _fit(self) -> None:
        """Lay out anew for another width; hidden, or asked for its region too early, it is told of none."""
        if self._room != self._laid_out:
            self._lay_out()

    def on_resize(self) -> None:
        """Make bars as fine as fits."""
        self._lay_out()

    # -- the mouse -------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        """Narrow to the bar that was clicked."""
        bar = self._bar_at(int(event.x))
        if bar is not None and (self._bars[bar].hits or self._is_uncounted(self._bars[bar])):
            self.post_message(self.Narrowed(self._bars[bar]))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say what the bar under the mouse is."""
        bar = self._bar_at(int(event.x))
        if bar != self._hover:
            self._hover = bar
            self.refresh()

    def on_leave(self) -> None:
        """Say again what the selected bar is."""
        self._hover = None
        self.refresh()

    def _bar_at(self, x: int) -> int | None:
        at = (x - 1) // self._bar_width
        return at if 0 <= at < len(self._bars) else None

    @property
    def _bar_width(self) -> int:
        return max(1, min(_WIDEST_BAR, (self.size.width - 2) // max(1, len(self._bars))))

    # -- drawing ---------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """One line of the strip."""
        width = self.size.width
        self._fit()
        if y >= _ROWS:
            return Strip([Segment(fit(self._label(), width), self._part("label"))])
        most = max((bar.hits for bar in self._bars), default=0)
        wide = self._bar_width
        drawn = [
            _block(bar, y, most, empty=_UNCOUNTED if self._is_uncounted(bar) else _EMPTY)
            for bar in self._bars
        ]
        drawn = [block * wide if wide == 1 else block * (wide - 1) + " " for block in drawn]
        here = len(drawn) if self._here is None else self._here
        segments = [
            Segment(" ", self._part("label")),
            Segment("".join(drawn[:here]), self._part("bar")),
            Segment("".join(drawn[here : here + 1]), self._part("here")),
            Segment("".join(drawn[here + 1 :]), self._part("bar")),
        ]
        return Strip(segments).adjust_cell_length(width, self._part("label"))

    def _is_uncounted(self, bar: Bar) -> bool:
        return bar.overlaps(self._uncounted)

    def _label(self) -> str:
        """The dates of all bars and what is in one; where it is too long, the latter."""
        if not self._bars:
            return ""
        at = self._hover if self._hover is not None else self._here
        here = "" if at is None else f"  ▲ {self._bars[at].label}: {self._counted(self._bars[at])}"
        first, last = self._bars[0].since, self._bars[-1].end
        only = "  (narrowed)" if self._chosen is not None else ""
        whole = f" {first}{f' ─ {last}' if last != first else ''}"
        candidates = (whole + only + here, (only + here)[1:])
        return next((each for each in candidates if cell_width(each) <= self.size.width), here[1:])

    def _counted(self, bar: Bar) -> str:
        """The hits in a bar; of how many, where more are to come."""
        if not self._uncounted:
            return count(bar.hits, "hit")
        return f"{bar.hits:,} of the first {count(len(self._moments), 'hit')}"

    def _part(self, name: str) -> Style:
        return self.get_component_rich_style(f"timeline--{name}")


def _moment(hit: Hit) -> int:
    """When a hit was put in place: `since:` and `until:` go by this, so a bar holds what it narrows to."""
    return hit.commit.committer_time


def _block(bar: Bar, y: int, most: int, *, empty: str) -> str:
    """The cell of a bar in one of the rows."""
    if not bar.hits:
        return empty if y == _ROWS - 1 else " "
    level = -(-bar.hits * _LEVELS // most)
    mine = min(len(BLOCKS), max(0, level - (_ROWS - 1 - y) * len(BLOCKS)))
    return BLOCKS[mine - 1] if mine else " "

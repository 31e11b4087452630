"""The timeline: two rows of bars, hits per month, quarter or year, and a row with their dates."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.cells import fit
from tui.formats import count
from tui.timeline import BLOCKS, Bar, bars

if TYPE_CHECKING:
    from rich.style import Style
    from textual import events

    from ohara.model import Hit

_ROWS = 2
_LEVELS = _ROWS * len(BLOCKS)
_WIDEST_BAR = 6


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
        self._selected: int | None = None
        self._here: int | None = None
        self._bars: tuple[Bar, ...] = ()
        self._chosen: Bar | None = None
        self._hover: int | None = None
        self._laid_out = 0

    def choose(self, bar: Bar) -> None:
        """Show which bar was narrowed to; the others stay, to be walked to."""
        self._chosen = bar
        self._point()
        self.refresh()

    def show(self, hits: tuple[Hit, ...], selected: Hit | None) -> None:
        """Show when these hits were made, and which one is selected."""
        self._moments = tuple(map(_moment, hits))
        self._chosen = None
        self._lay_out()
        self.select(selected)

    def select(self, hit: Hit | None) -> None:
        """Point at the bar of the selected hit."""
        self._selected = _moment(hit) if hit is not None else None
        self._point()

    def _point(self) -> None:
        before, self._here = self._here, None
        if self._chosen is not None:
            first = self._chosen.first_month
            indexes = (number for number, bar in enumerate(self._bars) if bar.first_month == first)
            self._here = next(indexes, None)
        elif self._selected is not None:
            (one,) = bars([self._selected], 1)
            indexes = (
                number
                for number, bar in enumerate(self._bars)
                if bar.first_month <= one.first_month < bar.first_month + bar.months
            )
            self._here = next(indexes, None)
        if self._here != before:
            self.refresh()

    @property
    def bars(self) -> tuple[Bar, ...]:
        """What is drawn."""
        return self._bars

    def neighbour(self, by: int) -> Bar | None:
        """The next bar with hits before or after the chosen one, or else that of the selected hit."""
        here = self._here if self._here is not None else len(self._bars)
        places = range(here + by, len(self._bars) if by > 0 else -1, by)
        return next((self._bars[at] for at in places if self._bars[at].hits), None)

    def _lay_out(self) -> None:
        self._laid_out = self.size.width
        self._bars = bars(self._moments, max(1, self.size.width - 2))
        self.refresh()
        self._point()

    def on_resize(self) -> None:
        """Make bars as fine as fits."""
        self._lay_out()

    # -- the mouse -------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        """Narrow to the bar that was clicked."""
        bar = self._bar_at(int(event.x))
        if bar is not None and self._bars[bar].hits:
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
        if (
            width != self._laid_out
        ):  # asked for its region too early, a pane gets no event when its size changes
            self._lay_out()
        if y >= _ROWS:
            return Strip([Segment(fit(self._label(), width), self._part("label"))])
        most = max((bar.hits for bar in self._bars), default=0)
        wide = self._bar_width
        drawn = [_block(bar, y, most) for bar in self._bars]
        drawn = [block * wide if wide == 1 else block * (wide - 1) + " " for block in drawn]
        here = len(drawn) if self._here is None else self._here
        segments = [
            Segment(" ", self._part("label")),
            Segment("".join(drawn[:here]), self._part("bar")),
            Segment("".join(drawn[here : here + 1]), self._part("here")),
            Segment("".join(drawn[here + 1 :]), self._part("bar")),
        ]
        return Strip(segments).adjust_cell_length(width, self._part("label"))

    def _label(self) -> str:
        if not self._bars:
            return ""
        at = self._hover if self._hover is not None else self._here
        here = "" if at is None else f"  ▲ {self._bars[at].label}: {count(self._bars[at].hits, 'hit')}"
        first, last = self._bars[0].since, self._bars[-1].until
        only = "  (narrowed)" if self._chosen is not None else ""
        return f" {first}{f' ─ {last}' if last != first else ''}{only}{here}"

    def _part(self, name: str) -> Style:
        return self.get_component_rich_style(f"timeline--{name}")


def _moment(hit: Hit) -> int:
    """When a hit was put in place: `since:` and `until:` go by this, so a bar holds what it narrows to."""
    return hit.commit.committer_time


def _block(bar: Bar, y: int, most: int) -> str:
    """The cell of a bar in one of the rows; a bar without hits is a dot."""
    if not bar.hits:
        return "·" if y == _ROWS - 1 else " "
    level = -(-bar.hits * _LEVELS // most)
    mine = min(len(BLOCKS), max(0, level - (_ROWS - 1 - y) * len(BLOCKS)))
    return BLOCKS[mine - 1] if mine else " "

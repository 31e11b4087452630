"""A list of rows of any number, drawn one by one as they are seen, one of them under a cursor.

The text of a row comes from its screen when it is drawn: parts of text, each with the name of a tone. The
selection is a bar at the left edge as well as a colour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual.message import Message
from textual.strip import Strip

from tui.cells import cell_width, fit
from tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from textual import events

TONES = ("plain", "muted", "faint", "strong", "accent", "name", "person", "good", "bad", "warning")


class Part(NamedTuple):
    """A stretch of a row: shown text and its tone."""

    text: str
    tone: str = "plain"


# The parts at the left and those at the right of a row, for a number of cells; the left gives way.
Row: TypeAlias = tuple[Sequence[Part], Sequence[Part]]
Drawing: TypeAlias = Callable[[int, int], Row]


class _RowMessage(Message):
    """Something that happened to a row of a list."""

    def __init__(self, rows: RowList, at: int) -> None:
        super().__init__()
        self.rows = rows
        self.at = at

    @property
    def control(self) -> RowList:
        """The list it happened in."""
        return self.rows


class RowList(LineView, inherit_bindings=False):
    """Rows, one of which is selected."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"rows--{tone}" for tone in TONES),
        "rows--cursor",
        "rows--cursor-blurred",
    }
    DEFAULT_CSS = """
    RowList {
        background: $surface;
        & > .rows--plain { color: $foreground; background: $surface; }
        & > .rows--muted { color: $muted; background: $surface; }
        & > .rows--faint { color: $faint; background: $surface; }
        & > .rows--strong { color: $foreground; background: $surface; text-style: bold; }
        & > .rows--accent { color: $accent; background: $surface; }
        & > .rows--name { color: $primary; background: $surface; }
        & > .rows--person { color: $secondary; background: $surface; }
        & > .rows--good { color: $success; background: $surface; }
        & > .rows--bad { color: $error; background: $surface; }
        & > .rows--warning { color: $warning; background: $surface; }
        & > .rows--cursor {
            color: $block-cursor-foreground; background: $block-cursor-background;
            text-style: $block-cursor-text-style;
        }
        & > .rows--cursor-blurred {
            color: $block-cursor-blurred-foreground; background: $block-cursor-blurred-background;
            text-style: $block-cursor-blurred-text-style;
        }
    }
    """

    class Selected(_RowMessage):
        """Another row is under the cursor."""

    class Opened(_RowMessage):
        """A row was double-clicked."""

    def __init__(self, drawing: Drawing, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._drawing = drawing
        self._count = 0
        self._at = 0

    # -- what is listed --------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self._count

    @property
    def position(self) -> int:
        """The row under the cursor, from 0."""
        return self._at

    def show(self, count: int, at: int = 0) -> None:
        """List so many rows, with the cursor on one of them."""
        self._count = count
        self._at = max(0, min(at, count - 1))
        self.set_scroll_size(0, count)
        self._reveal()
        self.refresh()

    def put_cursor(self, at: int) -> None:
        """Put the cursor on a row without posting a message."""
        at = max(0, min(at, self._count - 1))
        if at != self._at:
            self._at = at
            self._reveal()
            self.refresh()

    # -- moving ----------------------------------------------------------------------------------

    def move(self, by: int) -> None:
        """Move the cursor by so many rows."""
        self.move_to(self._at + by)

    def move_page(self, pages: int) -> None:
        """Move the cursor by screens."""
        self.move(pages * max(1, self.size.height - 1))

    def move_to(self, at: int) -> None:
        """Move the cursor to a row, or as near to it as there is one."""
        before = self._at
        self.put_cursor(at)
        if self._at != before:
            self.post_message(self.Selected(self, self._at))

    def _reveal(self) -> None:
        top, height = self.scroll_offset.y, self.size.height
        if not height:
            return
        margin = min(2, height // 4)
        if self._at < top + margin:
            self.scroll_to(y=max(0, self._at - margin), animate=False, force=True)
        elif self._at > top + height - 1 - margin:
            self.scroll_to(y=self._at - height + 1 + margin, animate=False, force=True)

    def on_resize(self) -> None:
        """Keep the cursor in view."""
        self._reveal()

    def on_click(self, event: events.Click) -> None:
        """Select what was clicked; open what was clicked twice."""
        at = self.scroll_offset.y + int(event.y)
        if at < self._count:
            self.move_to(at)
            if event.chain == 2:
                self.post_message(self.Opened(self, at))

    # -- drawing ---------------------------------------------------------------------------------

    def draw(self, place: int, width: int) -> Strip:
        """One row."""
        if place >= self._count:
            return Strip.blank(width, self.rich_style)
        ground: Style | None = None
        if place == self._at:
            ground = self.component_style("rows--cursor" if self.has_focus else "rows--cursor-blurred")
        left, right = self._drawing(place, width - 2)
        taken = sum(cell_width(part.text) for part in right)
        segments = [Segment("▌" if place == self._at else " ", self._inked("name", ground))]
        room = width - 2 - taken
        for part in left:
            text = part.text if cell_width(part.text) <= room else fit(part.text, max(0, room))
            room -= cell_width(text)
            segments.append(Segment(text, self._inked(part.tone, ground)))
        segments.append(Segment(" " * max(0, room), self._inked("plain", ground)))
        segments += [Segment(part.text, self._inked(part.tone, ground)) for part in right]
        segments.append(Segment(" ", self._inked("plain", ground)))
        return Strip(segments).adjust_cell_length(width, ground or self.rich_style)

    def _inked(self, tone: str, ground: Style | None) -> Style:
        """A tone's ink on the ground of the cursor, if it is there."""
        style = self.component_style(f"rows--{tone}")
        if ground is None:
            return style
        if ground.reverse:  # inks would become grounds
            return ground
        return style + Style(bgcolor=ground.bgcolor, bold=ground.bold or style.bold, reverse=ground.reverse)

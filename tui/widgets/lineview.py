"""A pane that scrolls over lines which it draws one by one, without the screen ever being laid out for it.

Textual lays out and paints the whole screen when the size of what is scrolled changes or a scrollbar comes or
goes, which takes longer than all the drawing of a pane. Here the bar has its place whether it is needed or
not, and how far one can scroll is the pane's own affair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.content import Content
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip

if TYPE_CHECKING:
    from rich.style import Style
    from textual.widget import Widget


class LineBar(ScrollBar):
    """A scrollbar of one column that goes straight to the screen; one with nothing to scroll is not seen."""

    def __init__(self) -> None:
        super().__init__(vertical=True, name="vertical", thickness=1)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The cells of the bar."""
        pane = cast("Widget", self.parent)
        styles, ground = pane.styles, pane.background_colors[1]
        ink, under = styles.scrollbar_color, styles.scrollbar_background
        if self.grabbed:
            ink, under = styles.scrollbar_color_active, styles.scrollbar_background_active
        elif self.mouse_over:
            ink, under = styles.scrollbar_color_hover, styles.scrollbar_background_hover
        lines, seen = self.window_virtual_size, self.window_size
        if lines > seen:
            ground += under
        drawn = ScrollBarRender.render_bar(
            size=crop.bottom,
            virtual_size=lines,
            window_size=seen if lines > seen else 0,
            position=self.position,
            back_color=ground.rich_color,
            bar_color=(ground + ink).rich_color,
        )
        cells = {id(segment): Strip([segment], 1) for segment in drawn.segments}  # most of them are the same
        for each in self.get_line_filters():
            cells = {key: cell.apply_filter(each, ground) for key, cell in cells.items()}
        return [cells[id(segment)] for segment in drawn.segments[crop.y :]]


class LineView(ScrollView, can_focus=True):
    """Lines, of which those that are seen are drawn."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    LineView {
        overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0;
    }
    """

    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self.seen = Size(0, 0)  # of what is drawn now
        self._inks: dict[str, Style] = {}

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The bar at the right."""
        if self._vertical_scrollbar is None:
            self._vertical_scrollbar = LineBar()
            self.app._start_widget(self, self._vertical_scrollbar)  # noqa: SLF001 - as Textual starts its own
        return self._vertical_scrollbar

    @property
    def room(self) -> Size:
        """What there is for lines, beside the bar."""
        return self.scrollable_content_region.size

    @property
    def allow_horizontal_scroll(self) -> bool:
        """Whether a wheel turned sideways has something to turn."""
        return self.virtual_size.width > self.room.width

    def span(self, width: int, height: int) -> None:
        """Let so many cells and lines be scrolled over."""
        size = Size(width, height)
        if size != self.virtual_size:
            self.virtual_size = size
            self._scroll_update(size)

    def entitle(self, title: str, subtitle: str = "") -> None:
        """Write into the border, and draw nothing else for it."""
        width = self.outer_size.width
        if title != str(self._border_title or ""):
            self._border_title = Content(title)
            self.refresh(Region(-1, -1, width, 1))
        if subtitle != str(self._border_subtitle or ""):
            self._border_subtitle = Content(subtitle)
            self.refresh(Region(-1, self.size.height, width, 1))

    # -- drawing ---------------------------------------------------------------------------------

    def ink(self, name: str) -> Style:
        """The style of one of the component classes."""
        if name not in self._inks:
            self._inks[name] = self.get_component_rich_style(name)
        return self._inks[name]

    def notify_style_update(self) -> None:
        """Take the colours of a new theme."""
        super().notify_style_update()
        self._inks = {}

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw lines; how much is seen is asked once for all of them."""
        self.seen = self.room
        return super().render_lines(crop)

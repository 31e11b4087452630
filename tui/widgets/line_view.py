"""A pane that scrolls over lines which it draws one by one, without the screen ever being laid out for it.

Textual lays out and paints the whole screen when the size of what is scrolled changes or a scrollbar comes or
goes, which takes longer than all the drawing of a pane. Here the bar has its place whether it is needed or
not, and the pane itself decides how far one can scroll. A line that was drawn is kept with its piece of the
border: scrolled to another height it is not drawn again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from textual.content import Content
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from rich.segment import Segment
    from rich.style import Style
    from textual.color import Color
    from textual.filter import LineFilter
    from textual.geometry import Spacing
    from textual.widget import Widget


class LineBar(ScrollBar):
    """A scrollbar of one column that goes straight to the screen; one with nothing to scroll is not seen."""

    def __init__(self) -> None:
        super().__init__(vertical=True, name="vertical", thickness=1)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The cells of the bar."""
        pane = cast("Widget", self.parent)
        styles, ground = pane.styles, pane.background_colors[1]
        component_style, under = styles.scrollbar_color, styles.scrollbar_background
        if self.grabbed:
            component_style, under = styles.scrollbar_color_active, styles.scrollbar_background_active
        elif self.mouse_over:
            component_style, under = styles.scrollbar_color_hover, styles.scrollbar_background_hover
        lines, seen = self.window_virtual_size, self.window_size
        if lines > seen:
            ground += under
        drawn = ScrollBarRender.render_bar(
            size=crop.bottom,
            virtual_size=lines,
            window_size=seen if lines > seen else 0,
            position=self.position,
            back_color=ground.rich_color,
            bar_color=(ground + component_style).rich_color,
        )
        different = {id(segment): segment for segment in drawn.segments}  # most of them are the same
        cells = {key: Strip([segment], 1) for key, segment in different.items()}
        for each in self.get_line_filters():
            cells = {key: cell.apply_filter(each, ground) for key, cell in cells.items()}
        return [cells[id(segment)] for segment in drawn.segments[crop.y :]]


_KEPT = 1_000  # lines: several screens; a diff may have many thousands


class LineView(ScrollView, can_focus=True):
    """Lines, of which those that are seen are drawn.

    A refresh of the whole pane draws everything again; a refresh of a region only brings it to the screen:
    what changed within is to be named to `redraw_lines`.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    LineView {
        overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0;
    }
    """

    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False, repaint=False)

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        self._style_by_class: dict[str, Style] = {}
        self._drawn: dict[int, Strip] = {}
        self._frame: _Frame | None = None
        super().__init__(id=id, classes=classes)
        self.drawn_size = Size(0, 0)  # of what is drawn now

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The bar at the right."""
        if self._vertical_scrollbar is None:
            self._vertical_scrollbar = LineBar()
            self.app._start_widget(self, self._vertical_scrollbar)  # noqa: SLF001 - as Textual starts its own
        return self._vertical_scrollbar

    @property
    def text_size(self) -> Size:
        """The room for lines, beside the scrollbar."""
        return self.scrollable_content_region.size

    @property
    def allow_horizontal_scroll(self) -> bool:
        """Whether there is something to scroll sideways."""
        return self.virtual_size.width > self.text_size.width

    def set_scroll_size(self, width: int, height: int) -> None:
        """Set how many cells and lines can be scrolled over."""
        size = Size(width, height)
        if size != self.virtual_size:
            self.virtual_size = size
            self._scroll_update(size)

    def set_titles(self, title: str, subtitle: str = "") -> None:
        """Write into the border, and draw nothing else for it."""
        width = self.outer_size.width
        if title != str(self._border_title or ""):
            self._border_title = Content(title)
            self.refresh(Region(-1, -1, width, 1))
        if subtitle != str(self._border_subtitle or ""):
            self._border_subtitle = Content(subtitle)
            self.refresh(Region(-1, self.size.height, width, 1))

    # -- drawing ---------------------------------------------------------------------------------

    def draw(self, line: int, width: int) -> Strip:
        """One line of what is scrolled over, in exactly so many cells."""
        raise NotImplementedError

    def component_style(self, name: str) -> Style:
        """The style of one of the component classes."""
        if name not in self._style_by_class:
            self._style_by_class[name] = self.get_component_rich_style(name)
        return self._style_by_class[name]

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """Draw everything again, or only bring these regions to the screen."""
        if repaint and not regions:
            self.clear_drawn()
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def clear_drawn(self) -> None:
        """Forget the lines that were drawn."""
        self._drawn.clear()
        self._frame = None

    def redraw_lines(self, *lines: int) -> None:
        """Draw these lines again."""
        for line in lines:
            self._drawn.pop(line, None)
            self.refresh_lines(line)

    def notify_style_update(self) -> None:
        """Take the colours of a new theme."""
        super().notify_style_update()
        self._style_by_class = {}
        self.clear_drawn()

    def on_show(self) -> None:
        """Draw the border, too: titles that were given while nothing was shown are not there yet."""
        self.refresh()

    def on_focus(self) -> None:
        """Show the cursor as it is here."""
        self.refresh()

    def on_blur(self) -> None:
        """Show the cursor as it is elsewhere."""
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the screen, without the border."""
        return self.draw(self.scroll_offset.y + y, self.drawn_size.width)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of the screen; those that were drawn before are taken as they are."""
        self.drawn_size = self.text_size
        styles, size, border = self.styles, self.outer_size, self.styles.gutter
        is_veiled = styles.text_opacity != 1.0 or self.opacity != 1.0 or styles.tint.a > 0
        if is_veiled or not self.drawn_size or crop.column_span != (0, size.width):
            return super().render_lines(crop)
        frame = self._framed(size, border)
        first, last = border.top, size.height - border.bottom
        top = self.scroll_offset.y - first
        lines: list[Strip] = []
        for y in crop.line_range:
            if first <= y < last:
                drawn = self._drawn.get(top + y)
                if drawn is None:
                    drawn = self._drawn[top + y] = frame.around(self.draw(top + y, self.drawn_size.width))
                lines.append(drawn)
            else:
                lines += super().render_lines(Region(0, y, size.width, 1))
        return lines

    def _framed(self, size: Size, border: Spacing) -> _Frame:
        """The border at both sides of every line; lines drawn for another one are forgotten."""
        frame, filters = self._frame, self.get_line_filters()
        if frame is None or not frame.suits(size.width, filters) or len(self._drawn) > _KEPT:
            self._drawn.clear()
            (line,) = super().render_lines(Region(0, border.top, size.width, 1))
            end = border.left + self.drawn_size.width
            frame = self._frame = _Frame(
                tuple(line.crop(0, border.left)),
                tuple(line.crop(end, size.width)),
                size.width,
                tuple(filters),
                self.background_colors[1],
            )
        return frame


@dataclass(frozen=True, slots=True)
class _Frame:
    """The border and the room of the scrollbar beside a line, and what becomes of its colours."""

    left: tuple[Segment, ...]
    right: tuple[Segment, ...]
    width: int
    filters: tuple[LineFilter, ...]
    ground: Color

    def suits(self, width: int, filters: Sequence[LineFilter]) -> bool:
        """Whether it was made for lines of this width and these colours."""
        return width == self.width and tuple(filters) == self.filters

    def around(self, line: Strip) -> Strip:
        """A line in its frame."""
        segments = list(line)
        for each in self.filters:
            segments = each.apply(segments, self.ground)
        return Strip([*self.left, *segments, *self.right], self.width)

"""The list of hits: ten thousand of them as easily as ten, because only the lines that are seen are drawn.

In a narrow column each hit takes two lines, over the whole width one. Selection is a bar at the left edge
and a mark is a sign, so that neither rests on colour.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.message import Message
from textual.strip import Strip

from ohara.fate_phrase import MARKS
from tui.cells import cell_width, cut, cut_path, fit, sanitize
from tui.formats import age
from tui.search_state import index_of_hit, name_of
from tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual import events

    from ohara.model import Hit, Sha, Thread

_NEAR_END = 12  # hits before the end of what is loaded at which more is asked for
_AUTHOR = 16
_WITH_SHA = 64  # cells from which a row has room for the commit's name
_ROOMY = 36
_LEAST_SYMBOL = 8
_PARTS = ("subject", "sha", "age", "author", "path", "symbol", "badge", "faint", "rank", "mark")


class ResultList(LineView, inherit_bindings=False):
    """Hits, one of which is selected."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"results--{part}" for part in _PARTS),
        "results--cursor",
        "results--cursor-blurred",
    }

    class Selected(Message):
        """Another hit is selected."""

        def __init__(self, hit: Hit) -> None:
            super().__init__()
            self.hit = hit

    class Opened(Message):
        """A hit was double-clicked."""

    class NearEnd(Message):
        """The selection came close to the end of what is loaded."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.hits: tuple[Hit, ...] = ()
        self.threads: Mapping[Sha, Thread] = {}
        self.marked: frozenset[tuple[str, int]] = frozenset()
        self.now = time.time()
        self._at = 0
        self._compact = False
        self.was_moved = False  # by a person, since these hits are listed
        self._several = False  # the hits are of more than one repository, so that each names its own

    # -- what is listed --------------------------------------------------------------------------

    @property
    def selected(self) -> Hit | None:
        """The hit under the cursor."""
        return self.hits[self._at] if self._at < len(self.hits) else None

    @property
    def position(self) -> int:
        """The place of the cursor, from 0."""
        return self._at

    def show(self, hits: Sequence[Hit], *, keep: bool = False) -> None:
        """List these hits; with `keep` the cursor stays on its hit, and the hit at its height.

        A list that was seen from its first hit on still is, as long as the cursor is then seen.
        """
        top = self.scroll_offset.y
        before, offset = self.selected, self._at * self._row_cells - top
        self.hits = tuple(hits)
        self._several = len({hit.repository for hit in self.hits}) > 1
        stays = index_of_hit(self.hits, before) if keep else None
        self._at = stays or 0
        self.was_moved = self.was_moved and keep
        self._measure()
        row = self._at * self._row_cells
        from_first = not stays or (top == 0 and row + self._row_cells <= self.drawn_size.height)
        self.scroll_to(y=0 if from_first else max(0, row - offset), animate=False)
        if self.selected is not None:
            self.post_message(self.Selected(self.selected))

    def extend(self, hits: Sequence[Hit]) -> None:
        """List more hits below; nothing moves, and only where there was room is something drawn."""
        end = len(self.hits) * self._row_cells
        self.hits = (*self.hits, *hits)
        if not self._several and self.hits and any(hit.repository != self.hits[0].repository for hit in hits):
            self._several = True
            self.refresh()
        self.set_scroll_size(0, len(self.hits) * self._row_cells)
        self.redraw_lines(*range(end, self.scroll_offset.y + self.size.height))

    def mark(self, marked: frozenset[tuple[str, int]]) -> None:
        """Show which hits are marked, by sha and hunk."""
        self.marked = marked
        self.refresh()

    def set_compact(self, *, compact: bool) -> None:
        """Give each hit one line instead of two."""
        if compact != self._compact:
            self._compact = compact
            self._measure()
            self._reveal()

    @property
    def _row_cells(self) -> int:
        return 1 if self._compact else 2

    def _measure(self) -> None:
        self.set_scroll_size(0, len(self.hits) * self._row_cells)
        self.refresh()

    # -- moving ----------------------------------------------------------------------------------

    def move(self, by: int) -> None:
        """Move the cursor by so many hits."""
        self.move_to(self._at + by)

    def move_page(self, pages: int) -> None:
        """Move the cursor by screens."""
        self.move(pages * max(1, self.size.height // self._row_cells - 1))

    def move_to(self, at: int) -> None:
        """Move the cursor to a place, or as near to it as there is a hit."""
        at = max(0, min(at, len(self.hits) - 1))
        if at != self._at and self.hits:
            before, self._at = self._at, at
            self.was_moved = True
            self._reveal()
            for row in (before, at):  # the others look as before
                self.redraw_lines(*range(row * self._row_cells, (row + 1) * self._row_cells))
            self.post_message(self.Selected(self.hits[at]))
        elif not 0 <= at * self._row_cells - self.scroll_offset.y < self.size.height:  # by the wheel
            self._reveal()
        if at >= len(self.hits) - _NEAR_END:
            self.post_message(self.NearEnd())

    def _reveal(self) -> None:
        """Scroll so that the selected hit is seen, and its neighbours where there is room for them."""
        top, height, rows = self.scroll_offset.y, self.size.height, self._row_cells
        if not height:
            return
        around = rows if height >= 3 * rows else 0
        first = max(0, self._at * rows - around)
        last = min((self._at + 1) * rows + around, self.virtual_size.height)
        if first < top:
            self.scroll_to(y=first, animate=False)
        elif last > top + height:
            self.scroll_to(y=min(last - height, self._at * rows), animate=False)

    def on_resize(self) -> None:
        """Keep the selected hit in view."""
        self._reveal()

    def on_click(self, event: events.Click) -> None:
        """Select what was clicked; open what was clicked twice."""
        at = (self.scroll_offset.y + int(event.y)) // self._row_cells
        if at < len(self.hits):
            self.move_to(at)
            if event.chain == 2:
                self.post_message(self.Opened())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Ask for more when the wheel comes near the end."""
        super().watch_scroll_y(old_value, new_value)
        if new_value > old_value and new_value + 3 * self.size.height > self.virtual_size.height:
            self.post_message(self.NearEnd())

    # -- drawing ---------------------------------------------------------------------------------

    def _style(self, part: str, here: Style | None) -> Style:
        style = self.component_style(f"results--{part}")
        if here is None:
            return style
        if here.reverse:  # sixteen colours turned over would be a rainbow
            return here
        # The row's own ground under the part's own ink.
        return style + Style(bgcolor=here.bgcolor, bold=here.bold or style.bold, reverse=here.reverse)

    def draw(self, place: int, width: int) -> Strip:
        """One of the lines of a hit."""
        at, part = divmod(place, self._row_cells)
        if at >= len(self.hits):
            return Strip.blank(width, self._style("faint", None))
        hit, here = self.hits[at], None
        if at == self._at:
            here = self.component_style("results--cursor" if self.has_focus else "results--cursor-blurred")
        edge = "▌" if at == self._at else " "
        sign = "✓" if part == 0 and (hit.commit.sha, hit.hunk) in self.marked else " "
        segments = [Segment(edge, self._style("rank", here)), Segment(sign, self._style("mark", here))]
        if self._compact:
            segments += self._one_line(hit, width - 2, here)
        elif part == 0:
            segments += self._first_line(hit, width - 2, here)
        else:
            segments += self._second_line(hit, width - 2, here)
        return Strip(segments).adjust_cell_length(width, here or self._style("faint", None))

    def _first_line(self, hit: Hit, width: int, here: Style | None) -> list[Segment]:
        risen = _risen(hit)
        return [
            Segment(f"{_fate_mark(hit)} ", self._style("badge", here)),
            Segment(fit(self._subject(hit), max(8, width - 8 - len(risen))), self._style("subject", here)),
            Segment(risen, self._style("badge", here)),
            Segment(f" {age(hit.commit.author_time, now=self.now):>4} ", self._style("age", here)),
        ]

    def _second_line(self, hit: Hit, width: int, here: Style | None) -> list[Segment]:
        author = cut(sanitize(hit.commit.author), min(_AUTHOR, width // 3))
        sha = f" {hit.commit.sha[:8]}" if width >= _WITH_SHA else ""
        room = max(0, width - 3 - cell_width(author) - len(sha) - 2)
        where = self._where(hit, room, here)
        gap = room - sum(cell_width(segment.text) for segment in where)
        return [
            Segment("  ", self._style("faint", here)),
            *where,
            Segment(" " * max(1, gap + 2), self._style("faint", here)),
            Segment(author, self._style("author", here)),
            Segment(sha, self._style("sha", here)),
            Segment(" ", self._style("faint", here)),
        ]

    def _one_line(self, hit: Hit, width: int, here: Style | None) -> list[Segment]:
        path_room = max(12, (width - 9) * 2 // 5)
        room = max(8, width - 2 - 6 - 1 - path_room)
        where = self._where(hit, path_room, here)
        gap = path_room - sum(cell_width(segment.text) for segment in where)
        return [
            Segment(f"{_fate_mark(hit)} ", self._style("badge", here)),
            Segment(fit(self._subject(hit), room), self._style("subject", here)),
            Segment(" ", self._style("faint", here)),
            *where,
            Segment(" " * max(0, gap), self._style("faint", here)),
            Segment(f" {age(hit.commit.author_time, now=self.now):>4} ", self._style("age", here)),
        ]

    def _subject(self, hit: Hit) -> str:
        """The subject of a hit; of a thread, its title and how many commits it has."""
        thread = self.threads.get(hit.thread) if hit.thread else None
        if thread is None:
            return sanitize(hit.commit.subject) or "(no message)"
        return f"≡{len(thread.commits)} {sanitize(thread.title) or '(no title)'}"

    def _where(self, hit: Hit, room: int, here: Style | None) -> list[Segment]:
        symbol = sanitize(hit.symbol) if hit.symbol else ""
        more = f" +{hit.more_in_commit}" if hit.more_in_commit else ""
        more += _copies(hit, room // 3)
        whole_path = sanitize(hit.path) + (f":{hit.line}" if hit.line else "") if hit.path else "(no file)"
        if self._several:
            whole_path = f"{sanitize(name_of(hit.repository))}: {whole_path}"
        # The path comes first; the symbol gets what it leaves, or a third where there is much room.
        left_over = room - cell_width(more) - cell_width(whole_path)
        symbol_room = max(left_over, room // 3 if room >= _ROOMY else 0)
        shown_symbol = cut(f" ▸ {symbol}", symbol_room) if symbol and symbol_room >= _LEAST_SYMBOL else ""
        path = cut_path(whole_path, room - cell_width(shown_symbol) - cell_width(more))
        return [
            Segment(path, self._style("path", here)),
            Segment(shown_symbol, self._style("symbol", here)),
            Segment(more, self._style("faint", here)),
        ]


def _copies(hit: Hit, room: int) -> str:
    """The branches that hold the same change in another commit, folded under this one."""
    branches = [sanitize(copy.branches[0]) for copy in hit.also_on if copy.branches]
    if not branches:
        return ""
    named = f" ⑂ {', '.join(branches)}"
    return named if cell_width(named) <= room else f" ⑂ {len(branches)}"


def _fate_mark(hit: Hit) -> str:
    """One sign for what became of the hunk's lines; blank where it is not known."""
    return MARKS[hit.fate.state] if hit.fate else " "


def _risen(hit: Hit) -> str:
    """How many more matches of a pattern of code there are after a hit."""
    return "" if hit.structural is None else f" {hit.structural.after - hit.structural.before:+,}"

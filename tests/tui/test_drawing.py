"""What a key draws: the lines that look different now, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from textual.app import App, ComposeResult

from tests.tui.hits import hit
from tui.theme import THEMES
from tui.widgets.diff_view import DiffView
from tui.widgets.results import ResultList

if TYPE_CHECKING:
    from textual.strip import Strip
    from textual.widget import Widget

    from tui.widgets.line_view import LineView

pytestmark = pytest.mark.anyio

LONG = hit("\n".join(f"+value_{at} = {at}" for at in range(200)))


class Alone(App[None]):
    """Nothing but a pane."""

    CSS = "LineView { border: round red; &:focus { border: round green; } }"

    def __init__(self, pane: Widget) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = "dark"
        self.pane = pane

    def compose(self) -> ComposeResult:
        yield self.pane


class Counted(DiffView):
    """Notes which lines it draws."""

    def __init__(self) -> None:
        super().__init__()
        self.places: list[int] = []

    def draw(self, place: int, width: int) -> Strip:
        self.places.append(place)
        return super().draw(place, width)


class CountedList(ResultList):
    """Notes which lines it draws."""

    def __init__(self) -> None:
        super().__init__()
        self.places: list[int] = []

    def draw(self, place: int, width: int) -> Strip:
        self.places.append(place)
        return super().draw(place, width)


def seen(pane: LineView) -> list[Strip]:
    return pane.render_lines(pane.outer_size.region)


async def test_what_is_scrolled_is_not_drawn_again() -> None:
    view = Counted()
    async with Alone(view).run_test(size=(60, 20)) as pilot:
        view.show(LONG)
        await pilot.pause()
        before = [strip.text for strip in seen(view)]
        view.places.clear()
        view.scroll_relative(y=3, animate=False, force=True)
        await pilot.pause()
        assert set(view.places) == {18, 19, 20}
        after = [strip.text for strip in seen(view)]
        assert after[1:-4] == [line[:-2] + after[1][-2:] for line in before[4:-1]]
        assert after[0].startswith("╭")
        assert after[-1].startswith("╰")


async def test_a_cursor_that_moves_draws_two_lines() -> None:
    view = Counted()
    async with Alone(view).run_test(size=(60, 20)) as pilot:
        view.show(LONG)
        await pilot.pause()
        view.places.clear()
        view.move_cursor(view.cursor + 1)
        await pilot.pause()
        assert sorted(view.places) == [2, 3]


async def test_focus_and_theme_change_every_line_with_its_border() -> None:
    view = DiffView()
    app = Alone(view)
    async with app.run_test(size=(60, 20)) as pilot:
        view.show(LONG)
        app.set_focus(None)
        await pilot.pause()
        looks = [seen(view)]
        view.focus()
        await pilot.pause()
        looks.append(seen(view))
        app.theme = "light"
        await pilot.pause()
        looks.append(seen(view))
        edges = {next(iter(lines[5])).style for lines in looks}
        assert len(edges) == len(looks)


async def test_more_hits_below_the_screen_draw_nothing() -> None:
    results = CountedList()
    async with Alone(results).run_test(size=(60, 12)) as pilot:
        results.show([LONG] * 4)
        await pilot.pause()
        results.places.clear()
        results.extend([LONG])
        await pilot.pause()
        assert set(results.places) == {8, 9}
        results.places.clear()
        results.extend([LONG] * 50)
        await pilot.pause()
        assert not results.places
        assert results.virtual_size.height == 110


async def test_hits_of_several_repositories_name_theirs() -> None:
    view = ResultList()
    ours, theirs = (replace(hit("+x = 1"), repository=f"/src/{name}") for name in ("ours", "theirs"))
    async with Alone(view).run_test(size=(100, 20)) as pilot:
        view.show([ours, ours])
        await pilot.pause()
        assert not any("ours:" in strip.text for strip in seen(view))
        view.extend([theirs])
        await pilot.pause()
        shown = "\n".join(strip.text for strip in seen(view))
        assert shown.count("ours: net/client.py") == 2
        assert shown.count("theirs: net/client.py") == 1

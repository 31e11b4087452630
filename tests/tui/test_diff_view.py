"""The diff on screen: what is read there, how one moves in it, and that size does not matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.app import App, ComposeResult

from ohara.errors import RepositoryError
from ohara.model import Hit, Match
from tests.tui.hits import hit
from tui.theme import THEMES
from tui.widgets.diff_view import DiffView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.pilot import Pilot

pytestmark = pytest.mark.anyio

BODY = " import os\n-port = 80\n+port = 443\n+\ttimeout = 5 \n done"
HOSTILE = '+\x1b[31mred [bold]not bold[/] 한국 \u202e"\n+e\u0301 \u0301 z\u0301\u0308\u0303\u0304'


class Shown(App[None]):
    """Nothing but a diff."""

    def __init__(self) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = "dark"
        self.chosen: list[DiffView.LineChosen] = []
        self.reached: list[int] = []

    def compose(self) -> ComposeResult:
        yield DiffView()

    def on_diff_view_line_chosen(self, message: DiffView.LineChosen) -> None:
        self.chosen.append(message)

    def on_diff_view_hit_reached(self, message: DiffView.HitReached) -> None:
        self.reached.append(message.number)


def screen_of(app: App[None]) -> list[str]:
    view = app.query_one(DiffView)
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


async def test_a_hunk_is_shown_with_signs_numbers_and_marks() -> None:
    app = Shown()
    async with app.run_test(size=(60, 10)) as pilot:
        app.query_one(DiffView).show(hit(BODY, symbol="serve", matches=(Match(2, 7, 10),)))
        await pilot.pause()
        heading, where, *lines = screen_of(app)
        assert heading == " ▌net/client.py"
        assert where.startswith(" @@ -10,3 +10,4 @@ serve ──")
        assert lines[:5] == [
            " 10  10    import os",
            " 11      - port = 80",
            "     11 ▸+ port = 443",
            "     12  +     timeout = 5",
            " 12  13    done",
        ]
        matched = [segment for segment in app.query_one(DiffView).render_line(4) if segment.text == "443"]
        assert matched[0].style is not None
        assert (matched[0].style.bold, matched[0].style.underline) == (None, True)


async def test_nothing_in_a_hunk_is_obeyed_and_every_line_is_as_wide_as_the_pane() -> None:
    app = Shown()
    async with app.run_test(size=(50, 10)) as pilot:
        view = app.query_one(DiffView)
        view.show(hit(HOSTILE, path="a\x1b]0;title\x07[red].py"))
        await pilot.pause()
        forms: list[Callable[[], None]] = [view.toggle_split, view.toggle_whitespace, view.toggle_numbers]
        for form in forms:
            form()
            await pilot.pause()
            text = "\n".join(screen_of(app))
            assert not {"\x1b", "\x07", "\u202e"} & set(text)
            assert "[bold]" in text.replace("·", " ")
            assert {view.render_line(y).cell_length for y in range(10)} == {view.text_size.width}


async def test_a_line_that_goes_on_beyond_the_edge_says_so_and_can_be_followed() -> None:
    app = Shown()
    async with app.run_test(size=(40, 8)) as pilot:
        view = app.query_one(DiffView)
        view.show(hit("+short\n+" + "0123456789" * 5))
        await pilot.pause()
        short, long = screen_of(app)[2:4]
        assert short.endswith("short")
        assert long.endswith("…")
        assert len(long) == view.text_size.width
        for _ in range(5):
            view.scroll_sideways(1)
        await pilot.pause()
        assert screen_of(app)[3].endswith("89")


async def test_arrows_take_the_cursor_along_in_a_diff_that_is_read() -> None:
    app = Shown()
    async with app.run_test(size=(60, 12)) as pilot:
        view = app.query_one(DiffView)
        view.show(hit("\n".join(f"+{at}" for at in range(60))))
        view.focus()
        for step, cursor in ((1, 3), (-1, 2)):
            view.scroll_diff(step)
            assert view.cursor == cursor
        view.move_to_last()
        assert view.cursor == 61
        view.move_cursor(0)
        view.move_page(1)
        view.move_page(1)
        await pilot.pause()
        assert view.scroll_offset.y <= view.cursor < view.scroll_offset.y + view.size.height


async def test_another_diff_does_not_lay_the_screen_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Shown()
    async with app.run_test(size=(60, 12)) as pilot:
        view = app.query_one(DiffView)
        view.show(hit(BODY))
        await pilot.pause()
        laid_out: list[object] = []
        monkeypatch.setattr(app.screen, "_refresh_layout", lambda *given: laid_out.append(given))
        long = hit("\n".join(f"+line {at} " + "x" * 90 for at in range(40)))
        for shown in (long, hit("+one"), long):
            view.show(shown)
            await pilot.pause()
        assert laid_out == []
        assert view.max_scroll_y > 0


async def test_the_form_can_be_changed_and_the_cursor_stays_on_its_line() -> None:
    app = Shown()
    async with app.run_test(size=(60, 12)) as pilot:
        view = app.query_one(DiffView)
        view.show(hit(BODY))
        view.move_cursor(4)
        assert view.selected_line is not None
        assert (view.selected_line.line, view.selected_line.text) == (11, "port = 443")
        view.toggle_split()
        await pilot.pause()
        assert view.is_split
        assert " 11 ▸- port = 80             │ 11 ▸+ port = 443" in screen_of(app)
        assert view.selected_line is not None
        assert view.selected_line.text == "port = 443"
        view.toggle_numbers()
        view.toggle_whitespace()
        await pilot.pause()
        assert any("+ →   timeout·=·5·" in line for line in screen_of(app))
        view.toggle_split()
        view.toggle_whitespace()
        await pilot.pause()
        assert screen_of(app)[3] == " - port = 80"


async def test_matches_and_hunks_are_stepped_through_and_round() -> None:
    app = Shown()
    far = "\n".join([*(f" {n}" for n in range(60)), "+found"])
    first = hit(BODY, matches=(Match(2, 0, 4),))
    second = hit(far, path="b.py", matches=(Match(60, 0, 5),))
    async with app.run_test(size=(60, 10)) as pilot:
        view = app.query_one(DiffView)
        view.show([first, second])
        assert (len(view._document.matches), view.cursor) == (2, 4)
        assert view.next_match()
        assert (view.selected_hit, app.query_one(DiffView).cursor) == (second, 69)
        await pilot.pause()
        assert any("▸+ found" in line for line in screen_of(app))
        assert view.next_match()
        assert view.cursor == 4
        assert view.previous_match()
        assert view.cursor == 69
        assert view.previous_hunk()
        assert view.cursor == 8
        assert view.go_to_hit(0)
        await pilot.pause()
        assert app.reached[-1] == 0
        view.clear()
        assert not view.next_match()
        assert (view.selected_line, view.selected_hit, view.selected_text) == (None, None, "")


async def test_more_context_is_fetched_and_less_is_at_hand() -> None:
    asked: list[tuple[int, int]] = []

    async def lines_around(_: Hit, first: int, last: int) -> Sequence[str]:
        asked.append((first, last))
        return [f"line {number}" for number in range(first, last + 1)]

    app = Shown()
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.query_one(DiffView)
        view.lines_around = lines_around
        view.show(hit(BODY))
        view.more_context()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert [each for each in asked if each[0] > 1] == [(6, 17)]  # the others are for its colours
        text = screen_of(app)
        assert text[2] == "  6   6    line 6"
        assert "     11 ▸+ port = 443" in text or " 11     ▸- port = 80" in text
        view.less_context()
        view.less_context()
        await pilot.pause()
        assert not [line for line in screen_of(app) if "line" in line or "import" in line]

        async def refused(_: Hit, first: int, last: int) -> Sequence[str]:
            raise RepositoryError(f"{first} to {last} cannot be read", hint="")

        view.lines_around = refused
        view.more_context()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert any("port = 443" in line for line in screen_of(app))


async def test_text_is_selected_with_the_mouse_and_a_line_chosen_by_two_clicks() -> None:
    app = Shown()
    async with app.run_test(size=(60, 12)) as pilot:
        view = app.query_one(DiffView)
        view.show(hit(BODY))
        await pilot.pause()
        await pilot.mouse_down(DiffView, offset=(18, 4))
        await pilot.hover(DiffView, offset=(20, 5))
        await pilot.mouse_up(DiffView, offset=(20, 5))
        assert view.selected_text == "443\n\ttimeo"
        await pilot.click(DiffView, offset=(15, 6), times=2)
        await pilot.pause()
        assert [message.line.text for message in app.chosen] == ["done"]


async def test_scrolling_takes_the_cursor_along_and_the_cursor_the_view() -> None:
    app = Shown()
    async with app.run_test(size=(40, 12)) as pilot:
        view = app.query_one(DiffView)
        view.show(hit("\n".join(f"+{n} {'x' * 90}" for n in range(1, 200))))
        await pilot.pause()
        app.set_focus(None)
        view.scroll_diff(pages=2)
        await pilot.pause()
        assert view.scroll_offset.y == view.cursor == 20
        view.focus()
        await pilot.pause()
        for _ in range(12):
            view.scroll_diff(lines=1)
        await pilot.pause()
        assert view.cursor == 32
        assert view.scroll_offset.y > 20
        view.scroll_sideways(1)
        await pilot.pause()
        assert view.scroll_offset.x == 12
        assert "+ xxxx" in screen_of(app)[5]


async def test_twenty_thousand_lines_draw_only_what_is_seen() -> None:
    app = Shown()
    lines = "\n".join(("+" if n % 3 else " ") + f"value_{n} = compute({n})" for n in range(20_000))
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.query_one(DiffView)
        view.show(hit(lines, top=1, old_top=1))
        view.move_cursor(15_000)
        await pilot.pause()
        assert any("▸" in line and "value_14998" in line for line in screen_of(app))
        assert view.virtual_size.height == 20_002
        assert len(view._drawn) < 100


# -- pictures ---------------------------------------------------------------------------------------

PICTURED = """\
 import socket

-def connect(host, port=80, retries=3):
+def connect(host, port=443, retries=5, backoff=0.5):
     \"\"\"Connect to a host.\"\"\"
-    return socket.create_connection((host, port))
+    for attempt in range(retries):
+        try:
+            return socket.create_connection((host, port))
+        except OSError:
+            time.sleep(backoff * 2**attempt)  # wait longer each time

 class Client:"""


@pytest.mark.parametrize("form", ["unified", "split"])
@pytest.mark.parametrize("theme", ["dark", "light", "ansi", "no colour"])
def test_picture(
    snap_compare: Callable[..., bool], monkeypatch: pytest.MonkeyPatch, theme: str, form: str
) -> None:
    if theme != "no colour":
        monkeypatch.delenv("NO_COLOR")

    async def before(pilot: Pilot[None]) -> None:
        if theme != "no colour":
            pilot.app.theme = theme
        view = pilot.app.query_one(DiffView)
        view.show(
            [
                hit(PICTURED, symbol="connect", matches=(Match(6, 25, 32), Match(10, 23, 30))),
                hit("+retry = true\n+backoff = 0.5", path="settings.toml"),
            ]
        )
        if form == "split":
            view.toggle_split()
        view.focus()
        await pilot.pause()

    assert snap_compare(Shown(), terminal_size=(110, 24), run_before=before)

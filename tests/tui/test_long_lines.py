"""Lines of thousands of characters: read whole, their matches found and brought into view."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from ohara.model import Match
from tests.indexing import index
from tests.tui.driving import running, text_of, until, until_complete
from tests.tui.hits import hit
from tests.tui.test_browse_screens import commit_shown, said
from tui.cells import cell_width, within_cells
from tui.diff.context import marked_like
from tui.diff.document import DiffDocument

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

pytestmark = pytest.mark.anyio

WORDS = " ".join(f"word{number}" for number in range(300))


@pytest.fixture
def long(tmp_path: Path, parcel: Path) -> Repo:
    """A history with a paragraph in one line, and with lines of a megabyte."""
    assert parcel.is_dir()
    wide = "".join(f"部品{number}、" for number in range(20_000))
    with History(tmp_path / "long") as history:
        history.commit("Add a paragraph", {"para.md": WORDS + "\n"}, key="para")
        body = "a" * 300_000 + " sprocket " + "b" * 300_000
        history.commit("Add what a program wrote", {"bundle.txt": f"first\n{body}\nlast\n"}, key="bundle")
        history.commit("Add wide words", {"wide.md": f"{wide}\n"}, key="wide")
    index(history.repo)
    return history.repo


async def test_a_match_far_to_the_right_is_shown_marked_and_found(long: Repo) -> None:
    async with running(long.path, '"word250"', asked=True) as (app, pilot):
        await until_complete(pilot)
        assert "word249 word250 word251" in text_of(app)
        assert WORDS in app.search.diff.hits[0].excerpt
        await pilot.press("enter")
        screen = await commit_shown(pilot, long.sha["para"])
        await until_complete(pilot)
        assert "word250" in text_of(app)  # not wrapped: scrolled to
        await pilot.press("Z")
        assert screen.diff.hits[0].excerpt.split("\n")[0] == f"+{WORDS}"
        shown = "".join(line.split("↪")[-1].strip("│ ▕") for line in text_of(app).split("\n"))
        assert "word250" in shown.replace(" ", "")
        assert (
            text_of(app).count("•") + text_of(app).count("▸") == 1
        )  # the part with the match alone is marked
        await pilot.press("tab", "n")
        assert "No match is marked here." not in said(app)
        document = screen.diff._document
        row = document.rows[document.row_at(screen.diff.cursor)]
        assert [row.text[start:end] for start, end in row.matches] == ["word250"]
        cells = document.part_at(screen.diff.cursor) * document.wrap
        assert cells <= row.text.index("word250") < cells + document.wrap
        await pilot.press("slash", *"word251", "enter")
        await until(pilot, lambda: "1 line with word251." in said(app))


async def test_of_a_line_of_a_megabyte_the_part_with_the_match_is_shown(long: Repo) -> None:
    async with running(long.path, '"sprocket"', asked=True) as (app, pilot):
        await until_complete(pilot)
        await pilot.press("enter")
        screen = await commit_shown(pilot, long.sha["bundle"])
        await until_complete(pilot)
        assert " sprocket " in text_of(app)
        lines = screen.diff.hits[0].excerpt.split("\n")
        assert (lines[0], lines[2]) == ("+first", "+last")
        assert len(lines[1]) < 50_100
        assert lines[1].endswith("b… (275,009 more characters)")
        await pilot.press("tab", "slash", *"gasket", "enter")
        await until(
            pilot,
            lambda: "Nothing shown here holds gasket; of 1 long line only a part is here." in said(app),
        )


async def test_long_lines_of_wide_characters_are_wrapped_and_scrolled_through_at_once(long: Repo) -> None:
    async with running(long.path) as (app, pilot):
        app.open_commit(long.sha["wide"])
        screen = await commit_shown(pilot, long.sha["wide"])
        await until_complete(pilot)
        await pilot.press("Z", "tab")
        began = time.monotonic()
        for _ in range(10):
            await pilot.press("pagedown")
        assert (
            time.monotonic() - began < 5
        )  # a screen took four when each part was measured from the beginning
        document = screen.diff._document
        assert document.height > 800
        assert "部品" in text_of(app)


def test_the_part_of_a_cut_line_with_its_match_is_kept_in_the_whole_hunk() -> None:
    line = "+(9,000 more characters) …" + "x" * 500 + "needle"
    found = hit(line, matches=(Match(0, 525, 531),))
    whole = hit(" above\n+" + "y" * 500 + "… (9,006 more characters)\n below")
    marked = marked_like(whole, found)
    assert marked.excerpt == f" above\n{line}\n below"
    (match,) = marked.matches
    assert marked.excerpt.split("\n")[match.line][1:][match.start : match.end] == "needle"


def test_matches_of_a_wrapped_line_are_gone_through_part_by_part() -> None:
    text = "needle " + "x" * 93 + "needle" + "x" * 100 + "needle"
    places = tuple(Match(0, at, at + 6) for at in range(len(text)) if text.startswith("needle", at))
    document = DiffDocument((hit(f"+{text}", matches=places),), wrap=50)
    first = document.position_of(document.row_at(document.matches[0]))
    assert [position - first for position in document.matches] == [0, 2, 4]
    assert document.opening() == document.matches[0]
    looked = DiffDocument((hit(f"+{text}"),), wrap=50, wanted="needle")
    assert looked.found == document.matches
    assert looked.lines_found == 1


@pytest.mark.parametrize(
    ("left", "right", "shown"),
    [(0, 1, "a"), (1, 3, "中"), (2, 4, "中b"), (3, 4, "b\u0301"), (4, 9, "")],
)
def test_a_stretch_of_cells_has_whole_characters_with_their_marks(left: int, right: int, shown: str) -> None:
    text = "a中b\u0301"
    first, last = within_cells(text, left, right)
    assert text[first:last].replace("\u0301", "") == shown.replace("\u0301", "")
    assert cell_width(text) == 4
    assert ("\u0301" in text[first:last]) == (right >= 4 and left < 4)

"""The recording of the first page: a well-formed picture of what was printed, and of today's session."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from tests.process import ROOT
from tests.recording import COLUMNS, SESSION, Step, picture, typed

SVG = "{http://www.w3.org/2000/svg}"
PICTURE = ROOT / "docs" / "images" / "session.svg"


def lines(source: str) -> list[str]:
    """The lines of text in a picture."""
    root = ET.fromstring(source)  # noqa: S314 - our own
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


def test_what_was_printed_is_shown_with_its_colours_and_nothing_else() -> None:
    step = Step("ohara find '<b>&'", ("\x1b[33mabc\x1b[0m \x1b[1;31m<x>\x1b[0m", "", "y" * 200))
    source = picture([step, Step("ohara", ("z",))])
    assert lines(source) == ["$ ohara find '<b>&'", "abc <x>", "y" * COLUMNS, "$ ohara", "z"]
    assert '<tspan class="y">abc</tspan> <tspan class="b r">&lt;x&gt;</tspan>' in source
    assert lines(picture([step, Step("ohara", ("z",))], frame=1)) == ["$ ohara", "z"]
    assert "\x1b" not in source


def test_the_picture_of_the_first_page_is_of_the_session_and_small() -> None:
    shown = lines(PICTURE.read_text(encoding="utf-8"))
    assert [line for line in shown if line.startswith("$ ")] == [f"$ {typed(command)}" for command in SESSION]
    assert PICTURE.stat().st_size < 300_000

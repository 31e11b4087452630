"""Code is coloured by its language, in the columns it has, and never at any price."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App

from tests.process import python
from tests.tui.driving import until
from tests.tui.hits import hit
from tui import highlight
from tui.diff.file_colours import lines_before, read_colours
from tui.highlight import Syntax, spans
from tui.widgets.diff_view import DiffView

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ohara.model import Hit

CODE = ["@cache", "def total(n: int) -> str:", '    return f"{n} items"  # all of them']


def told(path: str, lines: list[str]) -> list[dict[str, Syntax]]:
    return [
        {line[span.start : span.end]: span.syntax for span in found}
        for line, found in zip(lines, spans(path, lines), strict=True)
    ]


def test_python_is_read_as_python() -> None:
    decorator, header, body = told("src/a.py", CODE)
    assert decorator["@cache"] is Syntax.TAG
    assert (header["def"], header["total"], header["int"]) == (Syntax.KEYWORD, Syntax.NAME, Syntax.BUILTIN)
    assert (body["return"], body["# all of them"]) == (Syntax.KEYWORD, Syntax.COMMENT)


@pytest.mark.parametrize(
    ("path", "line", "word", "syntax"),
    [
        ("lib/main.rs", 'fn main() { let x = "hi"; }', "fn", Syntax.KEYWORD),
        ("Makefile", "# make it", "# make it", Syntax.COMMENT),
        ("README.md", "# Title", "# Title", Syntax.HEADING),
        ("a.json", '{"k": 12}', "12", Syntax.NUMBER),
    ],
)
def test_other_languages_are_known_by_name(path: str, line: str, word: str, syntax: Syntax) -> None:
    assert told(path, [line])[0][word] is syntax


def test_what_is_not_known_stays_plain() -> None:
    assert spans("notes.unknown-thing", ["def x"]) == ((),)
    assert spans("", ["def x"]) == ((),)
    assert spans("a.py", ["def x"] * 20_000) == ((),) * 20_000


def test_a_string_that_goes_on_is_a_string_on_every_line() -> None:
    _, middle, _ = told("a.py", ['"""One.', "def not_code", '"""'])
    assert set(middle.values()) == {Syntax.STRING}


@given(st.lists(st.text(max_size=30).map(lambda text: text.replace("\n", " ")), max_size=12))
def test_stretches_lie_within_their_lines_and_do_not_overlap(lines: list[str]) -> None:
    for path in ("a.py", "a.html", "a.md"):
        for line, found in zip(lines, spans(path, lines), strict=True):
            edges = [edge for span in found for edge in (span.start, span.end)]
            assert edges == sorted(edges)
            assert not edges or (edges[0] >= 0 and edges[-1] <= len(line))


def test_nothing_is_loaded_before_something_is_coloured() -> None:
    script = "import sys, tui.highlight, tui.diff.document; print('pygments' in sys.modules)"
    assert python("-c", script).stdout == "False\n"


def test_what_was_coloured_once_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ("remembered = 1", "# of a file")
    first = highlight.spans("a/memory.py", lines)
    monkeypatch.setattr(highlight, "_lexer", None)
    assert highlight.spans("a/memory.py", list(lines)) is first


def test_lexers_are_loaded_before_they_are_needed() -> None:
    highlight._lexer.cache_clear()
    highlight.prepare(["src/server.c", "lib/server.c", "README.rst", "no.such-kind", ""])
    loaded = highlight._lexer.cache_info().currsize
    assert highlight.spans("x/server.c", ["int port = 80;"])[0]
    assert highlight._lexer.cache_info().currsize == loaded


PROSE = "def of course this is no code: it's prose"
DOCSTRING = ['"""Keeps rows.', "", PROSE, "for everybody to read.", '"""', "", "import os"]


def test_a_hunk_inside_a_string_is_coloured_as_one_with_the_lines_before_it() -> None:
    part = hit(f" {PROSE}\n-for all\n+for everybody to read.", top=3, old_top=3)
    assert any(span.syntax is Syntax.KEYWORD for span in spans("a.py", [PROSE])[0])
    colours = read_colours(part, DOCSTRING[: lines_before(part)])
    for found in (*colours.new.values(), *colours.old.values()):
        assert {span.syntax for span in found} == {Syntax.STRING}
    assert sorted(colours.new) == [3, 4]
    assert sorted(colours.old) == [3, 4]


@pytest.mark.anyio
async def test_a_diff_takes_the_colours_of_its_file_once_nothing_moves() -> None:
    class Shown(App[None]):
        def compose(self) -> ComposeResult:
            yield DiffView(lines_around=self.lines_around)

        async def lines_around(self, _: Hit, first: int, last: int) -> list[str]:
            return DOCSTRING[first - 1 : last]

    app = Shown()
    async with app.run_test(size=(60, 12)) as pilot:
        view = app.query_one(DiffView)
        view.show(hit(f" {PROSE}\n+for everybody to read.", top=3, old_top=3))
        await until(pilot, lambda: view._colours.known)
        numbers = [at for at, row in enumerate(view._document.rows) if row.is_line]
        assert {span.syntax for at in numbers for span in view._document.colours.of(at)} == {Syntax.STRING}

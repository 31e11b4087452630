"""Code is coloured by its language, in the columns it has, and never at any price."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.process import python
from tui import highlight
from tui.highlight import Syntax, spans

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

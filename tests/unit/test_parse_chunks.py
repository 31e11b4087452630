"""Where long hunks are cut, and what the pieces say of themselves."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

import pytest

from ohara.model import Hunk
from ohara.parse import outline as outline_module
from ohara.parse.chunks import CHUNK_CHARS, CHUNK_LINES, reads_old, split


def added(text: str, *, header: str = "") -> Hunk:
    """A new file as git shows it."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return Hunk(0, 0, 1, len(lines), header, "\n".join(f"+{line}" for line in lines))


def removed(hunk: Hunk) -> Hunk:
    """The same file, deleted."""
    return Hunk(
        1, hunk.new_lines, 0, 0, hunk.header, "\n".join(f"-{line[1:]}" for line in hunk.body.split("\n"))
    )


def mixed(body: str, *, old_start: int = 10, new_start: int = 10, header: str = "") -> Hunk:
    body = dedent(body).strip("\n")
    signs = [line[:1] for line in body.split("\n")]
    kept = signs.count(" ")
    return Hunk(old_start, kept + signs.count("-"), new_start, kept + signs.count("+"), header, body)


def first_lines(pieces: tuple[Hunk, ...]) -> list[str]:
    return [piece.body.split("\n")[0][1:].strip() for piece in pieces]


def ranges(pieces: tuple[Hunk, ...]) -> list[tuple[int, int]]:
    return [(piece.new_start, piece.new_lines) for piece in pieces]


def function(name: str, lines: int) -> str:
    body = "".join(f"    {name}_{number} = compute({number})\n" for number in range(lines - 1))
    return f"def {name}(x):\n{body}"


def method(name: str, lines: int) -> str:
    return "".join(f"    {line}\n" for line in function(name, lines).splitlines())


def test_a_hunk_within_the_budget_is_itself() -> None:
    hunk = added(function("name", CHUNK_LINES))
    assert len(hunk.body) > CHUNK_CHARS
    assert split(hunk, b"", "python", chars=10_000) == (hunk,)
    assert split(hunk, b"", "python", chars=10_000)[0] is hunk
    exact = added("x\n" * CHUNK_LINES)
    assert split(exact, None, None) == (exact,)
    assert len(split(added("x\n" * (CHUNK_LINES + 1)), None, None)) == 2


def test_a_short_hunk_parses_nothing() -> None:
    code = (
        "import sys; from ohara.model import Hunk; from ohara.parse.chunks import split;"
        "split(Hunk(0, 0, 1, 1, '', '+x = 1'), b'x = 1', 'python'); print('tree_sitter' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"


def test_whole_functions_are_merged_up_to_the_budget() -> None:
    text = "\n\n".join(function(name, 12) for name in "abcdef")
    pieces = split(added(text), text.encode(), "python", chars=10_000, lines=30)
    assert first_lines(pieces) == ["def a(x):", "def c(x):", "def e(x):"]
    assert [piece.header for piece in pieces] == ["", "", ""]
    assert ranges(pieces) == [(1, 28), (29, 28), (57, 26)]


def test_a_function_too_large_is_cut_inside_and_keeps_its_signature() -> None:
    text = function("small", 14) + "\n\n" + function("large", 70) + "\n\n" + function("last", 20)
    pieces = split(added(text, header="ignored"), text.encode(), "python", chars=10_000, lines=40)
    assert first_lines(pieces)[0] == "def small(x):"
    assert [piece.header for piece in pieces] == ["ignored", "", "def large(x):", ""]
    assert first_lines(pieces)[-1] == "def last(x):"


def test_a_large_class_is_cut_between_its_methods() -> None:
    text = "class Cart(Base):\n    '''What a customer wants.'''\n\n" + "\n".join(
        method(name, 14) for name in ("add", "drop", "total", "clear")
    )
    pieces = split(added(text), text.encode(), "python", chars=10_000, lines=20)
    assert first_lines(pieces) == ["class Cart(Base):", "def drop(x):", "def total(x):", "def clear(x):"]
    assert [piece.header for piece in pieces] == ["", *["class Cart(Base):"] * 3]


def test_the_signature_is_the_line_with_the_name() -> None:
    body = "".join(f"        int x{number} = {number};\n" for number in range(40))
    text = (
        'class Cart {\n    @Override\n    @SuppressWarnings({"unchecked"})\n'
        f"    public int total(\n            int rate) {{\n{body}    }}\n}}\n"
    )
    pieces = split(added(text), text.encode(), "java", chars=10_000, lines=20)
    assert {piece.header for piece in pieces[1:]} == {"public int total("}


def test_a_comment_stays_with_what_it_explains() -> None:
    text = "\n".join(f"# Explains {name}.\n# At length.\n{function(name, 9)}" for name in "abcd")
    pieces = split(added(text), text.encode(), "python", chars=10_000, lines=15)
    assert first_lines(pieces) == [f"# Explains {name}." for name in "abcd"]


def test_a_piece_does_not_begin_with_a_closing_brace() -> None:
    block = "".join(f"    x{number}();\n" for number in range(9))
    text = "".join(f"if (a{number}) {{\n{block}}} else {{\n    y();\n}}\n" for number in range(6))
    pieces = split(added(text), text.encode(), "javascript", chars=10_000, lines=17)
    assert all(line.startswith("if (") for line in first_lines(pieces))


def test_a_piece_that_begins_inside_a_function_ends_with_it() -> None:
    text = function("large", 60) + "\n\n" + function("next", 10) + "\n\n" + function("last", 10)
    pieces = split(added(text), text.encode(), "python", chars=10_000, lines=40)
    assert ranges(pieces) == [(1, 40), (41, 22), (63, 22)]
    assert first_lines(pieces)[-1] == "def next(x):"
    assert pieces[1].header == "def large(x):"


def test_without_a_grammar_blank_lines_and_margins_decide() -> None:
    text = "\n".join(f"section-{number}:\n" + "  key: value\n" * 12 for number in range(6))
    pieces = split(added(text), None, "yaml", chars=10_000, lines=30)
    assert first_lines(pieces) == ["section-0:", "section-2:", "section-4:"]


def test_without_a_grammar_the_header_is_the_line_around() -> None:
    text = "jobs:\n  build:\n" + "".join(f"    - run: step-{number}\n" for number in range(50))
    pieces = split(added(text), None, "yaml", chars=10_000, lines=20)
    assert [piece.header for piece in pieces] == ["", "build:", "build:"]


def test_sections_of_documents_are_headers() -> None:
    prose = "Words on words, and more of them.\n\n" * 12
    text = f"# Title\n\n{prose}## Part\n\n{prose}{prose}"
    pieces = split(added(text), None, "markdown", chars=10_000, lines=30)
    assert first_lines(pieces)[0] == "# Title"
    assert {piece.header for piece in pieces[2:]} == {"## Part"}


def test_a_line_is_never_cut() -> None:
    long = "x" * 5_000_000
    hunk = added(f"a = 1\nb = '{long}'\nc = 2\n")
    pieces = split(hunk, None, "python")
    assert [piece.body.count("\n") + 1 for piece in pieces] == [1, 1, 1]
    assert "\n".join(piece.body for piece in pieces) == hunk.body
    assert ranges(pieces) == [(1, 1), (2, 1), (3, 1)]


def test_the_remark_on_a_missing_newline_stays_with_its_line() -> None:
    body = "".join(f"+line {number}\n" for number in range(60)) + "+last\n\\ No newline at end of file"
    pieces = split(Hunk(0, 0, 1, 61, "", body), None, None, lines=61, chars=100)
    assert pieces[-1].body.endswith("+last\n\\ No newline at end of file")
    assert sum(piece.new_lines for piece in pieces) == 61
    tight = split(Hunk(0, 0, 1, 2, "", "+a\n+b\n\\ No newline at end of file"), None, None, chars=5, lines=1)
    assert [piece.body for piece in tight] == ["+a", "+b\n\\ No newline at end of file"]


def test_a_removal_stays_with_what_replaces_it() -> None:
    change = "-old {0} a\n-old {0} b\n+new {0} a\n+new {0} b\n+new {0} c\n kept {0}\n"
    hunk = mixed("".join(change.format(number) for number in range(20)))
    pieces = split(hunk, None, None, chars=10_000, lines=16)
    for piece in pieces:
        signs = "".join(line[0] for line in piece.body.split("\n"))
        assert signs.startswith("-")
        assert "-+" in signs
        assert signs.count("-") * 3 == signs.count("+") * 2


def test_a_replacement_too_long_is_cut_between_its_sides() -> None:
    hunk = mixed(
        "".join(f"-old {number}\n" for number in range(25)) + "".join(f"+new {n}\n" for n in range(25))
    )
    pieces = split(hunk, None, None, chars=10_000, lines=30)
    assert [{line[0] for line in piece.body.split("\n")} for piece in pieces] == [{"-"}, {"+"}]
    assert [(piece.old_start, piece.old_lines, piece.new_start, piece.new_lines) for piece in pieces] == [
        (10, 25, 9, 0),
        (34, 0, 10, 25),
    ]


def test_a_few_removals_go_with_the_first_of_many_additions() -> None:
    hunk = mixed("-old\n-old too\n" + "".join(f"+new {number}\n" for number in range(60)))
    first, *_ = split(hunk, None, None, chars=10_000, lines=30)
    assert first.body.startswith("-old\n-old too\n+new 0\n+new 1")


def test_ranges_of_a_hunk_in_the_middle_of_a_file() -> None:
    hunk = mixed(
        """
         a
        -b
        +B
         c
        +D
         e
        """,
        old_start=100,
        new_start=120,
        header="def f():",
    )
    pieces = split(hunk, None, None, chars=10_000, lines=3)
    assert [
        (piece.old_start, piece.old_lines, piece.new_start, piece.new_lines, piece.body) for piece in pieces
    ] == [(100, 2, 120, 2, " a\n-b\n+B"), (102, 2, 122, 3, " c\n+D\n e")]
    assert [piece.header for piece in pieces] == ["def f():"] * 2


def test_context_belongs_to_a_piece_with_a_change() -> None:
    wide = "x" * 400
    body = "\n".join(
        [
            f" {wide}1",
            f" {wide}2",
            f" {wide}3",
            "+new",
            *(f" {wide}{at}" for at in range(6)),
            "-old",
            f" {wide}4",
        ]
    )
    pieces = split(Hunk(1, 11, 1, 11, "", body), None, None, chars=500, lines=60)
    assert "\n".join(piece.body for piece in pieces) == body
    assert [[line for line in piece.body.split("\n") if line[0] in "+-"] for piece in pieces] == [
        ["+new"],
        ["-old"],
    ]


def test_a_deleted_file_is_cut_by_its_old_self() -> None:
    text = "\n\n".join(function(name, 12) for name in "abcdef")
    new = added(text)
    old = removed(new)
    assert reads_old(old)
    assert not reads_old(new)
    pieces = split(old, text.encode(), "python", chars=10_000, lines=30)
    assert [piece.body.replace("\n-", "\n+") for piece in pieces] == [
        piece.body.replace("+", "-", 1)
        for piece in split(new, text.encode(), "python", chars=10_000, lines=30)
    ]
    assert [(piece.old_start, piece.old_lines, piece.new_start, piece.new_lines) for piece in pieces] == [
        (1, 28, 0, 0),
        (29, 28, 0, 0),
        (57, 26, 0, 0),
    ]


@pytest.mark.parametrize("source", [None, b"", b"something\nelse\nentirely\n" * 40, b"\0" * 50])
def test_without_its_source_a_hunk_is_cut_by_its_own_lines(source: bytes | None) -> None:
    text = "\n\n".join(function(name, 12) for name in "abcdef")
    expected = split(added(text), text.encode(), "python", chars=10_000, lines=30)
    assert split(added(text), source, "python", chars=10_000, lines=30) == expected


def test_a_hunk_inside_a_function_takes_its_signature_from_the_file() -> None:
    text = "import os\n\n\n" + function("handle", 100)
    lines = text.split("\n")[20:90]
    hunk = Hunk(20, 0, 21, len(lines), "import os", "\n".join(f"+{line}" for line in lines))
    with_file = split(hunk, text.encode(), "python", chars=10_000, lines=30)
    assert [piece.header for piece in with_file] == ["import os", "def handle(x):", "def handle(x):"]
    without = split(hunk, None, "python", chars=10_000, lines=30)
    assert [piece.header for piece in without] == ["import os"] * 3


def test_carriage_returns_and_odd_bytes_are_kept() -> None:
    text = (
        "\n\n".join(function(name, 12) for name in "abcd").replace("\n", "\r\n")
        + "# caf\ufffd \x0c \u2028 x\n"
    )
    source = text.replace("\ufffd", "é").encode("latin-1", "replace")
    hunk = added(text)
    pieces = split(hunk, source, "python", chars=10_000, lines=30)
    assert "\n".join(piece.body for piece in pieces) == hunk.body
    assert first_lines(pieces)[1] == "def c(x):"


def test_a_file_is_parsed_once_for_all_its_hunks() -> None:
    outline_module._parsed.cache_clear()
    text = "\n\n".join(function(name, 50) for name in "abcd")
    whole = text.split("\n")
    for first in (0, 52, 104):
        lines = whole[first : first + 40]
        hunk = Hunk(first, 0, first + 1, len(lines), "", "\n".join(f"+{line}" for line in lines))
        assert len(split(hunk, text.encode(), "python", chars=10_000, lines=20)) >= 2
    assert outline_module._parsed.cache_info().misses == 1


def test_hostile_nesting_is_cut_by_lines() -> None:
    text = "\n".join("(" * 50 for _ in range(200))
    hunk = added(text)
    for language in ("python", "javascript", "cpp"):
        pieces = split(hunk, text.encode(), language)
        assert "\n".join(piece.body for piece in pieces) == hunk.body
        assert all(len(piece.body) <= CHUNK_CHARS for piece in pieces)


def test_text_without_better_places_is_cut_where_a_piece_is_full() -> None:
    lines = [f"+{number % 97}" for number in range(2_000)] + [" end"] * 3
    hunk = Hunk(10, 3, 10, 2_003, "def numbers():", "\n".join(lines))

    pieces = split(hunk, None, None, chars=1_500, lines=1_500, by_size=True)

    assert "\n".join(piece.body for piece in pieces) == hunk.body
    assert len(pieces) <= 7
    assert all("+" in piece.body for piece in pieces)
    assert {piece.header for piece in pieces} == {"def numbers():"}
    assert sum(piece.new_lines for piece in pieces) == 2_003

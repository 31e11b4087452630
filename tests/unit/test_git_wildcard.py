"""Git's path patterns: matched as git matches them, in time that a stranger cannot stretch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.git.attributes import Attributes
from ohara.git.wildcard import compiled
from ohara.model import LeftOut


@pytest.mark.parametrize(
    ("pattern", "matches", "misses"),
    [
        ("*.py", ["a.py", "deep/er/b.py"], ["a.pyc", "a.py/x"]),
        ("/top.txt", ["top.txt"], ["a/top.txt"]),
        ("a/*.c", ["a/b.c"], ["a/b/c.c", "x/a/b.c"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "b/a/c"]),
        ("**/gen/*.go", ["gen/a.go", "x/y/gen/a.go"], ["gen/x/a.go"]),
        ("a/**/z", ["a/z", "a/b/c/z"], ["a/zz", "b/a/z"]),
        ("a/**/m/**/z", ["a/m/z", "a/b/m/c/d/z", "a/m/m/z"], ["a/z", "a/m"]),
        ("a**b", ["ab", "axxb", "deep/axb"], ["a/b"]),
        ("f?o", ["foo", "x/f-o"], ["f/o", "fo"]),
        ("[a-c]x", ["ax", "d/bx"], ["dx"]),
        ("[!a-c]x", ["dx"], ["ax", "/x"]),
        ("[[:digit:]]*", ["1st", "22"], ["x1"]),
        ("[]x]", ["]", "x"], ["a"]),
        (r"a\*b", ["a*b"], ["axb"]),
        ("[z-a]", [], ["z", "a", "m"]),
        ("[oops", [], ["[oops", "o"]),
        ("vendor", ["vendor", "x/vendor"], ["vendor/a.c"]),
        ("vendor/", [], ["vendor", "vendor/a.c"]),
    ],
)
def test_patterns(pattern: str, matches: list[str], misses: list[str]) -> None:
    expression = compiled(pattern)
    assert [path for path in matches if not expression.fullmatch(path)] == []
    assert [path for path in misses if expression.fullmatch(path)] == []


def test_a_pattern_belongs_to_its_files_folder() -> None:
    expression = compiled("*.js", "web/li.b")
    assert expression.fullmatch("web/li.b/deep/a.js")
    assert not expression.fullmatch("web/lixb/a.js")
    assert not expression.fullmatch("a.js")


@given(st.text(alphabet="ab*?[]!^-\\/:", max_size=30), st.text(alphabet="ab/-]", max_size=30))
def test_any_pattern_compiles_and_answers(pattern: str, path: str) -> None:
    compiled(pattern).fullmatch(path)


def test_hostile_patterns_answer_at_once() -> None:
    path = "a" * 3000 + "/" + "a" * 1000
    for pattern in ("*a" * 200 + "b", "**/" * 60 + "b", "**/*a*/" * 40 + "*b", "?*" * 300 + "b"):
        assert not compiled(pattern).fullmatch(path)


def test_the_last_line_wins_and_the_deepest_file() -> None:
    attributes = Attributes.parse(
        [
            ("lib/gen", "keep.py -linguist-generated\n"),
            ("", "*.py linguist-generated\nsetup.py !linguist-generated\nlib/** linguist-vendored=true\n"),
            ("lib", "own/** linguist-vendored=false\n"),
        ]
    )
    assert attributes.reason("a.py") is LeftOut.GENERATED
    assert attributes.reason("setup.py") is None
    assert attributes.reason("lib/x.c") is LeftOut.VENDORED
    assert attributes.reason("lib/own/x.c") is None
    assert attributes.reason("lib/own/x.py") is LeftOut.GENERATED
    assert attributes.reason("lib/gen/keep.py") is LeftOut.VENDORED
    assert attributes.reason("a.c") is None


def test_macros_quotes_comments_and_odd_ends() -> None:
    text = (
        "\ufeff# comment linguist-generated\n"
        "[attr]machine linguist-generated -diff\n"
        '"with space.txt" machine\r\n'
        '"tab\\there" linguist-vendored\n'
        "!neg linguist-vendored\n"
        "plain\n"
        "*.x -machine\n"
    )
    attributes = Attributes.parse([("", text)])
    assert attributes.reason("with space.txt") is LeftOut.GENERATED
    assert attributes.reason("tab\there") is LeftOut.VENDORED
    assert attributes.reason("neg") is None
    assert attributes.reason("a.x") is None
    assert Attributes().reason("anything") is None


@pytest.mark.parametrize("pattern", ["[:--]", "[a||b]", "[&&x]", "[~~]"])
def test_brackets_that_python_warns_of_are_compiled_in_silence(pattern: str) -> None:
    assert not compiled(pattern).fullmatch("/")


@pytest.mark.parametrize("blank", ["\u2028", "\u3000", "\x0b", "\xa0", "\x0c\x0c"])
def test_white_space_that_is_none_to_git_is_a_name(blank: str) -> None:
    attributes = Attributes.parse([("", f"{blank}\n*.c linguist-generated\na{blank}b linguist-vendored\n")])
    assert attributes.reason("x.c") is LeftOut.GENERATED
    assert attributes.reason(f"a{blank}b") is LeftOut.VENDORED
    assert attributes.reason("a") is None

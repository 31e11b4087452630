"""Asking a tree about a few lines gives what reading the whole file gives; so does parsing what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.git.regions import unequal
from ohara.languages import language_of
from ohara.parse.languages import Former, bytes_lost, parse
from ohara.parse.symbols import SyntaxTree, symbols_in, touched
from tests.process import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tree_sitter import Tree

SOURCES = [
    *sorted((ROOT / "ohara" / "parse").rglob("*.py")),
    *sorted((ROOT / "fixtures").rglob("*.py")),
]


@pytest.fixture(scope="module")
def parsed() -> list[tuple[bytes, SyntaxTree]]:
    """Our own source files as they are: comments, decorators, nested definitions."""
    return [(path.read_bytes(), SyntaxTree(path.read_bytes(), _language(path))) for path in SOURCES]


def _language(path: Path) -> str:
    language = language_of(path.name)
    assert language is not None
    return language


@given(data=st.data())
def test_part_of_a_tree_tells_what_the_whole_tells(
    parsed: list[tuple[bytes, SyntaxTree]], data: st.DataObject
) -> None:
    source, tree = data.draw(st.sampled_from(parsed))
    lines = source.count(b"\n") + 1
    first = data.draw(st.integers(1, lines))
    last = data.draw(st.integers(first, min(lines, first + 12)))
    whole = touched(symbols_in(source, "python"), [(first, last)])
    part = tree.touched([(first, last)])
    assert [(it.kind, it.qualified) for it in part] == [(it.kind, it.qualified) for it in whole]


PUT_IN = st.sampled_from(
    [
        *(
            b"",
            b"    pass\n",
            b"def put_in(\n    a, b\n):\n    return a\n",
            b"class P:\n    x = 1\n\n    y = 2\n",
        ),
        *(b"# sp\xc3\xa4te Zeile\n", b"# no UTF-8: \xe4\n", b'"""\n', b"if (:\n", b"\r\n", b"\\\n", b"x = 1"),
    ]
)


@given(data=st.data())
def test_parsing_what_differs_gives_the_tree_of_the_whole(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(SOURCES)).read_bytes()
    versions = [source]
    for _ in range(2):
        lines = versions[-1].splitlines(keepends=True)
        for _ in range(data.draw(st.integers(1, 4))):
            at = data.draw(st.integers(0, len(lines)))
            lines[at : at + data.draw(st.integers(0, 3))] = [data.draw(PUT_IN)]
        versions.append(b"".join(lines))
    former, tree = versions[0], parse(versions[0], "python")
    for version in versions[1:]:
        assert tree is not None
        whole = parse(version, "python")
        tree = parse(version, "python", Former(former, tree, unequal(former, version)))
        assert whole is not None
        assert tree is not None
        assert str(tree.root_node) == str(whole.root_node)
        assert symbols_at(tree) == symbols_at(whole)
        former = version


def symbols_at(tree: Tree) -> list[tuple[str, int, int, tuple[int, int]]]:
    """The kinds and places of what stands at the top."""
    return [(node.type, node.start_byte, node.end_byte, node.end_point) for node in tree.root_node.children]


def test_of_a_version_that_differs_in_two_places_less_is_read() -> None:
    functions = [
        b"def name%d(total):\n" % number
        + b"".join(b"    total = add(total, %d, %d)\n" % (number, step) for step in range(60))
        for number in range(60)
    ]
    source = b"".join(functions)
    former = SyntaxTree(source, "python")
    functions[20] = b"def other(a):\n    return a\n"
    functions[50] = b"def another(a):\n    return a\n"
    changed = b"".join(functions)
    began = bytes_lost()
    SyntaxTree(changed, "python")
    whole = bytes_lost() - began
    tree = SyntaxTree(changed, "python", former, unequal(source, changed))
    assert bytes_lost() - began - whole < 0.8 * whole
    lines = changed.split(b"\n")
    spans = [
        (place, place) for name in (b"def other(a):", b"def another(a):") for place in [lines.index(name) + 1]
    ]
    assert [it.qualified for it in tree.touched(spans)] == ["other", "another"]

"""Asking a tree about a few lines gives what reading the whole file gives; so does parsing what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.git.regions import unequal
from ohara.languages import language_of
from ohara.parse import languages
from ohara.parse.hostile import MAX_NESTING, nesting, nesting_after
from ohara.parse.languages import Former, bytes_lost, parse, parse_version
from ohara.parse.line_starts import LineStarts
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
        known = Former(former, tree, unequal(former, version), nesting(former))
        tree = parse_version(version, "python", known).tree
        assert whole is not None
        assert tree is not None
        assert str(tree.root_node) == str(whole.root_node)
        assert symbols_at(tree) == symbols_at(whole)
        former = version


def symbols_at(tree: Tree) -> list[tuple[str, int, int, tuple[int, int]]]:
    """The kinds and places of what stands at the top."""
    return [(node.type, node.start_byte, node.end_byte, node.end_point) for node in tree.root_node.children]


BRACKETS = st.text(alphabet="()[]{}a\n", max_size=40).map(str.encode)


@given(before=BRACKETS, after=BRACKETS)
def test_brackets_are_never_deeper_than_told_from_another_version(before: bytes, after: bytes) -> None:
    told = nesting_after(before, nesting(before), after, unequal(before, after))
    assert nesting(after) <= told <= max(0, nesting(before)) + len(before) + len(after)


def test_nesting_that_versions_pile_up_is_seen() -> None:
    lines = [b"x = 1\n" for _ in range(40)]
    former = SyntaxTree(b"".join(lines), "python")
    for place in range(30):
        lines[place] = b"(" * 20 + b"1" + b")" * 20 + b"\n"  # each closes what it opens
        source = b"".join(lines)
        former = SyntaxTree(source, "python", former, unequal(former.source, source))
        assert former.tree is not None
    lines[0] = b"(" * (MAX_NESTING + 1) + b"\n"
    source = b"".join(lines)
    assert SyntaxTree(source, "python", former, unequal(former.source, source)).tree is None


@given(lines=st.lists(st.integers(0, 3000), max_size=12), ends=st.booleans())
def test_lines_begin_where_a_list_of_all_says(lines: list[int], ends: bool) -> None:
    source = b"\n".join(b"x" * length for length in lines) + (b"\n" if ends else b"")
    starts = languages.line_starts(source)
    asked = LineStarts(source)
    for line in (*range(len(starts) + 2), *reversed(range(len(starts)))):
        assert asked.of(line) == (starts[line] if line < len(starts) else None)
    changed = source[: len(source) // 2] + b"\n" * 3 + source[len(source) // 2 :]
    after = asked.in_version(changed, len(source) // 2)
    assert [after.of(line) for line in range(len(starts) + 3)] == languages.line_starts(changed)


def test_of_a_version_that_differs_in_two_places_less_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "_WHOLE_BYTES", 0)
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

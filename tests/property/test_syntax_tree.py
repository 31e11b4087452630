"""Asking a tree about a few lines gives what reading the whole file gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.languages import language_of
from ohara.parse.symbols import SyntaxTree, symbols_in, touched
from tests.process import ROOT

if TYPE_CHECKING:
    from pathlib import Path

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

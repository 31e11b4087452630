"""Places are read by their shape; what is none is refused with the ways to write one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.errors import UsageError
from ohara.query.place import Target, read_place


@pytest.mark.parametrize(
    ("written", "path", "lines"),
    [
        ("src/db.py:10", "src/db.py", (10, 10)),
        ("src/db.py:10-20", "src/db.py", (10, 20)),
        ("src/db.py:10,20", "src/db.py", (10, 20)),
        ("src/db.py:10:5", "src/db.py", (10, 10)),
        ("src/db.py:10:", "src/db.py", (10, 10)),
        ("src/db.py#L10", "src/db.py", (10, 10)),
        ("src/db.py#L10-L20", "src/db.py", (10, 20)),
        ("src/db.py#L10C3-L20C9", "src/db.py", (10, 20)),
        ("./a b/c.txt:7", "a b/c.txt", (7, 7)),
        ("Makefile:3", "Makefile", (3, 3)),
        ("https://github.com/me/it/blob/main/src/db.py#L3-L9", "src/db.py", (3, 9)),
    ],
)
def test_lines_of_a_file(written: str, path: str, lines: tuple[int, int]) -> None:
    found = read_place(written)
    assert (found.path, (found.first, found.last), found.symbol) == (path, lines, "")
    assert found.has_lines


def test_an_address_names_the_revision_that_its_lines_are_of() -> None:
    sha = "1a323fbd3c" * 4
    found = read_place(f"https://gitlab.example/me/it/-/blob/{sha}/src/db.py#L3")
    assert (found.path, found.first, found.revision) == ("src/db.py", 3, sha)


@pytest.mark.parametrize(
    ("written", "path", "symbol"),
    [
        ("src/db.py", "src/db.py", ""),
        ("src/", "src", ""),
        ("setenv()", "", "setenv"),
        ("Journal::record", "", "Journal::record"),
        ("src/db.py:Table.insert", "src/db.py", "Table.insert"),
        ("src/db.cc:Table::insert", "src/db.cc", "Table::insert"),
        ("src/db.py:insert()", "src/db.py", "insert"),
    ],
)
def test_files_and_symbols(written: str, path: str, symbol: str) -> None:
    found = read_place(written)
    assert (found.path, found.symbol, found.has_lines, found.may_be_either) == (path, symbol, False, False)


def test_a_plain_word_may_be_a_file_or_a_symbol() -> None:
    assert read_place("Table.insert") == Target("Table.insert", path="Table.insert", symbol="Table.insert")
    assert read_place("Makefile").may_be_either


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "no place was given"),
        ("   ", "no place was given"),
        ("db.py:0", "numbered from 1"),
        ("db.py:20-10", "lines 20 to 10 are none"),
        ("db.py:99999999999", "no file has"),
        ("db.py:", "is no place"),
        (":10", "is no place"),
        ("https://github.com/me/it/pull/3", "not the address of a file"),
        ("a\0b", "characters that no place has"),
        ("x" * 5000, "too long"),
    ],
)
def test_what_is_no_place_is_refused_in_one_line(written: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        read_place(written)
    assert "\n" not in refused.value.message
    assert refused.value.hint


@given(st.text(max_size=60))
def test_anything_is_read_or_refused(text: str) -> None:
    try:
        found = read_place(text)
    except UsageError:
        return
    assert found.path or found.symbol
    assert (found.first == 0) == (found.last == 0)
    assert found.first <= found.last

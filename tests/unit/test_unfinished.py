"""What of a query is still being typed, and what is finished however odd it looks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.query import unfinished


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ('"def rows', "quote"),
        ('retry "with', "quote"),
        ('author:"Ada Lo', "quote"),
        ('-path:"src', "quote"),
        ('added:"x', "quote"),
        (r'"a \"', "quote"),
        ("/foo(", "expression"),
        ("/foo bar.*", "expression"),
        (r"/a\/b", "expression"),
        ("retry lang:", "lang:"),
        ("lang: ", "lang:"),
        ("-path:", "path:"),
        ("branch:", "branch:"),
    ],
)
def test_what_lacks_its_end_is_told(source: str, missing: str) -> None:
    found = unfinished(source)
    assert found is not None
    assert missing in found.missing
    assert found.certain


def test_a_word_behind_one_slash_may_be_meant_as_it_is() -> None:
    found = unfinished("/foo")
    assert found is not None
    assert not found.certain


@pytest.mark.parametrize(
    "source",
    [
        "",
        "retry",
        'retry "with backoff"',
        "/foo.*bar/i",
        "/usr/lib",
        "a/b",
        "added:",
        "removed: x",
        "fix: the thing",
        "lang: is what",
        "std::move",
        "lang:python",
        "auther:bob",
        'x = "a\ny = 2',
        '5" pipe',
        "/ alone",
    ],
)
def test_what_is_finished_is_left_to_the_grammar(source: str) -> None:
    assert unfinished(source) is None


@given(st.text(alphabet='ab "/\\:-langpath()\n', max_size=30))
def test_nothing_that_is_typed_makes_it_stumble(source: str) -> None:
    unfinished(source)

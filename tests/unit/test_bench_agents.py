"""What an agent would look for, and when it has read the answer."""

from __future__ import annotations

import pytest

from tests.bench.agents import reached, telling_words

ONE, TWO = "1" * 40, "2" * 40
LOG = (
    f"commit {ONE}\n\n    a\n\n@@ -1 +1 @@\n-x\n+y\n"
    f"commit {TWO}\n\n    b\n\n@@ -1 +1 @@\n+z\n@@ -9 +9 @@\n+late\n"
)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        ("who added tmp_path", ["tmp_path"]),
        ("since when is there a --functions option", ["--functions"]),
        ("too many SQL varibles on bulk insert", ["SQL", "varibles", "insert"]),
        ("when was table.extract() first added", ["table.extract"]),
        ("db.py:3557", ["db.py:3557"]),
    ],
)
def test_the_telling_words_come_first(ask: str, words: list[str]) -> None:
    assert telling_words(ask) == words


def test_an_answer_is_read_at_the_end_of_its_first_hunk() -> None:
    assert reached(LOG, frozenset({ONE})) == LOG.index(f"commit {TWO}")
    assert reached(LOG, frozenset({TWO})) == LOG.index("@@ -9")
    assert reached(LOG, frozenset({"3" * 40})) is None

"""A commit that reaches the writer in parts has the words of its message in all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fixtures.script import History
from ohara.index import extract, numbered
from tests.indexing import facts_of, facts_of_a_fresh_index, index

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

FILES = 40


def test_numbers_of_words_begin_anew_between_two_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with History(tmp_path / "repo") as history:
        history.commit("Start", {"README": "start\n"})
        files = {f"lib/file{at}.py": f"first{at} = second{at}\nthird{at} = 3\n" for at in range(FILES)}
        history.commit("Import the quarterly telescope schedule", files)
        words = " ".join(f"word{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(60))
        history.commit(
            "Notes", {"notes.txt": f"{words}\n"}
        )  # read first, so that the message has high numbers
    whole = facts_of_a_fresh_index(history.repo, tmp_path / "home", monkeypatch)

    monkeypatch.setattr(extract, "_PART_CHARS", 2_000)
    monkeypatch.setattr(numbered, "_MOST_WORDS", 80)

    assert facts_of(index(history.repo)) == whole

"""The one counter of tokens, beside a real tokenizer."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from tokenizers import Tokenizer

from ohara.present.budget import tokens

if TYPE_CHECKING:
    from fixtures.git import Repo


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("éé", 2), ("漢字", 2), ("\ud800", 1)]
)
def test_three_bytes_are_a_token(text: str, count: int) -> None:
    assert tokens(text) == count


def test_the_counter_agrees_with_a_real_tokenizer_on_diffs(shared_project: Repo) -> None:
    """A WordPiece tokenizer takes each sign for a token of its own, which those of large models do not."""
    real = Tokenizer.from_str((files("ohara.models") / "ohara-static" / "tokenizer.json").read_text("utf-8"))
    real.no_truncation()
    said = shared_project.git("log", "-p", "--all", "--no-color", "--no-merges", "--format=", "--", "*.py")
    said = said.encode("utf-8", "replace").decode()
    hunks = ["@@" + hunk.split("\ndiff --git")[0] for hunk in said.split("\n@@")[1:]]
    assert len(hunks) > 40
    counted = [(len(real.encode(hunk, add_special_tokens=False).ids), tokens(hunk)) for hunk in hunks]
    together = sum(really for really, _ in counted) / sum(ours for _, ours in counted)
    assert 0.7 < together < 1.15
    assert sum(really > 1.5 * ours for really, ours in counted) < len(counted) / 10

"""Bodies that workers compress are kept, found and shown as those that the writer does."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from fixtures.script import History
from ohara.index import extract
from ohara.store.sql import codec
from ohara.store.sqlite import commit_rows
from tests.indexing import facts_of, facts_of_a_fresh_index, index

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from ohara.store.prepared import PreparedHunk


def test_workers_compress_bodies_when_the_index_has_learnt_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(3)  # noqa: S311 - a seeded history

    def text() -> str:
        words = [f"value_{chance.randrange(200)} = read({chance.randrange(50)})" for _ in range(40)]
        return "\n".join(words) + "\n"

    with History(tmp_path / "r") as history:
        for number in range(12):
            history.commit(f"change {number}", {f"{name}{number}.py": text() for name in "abcdef"})
    repo = history.repo
    plain = facts_of_a_fresh_index(repo, tmp_path / "plain", monkeypatch)
    for module, name, value in (
        (commit_rows, "TRAINING_SAMPLES", 20),
        (commit_rows, "SAMPLE_EVERY", 1),
        (codec, "DICTIONARY_BYTES", 2_048),
        (extract, "_FIRST_LOOK_HUNKS", 0),
        (extract, "_NEXT_LOOK_HUNKS", 0),
    ):
        monkeypatch.setattr(module, name, value)
    kinds: list[type] = []
    content = commit_rows.CommitRows._content

    def noted(self: commit_rows.CommitRows, hunk: PreparedHunk, rows: object) -> int:
        kinds.append(type(hunk.body))
        return content(self, hunk, rows)  # type: ignore[arg-type]

    monkeypatch.setattr(commit_rows.CommitRows, "_content", noted)
    repo.git("update-ref", "refs/heads/all", "HEAD")
    repo.git("update-ref", "HEAD", "HEAD~3")
    index(repo)
    assert set(kinds) == {str}
    repo.git("update-ref", "HEAD", "refs/heads/all")
    kinds.clear()
    engine = index(repo)
    assert set(kinds) == {bytes}
    repo.git("update-ref", "-d", "refs/heads/all")
    assert facts_of(engine) == plain

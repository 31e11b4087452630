"""A commit that says nothing is heard through the merge that brought it in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fixtures.script import History
from ohara.index.job import IndexOptions
from ohara.model import Pass, SearchOptions
from ohara.retrieve import silence
from tests.indexing import index

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from fixtures.git import Repo

TEXT = IndexOptions(passes=frozenset({Pass.TEXT, Pass.SYMBOL}), lock_wait_s=10)
QUESTION = "uploads are tried once more when the connection drops"
MERGE = "Merge pull request #7 from ada/patience\n\nUploads: try once more when the connection drops"
CHANGE = (
    "def send(upload):\n    try:\n        post(upload)\n    except ConnectionError:\n        post(upload)\n"
)


def scripted(path: Path, *, others: int, merge: str = MERGE) -> Repo:
    """A commit that says "fix" and one that speaks of the words; the merge of the first says what it did."""
    with History(path) as history:
        history.commit("Start", {"README": "uploads\n"}, key="root")
        for number in range(others):
            history.commit(
                f"teach parser{number} of nested{number} rule{number}", {f"p{number}.py": "x = 1\n"}
            )
        history.branch("ada/patience")
        history.commit("fix", {"net/upload.py": CHANGE}, key="answer")
        history.switch("main")
        history.merge(merge, "ada/patience", key="merge")
        history.commit(
            "Notes for uploads: when the connection drops, look at the log",
            {"notes.py": "uploads = 'connection'\n"},
            key="mentions",
        )
    return history.repo


def first_two(repo: Repo) -> list[str]:
    """The commits of the first hits that are no merge."""
    engine = index(repo, TEXT)
    found = engine.find_pattern(QUESTION, SearchOptions(rerank=False, k=10))
    return [key for hit in found.hits if (key := repo.key_of(hit.commit.sha)) in {"answer", "mentions"}]


def test_its_merge_speaks_for_a_silent_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = scripted(tmp_path / "repo", others=220)
    assert first_two(repo) == ["answer", "mentions"]

    monkeypatch.setattr(silence, "BY_MERGE", 0.0)
    assert first_two(repo) == ["mentions", "answer"]


def test_a_merge_that_says_nothing_changes_nothing(tmp_path: Path) -> None:
    repo = scripted(tmp_path / "repo", others=220, merge="Merge branch 'main' into patience")
    assert first_two(repo) == ["mentions", "answer"]


def test_in_a_young_history_nobody_knows_what_is_silent(tmp_path: Path) -> None:
    repo = scripted(tmp_path / "repo", others=20)
    assert first_two(repo) == ["mentions", "answer"]


def test_the_reranker_reads_a_silent_commit_under_the_title_of_its_merge(tmp_path: Path) -> None:
    repo = scripted(tmp_path / "repo", others=220)
    engine = index(repo, TEXT)
    asked: list[str] = []

    class Noting:
        """A reranker that notes what it is given to read."""

        def score(self, _query: str, documents: list[str]) -> list[float]:
            asked.extend(documents)
            return [0.0] * len(documents)

    engine.search._reranker = Noting()  # type: ignore[assignment]  # as much of one as is asked
    engine.find_pattern(QUESTION, SearchOptions(rerank=True, k=5))

    (read,) = [text for text in asked if "net/upload.py" in text]
    assert read.startswith("Uploads: try once more when the connection drops\nnet/upload.py")

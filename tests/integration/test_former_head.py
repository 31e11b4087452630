"""Files of HEAD whose content came more than once: looked for again where it may have come from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from ohara.engine import EXACT_PASSES
from ohara.fate.sweep import OutOfTime, Sweep
from ohara.index import line_pass
from ohara.index.job import IndexOptions
from ohara.store.engines import index_at
from tests.indexing import WITHOUT_VECTORS, facts_of, facts_of_a_fresh_index, index

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.fate.file_tree import FileTree
    from ohara.fate.origins import Wanted
    from ohara.git.repo import Repository
    from ohara.store.lines import HeadVersion

ONE, TWO, THREE = ("".join(f"{word} {at}\n" for at in range(8)) for word in ("one", "two", "three"))


class Runs:
    """Index runs, each of which tells for which files of HEAD it looked where their lines come from."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._monkeypatch = monkeypatch
        self._looked_for: list[str] = []
        self._really = line_pass._version
        monkeypatch.setattr(line_pass, "_version", self._version)

    def _version(self, repository: Repository, sweep: Sweep, tree: FileTree, wanted: Wanted) -> HeadVersion:
        self._looked_for.append(wanted.path)
        return self._really(repository, sweep, tree, wanted)

    def again(self, repo: Repo, options: IndexOptions = WITHOUT_VECTORS) -> list[str]:
        """Index what is new: it says what an index from nothing does. Returns the files."""
        self._looked_for.clear()
        engine = index(repo, options)
        found = sorted(self._looked_for)
        home = self._folder / f"home {len(list(self._folder.iterdir()))}"
        home.mkdir()
        assert facts_of(engine) == facts_of_a_fresh_index(repo, home, self._monkeypatch, options)
        return found


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    """Runs, with nothing in them yet."""
    (tmp_path / "homes").mkdir()
    return Runs(tmp_path / "homes", monkeypatch)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A history in which a file comes back to what it was."""
    with History(tmp_path / "repo") as history:
        history.commit("Begin", {"a.py": ONE, "b.py": TWO})
        history.commit("Try another way", {"a.py": TWO})
        history.commit("Go back", {"a.py": ONE})
    return history.repo


def commit(repo: Repo, name: str = "", text: str = "") -> None:
    """Commit a file, or nothing."""
    if name:
        (repo.path / name).write_text(text)
    repo.git("commit", "-q", "--allow-empty", "-am", f"Make it {name} {text[:5]}")


def test_a_content_that_came_twice_is_not_looked_for_after_each_commit(repo: Repo, runs: Runs) -> None:
    assert runs.again(repo) == ["a.py", "b.py"]
    commit(repo, "b.py", THREE)
    assert runs.again(repo) == ["b.py"]
    commit(repo, "a.py", THREE)
    commit(repo, "a.py", ONE)
    assert runs.again(repo) == ["a.py"]


def test_one_that_a_merge_took_from_its_other_side_is_looked_for(repo: Repo, runs: Runs) -> None:
    runs.again(repo)
    repo.git("branch", "side")
    commit(repo, "a.py", THREE)
    repo.git("checkout", "-q", "side")
    commit(repo)
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-commit", "--no-ff", "side")
    commit(repo, "a.py", ONE)
    assert runs.again(repo) == ["a.py"]


def test_one_that_a_merge_left_as_it_was_is_not(repo: Repo, runs: Runs) -> None:
    runs.again(repo)
    repo.git("checkout", "-q", "-b", "side")
    commit(repo, "b.py", THREE)
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    assert runs.again(repo) == ["b.py"]


def test_a_pass_that_is_out_of_time_within_a_commit_goes_on_with_that_commit(repo: Repo, runs: Runs) -> None:
    index(repo)
    commit(repo)
    commit(repo, "a.py", THREE)
    engine = index(repo, IndexOptions(passes=EXACT_PASSES, lock_wait_s=10))
    with index_at(engine.location).line_history() as known:
        shas = set(repo.git("rev-list", "-2", "HEAD").split())
        pending = [link.commit for link in known.links() if link.sha in shas]
        sweep = Sweep(engine.repository, known)
        with pytest.raises(OutOfTime):
            list(sweep.run(pending, is_late=lambda: True))
        assert {each.commit_id for each in sweep.run(pending)} == set(pending)
    assert runs.again(repo) == ["a.py"]

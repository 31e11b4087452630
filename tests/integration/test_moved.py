"""A repository that was moved finds its index again; work trees that share one do not take turns with it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ohara.engine import Engine, all_indexes
from ohara.model import SearchOptions
from ohara.store.facts import HEAD_SYMBOLS, TIPS
from ohara.store.locate import locate
from tests.indexing import WITHOUT_VECTORS, facts_of, facts_of_a_fresh_index, index, moments

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from fixtures.git import Repo


def test_a_moved_repository_finds_its_index_again(three_commits: Repo, tmp_path: Path) -> None:
    before = index(three_commits).location
    moved = tmp_path / "elsewhere" / "renamed"
    moved.parent.mkdir()
    three_commits.path.rename(moved)
    engine = Engine.open(moved)
    assert engine.store.exists
    assert not before.folder.exists()
    assert engine.pending() is None
    assert len(engine.find_pattern('"print"', SearchOptions(k=0)).hits) > 0
    (known,) = all_indexes()
    assert known.repository == str(moved)
    assert list(engine.index(WITHOUT_VECTORS)) == []


def test_a_repository_that_is_moved_while_it_is_indexed_takes_what_there_is(
    three_commits: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Engine.open(three_commits.path)
    run = before.index(WITHOUT_VECTORS)
    next(run)
    moved = three_commits.path.rename(tmp_path / "moved")
    with ThreadPoolExecutor() as threads:
        rest = threads.submit(list, run)
        engine = Engine.open(moved)
    assert rest.result() == []
    assert engine.store.exists
    assert not before.location.folder.exists()
    assert index(moved).store.exists
    assert engine.status().failures == ()
    assert facts_of(engine) == facts_of_a_fresh_index(moved, tmp_path / "fresh", monkeypatch)


def test_a_clone_does_not_take_the_index_of_a_repository_that_is_there(
    three_commits: Repo, small_project: Repo, tmp_path: Path
) -> None:
    there = index(three_commits)
    clone = tmp_path / "clone"
    three_commits.git("clone", "--quiet", ".", str(clone))
    assert not Engine.open(clone).store.exists
    assert there.store.exists
    three_commits.path.rename(tmp_path / "gone")
    assert not Engine.open(small_project.path).store.exists  # another history
    assert there.store.exists
    adopted = Engine.open(clone)
    assert adopted.store.exists
    assert not there.store.exists


def test_a_folder_that_a_search_left_behind_is_no_index(three_commits: Repo, tmp_path: Path) -> None:
    there = index(three_commits)
    moved = three_commits.path.rename(tmp_path / "moved")
    locate(moved / ".git").prepare()
    assert Engine.open(moved).store.exists
    assert not there.location.folder.exists()


def linked(repo: Repo, place: Path) -> Path:
    """A linked work tree with a commit of its own."""
    repo.git("worktree", "add", "--quiet", "-b", "feature", str(place))
    (place / "feature.py").write_text("only_on_the_feature = 1\n")
    repo.git("-C", str(place), "add", ".")
    repo.git("-C", str(place), "commit", "--quiet", "-m", "Only on the feature")
    return place


def test_work_trees_with_other_heads_share_an_index_and_do_not_index_in_turn(
    three_commits: Repo, tmp_path: Path
) -> None:
    tree = linked(three_commits, tmp_path / "tree")
    (three_commits.path / ".oharaignore").write_text("nothing-here\n")  # of the main work tree alone
    main = index(three_commits)
    other = Engine.open(tree)
    assert other.location == main.location
    for _ in range(2):
        for engine in (main, other):
            assert engine.pending() is None
            assert list(engine.index(WITHOUT_VECTORS)) == []
            assert engine.status().behind == 0
            hits = engine.find_pattern('"only_on_the_feature"').hits
            assert [hit.commit.subject for hit in hits] == ["Only on the feature"]
            assert hits[0].repository == str(engine.repository.path)
    with main.store.statistics() as known:
        tips = known.fact(TIPS)
        assert set(tips) == {"HEAD", "worktrees/tree/HEAD"}
        assert known.fact(HEAD_SYMBOLS) == three_commits.tip
    within = other.find_pattern('ref:HEAD "only_on_the_feature"').hits
    assert len(within) == 1
    assert main.find_pattern('ref:HEAD "only_on_the_feature"').hits == ()
    three_commits.git("worktree", "remove", "--force", str(tree))
    three_commits.git("branch", "-D", "feature")
    moments(three_commits)
    assert main.find_pattern('"only_on_the_feature"').hits == ()

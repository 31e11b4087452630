"""Commits that git compares for ohara: read as ohara reads them itself, whatever else the repository says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixtures import histories
from fixtures.git import git_bytes, init
from fixtures.odd_history import odd_history
from fixtures.script import History
from fixtures.tree import Edit
from ohara.git import patches as patches_module
from ohara.git.diff import changes, iter_changes
from ohara.git.patches import Patches
from ohara.git.repo import Repository
from ohara.model import Sha
from tests.git_says import files_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.model import FileChange


def all_shas(repo: Repo) -> list[Sha]:
    """Every commit of a repository, newest first."""
    return [Sha(sha) for sha in git_bytes(repo.path, "rev-list", "--all").decode().split()]


def told(repository: Repository, patches: Patches, shas: Sequence[Sha]) -> Iterator[tuple[FileChange, ...]]:
    """What commits changed, git asked for those it can be asked for."""
    patches.ask(shas)
    for sha in shas:
        yield tuple(iter_changes(repository, sha, missing=set(), patches=patches))


def versions(path: Path, count: int = 6) -> Repo:
    """A file and its changes, each of them one that git can be asked for."""
    with History(path) as history:
        lines = [f"def name{number}():\n    return {number}\n" for number in range(60)]
        history.commit("start", {"a.py": "".join(lines), "b.c": "int one;\n", "c.txt": "one\n"}, key="0")
        for number in range(1, count):
            lines[number * 3 % len(lines)] = f"def name{number}():\n    return 'changed'\n"
            changed = {"a.py": "".join(lines), "b.c": f"int one{number};\n", f"new{number}.txt": "new\n"}
            history.commit(f"change {number}", changed, key=str(number))
    return history.repo


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each commit that was taken, whether git answered."""
    taken: list[bool] = []
    take = Patches.take

    def noted(self: Patches, sha: Sha) -> object:
        found = take(self, sha)
        taken.append(found is not None)
        return found

    monkeypatch.setattr(Patches, "take", noted)
    return taken


def test_every_commit_of_a_project_is_read_the_same(shared_project: Repo, asked: list[bool]) -> None:
    repository = Repository.open(shared_project.path)
    shas = all_shas(shared_project)
    patches = Patches(repository)
    for sha, found in zip(shas, told(repository, patches, shas), strict=True):
        assert found == changes(repository, sha).files, sha
    patches.close()
    assert sum(asked) > 20
    assert not all(asked)  # merges, renames and the root are not for git


def test_odd_histories_are_read_the_same(tmp_path: Path, asked: list[bool]) -> None:
    repo = init(tmp_path / "odd", bare=True)
    shas = odd_history(repo, seed=7, commits=150)
    repository = Repository.open(repo.path)
    patches = Patches(repository)
    for sha, found in zip(shas, told(repository, patches, shas), strict=True):
        assert found == changes(repository, sha).files, sha
    patches.close()
    assert any(asked)


def test_neither_configuration_nor_attributes_nor_environment_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[bool]
) -> None:
    repo = versions(tmp_path / "r")
    shas = all_shas(repo)[:-1]
    expected = [changes(Repository.open(repo.path), sha).files for sha in shas]
    ran = tmp_path / "ran"
    program = f"sh -c 'touch {ran}; cat \"$0\"'"
    (repo.path / ".gitattributes").write_text("*.py -diff\n*.c diff=odd\n*.txt diff=odd\n")
    (repo.git_dir / "info").mkdir(exist_ok=True)
    (repo.git_dir / "info" / "attributes").write_text("*.py binary\n")
    for name, value in {
        "diff.external": program,
        "diff.odd.textconv": program,
        "diff.odd.command": program,
        "diff.odd.xfuncname": "^nothing",
        "diff.context": "0",
        "diff.algorithm": "patience",
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.indentHeuristic": "false",
        "diff.orderFile": str(repo.path / "order"),
        "color.ui": "always",
        "core.fsmonitor": program,
        "core.bigFileThreshold": "1",
    }.items():
        repo.git("config", name, value)
    (repo.path / "order").write_text("c.txt\nb.c\na.py\n")
    for name, value in {
        "GIT_EXTERNAL_DIFF": program,
        "GIT_DIFF_OPTS": "--unified=0",
        "GIT_DIR": str(tmp_path / "nowhere"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "diff.context",
        "GIT_CONFIG_VALUE_0": "0",
        "GIT_TRACE": "1",
    }.items():
        monkeypatch.setenv(name, value)
    repository = Repository.open(repo.path)
    patches = Patches(repository)
    monkeypatch.chdir(repo.path)
    assert list(told(repository, patches, shas)) == expected
    patches.close()
    assert asked == [True] * len(shas)
    assert not ran.exists()


def test_what_a_partial_clone_lacks_is_named_and_not_fetched(
    shared_project: Repo, tmp_path: Path, asked: list[bool]
) -> None:
    clone = histories.partial_clone(shared_project, tmp_path / "partial")
    repository = Repository.open(clone.path)
    shas = all_shas(clone)
    patches = Patches(repository)
    for sha, found in zip(shas, told(repository, patches, shas), strict=True):
        assert found == changes(repository, sha).files
    patches.close()
    assert not any(asked)
    assert list(clone.path.glob(".git/objects/??")) == []


def test_git_that_ends_over_a_damaged_object_is_started_again(tmp_path: Path, asked: list[bool]) -> None:
    repo = versions(tmp_path / "r")
    histories.hide_blobs(repo, ())  # every object in a file of its own
    damaged = repo.git("rev-parse", f"{repo.sha['3']}:new3.txt", f"{repo.sha['3']}:a.py").split()[1]
    file = repo.git_dir / "objects" / damaged[:2] / damaged[2:]
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:-20])  # its size can still be told
    repository = Repository.open(repo.path)
    shas = [repo.sha[str(number)] for number in (5, 4, 3, 2, 1)]
    patches = Patches(repository)
    found = list(told(repository, patches, shas))
    patches.close()
    assert asked == [True, False, False, True, True]
    assert found == [changes(repository, sha).files for sha in shas]
    assert changes(repository, repo.sha["3"]).missing == (damaged,)


def test_without_git_all_is_read_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[bool]
) -> None:
    repo = versions(tmp_path / "r")
    repository = Repository.open(repo.path)
    shas = all_shas(repo)
    monkeypatch.setenv("PATH", str(tmp_path))
    patches = Patches(repository)
    assert list(told(repository, patches, shas)) == [changes(repository, sha).files for sha in shas]
    assert not any(asked)


def test_commits_that_nobody_took_do_not_answer_for_others(tmp_path: Path, asked: list[bool]) -> None:
    repo = versions(tmp_path / "r")
    repository = Repository.open(repo.path)
    shas = all_shas(repo)
    patches = Patches(repository)
    patches.ask(shas[:4])
    assert (
        tuple(iter_changes(repository, shas[1], missing=set(), patches=patches))
        == changes(repository, shas[1]).files
    )
    assert list(told(repository, patches, shas[2:])) == [changes(repository, sha).files for sha in shas[2:]]
    patches.close()
    assert asked == [True, True, True, True, False][: len(asked)]


def test_a_replaced_object_is_read_here(tmp_path: Path, asked: list[bool]) -> None:
    repo = versions(tmp_path / "r")
    blob, other = (repo.git("rev-parse", f"HEAD{back}:b.c").strip() for back in ("", "~2"))
    repo.git("replace", blob, other)
    repository = Repository.open(repo.path)
    shas = all_shas(repo)
    patches = Patches(repository)
    assert list(told(repository, patches, shas)) == [changes(repository, sha).files for sha in shas]
    assert not any(asked)


def test_a_function_that_git_cuts_inside_a_character(tmp_path: Path) -> None:
    text = "function " + "ä" * 60 + "\n" + "".join(f"  line {number}\n" for number in range(40))
    with History(tmp_path / "r") as history:
        history.commit("start", {"a.js": text})
        history.commit("change", {"a.js": Edit("line 30\n", "line ö\n")}, key="change")
    repo = history.repo
    repository = Repository.open(repo.path)
    patches = Patches(repository)
    ((change,),) = told(repository, patches, [repo.sha["change"]])
    patches.close()
    assert change.hunks[0].header == "function " + "ä" * 35
    assert (change,) == changes(repository, repo.sha["change"]).files
    assert [hunk.body for hunk in change.hunks] == [
        hunk.body for said in files_of(repo.path, repo.sha["change"]) for hunk in said.hunks
    ]


def test_git_is_started_anew_before_it_holds_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[bool]
) -> None:
    repo = versions(tmp_path / "r", count=40)
    repository = Repository.open(repo.path)
    shas = all_shas(repo)[:-1]
    starts: list[Path] = []

    def noted(objects: Path) -> object:
        starts.append(objects)
        return started(objects)

    started = patches_module._started
    monkeypatch.setattr(patches_module, "_started", noted)
    monkeypatch.setattr(patches_module, "_MOST_KEPT_BYTES", 1)
    patches = Patches(repository)
    assert list(told(repository, patches, shas)) == [changes(repository, sha).files for sha in shas]
    patches.close()
    assert asked == [True] * len(shas)
    assert len(starts) == 2  # 39 commits, of which 32 are in its hands at once

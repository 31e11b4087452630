"""What a merge changed itself: exactly the lines that `git show --cc` marks against every parent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from fixtures.git import git_bytes
from fixtures.script import History
from fixtures.tree import FILE, Edit, Entry, MovedFrom
from ohara.git.diff import changes
from ohara.git.repo import Repository
from ohara.model import ChangeKind, FileChange, LeftOut, Sha

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

TEXT = "".join(f"line {number}\n" for number in range(1, 41))


def merged(text: str, *edits: tuple[str, str]) -> str:
    """The text with whole lines replaced."""
    for old, new in edits:
        assert f"{old}\n" in text
        text = text.replace(f"{old}\n", f"{new}\n" if new else "")
    return text


def marked_against_all(repo: Repo, sha: Sha) -> dict[str, tuple[set[str], set[str]]]:
    """By file, the lines that git shows as added to, and as removed from, all parents at once."""
    shown: dict[str, tuple[set[str], set[str]]] = {}
    lines = git_bytes(repo.path, "show", "--cc", "--format=", sha).decode().split("\n")
    path, parents = "", 0
    for line in lines:
        if line.startswith(("diff --cc ", "diff --combined ")):
            path, parents = line.split(" ", 2)[2], 0
            shown[path] = (set(), set())
        elif header := re.match(r"(@@@+) ", line):
            parents = len(header[1]) - 1
        elif parents and line.startswith("+" * parents):
            shown[path][0].add(line[parents:])
        elif parents and line.startswith("-" * parents):
            shown[path][1].add(line[parents:])
    return shown


def signed(change: FileChange, sign: str) -> set[str]:
    return {line[1:] for hunk in change.hunks for line in hunk.body.split("\n") if line.startswith(sign)}


def two_sides(history: History, ours: dict[str, str], theirs: dict[str, str]) -> None:
    """Starts a history whose two branches have changed some files, and stays on ours."""
    history.commit("start", {"a.txt": TEXT, "b.txt": TEXT, "c.txt": "same\n"}, key="start")
    history.branch("side")
    history.commit("theirs", dict(theirs))
    history.switch("main")
    history.commit("ours", dict(ours))


def test_a_clean_merge_has_no_files(tmp_path: Path) -> None:
    ours, theirs = ("line 5", "our 5"), ("line 30", "their 30")
    with History(tmp_path / "r") as history:
        two_sides(history, {"a.txt": merged(TEXT, ours)}, {"a.txt": merged(TEXT, theirs), "c.txt": "new\n"})
        history.merge("merge", "side", changes={"a.txt": merged(TEXT, ours, theirs)}, key="merge")
    assert changes(Repository.open(history.repo.path), history.repo.sha["merge"]).files == ()


def test_a_resolved_conflict_shows_only_the_resolution(tmp_path: Path) -> None:
    ours = merged(TEXT, ("line 5", "our 5"), ("line 20", "our 20"))
    theirs = merged(TEXT, ("line 5", "their 5"), ("line 35", "their 35"))
    result = merged(TEXT, ("line 5", "both 5"), ("line 20", "our 20"), ("line 35", "their 35"))
    with History(tmp_path / "r") as history:
        two_sides(history, {"a.txt": ours}, {"a.txt": theirs})
        history.merge("merge", "side", changes={"a.txt": result}, key="merge")
    repo = history.repo
    (change,) = changes(Repository.open(repo.path), repo.sha["merge"]).files
    assert (change.kind, change.path, change.additions, change.deletions) == (
        ChangeKind.MODIFIED,
        "a.txt",
        1,
        1,
    )
    (hunk,) = change.hunks
    assert (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) == (2, 7, 2, 7)
    assert hunk.body == " line 2\n line 3\n line 4\n-our 5\n+both 5\n line 6\n line 7\n line 8"
    assert marked_against_all(repo, repo.sha["merge"]) == {"a.txt": ({"both 5"}, set())}


def test_taking_one_side_of_a_conflict_shows_nothing(tmp_path: Path) -> None:
    ours, theirs = merged(TEXT, ("line 5", "our 5")), merged(TEXT, ("line 5", "their 5"))
    with History(tmp_path / "r") as history:
        two_sides(history, {"a.txt": ours}, {"a.txt": theirs})
        history.merge("ours", "side", changes={"a.txt": ours}, key="ours")
        history.commit("again", {"c.txt": "other\n"})
    assert changes(Repository.open(history.repo.path), history.repo.sha["ours"]).files == ()


def test_an_evil_merge_is_found_between_changes_of_either_side(tmp_path: Path) -> None:
    ours, theirs = ("line 10", "our 10"), ("line 16", "their 16")
    evil = ("line 13", "evil 13")
    with History(tmp_path / "r") as history:
        two_sides(history, {"a.txt": merged(TEXT, ours)}, {"a.txt": merged(TEXT, theirs)})
        result = merged(TEXT, ours, theirs, evil)
        changed = {"a.txt": result, "new.txt": "from nowhere\n"}
        history.merge("evil", "side", changes=dict(changed), key="evil")
    first, second = changes(Repository.open(history.repo.path), history.repo.sha["evil"]).files
    assert (first.path, signed(first, "+"), signed(first, "-")) == ("a.txt", {"evil 13"}, {"line 13"})
    # Context ends before line 16, which is the other branch's work, so every context line is in both.
    assert first.hunks[0].body.split("\n")[-1] == " line 15"
    assert (second.kind, second.path, signed(second, "+")) == (
        ChangeKind.ADDED,
        "new.txt",
        {"from nowhere"},
    )


def test_deleting_in_a_merge_what_both_sides_kept(tmp_path: Path) -> None:
    with History(tmp_path / "r") as history:
        two_sides(history, {"a.txt": TEXT + "ours\n"}, {"b.txt": TEXT + "theirs\n"})
        history.merge("drop", "side", changes={"c.txt": None}, key="drop")
    (change,) = changes(Repository.open(history.repo.path), history.repo.sha["drop"]).files
    assert (change.kind, change.path, change.hunks[0].body) == (ChangeKind.DELETED, "c.txt", "-same")


def test_renamed_on_one_side_and_edited_on_the_other_is_clean(tmp_path: Path) -> None:
    with History(tmp_path / "r") as history:
        history.commit("start", {"a.txt": TEXT})
        history.branch("side")
        history.commit("edit", {"a.txt": Edit("line 7\n", "line seven\n")})
        history.switch("main")
        history.commit("move", {"moved.txt": MovedFrom("a.txt")})
        result = {"moved.txt": merged(TEXT, ("line 7", "line seven"))}
        history.merge("merge", "side", changes=dict(result), keep_ours=True, key="clean")
    repository = Repository.open(history.repo.path)
    assert changes(repository, history.repo.sha["clean"]).files == ()


def test_a_rename_made_by_the_merge_itself(tmp_path: Path) -> None:
    with History(tmp_path / "r") as history:
        two_sides(history, {"a.txt": TEXT + "ours\n"}, {"a.txt": "theirs\n" + TEXT})
        renamed = {"a.txt": None, "z.txt": "theirs\n" + TEXT + "ours\nmerged\n"}
        history.merge("rename", "side", changes=dict(renamed), key="rename")
    (change,) = changes(Repository.open(history.repo.path), history.repo.sha["rename"]).files
    assert (change.kind, change.old_path, change.path) == (ChangeKind.RENAMED, "a.txt", "z.txt")
    assert signed(change, "+") == {"merged"}


def test_binary_and_type_conflicts(tmp_path: Path) -> None:
    with History(tmp_path / "r") as history:
        history.commit("start", {"logo": b"\0one", "thing": "text\n"})
        history.branch("side")
        history.commit("theirs", {"logo": b"\0two", "thing": "their text\n"})
        history.switch("main")
        history.commit("ours", {"logo": b"\0three", "thing": "our text\n"})
        link = Entry("120000", b"elsewhere")
        history.merge("merge", "side", changes={"logo": Entry(FILE, b"\0four"), "thing": link}, key="merge")
    logo, thing = changes(Repository.open(history.repo.path), history.repo.sha["merge"]).files
    assert (logo.path, logo.left_out, logo.hunks) == ("logo", LeftOut.BINARY, ())
    assert (thing.kind, thing.hunks[0].body.split("\n")[0]) == (ChangeKind.MODIFIED, "+elsewhere")


@pytest.mark.parametrize("key", ["merge", "conflict-merge", "evil-merge", "octopus"])
def test_the_projects_merges_agree_with_git(shared_project: Repo, key: str) -> None:
    sha = shared_project.sha[key]
    found = {change.path: change for change in changes(Repository.open(shared_project.path), sha).files}
    said = marked_against_all(shared_project, sha)
    assert set(found) <= set(said)
    for path, (added, removed) in said.items():
        if added or removed:
            assert added <= signed(found[path], "+")
            assert removed <= signed(found[path], "-")


def test_an_octopus_keeps_only_what_no_parent_has(tmp_path: Path) -> None:
    with History(tmp_path / "r") as history:
        history.commit("start", {"a.txt": TEXT}, key="start")
        for number, line in ((1, 5), (2, 20), (3, 35)):
            history.branch(f"side{number}", "start")
            history.commit(f"side {number}", {"a.txt": merged(TEXT, (f"line {line}", f"side {number}"))})
        history.switch("main")
        history.commit("ours", {"b.txt": "ours\n"})
        edits = [("line 5", "side 1"), ("line 20", "side 2"), ("line 35", "side 3")]
        sides = ("side1", "side2", "side3")
        history.merge("clean", *sides, changes={"a.txt": merged(TEXT, *edits)}, key="clean")
        history.switch("side1")
        evil = {"a.txt": merged(TEXT, *edits, ("line 12", "evil"))}
        history.merge("evil", "main", "side2", "side3", changes=dict(evil), key="evil")
    repository = Repository.open(history.repo.path)
    assert len(repository.links(history.repo.sha["clean"]).parents) == 4
    assert changes(repository, history.repo.sha["clean"]).files == ()
    (change,) = changes(repository, history.repo.sha["evil"]).files
    assert (signed(change, "+"), signed(change, "-")) == ({"evil"}, {"line 12"})

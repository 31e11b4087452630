"""The scripted histories are what they say: git itself is asked about every feature other tests rely on."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings

from fixtures import histories, postgres
from fixtures.chance import Amend, Commit, Gc, Operation, Player, operations
from fixtures.git import git_bytes
from fixtures.golden import BLIND, GOLDEN, PROSE, GoldenQuery
from fixtures.project import hostile, oddities
from fixtures.project.upkeep import LFS_POINTER
from fixtures.script import History
from fixtures.tree import Edit, executable
from ohara.model import Polarity, QueryClass

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.model import Pattern

pytest_plugins = ("fixtures.plugin",)


# -- stable --------------------------------------------------------------------------------------

KNOWN_SHAS = {
    "root": "269cada760f0e6d1551fc7096f6c9e1e7b857208",
    "retry": "2535c4c40b5565440e52367b63704940f5ba3028",
    "drop-python2": "426a3697a17387a2430c1044c83ce0ed411919d8",
    "evil-merge": "5d334634713fd9f4b925173ee9b68f42818f00d0",
    "octopus": "eca1be064077f372d06a0bc008e33e26a00b3e85",
    "cherry-pick": "e60eae94f0a4750fce091bbc49f9b06a6f9ccb40",
    "latin1-message": "60103eca294bb17ec751e3d0819286e126474602",
    "hostile-message": "35f62e9e5b195d47b5ad4dcbfaa38d709f9833b0",
    "hostile-paths": "6b2af999b18b53aa94504f3de9de388f0effdbdf",
    "hostile-code": "14cb7b17487ff06e999823a8ccefef4b0e56ae74",
    "gzip-skip": "41d130553033a165fcd09b9192f7d104a08f199c",
    "tip": "5a19fa4c679dc954f716161a1d254c601598bae0",
}
KNOWN_REWRITTEN_TIP = "d100615e35808174c9e86db2930080ee0cf09181"


def test_shas_never_change(shared_project: Repo) -> None:
    assert {key: shared_project.sha[key] for key in KNOWN_SHAS} == KNOWN_SHAS
    assert shared_project.tip == shared_project.sha["tip"]


def test_building_twice_gives_the_same_refs_whatever_the_callers_git_settings(
    shared_project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".gitconfig").write_text(
        "[user]\nname = Intruder\n[commit]\ngpgSign = true\n[core]\nautocrlf = true\n"
        "[init]\ndefaultBranch = trunk\n"
    )
    for name, value in {
        "HOME": str(tmp_path),
        "GIT_CONFIG_GLOBAL": str(tmp_path / ".gitconfig"),
        "GIT_AUTHOR_NAME": "Intruder",
        "GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z",
        "TZ": "Asia/Tokyo",
    }.items():
        monkeypatch.setenv(name, value)
    again = histories.small_project(tmp_path / "again")
    assert again.sha == shared_project.sha
    assert again.git("show-ref") == shared_project.git("show-ref")


def test_the_repository_is_sound_and_its_work_tree_clean(small_project: Repo) -> None:
    assert small_project.git("fsck", "--strict", "--no-dangling") == ""
    assert small_project.git("status", "--porcelain") == ""
    assert small_project.git("symbolic-ref", "HEAD").strip() == "refs/heads/main"


# -- the story -----------------------------------------------------------------------------------


def show(repo: Repo, key: str, *options: str) -> str:
    """What git shows of a commit's change, without its message."""
    return repo.git("show", "--format=", *options, repo.sha[key])


def blob(repo: Repo, key: str, path: str) -> bytes:
    return git_bytes(repo.path, "cat-file", "blob", f"{repo.sha[key]}:{path}")


def parents(repo: Repo, key: str) -> list[str]:
    return repo.git("rev-list", "--parents", "-1", repo.sha[key]).split()[1:]


def message(repo: Repo, key: str) -> str:
    return repo.git("show", "-s", "--format=%B", repo.sha[key]).rstrip("\n")


def test_the_project_has_people_years_and_three_languages(shared_project: Repo) -> None:
    authors = set(shared_project.git("log", "--all", "--format=%aN").splitlines())
    assert {"Ada Moreau", "Tomás Ibarra", "李梅", "Joan O'Neil", "renovate[bot]"} < authors
    years = set(shared_project.git("log", "--format=%cd", "--date=format:%Y").split())
    assert years == {"2021", "2022", "2023", "2024"}
    endings = [path.rsplit(".", 1)[-1] for path in shared_project.git("ls-files").splitlines()]
    assert min(endings.count("py"), endings.count("ts"), endings.count("go")) >= 3
    assert len(shared_project.git("rev-list", "--all").split()) == len(shared_project.sha) == 77


def test_a_revert_and_its_revert_restore_the_same_blob(shared_project: Repo) -> None:
    taken, sha = "parcel/rate_limit.py", shared_project.sha
    assert f"This reverts commit {sha['rate-limit']}." in message(shared_project, "rate-limit-reverted")
    assert show(shared_project, "rate-limit-reverted", "--name-status") == f"D\t{taken}\n"
    assert blob(shared_project, "rate-limit", taken) == blob(shared_project, "rate-limit-again", taken)


def test_a_cherry_pick_is_the_same_patch_by_another_committer(shared_project: Repo) -> None:
    pick = shared_project.sha["cherry-pick"]
    assert show(shared_project, "cherry-pick") == show(shared_project, "leak")
    assert f"(cherry picked from commit {shared_project.sha['leak']})" in message(
        shared_project, "cherry-pick"
    )
    who = shared_project.git("show", "-s", "--format=%an|%cn|%ad|%cd", "--date=short", pick)
    assert who == "Ada Moreau|Tomás Ibarra|2022-08-01|2022-08-03\n"
    assert shared_project.git("branch", "--contains", pick).split() == ["stable/1.x"]


def test_a_plain_merge_adds_nothing_of_its_own(shared_project: Repo) -> None:
    assert len(parents(shared_project, "merge")) == 2
    assert show(shared_project, "merge", "--cc") == ""


def test_an_evil_merge_holds_a_line_that_no_parent_has(shared_project: Repo) -> None:
    assert "++MAX_BODY_BYTES" in show(shared_project, "evil-merge", "--cc")
    for parent in parents(shared_project, "evil-merge"):
        assert "MAX_BODY_BYTES" not in shared_project.git("show", f"{parent}:parcel/auth.py")


def test_a_conflict_merge_really_conflicts(small_project: Repo) -> None:
    ours, theirs = parents(small_project, "conflict-merge")
    small_project.git("checkout", "--quiet", "--detach", ours)
    with pytest.raises(RuntimeError, match="git merge"):
        small_project.git("merge", theirs)
    assert small_project.git("diff", "--name-only", "--diff-filter=U") == "parcel/upload.py\n"
    assert "++                # Each worker waits" in show(small_project, "conflict-merge", "--cc")


def test_the_octopus_has_four_parents(shared_project: Repo) -> None:
    assert len(parents(shared_project, "octopus")) == 4
    assert show(shared_project, "octopus", "--cc") == ""


def test_moves_are_renames_with_and_without_edits(shared_project: Repo) -> None:
    moved = show(shared_project, "move", "-M", "--name-status")
    assert "R100\tserver/parcel/retry.py\tparcel/retry.py\n" in moved
    assert re.search(r"^R0[5-9]\d\tserver/setup.py\tsetup.py$", moved, re.MULTILINE)
    assert re.match(r"R08\d\tweb/src/client.ts\t", show(shared_project, "rename-file", "-M", "--name-status"))


def test_a_removal_and_an_empty_commit_and_a_silent_one(shared_project: Repo) -> None:
    assert show(shared_project, "remove-ftp", "--name-status") == "D\tparcel/ftp.py\n"
    assert show(shared_project, "empty") == ""
    assert message(shared_project, "silent") == ""
    assert {message(shared_project, key) for key in ("empty-file", "token-timing", "race")} == {"fix"}


def test_modes_links_and_submodules(shared_project: Repo) -> None:
    summary = show(shared_project, "mode", "--summary")
    assert summary == " mode change 100644 => 100755 packaging/release.sh\n"
    assert (
        shared_project.git("diff", "--numstat", f"{shared_project.sha['mode']}^!")
        == "0\t0\tpackaging/release.sh\n"
    )
    assert shared_project.git("ls-tree", "main", "docs/changes.md").startswith("120000 blob")
    assert (shared_project.path / "docs/changes.md").readlink().as_posix() == "../CHANGELOG.md"
    assert shared_project.git("ls-tree", "main", "conformance").startswith("160000 commit c0dec0de")
    assert "-Subproject commit 5e1f5e1f" in show(shared_project, "submodule-bump")


def test_files_that_are_not_plain_utf8_text(shared_project: Repo) -> None:
    assert show(shared_project, "binary", "--numstat") == "-\t-\tdocs/logo.png\n"
    crlf = blob(shared_project, "crlf-edit", "packaging/install.bat")
    assert crlf.count(b"\r\n") == crlf.count(b"\n") == 8
    french = blob(shared_project, "latin1-message", "locale/fr.txt")
    assert "Téléversement" in french.decode("latin-1")
    for raw in (french, blob(shared_project, "mixed-encodings", "tests/data/encodings.txt")):
        with pytest.raises(UnicodeDecodeError):
            raw.decode()
    assert blob(shared_project, "lfs", "docs/demo.mp4") == LFS_POINTER.encode()


def test_a_message_in_latin1_says_so(shared_project: Repo) -> None:
    raw = git_bytes(shared_project.path, "cat-file", "commit", shared_project.sha["latin1-message"])
    assert b"\nencoding ISO-8859-1\n" in raw
    assert "fran\xe7ais".encode("latin-1") in raw
    assert message(shared_project, "latin1-message").startswith("Corrige l'accueil français")


def test_files_that_an_index_leaves_out(shared_project: Repo) -> None:
    generated = blob(shared_project, "generated", "cmd/parcel/media_types.go")
    assert generated.count(b"\n") == oddities.GENERATED_LINES == 5000
    attribute = shared_project.git("check-attr", "linguist-generated", "parcel/protocol_pb2.py")
    assert attribute.endswith(": linguist-generated: true\n")
    assert len(max(blob(shared_project, "minified", "web/dist/parcel.min.js").split(b"\n"), key=len)) > 4000
    paths = set(shared_project.git("ls-files").splitlines())
    assert {"web/package-lock.json", "vendor/example.org/humanize/bytes.go", ".oharaignore"} < paths
    ignored = shared_project.git(
        "-c", "core.excludesFile=.oharaignore", "ls-files", "-ci", "--exclude-standard"
    )
    assert ignored == "recordings/monday.txt\n"


def test_hostile_text_is_stored_byte_for_byte(shared_project: Repo) -> None:
    raw = git_bytes(shared_project.path, "cat-file", "commit", shared_project.sha["hostile-message"])
    assert raw.endswith(b"\n\n" + hostile.HOSTILE_MESSAGE.encode())
    assert b"author Mallory \x1b[5m[blink]\xe2\x80\xae <" in raw
    assert blob(shared_project, "hostile-code", "parcel/samples.py") == hostile.HOSTILE_CODE.encode()
    for text in (
        hostile.RED,
        hostile.RIGHT_TO_LEFT,
        hostile.ZERO_WIDTH,
        hostile.SQL_INJECTION,
        hostile.MARKUP,
    ):
        assert text in hostile.HOSTILE_MESSAGE
        assert text in hostile.HOSTILE_CODE


def test_hostile_paths_are_in_the_tree_and_on_disk(shared_project: Repo) -> None:
    listed = shared_project.git(
        "ls-tree", "-r", "-z", "--name-only", shared_project.sha["hostile-paths"], "docs/odd/"
    )
    assert set(listed.rstrip("\0").split("\0")) == {*hostile.HOSTILE_PATHS, hostile.LATIN1_PATH}
    assert all((shared_project.path / path).is_file() for path in hostile.HOSTILE_PATHS)
    assert show(shared_project, "hostile-path-gone", "--name-status", "-z") == f"D\0{hostile.LATIN1_PATH}\0"


def test_a_slow_clock_dates_a_commit_before_its_parents(shared_project: Repo) -> None:
    own, before = shared_project.git("log", "-2", "--format=%at", shared_project.sha["slow-clock"]).split()
    assert int(own) < int(before)


def test_rewriting_a_branch_leaves_its_old_commits_unreachable(small_project: Repo) -> None:
    rewrite = histories.rewrite_branch(small_project)
    assert rewrite.old == (small_project.sha["gzip-skip"], small_project.sha["gzip"])
    assert rewrite.new[0] == KNOWN_REWRITTEN_TIP
    assert len(rewrite.new) == 2
    reachable = set(small_project.git("rev-list", "--all").split())
    assert set(rewrite.new) < reachable
    assert not reachable & set(rewrite.old)
    assert small_project.git("rev-parse", "--abbrev-ref", "HEAD") == "main\n"


# -- copies and special shapes -------------------------------------------------------------------


def test_an_empty_repository_and_an_unborn_head(tmp_path: Path) -> None:
    assert histories.empty(tmp_path / "empty").git("count-objects") == "0 objects, 0 kilobytes\n"
    unborn = histories.unborn_head(tmp_path / "unborn")
    assert unborn.resolve("main") == unborn.sha["three"]
    with pytest.raises(RuntimeError, match="rev-parse"):
        _ = unborn.tip


def test_a_detached_head(tmp_path: Path) -> None:
    detached = histories.detached_head(tmp_path / "detached")
    assert detached.tip == detached.sha["two"]
    with pytest.raises(RuntimeError, match="not a symbolic ref"):
        detached.git("symbolic-ref", "HEAD")


def test_replaced_and_grafted_commits_have_other_parents(tmp_path: Path) -> None:
    replaced = histories.replaced(tmp_path / "replaced")
    assert parents(replaced, "three") == [replaced.sha["one"]]
    real = replaced.git("--no-replace-objects", "rev-list", "--parents", "-1", replaced.sha["three"]).split()
    assert real == [replaced.sha["three"], replaced.sha["two"]]
    grafted = histories.grafted(tmp_path / "grafted")
    assert grafted.git("rev-list", "HEAD").split() == [grafted.sha["three"], grafted.sha["two"]]


def test_a_shallow_clone_ends_early(shared_project: Repo, tmp_path: Path) -> None:
    shallow = histories.shallow_clone(shared_project, tmp_path / "shallow", depth=3)
    assert shallow.git("rev-list", "HEAD").split() == shared_project.git("rev-list", "-3", "HEAD").split()
    assert shallow.git("rev-parse", "--is-shallow-repository") == "true\n"


def test_a_partial_clone_lacks_every_blob_and_cannot_get_one(shared_project: Repo, tmp_path: Path) -> None:
    partial = histories.partial_clone(shared_project, tmp_path / "partial")
    kinds = partial.git("cat-file", "--batch-all-objects", "--batch-check=%(objecttype)").split()
    assert "commit" in kinds
    assert "blob" not in kinds
    assert partial.tip == shared_project.tip
    with pytest.raises(RuntimeError, match="nonexistent"):
        partial.git("cat-file", "blob", "HEAD:README.md")


def test_hidden_blobs_are_missing_until_restored(small_project: Repo) -> None:
    name = f"{small_project.sha['retry']}:server/parcel/retry.py"
    wanted = small_project.git("rev-parse", name).strip()
    hidden = histories.hide_blobs(small_project, [wanted])
    with pytest.raises(RuntimeError, match="cat-file"):
        small_project.git("cat-file", "-e", wanted)
    assert small_project.git("cat-file", "-t", "HEAD:README.md") == "blob\n"
    hidden.restore()
    assert small_project.git("fsck", "--no-dangling") == ""


def test_a_bare_clone_and_a_linked_worktree(small_project: Repo, tmp_path: Path) -> None:
    bare = histories.bare_clone(small_project, tmp_path / "bare.git")
    assert bare.git("rev-parse", "--is-bare-repository") == "true\n"
    assert bare.git_dir == bare.path
    assert bare.resolve("stable/1.x") == small_project.sha["cherry-pick"]
    linked = histories.linked_worktree(small_project, tmp_path / "linked")
    common = (linked.path / linked.git("rev-parse", "--git-common-dir").strip()).resolve()
    assert common == small_project.git_dir.resolve()
    assert linked.git_dir.parent.name == "worktrees"
    assert (linked.path / "README.md").is_file()


def test_large_histories_have_the_size_asked_for(tmp_path: Path) -> None:
    line = histories.many_commits(tmp_path / "line", 300)
    assert line.git("rev-list", "--count", "main") == "300\n"
    assert line.git("show", f"{line.sha['41']}:steps/part_01.py").count("def step_") == 3
    wide = histories.many_files(tmp_path / "wide", 2500)
    assert len(wide.git("ls-tree", "-r", "--name-only", wide.sha["all"]).splitlines()) == 2500
    for text, marks in ((True, "100000\t0\tbig.txt"), (False, "-\t-\tbig.txt")):
        big = histories.big_blob(tmp_path / f"big-{text}", 6_400_000, text=text)
        assert big.git("cat-file", "-s", "main:big.txt") == "6400000\n"
        assert marks in big.git("show", "--format=", "--numstat", big.sha["big"])


# -- the builder ---------------------------------------------------------------------------------


def test_an_edit_of_text_that_is_not_there_raises(tmp_path: Path) -> None:
    with History(tmp_path / "edit") as history:
        history.commit("one", {"a": "x\n"})
        with pytest.raises(ValueError, match="stands 0 times"):
            history.commit("two", {"a": Edit("y", "z")})


def test_a_conflict_nobody_settled_raises(tmp_path: Path) -> None:
    with History(tmp_path / "merge") as history:
        history.commit("base", {"a": "base\n"})
        history.branch("side")
        history.commit("theirs", {"a": "theirs\n"})
        history.switch("main")
        history.commit("ours", {"a": "ours\n"})
        with pytest.raises(ValueError, match="both sides changed a"):
            history.merge("join", "side")


def test_a_key_used_twice_raises(tmp_path: Path) -> None:
    with History(tmp_path / "key") as history:
        history.commit("one", key="same")
        with pytest.raises(ValueError, match="two commits are called 'same'"):
            history.commit("two", key="same")


def test_a_folder_may_take_the_place_of_a_file(tmp_path: Path) -> None:
    with History(tmp_path / "folder") as history:
        history.commit("file", {"a": "x\n"})
        history.commit("folder", {"a": None, "a/b": executable("y\n")})
    assert history.repo.git("ls-tree", "-r", "HEAD").split()[0::3] == ["100755", "a/b"]
    assert (history.repo.path / "a" / "b").read_text() == "y\n"


def test_a_copy_is_independent_of_its_template(shared_project: Repo, small_project: Repo) -> None:
    (small_project.path / "new.txt").write_text("new\n")
    small_project.git("add", "new.txt")
    small_project.git("commit", "--quiet", "-m", "Only here")
    assert small_project.tip != shared_project.tip
    assert parents_of_tip(small_project) == [shared_project.tip]


def parents_of_tip(repo: Repo) -> list[str]:
    return repo.git("rev-list", "--parents", "-1", "HEAD").split()[1:]


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(sequence=operations())
def test_random_histories_are_what_the_player_says(
    sequence: list[Operation], tmp_path_factory: pytest.TempPathFactory
) -> None:
    player = Player(tmp_path_factory.mktemp("random") / "repo.git")
    for operation in sequence:
        player.play(operation)
        refs = player.repo.git(
            "for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads"
        ).splitlines()
        assert dict(line.split() for line in refs) == dict(player.branches)
        assert set(player.repo.git("rev-list", "HEAD").split()) == player.reachable()
    assert player.repo.git("fsck", "--no-dangling") == ""


def test_gc_forgets_an_amended_commit(tmp_path: Path) -> None:
    player = Player(tmp_path / "repo.git")
    player.play(Commit(((0, (1,)),)))
    before = player.repo.tip
    player.play_all([Amend(((0, (2,)),)), Gc()])
    with pytest.raises(RuntimeError, match="rev-parse"):
        player.repo.resolve(before)


# -- golden queries ------------------------------------------------------------------------------

PATTERNED = [golden for golden in GOLDEN if golden.pattern]
STOP_WORDS = re.compile(
    r"(a|an|are|as|did|even|from|in|is|it|longer|never|no|of|on|that|the|too|using|when|why|with|we)"
)


def test_goldens_are_many_distinct_and_about_commits_of_main(shared_project: Repo) -> None:
    main = set(shared_project.git("rev-list", "main").split())
    assert len(GOLDEN) == len({golden.query for golden in GOLDEN}) >= 40
    for golden in GOLDEN:
        assert {shared_project.sha[key] for key in golden.finds} <= main, golden.query
        assert all(key in shared_project.sha for key in golden.never), golden.query
        assert not set(golden.finds) & set(golden.never), golden.query
        assert golden.finds or golden.exact or golden.never, golden.query
        assert len(golden.finds) <= golden.within or golden.exact, golden.query


def test_a_sha_in_a_golden_is_the_commits_own(shared_project: Repo) -> None:
    (golden,) = (golden for golden in GOLDEN if golden.query_class is QueryClass.SHA)
    assert shared_project.resolve(golden.asked(shared_project.sha)) == shared_project.sha["retry"]


@pytest.mark.parametrize("golden", PATTERNED, ids=lambda golden: golden.query)
def test_patterns_find_what_git_finds(shared_project: Repo, golden: GoldenQuery) -> None:
    assert golden.pattern is not None
    case = ["-i"] if "i" in golden.pattern.flags else []
    plain = ["log", "--no-merges", "--format=%H", "main", *case]
    spec = ["--", *golden.pathspecs]
    found = shared_project.git(*plain, "-E", f"-G{expression(golden.pattern)}", *spec).split()
    if not golden.pattern.is_regex:
        assert set(shared_project.git(*plain, f"-S{golden.pattern.text}", *spec).split()) <= set(found)
    merges = shared_project.git("rev-list", "--merges", "main").split()
    expected = {sha for sha in found if any_line(shared_project, sha, golden)}
    expected |= {sha for sha in merges if any_line(shared_project, sha, golden)}
    assert {shared_project.key_of(sha) for sha in expected} == set(golden.finds)
    if golden.pattern.polarity is Polarity.ANY:
        assert set(found) <= expected


def expression(pattern: Pattern) -> str:
    """A pattern as git's extended regular expression."""
    return pattern.text if pattern.is_regex else re.sub(r"([.\[*^$()+?{|\\])", r"\\\1", pattern.text)


def any_line(repo: Repo, sha: str, golden: GoldenQuery) -> bool:
    """Whether a line that the commit adds or removes matches; in a merge, a line that no parent has."""
    assert golden.pattern is not None
    wanted = re.compile(expression(golden.pattern), re.IGNORECASE if "i" in golden.pattern.flags else 0)
    combined = len(repo.git("rev-parse", f"{sha}^@").split()) > 1
    width = 2 if combined else 1
    patch = repo.git("show", "--format=", "-U0", "--cc", sha, "--", *golden.pathspecs)
    signs = {Polarity.ANY: "+-", Polarity.ADDED: "+", Polarity.REMOVED: "-"}[golden.pattern.polarity]
    body = [
        line
        for file in re.split(r"^diff ", patch, flags=re.MULTILINE)
        for line in file.split("\n@@", 1)[-1].split("\n")
    ]
    return any(
        line[:width] in {sign * width for sign in signs} and wanted.search(line[width:]) for line in body
    )


@pytest.mark.parametrize("golden", PROSE, ids=lambda golden: golden.query)
def test_prose_shares_words_with_the_commits_it_must_find(shared_project: Repo, golden: GoldenQuery) -> None:
    for key in golden.finds:
        text = message(shared_project, key) + show(shared_project, key, "--cc")
        assert len(stems(golden.query) & stems(text)) * 2 >= len(stems(golden.query)), key


@pytest.mark.parametrize("golden", BLIND, ids=lambda golden: golden.query)
def test_blind_goldens_are_told_by_the_change_and_not_by_the_message(
    shared_project: Repo, golden: GoldenQuery
) -> None:
    (key,) = golden.finds
    asked = stems(golden.query)
    assert not asked & stems(message(shared_project, key))
    assert len(asked & stems(show(shared_project, key, "--cc"))) * 2 >= len(asked)


def stems(text: str) -> set[str]:
    """The words of a text without those that say nothing, cut to five letters as a rough stem."""
    words = re.findall(r"[a-z0-9]+", text.replace("_", " ").lower())
    return {word[:5] for word in words if not STOP_WORDS.fullmatch(word)}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to run the server as somebody else")
def test_a_server_runs_though_nobody_else_may_read_what_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = postgres._installed()
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    for folder in (installed.parent, installed.parent.with_name(f"{installed.parent.name}.libs")):
        shutil.copytree(folder, private / folder.name, symlinks=True)
    monkeypatch.setattr(postgres, "_installed", lambda: private / installed.parent.name / installed.name)
    with postgres.running() as server:
        assert private not in server.programs.parents
        assert "accepting connections" in server.run("pg_isready", "-h", str(server.folder))

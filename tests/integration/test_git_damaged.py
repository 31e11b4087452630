"""Damaged, borrowed and moving objects: what can be read is read, the rest is named and tried again."""

from __future__ import annotations

import random
import zlib
from typing import TYPE_CHECKING

import pytest

from fixtures.git import git_bytes
from fixtures.script import History
from ohara.errors import RepositoryError
from ohara.git.diff import changes
from ohara.git.repo import Repository
from ohara.git.walk import walk
from ohara.model import Sha
from tests.indexing import facts_of, facts_of_a_fresh_index, index
from tests.process import ohara

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fixtures.git import Repo

_COMMITS = 12


@pytest.fixture
def packed(tmp_path: Path) -> Repo:
    """A dozen commits in one pack."""
    with History(tmp_path / "repo", bare=True) as history:
        for number in range(_COMMITS):
            text = "".join(f"line {line} of {number * line}\n" for line in range(40))
            history.commit(
                f"Commit {number}", {"a.txt": text, f"f{number}.py": f"x = {number}\n"}, key=f"c{number}"
            )
    git_bytes(history.repo.path, "repack", "-q", "-a", "-d")
    return history.repo


def loosen(repo: Repo) -> None:
    """Turn all packs into loose objects."""
    folder = repo.git_dir / "objects" / "pack"
    packs = [file.read_bytes() for file in folder.glob("*.pack")]
    for file in folder.iterdir():
        file.unlink()
    for pack in packs:
        git_bytes(repo.path, "unpack-objects", "-q", stdin=pack)


def loose(repo: Repo, oid: str) -> Path:
    return repo.git_dir / "objects" / oid[:2] / oid[2:]


def damage(file: Path, how: Callable[[bytes], bytes]) -> bytes:
    """Write other bytes into a file and return those that were there."""
    whole = file.read_bytes()
    file.chmod(0o644)
    file.write_bytes(how(whole))
    return whole


# -- loose objects -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "how",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:-3],
        lambda _: b"",
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda _: zlib.compress(b"nonsense"),
    ],
    ids=["half", "tail", "empty", "check", "header"],
)
def test_a_damaged_loose_object_is_missing_and_read_when_it_is_whole_again(
    packed: Repo, how: Callable[[bytes], bytes]
) -> None:
    loosen(packed)
    blob = packed.git("rev-parse", f"{packed.sha['c5']}:a.txt").strip()
    whole = damage(loose(packed, blob), how)
    done = ohara("index", "-q", cwd=packed.path)  # a process of its own: libgit2's reader never ends on some
    assert (done.returncode, done.stderr) == (0, "")
    told = ohara("status", cwd=packed.path).stdout
    assert "1 objects are not in this clone, or damaged" in told
    loose(packed, blob).write_bytes(whole)
    status = index(packed).status()
    assert (status.indexed, status.failures) == (_COMMITS, ())


def test_a_damaged_loose_copy_does_not_hide_the_packed_object(packed: Repo) -> None:
    blob = packed.git("rev-parse", f"{packed.sha['c5']}:a.txt").strip()
    loose(packed, blob).parent.mkdir(exist_ok=True)
    loose(packed, blob).write_bytes(b"x\x9c")
    assert changes(Repository.open(packed.path), packed.sha["c5"]).missing == ()


def test_a_lost_commit_is_named_and_history_read_on_when_it_is_back(
    packed: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loosen(packed)
    whole = damage(loose(packed, packed.sha["c5"]), lambda data: data[:20])
    status = index(packed).status()
    assert status.indexed == _COMMITS - 6
    assert {each.sha: each.reason for each in status.failures} == {
        packed.sha["c5"]: "it is missing or damaged, and what came before it is not known",
        packed.sha["c6"]: "1 objects are not in this clone, or damaged",  # nothing to compare it with
    }
    loose(packed, packed.sha["c5"]).write_bytes(whole)
    engine = index(packed)
    assert engine.status().failures == ()
    assert facts_of(engine) == facts_of_a_fresh_index(packed, tmp_path / "fresh", monkeypatch)


# -- packs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("suffix", "seed"), [("pack", 1), ("pack", 2), ("idx", 3)])
def test_a_damaged_pack_ends_no_process_and_is_read_when_it_is_whole_again(
    packed: Repo, suffix: str, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same damage every time
    (file,) = (packed.git_dir / "objects" / "pack").glob(f"*.{suffix}")

    def flipped(data: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(4):
            changed[chance.randrange(12, len(data) - 40)] ^= 1 << chance.randrange(8)
        return bytes(changed)

    whole = damage(file, (lambda data: data[: len(data) // 2]) if seed == 2 else flipped)
    done = ohara("index", "-q", cwd=packed.path)
    assert done.returncode in {0, 2}
    assert "Traceback" not in done.stderr
    file.write_bytes(whole)
    status = index(packed).status()
    assert (status.indexed, status.failures) == (_COMMITS, ())


def test_objects_that_move_while_they_are_read_are_found(packed: Repo) -> None:
    loosen(packed)
    repository = Repository.open(packed.path)
    shas = [sha for sha, _ in walk(repository, [packed.tip])]
    steps = (
        ("repack", "-q", "-a", "-d"),
        ("prune-packed", "-q"),
        ("repack", "-q", "-a", "-d", "-f", "--depth=2"),
        ("gc", "-q", "--prune=now"),
    )
    for step, sha in enumerate(shas):
        git_bytes(packed.path, *steps[step % len(steps)])
        assert changes(repository, sha).missing == ()


def test_what_is_pruned_while_it_is_indexed_is_named(packed: Repo) -> None:
    repository = Repository.open(packed.path)
    shas = [sha for sha, _ in walk(repository, [packed.tip])]
    git_bytes(packed.path, "update-ref", "refs/heads/main", packed.sha["c3"])
    git_bytes(packed.path, "reflog", "expire", "--expire=now", "--all")
    git_bytes(packed.path, "gc", "-q", "--prune=now")
    fresh = Repository.open(packed.path)
    with pytest.raises(RepositoryError, match="missing or damaged"):
        changes(fresh, shas[0])
    assert index(packed).status().indexed == 4


# -- other places --------------------------------------------------------------------------------


def test_objects_are_borrowed_in_circles_and_from_nowhere(packed: Repo, tmp_path: Path) -> None:
    git_bytes(tmp_path, "clone", "-q", "--bare", "--shared", str(packed.path), "borrower")
    borrower = tmp_path / "borrower"
    (packed.git_dir / "objects" / "info").mkdir(exist_ok=True)
    (packed.git_dir / "objects" / "info" / "alternates").write_text(
        f"{borrower}/objects\n../objects\n/nonexistent\n"
    )
    for place in (borrower, packed.path):
        assert index(place).status().indexed == _COMMITS
    (borrower / "objects" / "info" / "alternates").write_text("/nonexistent/objects\n")
    done = ohara("index", "-q", cwd=borrower)
    assert done.returncode == 2
    assert "is missing or damaged" in done.stderr


def test_a_work_tree_elsewhere_has_its_own_ignore_file_and_one_that_is_gone_is_said(
    packed: Repo, tmp_path: Path
) -> None:
    git_bytes(tmp_path, "clone", "-q", str(packed.path), "clone")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".oharaignore").write_text("f1.py\n")
    git_bytes(tmp_path / "clone", "config", "core.worktree", str(elsewhere))
    assert dict(index(tmp_path / "clone").status().left_out) == {"ignored": 1}
    (elsewhere / ".oharaignore").unlink()
    elsewhere.rmdir()
    with pytest.raises(RepositoryError, match=r"clone/\.git cannot be opened as a git repository"):
        Repository.open(tmp_path / "clone")


def test_a_submodule_and_a_linked_work_tree_are_repositories(packed: Repo, tmp_path: Path) -> None:
    with History(tmp_path / "above") as history:
        history.commit("Start", {"a.txt": "a\n"})
    above = history.repo
    git_bytes(
        above.path,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(packed.path),
        "below",
    )
    git_bytes(above.path, "worktree", "add", "-q", "../linked")
    assert index(above.path / "below").status().indexed == _COMMITS
    assert Repository.open(tmp_path / "linked").common_dir == Repository.open(above.path).common_dir
    assert Repository.open(tmp_path / "linked").resolve(["HEAD"]) == {"HEAD": Sha(above.tip)}

"""Git hooks: real commits fire them, other hooks keep working, and removing leaves no trace."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from ohara import paths
from ohara.setup import hook
from ohara.setup.hook_run import WAITING, follow
from tests.indexing import index
from tests.process import ROOT, ohara

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.engine import Engine


def commit(repo: Repo, message: str) -> subprocess.CompletedProcess[str]:
    """Commit as a person would, with hooks and the environment of the test."""
    return subprocess.run(
        ["git", "-C", repo.path, "commit", "-q", "--allow-empty", "-m", message],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def wait_until(true: Callable[[], bool], *, at_most_s: float = 60.0) -> bool:
    deadline = time.monotonic() + at_most_s
    while not (there := true()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return there


def indexed(engine: Engine, count: int) -> Callable[[], bool]:
    return lambda: engine.status().indexed == count


def test_a_commit_is_indexed_without_any_command(three_commits: Repo) -> None:
    engine = index(three_commits)
    done = ohara("hook", "install", "--repo", str(three_commits.path))
    assert done.returncode == 0, done.stderr
    hooks = three_commits.git_dir / "hooks"
    assert done.stdout == "".join(f"made: {hooks / name}\n" for name in hook.HOOKS)
    committed = commit(three_commits, "new")
    assert (committed.returncode, committed.stdout, committed.stderr) == (0, "", "")
    assert wait_until(indexed(engine, 4))
    assert wait_until(lambda: (run := engine.status().last_run) is not None and run.scheduled)


def test_installing_twice_changes_nothing_and_removing_leaves_nothing(three_commits: Repo) -> None:
    hook.install(three_commits.path)
    file = three_commits.git_dir / "hooks" / "post-commit"
    before = file.read_bytes()
    assert [one.done for one in hook.install(three_commits.path)] == ["already there"] * 4
    assert file.read_bytes() == before
    assert hook.installed(three_commits.path) == [file.parent / name for name in hook.HOOKS]
    assert [one.done for one in hook.remove(three_commits.path)] == ["deleted"] * 4
    assert list(file.parent.iterdir()) == []
    assert ohara("hook", "remove", "--repo", str(three_commits.path)).returncode == 1


def test_an_existing_hook_keeps_its_work_its_exit_code_and_its_mode(
    three_commits: Repo, tmp_path: Path
) -> None:
    hooks = three_commits.git_dir / "hooks"
    hooks.mkdir()
    said = tmp_path / "said"
    mine = hooks / "post-checkout"
    original = f'#!/bin/sh\nset -eu\necho "$# $3" >> {said}\nexit 7\n'
    mine.write_text(original)
    mine.chmod(0o750)
    hook.install(three_commits.path)
    assert mine.read_text().startswith("#!/bin/sh\n# >>> ohara hook >>>\n")
    assert mine.stat().st_mode & 0o777 == 0o750
    switched = subprocess.run(["git", "-C", three_commits.path, "checkout", "-q", "-b", "other"], check=False)
    assert (switched.returncode, said.read_text()) == (1, "3 1\n")  # git says 1 for any failure of the hook
    hook.remove(three_commits.path)
    assert mine.read_text() == original
    assert mine.stat().st_mode & 0o777 == 0o750


def test_the_block_starts_no_python_while_a_daemon_lives(
    three_commits: Repo, ohara_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = tmp_path / "started"
    launcher = tmp_path / "python with space"
    launcher.write_text(f"#!/bin/sh\necho \"$@\" >> '{started}'\n")
    launcher.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(launcher))
    hook.install(three_commits.path)
    pid_file = ohara_home / "run" / "daemon.pid"
    pid_file.write_text(f"{os.getpid()}\n")
    commit(three_commits, "while it lives")
    pid_file.write_text("999999999\n")
    commit(three_commits, "after it died")
    assert wait_until(started.exists)
    assert wait_until(lambda: started.read_text() == "-P -m ohara hook run\n")


def test_a_burst_of_hooks_starts_one_process_as_long_as_that_waits(
    three_commits: Repo, ohara_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, ended, goes_on = tmp_path / "started", tmp_path / "ended", tmp_path / "goes on"
    os.mkfifo(goes_on)
    launcher = tmp_path / "launcher"
    launcher.write_text(f"#!/bin/sh\necho $$ >> '{started}'\nread -r _ < '{goes_on}'\necho $$ >> '{ended}'\n")
    launcher.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(launcher))
    hook.install(three_commits.path)
    mark = ohara_home / "run" / WAITING

    def lines(file: Path) -> list[str]:
        return file.read_text().splitlines() if file.exists() else []

    handle = os.open(goes_on, os.O_RDWR)
    try:
        done = [commit(three_commits, f"picked {at}") for at in range(5)]
        assert [(each.returncode, each.stderr) for each in done] == [(0, "")] * 5
        assert wait_until(lambda: lines(started) != [])
        assert mark.read_text() == f"{lines(started)[0]} {three_commits.path}\n"
        for count, note in enumerate(
            (f"{os.getpid()} {tmp_path}", f"999999999 {three_commits.path}", ""), start=2
        ):
            mark.write_text(f"{note}\n")
            commit(three_commits, "nobody waits here")
            assert wait_until(lambda count=count: len(lines(started)) >= count)  # type: ignore[misc]
        assert len(lines(started)) == 4
    finally:
        os.write(handle, b"\n" * 20)
        assert wait_until(lambda: len(lines(ended)) == len(lines(started)))
        os.close(handle)


def test_who_waited_takes_the_note_back_before_it_indexes(three_commits: Repo, ohara_home: Path) -> None:
    engine = index(three_commits)
    mark = ohara_home / "run" / WAITING
    for who, is_kept in ((os.getpid(), False), (os.getppid(), True)):
        paths.runtime_dir()
        mark.write_text(f"{who} {three_commits.path}\n")
        assert follow(three_commits.path)
        assert mark.exists() == is_kept
    engine.forget()
    mark.write_text(f"{os.getpid()} {three_commits.path}\n")
    assert follow(three_commits.path) is False
    assert not mark.exists()


@pytest.mark.parametrize(
    ("content", "mode", "why"),
    [
        (b"#!/usr/bin/env python3\nprint()\n", 0o755, "it is not a shell script"),
        (b"\x7fELF\x00", 0o755, "it is not a shell script"),
        (b"#!/bin/sh\ntrue\n", 0o644, "it is not executable"),
        (b"#!/bin/sh\n# >>> ohara hook >>>\ntrue\n", 0o755, "its ohara block has lost its last line"),
    ],
)
def test_a_hook_that_cannot_be_changed_safely_is_left_alone(
    three_commits: Repo, content: bytes, mode: int, why: str
) -> None:
    file = three_commits.git_dir / "hooks" / "post-merge"
    file.parent.mkdir()
    file.write_bytes(content)
    file.chmod(mode)
    done = ohara("hook", "install", "--repo", str(three_commits.path))
    assert done.returncode == 2
    assert f"left alone: {file}: {why}" in done.stderr
    assert "-m ohara hook run" in done.stderr
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (content, mode)
    assert (file.parent / "post-commit").exists()


def test_a_link_is_left_alone(three_commits: Repo, tmp_path: Path) -> None:
    shared = tmp_path / "shared-hook"
    shared.write_text("#!/bin/sh\n")
    shared.chmod(0o755)
    (three_commits.git_dir / "hooks").mkdir()
    (three_commits.git_dir / "hooks" / "post-commit").symlink_to(shared)
    refused = {one.file.name: one.refused for one in hook.install(three_commits.path) if one.refused}
    assert list(refused) == ["post-commit"]
    assert shared.read_text() == "#!/bin/sh\n"


@pytest.mark.parametrize(
    ("folder", "file", "content", "owner"),
    [
        (".husky/_", "h", "", "husky"),
        (".githooks", "pre-push", "#!/bin/sh\n", "the repository itself"),
        (".git/hooks", "pre-commit", "#!/usr/bin/env bash\n# File generated by pre-commit\n", "pre-commit"),
        (".git/hooks", "pre-push", "#!/bin/sh\ncall_lefthook run\n", "lefthook"),
    ],
)
def test_a_hook_manager_is_respected(
    three_commits: Repo, folder: str, file: str, content: str, owner: str
) -> None:
    place = three_commits.path / folder
    place.mkdir(parents=True)
    (place / file).write_text(content)
    if folder != ".git/hooks":
        three_commits.git("config", "core.hooksPath", folder)
    done = ohara("hook", "install", "--repo", str(three_commits.path))
    assert done.returncode == 2
    assert f"are managed by {owner}" in done.stderr
    assert "ohara hook snippet" in done.stderr
    assert [found.name for found in place.iterdir()] == [file]


def test_hooks_path_outside_the_repository_and_a_linked_worktree_are_found(
    three_commits: Repo, tmp_path: Path
) -> None:
    three_commits.git("worktree", "add", "-q", str(tmp_path / "linked"))
    assert {one.file.parent for one in hook.install(tmp_path / "linked")} == {three_commits.git_dir / "hooks"}
    hook.remove(tmp_path / "linked")
    three_commits.git("config", "core.hooksPath", str(tmp_path / "everywhere"))
    assert {one.file.parent for one in hook.install(three_commits.path)} == {tmp_path / "everywhere"}


def test_a_repository_without_an_index_is_left_alone(three_commits: Repo, ohara_home: Path) -> None:
    assert follow(three_commits.path) is False
    assert not (ohara_home / "data" / "indexes").exists()

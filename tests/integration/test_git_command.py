"""Nothing that a repository's own configuration names is ever started, wherever ohara starts git."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

from fixtures.git import git_bytes, git_environment
from fixtures.script import History
from ohara.gitcommand import git_command, user_pager
from ohara.gitcommand import git_environment as safe_environment
from ohara.setup import hook
from tests.process import ohara, on_a_terminal
from tui.external import show_command, show_environment
from tui.git_process import count_commits

if TYPE_CHECKING:
    from fixtures.git import Repo

_SETTINGS = """
[core]
	pager = {mark} core.pager
	fsmonitor = {mark} core.fsmonitor
	sshCommand = {mark} core.sshCommand
	gitProxy = {mark} core.gitProxy
	askPass = {mark} core.askPass
	editor = {mark} core.editor
	alternateRefsCommand = {mark} core.alternateRefsCommand
	hooksPath = {hooks}
[pager]
	show = {mark} pager.show
	rev-list = {mark} pager.rev-list
[diff]
	external = {mark} diff.external
	submodule = diff
[diff "evil"]
	textconv = {mark} diff.textconv
	command = {mark} diff.command
[filter "evil"]
	clean = {mark} filter.clean
	smudge = {mark} filter.smudge
	process = {mark} filter.process
	required = true
[merge "evil"]
	driver = {mark} merge.driver
[alias]
	show = !{mark} alias.show
	rev-list = !{mark} alias.rev-list
	rev-parse = !{mark} alias.rev-parse
[gpg]
	program = {program}
[log]
	showSignature = true
	diffMerges = remerge
[credential]
	helper = !{mark} credential.helper
[interactive]
	diffFilter = {mark} interactive.diffFilter
[extensions]
	partialClone = origin
[remote "origin"]
	url = {other}
	promisor = true
	partialclonefilter = blob:none
	uploadpack = {mark} remote.uploadpack
[protocol "file"]
	allow = always
[protocol "ssh"]
	allow = always
[include]
	path = {included}
"""


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """Where a program that should not have run leaves its name."""
    folder = tmp_path / "marks"
    folder.mkdir()
    program = tmp_path / "mark"
    program.write_text(f'#!/bin/sh\ntouch "{folder}/${{1:-program}}"\nexit 1\n')
    program.chmod(0o755)
    return folder


@pytest.fixture
def evil(tmp_path: Path, marks: Path) -> Repo:
    """A repository whose configuration names a program wherever git would take one."""
    with History(tmp_path / "evil") as history:
        history.commit(
            "Start", {"a.txt": "one\n", ".gitattributes": "* diff=evil filter=evil merge=evil\n"}, key="one"
        )
        history.branch("side")
        history.commit("Aside", {"a.txt": "two\n"}, key="two")
        history.switch("main")
        history.commit("Ahead", {"a.txt": "three\n"}, key="three")
        history.merge("Both", "side", changes={"a.txt": "both\n"}, key="both")
    repo = history.repo
    signed = (
        b"tree %s\nparent %s\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n"
        b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nSigned\n"
    )
    tree = repo.git("rev-parse", "HEAD~1^{tree}").strip().encode()
    data = signed % (tree, repo.tip.encode())
    sha = git_bytes(repo.path, "hash-object", "-t", "commit", "-w", "--stdin", stdin=data).decode().strip()
    git_bytes(repo.path, "update-ref", "refs/heads/main", sha)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    mark = marks.parent / "mark"
    for name in ("post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"):
        (hooks / name).symlink_to(mark)
    included = tmp_path / "included"
    included.write_text(f"[core]\n\tpager = {mark} include.path\n")
    git_bytes(tmp_path, "clone", "-q", "--bare", str(repo.path), str(tmp_path / "other"))
    with (repo.git_dir / "config").open("a") as config:
        config.write(
            _SETTINGS.format(
                mark=mark, program=mark, hooks=hooks, other=tmp_path / "other", included=included
            )
        )
    with (repo.git_dir / "config").open("a") as config:
        config.write("[core]\n\trepositoryformatversion = 1\n")
    return repo


def left(marks: Path) -> list[str]:
    return sorted(file.name for file in marks.iterdir())


@pytest.fixture
def person(tmp_path: Path) -> dict[str, str]:
    """The environment of somebody who has set nothing but a home."""
    home = tmp_path / "person"
    home.mkdir()
    environment = git_environment() | {"HOME": str(home), "TERM": "dumb"}
    del environment["GIT_CONFIG_GLOBAL"], environment["XDG_CONFIG_HOME"]
    return environment


def test_plain_git_would_run_them(evil: Repo, marks: Path, person: dict[str, str]) -> None:
    on_a_terminal(["git", "-C", str(evil.path), "--paginate", "show", "HEAD"], person)
    on_a_terminal(["git", "-C", str(evil.path), "--no-pager", "show", "HEAD"], person)
    ran = left(marks)
    assert "include.path" in ran  # the last core.pager of all
    assert {"diff.command", "filter.process"} & set(ran)
    assert any(name.startswith("--keyid-format") for name in ran)  # gpg.program


def test_showing_a_commit_runs_none(evil: Repo, marks: Path, person: dict[str, str]) -> None:
    person |= {"PAGER": "cat"}
    for key in ("one", "two", "both"):
        said = on_a_terminal(show_command(str(evil.path), evil.sha[key]), show_environment(person))
        assert evil.sha[key].encode() in said
    signed = on_a_terminal(show_command(str(evil.path), evil.tip), show_environment(person))
    assert b"Signed" in signed
    assert left(marks) == []


def test_a_blob_that_is_not_there_is_not_fetched(evil: Repo, marks: Path, person: dict[str, str]) -> None:
    blob = evil.git("--no-replace-objects", "rev-parse", f"{evil.sha['three']}:a.txt").strip()
    (evil.git_dir / "objects" / blob[:2] / blob[2:]).unlink(missing_ok=True)
    for pack in (evil.git_dir / "objects" / "pack").glob("*"):
        pack.unlink()
    said = on_a_terminal(show_command(str(evil.path), evil.tip), show_environment(person | {"PAGER": "cat"}))
    assert b"+three" not in said
    assert left(marks) == []


def test_counting_asking_for_hooks_and_indexing_run_none(evil: Repo, marks: Path) -> None:
    assert anyio.run(count_commits, evil.path) == 5
    assert hook.installed(evil.path) == []
    for command in (("index", "-q"), ("show", "HEAD")):
        ohara(*command, cwd=evil.path)
    assert left(marks) == []


def test_the_pager_is_the_one_that_the_person_chose(evil: Repo, marks: Path, person: dict[str, str]) -> None:
    assert user_pager(person) == "less"
    assert user_pager(person | {"PAGER": "most"}) == "most"
    config = f"{person['HOME']}/.gitconfig"
    subprocess.run(["git", "config", "--file", config, "core.pager", "delta --dark"], check=True)
    assert user_pager(person | {"PAGER": "most"}) == "delta --dark"
    subprocess.run(["git", "config", "--file", config, "pager.show", "true"], check=True)
    assert user_pager(person) == "delta --dark"
    subprocess.run(
        ["git", "config", "--file", config, "pager.show", f"tee {person['HOME']}/shown"], check=True
    )
    assert user_pager(person | {"GIT_PAGER": "more"}) == "more"
    on_a_terminal(show_command(str(evil.path), evil.sha["one"]), show_environment(person))
    assert evil.sha["one"] in Path(person["HOME"], "shown").read_text()
    assert left(marks) == []


def test_every_setting_that_names_a_program_is_overridden(evil: Repo, person: dict[str, str]) -> None:
    keys = (
        "core.fsmonitor",
        "core.hooksPath",
        "core.sshCommand",
        "core.gitProxy",
        "gpg.program",
        "diff.external",
    )
    for key in keys:
        command = git_command(evil.path, "config", "--get", key)
        said = subprocess.run(command, env=safe_environment(person), capture_output=True, check=False).stdout
        assert b"mark" not in said

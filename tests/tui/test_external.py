"""Other programs are told exactly what is meant, whatever a path or a setting looks like."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import uuid
from typing import TYPE_CHECKING

import pytest
from textual.app import App

from ohara.gitcommand import SHOW_OPTIONS
from tests.daemon import wait_until
from tui.external import (
    MOST_COPIED,
    blame_command,
    browser_command,
    compare_command,
    copy_to_clipboard,
    editor_command,
    nearest_line,
    open_page,
    run_in_terminal,
    show_command,
    show_environment,
    temporary_copy,
    work_tree_file,
)

if TYPE_CHECKING:
    from pathlib import Path

SHA = "3f" * 20


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("vim", ["vim", "+7", "{}"]),
        ("/usr/bin/nvim -R", ["/usr/bin/nvim", "-R", "+7", "{}"]),
        ("code", ["code", "--wait", "--goto", "{}:7"]),
        ("hx", ["hx", "{}:7"]),
        ("pycharm", ["pycharm", "--line", "7", "{}"]),
        ("ed", ["ed", "{}"]),
        ("'my editor' -x", ["my editor", "-x", "{}"]),
        ("un'closed", ["un'closed", "{}"]),
        ("", ["vi", "+7", "{}"]),
    ],
)
def test_the_editor_is_told_the_line_its_own_way(editor: str, command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "-a b.py"
    expected = [word.format(path) for word in command]
    assert editor_command(path, 7, {"EDITOR": editor}) == expected
    assert editor_command(path, 7, {"VISUAL": editor or "vi", "EDITOR": "other"}) == expected


def test_a_line_is_found_again_where_it_moved() -> None:
    now = ["a", "  x = 1", "b", "x = 1", "c"]
    assert nearest_line(now, "x = 1", 5) == 4
    assert nearest_line(now, "x = 1 ", 1) == 2
    assert nearest_line(now, "gone", 3) == 3
    assert nearest_line(now, "gone", 99) == 5
    assert nearest_line([], "gone", 99) == 1


def test_only_files_of_the_work_tree_are_edited(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    (root / "a.py").write_text("x\n")
    (tmp_path / "secret").write_text("x\n")
    (root / "link").symlink_to(tmp_path / "secret")
    assert work_tree_file(str(root), "a.py") == root / "a.py"
    for path in ("../secret", "link", "gone.py", "", "a\0b"):
        assert work_tree_file(str(root), path) is None


def test_a_copy_of_an_old_version_can_be_read_and_not_written() -> None:
    copied = temporary_copy("src/../we ird$.py", SHA, ["one", "two"])
    assert (copied.name, copied.read_text()) == ("3f3f3f3f3f-we_ird_.py", "one\ntwo\n")
    assert copied.stat().st_mode & 0o222 == 0


def test_git_shows_a_commit_in_its_own_pager() -> None:
    command = show_command("/r", SHA)
    assert command[0] == "git"
    assert command[command.index("-C") :] == ["-C", "/r", "--paginate", "show", *SHOW_OPTIONS, SHA, "--"]
    assert show_command("/r", SHA, "-x*")[-2:] == ["--", ":(literal,top)-x*"]
    with pytest.raises(ValueError, match="not a commit's name"):
        show_command("/r", "--output=/etc/passwd")


@pytest.mark.skipif(not shutil.which("tmux") or not shutil.which("less"), reason="needs tmux and less")
@pytest.mark.parametrize("own", [{}, {"LESS": "-FRX"}])
def test_less_stays_when_a_commit_fits_the_screen(tmp_path: Path, own: dict[str, str]) -> None:
    environment = show_environment({"PATH": os.environ["PATH"], "GIT_PAGER": "less", **own})
    short = tmp_path / "short"
    short.write_text("one\ntwo\n")
    name = f"ohara-{uuid.uuid4().hex[:12]}"
    command = f"env LESS={shlex.quote(environment['LESS'])} less {shlex.quote(str(short))}; echo ended; cat"
    tmux = ["tmux", "-L", name, "-f", "/dev/null"]
    subprocess.run([*tmux, "new-session", "-d", "-x", "60", "-y", "12", "sh", "-c", command], check=True)
    try:

        def screen() -> str:
            return subprocess.run(
                [*tmux, "capture-pane", "-p"], capture_output=True, text=True, check=True
            ).stdout

        assert wait_until(lambda: "two" in screen(), at_most_s=30)
        assert not wait_until(lambda: "ended" in screen(), at_most_s=0.5)
        subprocess.run([*tmux, "send-keys", "q"], check=True)
        assert wait_until(lambda: "ended" in screen(), at_most_s=30)
    finally:
        subprocess.run([*tmux, "kill-server"], capture_output=True, check=False)


def test_git_shows_a_file_with_blame_and_two_commits_side_by_side() -> None:
    blame = blame_command("/r", SHA, "-x.py")
    assert blame[-3:] == [SHA, "--", "-x.py"]
    assert {"--no-textconv", "blame", "blame.ignoreRevsFile="} <= set(blame)
    assert compare_command("/r", SHA, "4e" * 20)[-3:] == [SHA, "4e" * 20, "--"]
    with pytest.raises(ValueError, match="not names of commits"):
        compare_command("/r", SHA, "--output=x")
    with pytest.raises(ValueError, match="not a commit's name"):
        blame_command("/r", "HEAD", "a.py")


def test_a_page_is_opened_only_where_there_are_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener = tmp_path / "xdg-open"
    opener.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    opener.chmod(0o755)
    url = "https://github.com/me/net"
    here = {"PATH": str(tmp_path)}
    assert browser_command(url, here, "linux") is None
    assert browser_command(url, {**here, "DISPLAY": ":0"}, "linux") == [str(opener), url]
    assert browser_command(url, here, "darwin") == ["open", url]
    assert browser_command("file:///etc/passwd", here, "darwin") is None
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not open_page(url)


@pytest.mark.anyio
async def test_what_cannot_be_done_is_said() -> None:
    app: App[None] = App()
    async with app.run_test():
        assert run_in_terminal(app, ["true"]) == "This terminal cannot be given to another program."
        assert copy_to_clipboard(app, "short") == ""
        assert app.clipboard == "short"
        assert "more than a terminal takes" in copy_to_clipboard(app, "x" * (MOST_COPIED + 1))
        assert app.clipboard == "short"

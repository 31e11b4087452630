"""Starts other programs: the editor, git's pager, the browser.

Commands are lists, never shell lines; text from a repository (a path, a sha) is a single argument and cannot
be read as an option. Only web addresses are ever opened.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from ohara.gitcommand import SHOW_OPTIONS, git_command, git_environment, user_pager

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from textual.app import App

# What most terminals take in one OSC 52 sequence; more is dropped by them without a word.
MOST_COPIED = 74_994

# By itself, by the closed pipe of a pager that was left early, by ctrl+c.
_ENDED_WELL = frozenset(
    {0, *(code for each in (signal.SIGPIPE, signal.SIGINT) for code in (-each, 128 + each))}
)

_SHA = re.compile(r"[0-9a-fA-F]{4,64}")

# How editors take a line: before the path, after a colon, or with an option.
_PLUS_LINE = frozenset(
    {
        "vi",
        "vim",
        "nvim",
        "gvim",
        "view",
        "nano",
        "pico",
        "micro",
        "emacs",
        "emacsclient",
        "kak",
        "joe",
        "mg",
        "mcedit",
    }
)
_COLON_LINE = frozenset({"subl", "zed", "zeditor", "hx", "helix", "lite-xl"})
_GOTO_LINE = frozenset({"code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"})
_LINE_OPTION = frozenset(
    {"idea", "pycharm", "webstorm", "goland", "clion", "rubymine", "phpstorm", "kate", "mate"}
)


# -- the editor ----------------------------------------------------------------------------------


def editor_command(path: Path, line: int, environment: Mapping[str, str]) -> list[str]:
    """The command that opens a file at a line in the user's editor."""
    chosen = environment.get("VISUAL") or environment.get("EDITOR") or "vi"
    try:
        words = shlex.split(chosen)
    except ValueError:
        words = [chosen]
    name = Path(words[0]).name.removesuffix(".exe").lower() if words else ""
    target = str(path.absolute())
    if name in _PLUS_LINE:
        return [*words, f"+{line}", target]
    if name in _GOTO_LINE:
        return [*words, "--wait", "--goto", f"{target}:{line}"]
    if name in _COLON_LINE:
        return [*words, f"{target}:{line}"]
    if name in _LINE_OPTION:
        return [*words, "--line", str(line), target]
    return [*(words or ["vi"]), target]


def nearest_line(lines: Sequence[str], text: str, near: int) -> int:
    """The current number of a line of an older version: the nearest with the same text, or the old number."""
    wanted = text.strip()
    same = [number for number, line in enumerate(lines, 1) if wanted and line.strip() == wanted]
    return min(same, key=lambda number: abs(number - near), default=min(near, max(1, len(lines))))


def work_tree_file(repository: str, path: str) -> Path | None:
    """The file in the work tree; None when it does not exist or would lie outside."""
    root = Path(repository)
    try:
        found = (root / path).resolve()
        is_inside = found.is_relative_to(root.resolve())
        return found if path and is_inside and found.is_file() else None
    except (OSError, ValueError):
        return None


def temporary_copy(path: str, sha: str, lines: Sequence[str]) -> Path:
    """A read-only copy of a file as it was in a commit, for an editor."""
    name = re.sub(r"[^\w.+-]", "_", path.rpartition("/")[2]) or "file"
    copy = Path(tempfile.mkdtemp(prefix="ohara-")) / f"{sha[:10]}-{name}"
    copy.write_text("\n".join(lines) + "\n", encoding="utf-8")
    copy.chmod(0o400)
    return copy


# -- git's own pager -----------------------------------------------------------------------------


def show_command(repository: str, sha: str, path: str = "") -> list[str]:
    """`git show` through a pager, running nothing that the repository itself names."""
    if not _SHA.fullmatch(sha):
        raise ValueError(f"not a commit's name: {sha!r}")
    named = [f":(literal,top){path}"] if path else []
    return git_command(repository, "--paginate", "show", *SHOW_OPTIONS, sha, "--", *named)


def blame_command(repository: str, sha: str, path: str) -> list[str]:
    """A whole file as of a commit, each line with who last touched it, through a pager."""
    if not _SHA.fullmatch(sha):
        raise ValueError(f"not a commit's name: {sha!r}")
    options = ("--no-textconv", "--date=short", "--abbrev=8")
    return git_command(
        repository, "-c", "blame.ignoreRevsFile=", "--paginate", "blame", *options, sha, "--", path
    )


def compare_command(repository: str, old: str, new: str) -> list[str]:
    """What differs between two commits, through a pager."""
    if not (_SHA.fullmatch(old) and _SHA.fullmatch(new)):
        raise ValueError(f"not names of commits: {old!r}, {new!r}")
    return git_command(
        repository,
        "--paginate",
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--submodule=short",
        old,
        new,
        "--",
    )


def show_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for `show_command`, with the user's own pager (such as delta).

    less must stay, also where all fits the screen: the UI draws over what is left behind.
    """
    stays = f"{environment.get('LESS', 'RX')} -+F"
    return git_environment(environment) | {"GIT_PAGER": user_pager(environment) or "cat", "LESS": stays}


# -- the browser ---------------------------------------------------------------------------------


def browser_command(
    url: str, environment: Mapping[str, str], platform: str = sys.platform
) -> list[str] | None:
    """The command that opens a page in a graphical browser; None without one, as over ssh."""
    if not url.startswith(("https://", "http://")):
        return None
    if platform == "darwin":
        return ["open", url]
    if shutil.which("wslview", path=environment.get("PATH")):
        return ["wslview", url]
    has_windows = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    opener = shutil.which("xdg-open", path=environment.get("PATH")) if has_windows else None
    return [opener, url] if opener else None


def open_page(url: str) -> bool:
    """Open a page in the browser; False when there is no browser."""
    command = browser_command(url, os.environ)
    if command is None:
        return False
    try:
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    return True


# -- doing it ------------------------------------------------------------------------------------


def run_in_terminal(
    app: App[None], command: Sequence[str], environment: Mapping[str, str] | None = None
) -> str:
    """Run a program in the terminal, with the UI suspended; returns what went wrong, or an empty text."""
    try:
        with app.suspend(), _keyboard_signals_left_to_it():
            done = subprocess.run(command, env=environment, check=False)
    except SuspendNotSupported:
        return "This terminal cannot be given to another program."
    except OSError as error:
        return f"{command[0]} cannot be started: {error.strerror or error}"
    return f"{command[0]} ended with {done.returncode}." if done.returncode not in _ENDED_WELL else ""


@contextmanager
def _keyboard_signals_left_to_it() -> Iterator[None]:
    """Let ctrl+c and ctrl+\\ be for the program that has the terminal: less stops what it is at.

    They come to all processes there. Handled by a function they are not ignored by the program as well.
    """
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGQUIT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def can_suspend() -> bool:
    """True when a shell with job control started this process; otherwise nothing would continue it."""
    shell = os.getppid()
    try:
        return os.getsid(shell) == os.getsid(0) and os.getpgid(shell) != os.getpgrp()
    except OSError:  # somebody else's process
        return False


def copy_to_clipboard(app: App[None], text: str) -> str:
    """Copy text to the clipboard, also over ssh (OSC 52); returns what went wrong, or an empty text."""
    if len(text.encode("utf-8", "replace")) > MOST_COPIED:
        return f"{len(text):,} characters are more than a terminal takes to its clipboard."
    app.copy_to_clipboard(text)
    return ""

"""`ohara tui` in a real terminal: from the shell to a commit and back to the shell."""

from __future__ import annotations

import os
import pty
import shlex
import shutil
import signal
import subprocess
import sys
import termios
import uuid
from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from fixtures.tree import MovedFrom
from ohara import client, wire
from tests.daemon import alive, wait_until
from tests.indexing import index
from tests.process import ROOT, ohara
from tui import session as sessions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ATTEMPTS = 3  # to start tmux itself

pytestmark = pytest.mark.skipif(not shutil.which("tmux"), reason="needs tmux")


class Terminal:
    """A terminal of its own, in which a shell runs one command and then says that it ended."""

    def __init__(self, columns: int, lines: int) -> None:
        self._name = ""
        self._size = ("-x", str(columns), "-y", str(lines))

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self._name, "-f", "/dev/null", *arguments],
            capture_output=True,
            encoding="utf-8",
            check=True,
            env={name: text for name, text in os.environ.items() if name != "TMUX"}
            | {"TERM": "xterm-256color"},
        )
        return done.stdout

    def run(self, command: list[str], cwd: Path) -> None:
        line = f"{shlex.join(command)}; echo ended with $?; cat"
        for attempt in range(_ATTEMPTS):
            self._name = f"ohara-{uuid.uuid4().hex[:12]}"  # a server that is ending takes no sessions
            try:
                self._tmux("new-session", "-d", *self._size, "-c", str(cwd), "sh", "-c", line)
            except subprocess.CalledProcessError:  # tmux now and then: "server exited unexpectedly"
                if attempt + 1 == _ATTEMPTS:
                    raise
            else:
                return

    def press(self, *keys: str) -> None:
        self._tmux("send-keys", *keys)

    def send(self, typed: bytes) -> None:
        self._tmux("send-keys", "-H", *(f"{byte:02x}" for byte in typed))

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    def shows(self, text: str) -> bool:
        return wait_until(lambda: text in self.screen(), at_most_s=60)

    def modes(self) -> str:
        asked = "alternate #{alternate_on}, mouse #{mouse_any_flag}, cursor #{cursor_flag}"
        return self._tmux("display", "-p", asked).strip()

    def close(self) -> None:
        """Close it, and wait for what ran there: it saves the session, which the next test is not to find."""
        if not self._name:
            return
        shell = self._tmux("display", "-p", "#{pane_pid}").strip() if self._is_open() else ""
        subprocess.run(["tmux", "-L", self._name, "kill-server"], capture_output=True, check=False)
        if shell:
            assert wait_until(lambda: not _is_group(int(shell)), at_most_s=30)

    def _is_open(self) -> bool:
        asked = ["tmux", "-L", self._name, "has-session"]
        return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def _is_group(number: int) -> bool:
    """Whether there is any process in a group."""
    try:
        os.killpg(number, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    opened = Terminal(120, 36)
    yield opened
    opened.close()


COMMAND = [sys.executable, "-m", "ohara"]


def test_from_the_shell_to_a_commit_and_back(parcel: Path, terminal: Terminal) -> None:
    terminal.run([*COMMAND, "tui", "--repo", str(parcel)], ROOT)
    assert terminal.shows("Search the history of parcel"), terminal.screen()
    terminal.press("upload retry")
    assert terminal.shows("1st of 32"), terminal.screen()
    terminal.press("Down", "Enter")
    assert terminal.shows("2nd of 32"), terminal.screen()
    subject = "parent 2535c4c4 Retry failed uploads"
    terminal.press("Enter")
    assert terminal.shows(subject), terminal.screen()
    terminal.press("Escape")
    assert terminal.shows("2nd of 32"), terminal.screen()
    terminal.press("q")
    assert terminal.shows("ended with 0"), terminal.screen()


@pytest.mark.usefixtures("parcel")
def test_the_border_of_an_answer_that_came_by_itself_names_its_commit(
    terminal: Terminal, tmp_path: Path
) -> None:
    with History(tmp_path / "gears") as history:
        history.commit("Add a cog", {"cog.py": "cog = 1\n"}, key="cog")
        history.commit("Add a lever", {"lever.py": "lever = 1\n"}, key="lever")
    repo = history.repo
    repo.git("reset", "--hard", "-q")
    index(repo)
    terminal.run([*COMMAND, "tui", "--repo", str(repo.path)], ROOT)
    assert terminal.shows("Search the history of gears"), terminal.screen()
    terminal.press("cog")
    assert terminal.shows(f"· {repo.sha['cog'][:10]} ─╯"), terminal.screen()
    terminal.press("C-u")
    terminal.press("sprocket")
    assert terminal.shows("Nothing found"), terminal.screen()
    (repo.path / "sprocket.py").write_text("sprocket = 1\n")
    repo.git("add", "-A")
    repo.git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "Add a sprocket")
    with client.connect() as ohara:
        ohara.send(wire.Index(repo=str(repo.path)))
    assert terminal.shows("Add a sprocket"), terminal.screen()
    newest = repo.git("rev-parse", "HEAD").strip()[:10]
    assert terminal.shows(f"· {newest} ─╯"), terminal.screen()


def test_bytes_that_are_no_text_are_typed_as_replacement_characters_and_end_nothing(
    parcel: Path, terminal: Terminal
) -> None:
    terminal.run([*COMMAND, "tui", "--repo", str(parcel)], ROOT)
    assert terminal.shows("Search the history of parcel"), terminal.screen()
    terminal.send(b"caf\xe9 \xff")
    assert terminal.shows("⌕ caf\N{REPLACEMENT CHARACTER}"), terminal.screen()
    terminal.send(b"\x15")  # ctrl+u
    mouse_far_to_the_right = b"\x1b[M\x20\xfe\x30"
    terminal.send(mouse_far_to_the_right + b"upload")
    assert terminal.shows("1st of"), terminal.screen()
    assert "⌕ upload " in terminal.screen()


def test_what_is_pasted_is_text_also_behind_an_escape_character(parcel: Path, terminal: Terminal) -> None:
    terminal.run([*COMMAND, "tui", "--repo", str(parcel)], ROOT)
    assert terminal.shows("Search the history of parcel"), terminal.screen()
    terminal.send(b"\x1b[200~upload\x1b[31m\tq\x1b[201~")
    assert terminal.shows("⌕ upload[31m"), terminal.screen()
    terminal.send(b"\x15retry")
    assert terminal.shows("⌕ retry "), terminal.screen()


def test_bare_ohara_in_a_repository_opens_the_ui_and_elsewhere_the_help(
    parcel: Path, terminal: Terminal, tmp_path: Path
) -> None:
    terminal.run(COMMAND, parcel)
    assert terminal.shows("Search the history of parcel"), terminal.screen()
    terminal.press("C-q")
    assert terminal.shows("ended with 0"), terminal.screen()
    terminal.close()
    terminal.run(COMMAND, tmp_path)
    assert terminal.shows("ended with 0"), terminal.screen()
    assert "Commands:" in terminal.screen()


@pytest.mark.usefixtures("parcel")
def test_a_repository_cannot_bring_a_ui_of_its_own(terminal: Terminal, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "tui").mkdir()
    (tmp_path / "tui" / "__init__.py").touch()
    (tmp_path / "tui" / "__main__.py").write_text("print('taken over')")
    terminal.run(COMMAND, tmp_path)
    assert terminal.shows("is not indexed yet"), terminal.screen()


def test_it_is_seen_when_what_is_said_goes_to_a_file(
    parcel: Path, terminal: Terminal, tmp_path: Path
) -> None:
    said = shlex.quote(str(tmp_path / "said"))
    line = f"{shlex.join(COMMAND)} tui --repo {shlex.quote(str(parcel))} 2>{said}"
    terminal.run(["sh", "-c", line], ROOT)
    assert terminal.shows("Search the history of parcel"), terminal.screen()
    terminal.press("C-q")
    assert terminal.shows("ended with 0"), terminal.screen()


def test_it_is_left_for_the_shell_and_come_back_to(parcel: Path, terminal: Terminal) -> None:
    terminal.run(["env", "PS1=shell> ", "bash", "--norc", "-i"], ROOT)
    assert terminal.shows("shell>"), terminal.screen()
    terminal.press(f"{shlex.join(COMMAND)} tui upload --repo {shlex.quote(str(parcel))}", "Enter")
    assert terminal.shows("1st of"), terminal.screen()
    terminal.press("C-z")
    assert terminal.shows("Stopped"), terminal.screen()
    terminal.press("fg", "Enter")
    assert terminal.shows("1st of"), terminal.screen()
    terminal.press("Down")
    assert terminal.shows("2nd of"), terminal.screen()
    terminal.press("q")
    assert wait_until(lambda: terminal.screen().rstrip().endswith("shell>"), at_most_s=60), terminal.screen()


def test_it_is_not_left_where_nothing_could_bring_it_back(parcel: Path, terminal: Terminal) -> None:
    terminal.run([*COMMAND, "tui", "--repo", str(parcel)], ROOT)
    assert terminal.shows("Search the history of parcel"), terminal.screen()
    terminal.press("C-z")
    assert terminal.shows("No shell here"), terminal.screen()


@pytest.mark.usefixtures("parcel")
def test_the_editor_opens_where_the_code_is_now(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "def retry():\n    wait = 3\n    return wait\n"
    with History(tmp_path / "moved") as history:
        history.commit("Add retry with backoff", {"net.py": body})
        history.commit(
            "Explain the module", {"net.py": "# one\n" * 40 + body.replace("wait = 3", "wait = 5")}
        )
    index(history.repo)
    said = tmp_path / "said"
    editor = tmp_path / "vim"
    editor.write_text(f'#!/bin/sh\necho "$@" > {shlex.quote(str(said))}\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    history.repo.git("reset", "--hard", "-q")
    line = shlex.join([*COMMAND, "tui", "--repo", str(history.repo.path), "Add retry with backoff"])
    terminal.run(["env", f"EDITOR={editor}", "sh", "-c", line], ROOT)
    assert terminal.shows("1st of"), terminal.screen()
    terminal.press("e")
    assert wait_until(said.exists, at_most_s=60), terminal.screen()
    assert wait_until(lambda: said.read_text().strip(), at_most_s=60)
    assert said.read_text().strip() == f"+41 {history.repo.path / 'net.py'}"


def test_a_terminal_that_cannot_place_text_is_refused(parcel: Path, terminal: Terminal) -> None:
    terminal.run(["env", "TERM=dumb", sys.executable, "-m", "ohara", "tui"], parcel)
    assert terminal.shows("ended with 2")
    assert "needs a terminal that can do more than TERM=dumb says" in " ".join(terminal.screen().split())


def test_off_a_terminal_it_says_so(parcel: Path) -> None:
    done = ohara("tui", "--repo", str(parcel), "x")
    assert done.returncode == 2
    assert done.stderr == "ohara: the terminal UI needs a terminal\n  hint: ohara find answers anywhere\n"


def test_a_wrong_setting_is_said_before_the_screen_is_taken(
    parcel: Path, served: Path, terminal: Terminal
) -> None:
    with (served / "config" / "config.toml").open("a") as file:
        file.write('\n[tui.keys]\nquti = "x"\n')
    terminal.run([*COMMAND, "tui", "--repo", str(parcel)], ROOT)
    assert terminal.shows("ended with 2"), terminal.screen()
    assert "there is no action quti" in terminal.screen()
    assert "did you mean quit?" in terminal.screen()


def opened_in(terminal: Terminal, repository: Path, folder: Path) -> int:
    """Open the UI with a question that is answered; returns its process."""
    pid = folder / "pid"
    command = shlex.join([*COMMAND, "tui", "retry", "--repo", str(repository)])
    terminal.run(["sh", "-c", f"echo $$ > {shlex.quote(str(pid))}; exec {command}"], ROOT)
    assert terminal.shows("1st of"), terminal.screen()
    return int(pid.read_text())


@pytest.mark.parametrize("name", ["HUP", "INT", "TERM"])
def test_told_to_end_it_gives_the_terminal_back_and_keeps_the_session(
    parcel: Path, served: Path, terminal: Terminal, name: str
) -> None:
    process = opened_in(terminal, parcel, served)
    os.kill(process, getattr(signal, f"SIG{name}"))
    assert terminal.shows(f"ended with {128 + getattr(signal, f'SIG{name}')}"), terminal.screen()
    assert "1st of" not in terminal.screen()
    assert terminal.modes() == "alternate 0, mouse 0, cursor 1"
    assert sessions.load().query == "retry"


def test_a_terminal_that_is_closed_ends_it_and_keeps_the_session(
    parcel: Path, served: Path, terminal: Terminal
) -> None:
    process = opened_in(terminal, parcel, served)
    terminal.close()
    assert wait_until(lambda: not alive(process), at_most_s=60)
    assert sessions.load().query == "retry"


def test_a_terminal_that_is_gone_without_a_signal_ends_it_too(parcel: Path) -> None:
    ours, its = pty.openpty()
    termios.tcsetwinsize(its, (36, 120))
    command = shlex.join([*COMMAND, "tui", "retry", "--repo", str(parcel)])
    ui = subprocess.Popen(
        ["sh", "-c", f"trap '' HUP; exec {command}"],
        stdin=its,
        stdout=its,
        stderr=its,
        start_new_session=True,
    )
    os.close(its)
    seen = b""
    while b"1st of" not in seen:
        seen += os.read(ours, 65_536)
    os.close(ours)
    assert ui.wait(timeout=60) == 128 + signal.SIGHUP


def test_ctrl_c_is_for_the_program_that_has_the_terminal(
    parcel: Path, terminal: Terminal, tmp_path: Path
) -> None:
    said = tmp_path / "said"
    editor = tmp_path / "vim"
    to = shlex.quote(str(said))
    editor.write_text(
        f"#!/bin/sh\ntrap 'echo interrupted >> {to}' INT\necho began > {to}\nread line\nread line\n"
    )
    editor.chmod(0o755)
    line = shlex.join([*COMMAND, "tui", "--repo", str(parcel), "retry"])
    terminal.run(["env", f"VISUAL={editor}", "sh", "-c", line], ROOT)
    assert terminal.shows("1st of"), terminal.screen()
    terminal.press("e")
    assert wait_until(said.exists, at_most_s=60), terminal.screen()
    terminal.press("C-c")
    assert wait_until(lambda: "interrupted" in said.read_text(), at_most_s=60)
    terminal.press("Enter", "Enter")
    assert terminal.shows("1st of"), terminal.screen()
    terminal.press("Down")
    assert terminal.shows("2nd of"), terminal.screen()


def editor_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An editor that writes down what it was told, and the file that it does so in."""
    folder.mkdir()
    told, editor = folder / "told", folder / "vim"
    editor.write_text(f'#!/bin/sh\necho "$@" >> {shlex.quote(str(told))}\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    return told


@pytest.mark.usefixtures("parcel")
def test_e_opens_the_place_where_the_code_is_now(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "def grommet():\n    wire = 1\n    return wire\n"
    with History(tmp_path / "moved") as history:
        history.commit("Add the grommet", {"old.py": f"import os\n\n\n{body}"}, key="grommet")
        history.commit(
            "Add the sprocket", {"gone.py": "def sprocket():\n    return 2\n", "kept.py": "x = 1\n"}
        )
        history.commit("Rename it", {"lib/new.py": MovedFrom("old.py")})
        above = "".join(f"line_{number} = {number}\n" for number in range(20))
        history.commit("Put more above", {"lib/new.py": f"{above}import os\n\n\n{body}"})
        history.commit("Drop the sprocket", {"gone.py": "y = 1\n"})
    repo = history.repo.path
    index(repo)
    told = editor_in(tmp_path / "bin", monkeypatch)
    terminal.run([*COMMAND, "tui", "--repo", str(repo), "--", '"def grommet"'], ROOT)
    assert terminal.shows("now lib/new.py:21"), terminal.screen()
    assert terminal.shows("/ Query"), terminal.screen()
    terminal.press("e")
    assert wait_until(told.exists, at_most_s=30), terminal.screen()
    assert told.read_text() == f"+24 {repo}/lib/new.py\n"
    terminal.press("q")
    assert terminal.shows("ended with 0"), terminal.screen()
    terminal.close()

    terminal.run([*COMMAND, "tui", "--repo", str(repo), "--", '"def sprocket" added:'], ROOT)
    assert terminal.shows("gone since"), terminal.screen()
    assert terminal.shows("/ Query"), terminal.screen()
    terminal.press("e")
    assert terminal.shows("These lines are gone since"), terminal.screen()
    assert told.read_text().splitlines()[1:] == [f"+1 {repo}/gone.py"]
    terminal.press("q")
    assert terminal.shows("ended with 0"), terminal.screen()

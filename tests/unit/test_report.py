"""However a command ends, a shell gets an honest exit code and a person at most two clean lines."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.cli import entry
from ohara.cli.report import ExitCode, as_ohara_error, describe, guard
from ohara.errors import IndexMissing, InternalError, OharaError, QueryError
from ohara.sanitize import sanitize
from tests.process import ROOT, ohara, python

if TYPE_CHECKING:
    from collections.abc import Callable

    from fixtures.git import Repo


def failing(fault: BaseException) -> Callable[[], object]:
    def command() -> object:
        raise fault

    return command


@pytest.mark.parametrize(
    ("returned", "code"), [(None, 0), (0, 0), (1, 1), (ExitCode.NOTHING_FOUND, 1), ("text", 0)]
)
def test_what_a_command_returns_is_its_exit_code(returned: object, code: int) -> None:
    assert guard(lambda: returned) == code


def test_an_error_is_one_line_and_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert guard(failing(IndexMissing("there is no index of project yet", hint="ohara index"))) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", "ohara: there is no index of project yet\n  hint: ohara index\n")


def test_an_error_without_a_hint_is_one_line() -> None:
    assert describe(QueryError("bad")) == "ohara: bad"


def test_a_fault_names_itself_and_shows_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert guard(failing(ZeroDivisionError("division by zero"))) == 2
    assert capsys.readouterr().err == (
        "ohara: internal fault: ZeroDivisionError: division by zero\n"
        "  hint: OHARA_DEBUG=1 shows the traceback; please report it\n"
    )


@pytest.mark.parametrize("fault", [RuntimeError("deep"), OharaError("shallow")])
def test_debugging_shows_the_traceback_before_the_line(
    fault: Exception, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OHARA_DEBUG", "1")
    assert guard(failing(fault)) == 2
    err = capsys.readouterr().err
    assert err.startswith("Traceback (most recent call last):\n")
    assert "raise fault" in err
    assert f"\nohara: {as_ohara_error(fault).message}\n" in err


def test_hostile_words_reach_the_terminal_inert(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = "no commit \x1b]0;pwned\x07\nohara: all is well\u202e"
    assert guard(failing(OharaError(hostile, hint="look\x1b[2J"))) == 2
    assert capsys.readouterr().err == ("ohara: no commit ␛]0;pwned␇␊ohara: all is well�\n  hint: look␛[2J\n")
    monkeypatch.setenv("OHARA_DEBUG", "1")
    guard(failing(OharaError(hostile)))
    assert "\x1b" not in capsys.readouterr().err


@given(st.text(), st.text(min_size=1))
def test_a_described_error_is_two_lines_whatever_it_quotes(message: str, hint: str) -> None:
    shown = describe(OharaError(message, hint=hint))
    assert shown.count("\n") == 1
    assert sanitize(shown, keep="\n") == shown


def test_the_error_inside_a_task_group_is_the_one_told(capsys: pytest.CaptureFixture[str]) -> None:
    group = ExceptionGroup("tasks", [ValueError("noise"), ExceptionGroup("more", [OharaError("the cause")])])
    assert guard(failing(group)) == 2
    assert capsys.readouterr().err == "ohara: the cause\n"


@pytest.mark.parametrize(
    "fault",
    [
        KeyboardInterrupt(),
        click.Abort(),
        BaseExceptionGroup("tasks", [ValueError(), KeyboardInterrupt()]),
    ],
)
def test_an_interrupt_is_130_and_silent(fault: BaseException, capsys: pytest.CaptureFixture[str]) -> None:
    assert guard(failing(fault)) == 130
    assert capsys.readouterr() == ("", "")


def test_click_s_complaint_is_one_line_that_names_the_help() -> None:
    context = click.Context(click.Command("find"), info_name="ohara find")
    error = as_ohara_error(click.UsageError("No such option:\n  --foo.", ctx=context))
    assert describe(error) == "ohara: no such option: --foo\n  hint: ohara find -h"


def test_the_system_s_refusal_is_not_called_ohara_s_fault() -> None:
    error = as_ohara_error(OSError(errno.EACCES, "Permission denied", "/some/file"))
    assert not isinstance(error, InternalError)
    assert error.message == "Permission denied: /some/file"


# -- with a real process: pipes, signals and descriptors cannot be acted out ---------------------


def test_a_reader_that_leaves_early_is_success() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        done = ohara("config", stdout=closed)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_is_an_error() -> None:
    with Path("/dev/full").open("wb") as full:
        done = ohara("config", stdout=full)
    assert done.returncode == 2
    assert done.stderr.startswith("ohara: No space left on device\n")


@pytest.mark.parametrize("closed", [(1,), (0, 1, 2)])
@pytest.mark.parametrize("command", [("config",), ("find", "--batch"), ("find", "x"), ("find", "-q", "x")])
def test_no_standard_streams_at_all_is_no_fault(
    closed: tuple[int, ...], command: tuple[str, ...], three_commits: Repo
) -> None:
    done = python(
        "-c",
        f"import os, sys\nfor number in {closed}: os.close(number)\n"
        f"os.execv(sys.executable, [sys.executable, '-m', 'ohara', *{command}])",
        cwd=three_commits.path,
    )
    assert done.returncode == (1 if "x" in command else 0)
    assert "fault" not in done.stderr


def test_ctrl_c_while_modules_are_loaded_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.__import__", interrupted)
    assert entry.main(["find", "x"]) == 130
    assert entry.main(["config"]) == 130


def test_an_encoding_without_the_character_is_no_fault() -> None:
    done = ohara("config", env={"PYTHONIOENCODING": "latin-1", "OHARA_INDEX_REFS": "ветка"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith('index.refs = ["\\u0432\\u0435')


def test_ctrl_c_ends_with_130_and_no_traceback() -> None:
    script = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job in the background ignores it
        "from ohara.cli.report import guard\n"
        "def wait():\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
        "sys.exit(guard(wait))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate() == (b"", b"")
    assert process.returncode == 130

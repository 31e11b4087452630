"""A process that answers one question: memory that it frees is kept, and it ends at once."""

from __future__ import annotations

import sys

import pytest

from tests.process import ohara, python

# What is still to be done when a command has run: a line that is not written yet, a function for the end, and
# an object that would be taken apart with its module.
_LEAVING = """
import atexit, sys, threading
from ohara.cli import leaving
class Taken:
    def __del__(self): print("taken apart", flush=True)
taken = Taken()
atexit.register(lambda: print("at the end"))
print("answered")
{}
leaving.leave(3)
"""


def test_a_process_that_has_answered_ends_without_taking_itself_apart() -> None:
    ended = python("-c", _LEAVING.format(""))
    assert (ended.returncode, ended.stdout) == (3, "answered\nat the end\n")


def test_a_process_with_a_thread_at_work_waits_for_it() -> None:
    late = "threading.Thread(target=lambda: (threading.Event().wait(0.2), print('and so is this'))).start()"
    ended = python("-c", _LEAVING.format(late))
    assert ended.returncode == 3
    assert "and so is this" in ended.stdout


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/full is Linux's")
def test_an_answer_that_cannot_be_written_is_not_lost_quietly() -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        ended = python("-c", _LEAVING.format(""), stdout=full)
    assert ended.returncode != 3
    assert "No space left" in ended.stderr


@pytest.mark.parametrize("command", ["find", "show", "explain"])
def test_commands_that_answer_end_so(command: str) -> None:
    script = (
        "import sys; from ohara.cli import leaving;"
        "leaving.leave = lambda code: print('left with', code);"
        f"sys.argv = ['ohara', '{command}', '--help'];"
        "from ohara.cli.entry import run; run()"
    )
    assert python("-c", script).stdout.endswith("left with 0\n")


def test_the_exit_code_is_that_of_the_command() -> None:
    assert ohara("find", "--no-such-option").returncode == 2


# How many pages are touched for the first time by arrays that come one after the other, each a little larger.
_FAULTS = """
import resource
{}
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
before = faults()
for size in range(2, 13):
    array = bytearray(size << 20)
    array[::4096] = bytes(size << 8)
    del array
print(faults() - before)
"""


def _pages_touched_anew(begun: str) -> int:
    return int(python("-c", _FAULTS.format(begun)).stdout)


def _has_mallopt() -> bool:
    import ctypes

    return sys.platform == "linux" and hasattr(ctypes.CDLL(None), "mallopt")


@pytest.mark.skipif(not _has_mallopt(), reason="another C library")
def test_memory_that_is_freed_is_there_for_the_next_array() -> None:
    kept = "from ohara.cli.memory import keep_freed_memory; keep_freed_memory()"
    assert _pages_touched_anew("") > 2 * _pages_touched_anew(kept)


def test_only_a_process_that_searches_itself_keeps_memory() -> None:
    script = (
        "import sys; from ohara.cli import memory;"
        "memory.keep_freed_memory = lambda: print('kept');"
        "sys.argv = ['ohara', '{}', '--help'];"
        "from ohara.cli.entry import main; main()"
    )
    assert python("-c", script.format("find")).stdout.startswith("kept\n")
    assert "kept" not in python("-c", script.format("index")).stdout

"""One writer at a time, and a dead one is none."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ohara.errors import IndexLocked, StoreError
from ohara.store.writer_lock import holder, writer_lock

HOLD = """
import sys, time
from pathlib import Path
from ohara.store.writer_lock import writer_lock
with writer_lock(Path(sys.argv[1]), wait_s=0):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_lock_is_free_before_and_after(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with writer_lock(path, wait_s=0):
        assert holder(path) == (os.getpid(), pytest.approx(holder(path)[1]))  # type: ignore[index]
    assert holder(path) is None


def test_a_second_writer_is_told_who_is_at_work_until_that_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    other = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        found = holder(path)
        assert found is not None
        assert found[0] == other.pid
        expected = f"process {other.pid} has been indexing"
        with pytest.raises(IndexLocked, match=expected) as refused, writer_lock(path, wait_s=0.2):
            pass
        assert refused.value.hint == f"wait for it, or stop it with: kill {other.pid}"
        other.send_signal(signal.SIGKILL)
        other.wait()
        with writer_lock(path, wait_s=5):
            pass
    finally:
        other.kill()
        other.communicate()


def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    with (
        pytest.raises(StoreError, match="cannot write in"),
        writer_lock(tmp_path / "none" / "lock", wait_s=0),
    ):
        pass


@pytest.mark.skipif(sys.platform != "linux", reason="looks for the open file in /proc")
def test_who_waited_for_a_lock_that_was_deleted_holds_the_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "index" / "lock"
    path.parent.mkdir()
    other = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        waiting = subprocess.Popen(
            [sys.executable, "-c", HOLD.replace("wait_s=0", "wait_s=60"), str(path)],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert waiting.stdout is not None
            shown = Path(f"/proc/{waiting.pid}/fd")
            while shown.exists() and not any(_leads(each) == str(path) for each in shown.iterdir()):
                time.sleep(0.01)
            shutil.rmtree(path.parent)
            other.kill()
            assert waiting.stdout.readline() == "held\n"
            with pytest.raises(IndexLocked, match=f"process {waiting.pid} "), writer_lock(path, wait_s=0.2):
                pass
        finally:
            waiting.kill()
            waiting.communicate()
    finally:
        other.kill()
        other.communicate()


def _leads(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""

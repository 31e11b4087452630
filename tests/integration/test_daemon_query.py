"""A question that is under way when something happens: to who asked it, or to the service itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from ohara import client, wire
from ohara.engine import Engine
from ohara.errors import DaemonError
from ohara.model import SearchOptions
from tests.daemon import alive, raw_connection, receive, service, wait_until
from tests.indexing import index
from tests.process import ROOT, ohara

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fixtures.git import Repo

QUERY = "/hel+o/"

# While a file says so, a statement of the literal lane takes for ever: only an interrupt ends it, and that is
# written down.
ENDLESS = """
import os, sys
from pathlib import Path
if "daemon" in sys.orig_argv:
    from ohara.store.sql import literal
    from ohara.store.sqlite import reader
    place = Path(os.environ["OHARA_HOME"])
    rows = reader.Reader.rows
    def endless(self, statement, parameters=()):
        if statement == literal.BODIES and (place / "endless").exists():
            with (place / "began").open("a") as began:
                began.write("x")
            try:
                self.connection.execute(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
                ).fetchall()
            except BaseException as ended:
                (place / "ended").write_text(type(ended).__name__)
                raise
        return rows(self, statement, parameters)
    reader.Reader.rows = endless
"""

NOTHING_NOTIFIES = """
import sys
if "daemon" in sys.orig_argv:
    import watchfiles
    async def awatch(*places, **how):
        raise OSError(28, "inotify watch limit reached")
        yield
    watchfiles.awatch = awatch
"""


@pytest.fixture
def daemon(ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo) -> Iterator[int]:
    index(three_commits)
    with service(ohara_home, monkeypatch, customised=ENDLESS) as pid:
        yield pid


@pytest.fixture
def endless(ohara_home: Path) -> Path:
    """The file that makes a statement endless, as long as it is there."""
    file = ohara_home / "endless"
    file.touch()
    return file


def find(number: int, repo: Repo, deadline_ms: int = 60_000) -> bytes:
    return wire.frame(wire.Find(id=number, repo=str(repo.path), query=QUERY, deadline_ms=deadline_ms))


def cancel(connection: socket.socket) -> None:
    connection.sendall(wire.frame(wire.Cancel(id=3, target=2)))
    replies = {reply.id: reply for _ in range(2) if (reply := receive(connection))}
    assert replies[3] == wire.Done(id=3)
    assert replies[2] == wire.Fault(id=2, kind="DaemonError", message="cancelled")


def leave(connection: socket.socket) -> None:
    connection.close()


def wait_for_the_deadline(connection: socket.socket) -> None:
    reply = receive(connection)
    assert isinstance(reply, wire.Fault)
    assert reply.message == "no answer within 3 s"


@pytest.mark.parametrize(
    ("give_up", "deadline_ms"), [(cancel, 60_000), (leave, 60_000), (wait_for_the_deadline, 3_000)]
)
def test_giving_up_ends_the_statement_and_the_next_question_is_answered(
    daemon: int,
    endless: Path,
    three_commits: Repo,
    give_up: Callable[[socket.socket], None],
    deadline_ms: int,
) -> None:
    home = endless.parent
    with raw_connection() as connection:
        connection.sendall(find(2, three_commits, deadline_ms))
        assert wait_until((home / "began").exists)
        assert not (home / "ended").exists()
        give_up(connection)
        assert wait_until((home / "ended").exists)
        assert (home / "ended").read_text() == "InterruptError"
    endless.unlink()
    with client.connect() as there:
        expected = Engine.open(three_commits.path).find_pattern(QUERY, SearchOptions(k=10)).hits
        assert [
            hit.hunk for hit in there.send(wire.Find(repo=str(three_commits.path), query=QUERY)).results.hits
        ] == [hit.hunk for hit in expected]
        assert there.send(wire.HealthCheck()).pid == daemon


def test_killed_in_the_middle_of_a_question_it_is_answered_without_it_and_starts_again(
    daemon: int, endless: Path, three_commits: Repo
) -> None:
    home = endless.parent
    words = ["find", "--repo", str(three_commits.path), QUERY]
    faults: list[Exception] = []

    def ask(there: client.Client) -> None:
        try:
            there.send(wire.Find(repo=str(three_commits.path), query=QUERY))
        except DaemonError as error:
            faults.append(error)

    with client.connect() as there:
        shell = subprocess.Popen(
            [sys.executable, "-m", "ohara", *words],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        program = threading.Thread(target=ask, args=(there,))
        program.start()
        assert wait_until(lambda: (home / "began").exists() and (home / "began").read_text() == "xx")
        os.kill(daemon, signal.SIGKILL)
        assert wait_until(lambda: not alive(daemon))
        out, err = shell.communicate(timeout=60)
        program.join()
    assert [str(fault) for fault in faults] == ["the daemon ended the connection"]
    alone = ohara(*words, "--no-daemon")
    assert (shell.returncode, out, err) == (0, alone.stdout, "")
    endless.unlink()
    with client.connect(start=True) as there:
        assert there.greeting.pid != daemon
        assert there.send(wire.Find(repo=str(three_commits.path), query=QUERY)).results.hits


def test_where_the_system_does_not_notify_refs_are_polled(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    index(three_commits)
    with service(ohara_home, monkeypatch, customised=NOTHING_NOTIFIES), client.connect() as there:
        assert wait_until(lambda: there.send(wire.HealthCheck()).watching == "polling")
        assert wait_until(
            lambda: there.send(wire.HealthCheck()).watched and there.send(wire.HealthCheck()).running is None
        )
        (three_commits.path / "okapi.txt").write_text("okapi\n")
        three_commits.git("add", "okapi.txt")
        three_commits.git("commit", "-q", "-m", "Meet the okapi")
        assert wait_until(lambda: there.send(wire.Status(repo=str(three_commits.path))).status.indexed == 4)
        assert f"watches     1 repository (polling)\n  {three_commits.git_dir}\n" in (
            ohara("daemon", "status").stdout
        )
        log = ohara("daemon", "logs").stdout
        assert log.count("the system does not notify ([Errno 28] inotify watch limit reached)") == 1


def test_repositories_of_one_service_share_their_models(
    monkeypatch: pytest.MonkeyPatch, three_commits: Repo, small_project: Repo
) -> None:
    monkeypatch.setenv("OHARA_MODELS_EMBEDDER", "embedded")
    one, other = (index(repo).search._sources for repo in (three_commits, small_project))
    embedder = one.models.wanted()
    assert embedder is not None
    assert other.models.wanted() is embedder

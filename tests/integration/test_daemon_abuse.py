"""What a client may do to the background service, by accident or not: it costs that client alone."""

from __future__ import annotations

import os
import random
import socket
import sys
from typing import TYPE_CHECKING

import pytest

from ohara import client, wire
from ohara.daemon.peer import is_same_user
from ohara.model import SearchOptions
from tests.daemon import alive, raw_connection, receive, service, wait_until
from tests.indexing import index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, shared_project: Repo) -> Iterator[tuple[Path, int]]:
    """One service for all tests of this module, with one repository: none of them may hurt it."""
    home = tmp_path_factory.mktemp("abused")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(home))
        index(shared_project)
        with service(home, patch) as pid:
            with client.connect() as there:
                assert wait_until(
                    lambda: (
                        there.send(wire.HealthCheck()).running is None
                        and there.send(wire.HealthCheck()).watched
                    )
                )
            yield home, pid


@pytest.fixture
def daemon(shared: tuple[Path, int], monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    home, pid = shared
    monkeypatch.setenv("OHARA_HOME", str(home))
    yield pid
    assert alive(pid)
    with client.connect() as there:
        health = there.send(wire.HealthCheck())
        assert health.pid == pid
        assert wait_until(lambda: there.send(wire.HealthCheck()).connections == 1)


def find(number: int, repo: Repo, query: str = "retry", deadline_ms: int = 30_000) -> bytes:
    return wire.frame(
        wire.Find(
            id=number, repo=str(repo.path), query=query, options=SearchOptions(k=3), deadline_ms=deadline_ms
        )
    )


GARBAGE = [
    b"\x00\x00\x00\x00",
    b"\x00\x00\x00\x02{}",
    b"\x00\x00\x00\x05hello",
    b"\x00\x00\x00\x04\xff\xfe\xfd\xfc",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    wire.frame(wire.Done(id=1)),
    (100_000).to_bytes(4, "big") + b"[" * 100_000,
]


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize("greet", [True, False])
@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_is_refused_and_ends_the_connection(garbage: bytes, greet: bool) -> None:
    with raw_connection(greet=greet) as connection:
        connection.sendall(garbage)
        reply = receive(connection)
        assert isinstance(reply, wire.Fault)
        assert reply.kind == "DaemonError"
        assert receive(connection) is None


@pytest.mark.usefixtures("daemon")
def test_a_message_of_a_gigabyte_is_refused_before_it_is_read() -> None:
    with client.connect() as there:
        before = there.send(wire.HealthCheck()).memory_bytes
        with raw_connection() as connection:
            connection.sendall((2**30).to_bytes(4, "big"))
            reply = receive(connection)
            assert isinstance(reply, wire.Fault)
            assert reply.message == "a frame of 1,073,741,824 bytes is over the limit of 16,777,216"
            assert receive(connection) is None
        assert there.send(wire.HealthCheck()).memory_bytes < before + 16 * 2**20


@pytest.mark.usefixtures("daemon")
def test_nothing_is_answered_before_a_greeting_in_the_right_protocol(shared_project: Repo) -> None:
    with raw_connection(greet=False) as connection:
        connection.sendall(find(5, shared_project))
        reply = receive(connection)
        assert isinstance(reply, wire.Fault)
        assert (reply.id, reply.message) == (5, "say hello first")
        assert receive(connection) is None
    with raw_connection(greet=False) as connection:
        connection.sendall(wire.frame(wire.Hello(id=1, protocol=99, version="9")))
        reply = receive(connection)
        assert isinstance(reply, wire.Fault)
        assert "speaks protocol 2, not 99" in reply.message
        assert receive(connection) is None


@pytest.mark.usefixtures("daemon")
def test_a_deadline_is_kept_and_the_connection_goes_on(shared_project: Repo) -> None:
    with raw_connection() as connection:
        connection.sendall(find(2, shared_project, deadline_ms=1) + find(3, shared_project))
        replies = {reply.id: reply for _ in range(2) if (reply := receive(connection))}
        assert isinstance(replies[3], wire.Found)
        late = replies[2]
        assert isinstance(late, wire.Fault)
        assert late.message == "no answer within 0.001 s"


@pytest.mark.usefixtures("daemon")
def test_requests_can_be_cancelled(shared_project: Repo) -> None:
    with raw_connection() as connection:
        connection.sendall(wire.frame(wire.Subscribe(id=2)) + wire.frame(wire.Cancel(id=3, target=2)))
        replies = {reply.id: reply for _ in range(2) if (reply := receive(connection))}
        assert replies == {2: wire.Done(id=2), 3: wire.Done(id=3)}
        connection.sendall(find(4, shared_project) + wire.frame(wire.Cancel(id=5, target=4)))
        replies = {reply.id: reply for _ in range(2) if (reply := receive(connection))}
        cancelled = replies[4]
        assert isinstance(cancelled, wire.Fault)
        assert cancelled.message == "cancelled"
        connection.sendall(wire.frame(wire.Cancel(id=6, target=777)) + find(7, shared_project))
        assert {type(receive(connection)) for _ in range(2)} == {wire.Done, wire.Found}


@pytest.mark.usefixtures("daemon")
def test_the_same_id_twice_and_too_many_at_once_end_the_connection(shared_project: Repo) -> None:
    for burst in (
        wire.frame(wire.Subscribe(id=2)) * 2,
        b"".join(wire.frame(wire.Subscribe(id=number)) for number in range(2, 80)),
    ):
        with raw_connection() as connection:
            connection.sendall(burst)
            replies = []
            while (reply := receive(connection)) is not None:
                replies.append(reply)
            # What the first ones subscribed to may still be told of a run that happens to begin just then.
            assert [type(each) for each in replies if not isinstance(each, wire.Event)] == [wire.Fault]
    with client.connect() as there:
        assert there.send(wire.Find(repo=str(shared_project.path), query="retry")).results.hits


@pytest.mark.usefixtures("daemon")
def test_two_hundred_clients_at_once_are_all_answered(shared_project: Repo) -> None:
    with client.connect() as there:
        expected = [
            hit.hunk
            for hit in there.send(
                wire.Find(repo=str(shared_project.path), query="retry", options=SearchOptions(k=3))
            ).results.hits
        ]
    connections = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(200)]
    try:
        for connection in connections:
            connection.settimeout(100)
            connection.connect(str(client.socket_path()))
            connection.sendall(wire.frame(wire.Hello(id=1, protocol=wire.PROTOCOL, version="0")))
            connection.sendall(find(2, shared_project, deadline_ms=100_000))
        for connection in connections:
            assert isinstance(receive(connection), wire.Welcome)
            reply = receive(connection)
            assert isinstance(reply, wire.Found), reply
            assert [hit.hunk for hit in reply.results.hits] == expected
    finally:
        for connection in connections:
            connection.close()


@pytest.mark.usefixtures("daemon")
def test_a_client_that_never_reads_delays_nobody(shared_project: Repo) -> None:
    with raw_connection() as asleep:
        for number in range(2, 60):
            asleep.sendall(find(number, shared_project, query="e"))
        with client.connect() as there:
            assert there.send(wire.Find(repo=str(shared_project.path), query="retry")).results.hits


@pytest.mark.usefixtures("daemon")
def test_five_hundred_clients_that_leave_in_the_middle_leave_nothing_behind(shared_project: Repo) -> None:
    chance = random.Random(7)  # noqa: S311 - a fixed seed, for the same test twice
    whole = wire.frame(wire.Hello(id=1, protocol=wire.PROTOCOL, version="0")) + b"".join(
        find(number, shared_project) for number in range(2, 5)
    )
    with client.connect() as there:
        there.send(wire.Find(repo=str(shared_project.path), query="retry"))
        before = there.send(wire.HealthCheck())
        for _ in range(500):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.connect(str(client.socket_path()))
                connection.sendall(whole[: chance.randrange(len(whole) + 1)])
                if chance.random() < 0.3:
                    connection.settimeout(0.05)
                    _read_a_little(connection, chance.randrange(1, 400))
        assert wait_until(lambda: there.send(wire.HealthCheck()).connections == 1)
        assert there.send(wire.Find(repo=str(shared_project.path), query="retry")).results.hits
        after = there.send(wire.HealthCheck())
    print(
        f"before: {before.memory_bytes / 1e6:.1f} MB, {before.threads} threads, {before.descriptors} files; "
        f"after: {after.memory_bytes / 1e6:.1f} MB, {after.threads} threads, {after.descriptors} files"
    )
    assert after.descriptors <= before.descriptors + 8
    assert after.threads <= before.threads + 16
    assert after.memory_bytes < before.memory_bytes + 64 * 2**20


def _read_a_little(connection: socket.socket, count: int) -> None:
    try:
        connection.recv(count)
    except (TimeoutError, ConnectionError):
        return


# -- who may connect -----------------------------------------------------------------------------


def test_the_same_user_is_recognised() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        assert is_same_user(ours)


@pytest.mark.skipif(
    sys.platform != "linux" or os.getuid() != 0,
    reason="needs to become another user, and a socket without a file",
)
def test_another_user_is_turned_away() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind("")  # a name of the kernel's choosing, which any user may connect to
        listener.listen()
        listener.settimeout(30)
        child = os.fork()
        if child == 0:
            os.setuid(65534)
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
                other.connect(listener.getsockname())
                other.recv(1)
            os._exit(0)
        connection, _ = listener.accept()
        with connection:
            assert not is_same_user(connection)
        assert os.waitpid(child, 0)[1] == 0

"""The UI in a browser: served on this machine alone, to pages of its own that know the key."""

from __future__ import annotations

import base64
import os
import re
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.process import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WEBSOCKET = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode(),
}


@pytest.fixture
def address(parcel: Path) -> Iterator[str]:
    """The address that a served UI prints."""
    command = [sys.executable, "-m", "ohara", "tui", "--serve", "--repo", str(parcel), "upload"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()
        assert process.wait(timeout=30) == 0


def status(address: str, path: str, headers: dict[str, str]) -> int:
    """The answer's number for a request below an address."""
    place = urlsplit(address)
    connection = HTTPConnection(place.netloc, timeout=30)
    try:
        connection.putrequest("GET", path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        return connection.getresponse().status
    finally:
        connection.close()


def test_only_a_page_of_its_own_with_the_key_is_let_in(address: str) -> None:
    place = urlsplit(address)
    own = f"http://{place.netloc}"
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", address)
    assert status(address, place.path, {}) == 200
    assert status(address, place.path, {"Origin": own}) == 200
    assert status(address, "/", {}) == 404
    assert status(address, "/wrong-key/", {}) == 404
    assert status(address, place.path, {"Host": f"evil.example:{place.port}"}) == 403
    assert status(address, place.path, {"Origin": "http://evil.example"}) == 403
    screen = f"{place.path}ws?width=80&height=24"
    assert status(address, screen, WEBSOCKET) == 403
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", f"https://{place.netloc}"):
        assert status(address, screen, WEBSOCKET | {"Origin": origin}) == 403
    assert status(address, "/ws", WEBSOCKET | {"Origin": own}) == 404


def test_nothing_of_a_page_comes_from_elsewhere_or_goes_there(address: str) -> None:
    place = urlsplit(address)
    connection = HTTPConnection(place.netloc, timeout=30)
    connection.request("GET", place.path)
    answer = connection.getresponse()
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "http" not in policy
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    connection.close()


def test_the_screen_comes_to_a_page_of_its_own(address: str) -> None:
    place = urlsplit(address)
    headers = WEBSOCKET | {"Host": place.netloc, "Origin": f"http://{place.netloc}"}
    lines = [f"GET {place.path}ws?width=100&height=30 HTTP/1.1", *map(": ".join, headers.items()), "", ""]
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=60) as connection:
        connection.sendall("\r\n".join(lines).encode())
        seen, deadline = b"", time.monotonic() + 60
        while b"parcel" not in seen and time.monotonic() < deadline:
            piece = connection.recv(65_536)
            assert piece, seen
            seen += piece
    assert seen.startswith(b"HTTP/1.1 101")
    assert b"parcel" in seen


def test_a_port_alone_serves_nothing(parcel: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ohara", "tui", "--port", "8000", "--repo", str(parcel)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("ohara: --port is for --serve\n")


def test_a_port_that_is_taken_is_named(parcel: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-m", "ohara", "tui", "--serve", "--port", port, "--repo", str(parcel)],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"ohara: port {port} cannot be listened on: ")
    assert done.stderr.endswith("\n  hint: leave --port out: a free one is taken then\n")

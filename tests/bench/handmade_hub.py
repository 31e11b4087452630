"""Downloads a model's file from a hub on this machine, by ohara's own code and by huggingface_hub."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from tests.bench.handmade import import_ms
from tests.bench.report import Table, millis, seconds
from tests.process import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

_REVISION = "0123456789abcdef0123456789abcdef01234567"
_DATA = bytes(range(256)) * 2_000
_SHA256 = hashlib.sha256(_DATA).hexdigest()
_TOKEN = "hf_aTokenThatNobodyAskedFor"  # noqa: S105 - nobody's

_OURS = """
import pathlib, sys
from ohara.embed import download
from ohara.embed.hub import HubModel
from ohara.embed.weights import ModelKind
from ohara.errors import ModelError
model = HubModel("a/b", ModelKind.EMBEDDER, 1, 1, "a/b", ("model.onnx",), "")
try:
    for _ in download.fetch(download.look_up(model), pathlib.Path(sys.argv[1])):
        pass
except ModelError as error:
    sys.exit(str(error))
"""
_THEIRS = f"""
import sys
from huggingface_hub import hf_hub_download
hf_hub_download("a/b", "model.onnx", revision="{_REVISION}", local_dir=sys.argv[1])
"""


class _Handler(BaseHTTPRequestHandler):
    """Lists and serves one file; notes what it was sent."""

    damaged = False
    cut = False
    requests: list[tuple[str, str, str]]

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        sent = self.headers
        self.requests.append((self.path, sent.get("Authorization", ""), sent.get("Range", "")))
        if self.path.startswith("/api/models/"):
            listed = {"rfilename": "model.onnx", "size": len(_DATA), "blobId": "0" * 40}
            listing = {"sha": _REVISION, "siblings": [listed | {"lfs": {"sha256": _SHA256}}]}
            self._send(json.dumps(listing).encode(), 200)
        elif "/resolve/" in self.path:
            data = bytes([_DATA[0] ^ 1]) + _DATA[1:] if self.damaged else _DATA
            first = int(sent.get("Range", "bytes=0-").removeprefix("bytes=").split("-")[0])
            self._send(data, 206 if first else 200, first)
        else:
            self.send_error(404)

    def _send(self, data: bytes, status: int, first: int = 0) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data) - first))
        if first:
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        for name, value in (("ETag", _SHA256), ("X-Linked-Etag", _SHA256), ("X-Repo-Commit", _REVISION)):
            self.send_header(name, f'"{value}"' if "tag" in name.lower() else value)
        self.end_headers()
        body = data[first:]
        if self.command == "GET" and self.cut and "/resolve/" in self.path:
            type(self).cut, body = False, body[: len(body) // 2]
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature is the server's
        pass


@contextmanager
def _hub(*, damaged: bool = False, cut: bool = False) -> Iterator[tuple[str, type[_Handler]]]:
    handler = type("Handler", (_Handler,), {"damaged": damaged, "cut": cut, "requests": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", handler
    finally:
        server.shutdown()
        server.server_close()


def _run(code: str, url: str) -> tuple[bool, int, float]:
    """Whether a download succeeded, how many lines it said, and how long it took; a token lies about."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        (home / ".cache" / "huggingface").mkdir(parents=True)
        (home / ".cache" / "huggingface" / "token").write_text(_TOKEN)
        env = {"PATH": os.environ["PATH"], "HOME": str(home), "HF_ENDPOINT": url, "PYTHONPATH": str(ROOT)}
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-c", code, str(Path(folder) / "out")],
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        spoken = [line for line in done.stderr.splitlines() if line.strip()]
        return done.returncode == 0, len(spoken), time.monotonic() - began


def download_table() -> Table:
    """The same file fetched whole, damaged, cut off and from a hub that is not there."""
    columns = [_tried(code) for code in (_OURS, _THEIRS)]
    labels = (
        "sends the token that another program left",
        "asks for anything but the model's files",
        "a damaged file of the right size",
        "a connection that is cut off",
        "no network: lines said, time until then",
    )
    rows = [(label, *cells) for label, *cells in zip(labels, *columns, strict=True)]
    rows.append(
        (
            "import",
            millis(import_ms("ohara.embed.download")),
            millis(import_ms("huggingface_hub.file_download")),
        )
    )
    return Table(
        "A model's file downloaded",
        ("", "`embed/download`", "huggingface_hub, as it comes"),
        tuple((row[0], row[1], row[2]) for row in rows),
    )


def _tried(code: str) -> tuple[str, ...]:
    with _hub() as (url, handler):
        _run(code, url)
        sends = any(_TOKEN in sent for _, sent, _ in handler.requests)
        odd = {path for path, _, _ in handler.requests if "/a/b/" not in f"{path}/"}
    with _hub(damaged=True) as (url, _):
        accepted, _, _ = _run(code, url)
    with _hub(cut=True) as (url, handler):
        whole, _, _ = _run(code, url)
        resumed = any(span for _, _, span in handler.requests)
    _, lines, waited = _run(code, "http://127.0.0.1:9")
    return (
        "yes" if sends else "no",
        ", ".join(f"`{path}`" for path in sorted(odd)) or "no",
        "accepted" if accepted else "refused",
        ("resumed" if resumed else "fetched again") if whole else "given up",
        f"{lines}, {seconds(waited)}",
    )

"""A model hub on 127.0.0.1: it lists and serves files as the real one does, and fails as it is told to.

Weights are listed with their sha256, small files with git's digest. `cut_after` ends a connection in the
middle of a file, once for each number.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

REVISION = "0123456789abcdef0123456789abcdef01234567"


@dataclass(slots=True)
class Hub:
    """What the hub holds for one model, what it was asked, and how it misbehaves."""

    source: str
    files: dict[str, bytes]
    url: str = ""
    cut_after: list[int] = field(default_factory=list)
    ranges: bool = True
    damage: str = ""
    status: int = 200
    requests: list[tuple[str, str]] = field(default_factory=list)

    def listing(self) -> dict[str, object]:
        """What the hub says of the model's files."""
        return {"sha": REVISION, "siblings": [self._listed(name, data) for name, data in self.files.items()]}

    @staticmethod
    def _listed(name: str, data: bytes) -> dict[str, object]:
        blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        entry: dict[str, object] = {"rfilename": name, "size": len(data), "blobId": blob}
        if name.endswith((".onnx", ".safetensors")):
            entry["lfs"] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        return entry


class _Handler(BaseHTTPRequestHandler):
    hub: Hub

    def do_GET(self) -> None:
        hub = self.hub
        hub.requests.append((self.path, self.headers.get("Range", "")))
        path = self.path.partition("?")[0]
        if hub.status != 200:
            self.send_error(hub.status)
        elif path == f"/api/models/{hub.source}/revision/main":
            self._send(json.dumps(hub.listing()).encode(), 200)
        elif path.startswith(place := f"/{hub.source}/resolve/{REVISION}/"):
            self._send_file(path.removeprefix(place))
        else:
            self.send_error(404)

    def _send_file(self, name: str) -> None:
        data = self.hub.files[name]
        if name == self.hub.damage:
            data = bytes([data[0] ^ 1]) + data[1:]
        asked = self.headers.get("Range", "")
        first = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        if first and self.hub.ranges:
            self._send(data[first:], 206, f"bytes {first}-{len(data) - 1}/{len(data)}")
        else:
            self._send(data, 200)

    def _send(self, data: bytes, status: int, content_range: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        if content_range:
            self.send_header("Content-Range", content_range)
        self.end_headers()
        cuts = self.hub.cut_after
        if cuts and not self.path.startswith("/api/") and len(data) > cuts[0]:
            data = data[: cuts.pop(0)]
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature is the server's
        pass


@contextmanager
def serving(source: str, files: Mapping[str, bytes]) -> Iterator[Hub]:
    """A hub that holds these files of one model."""
    hub = Hub(source, dict(files))
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

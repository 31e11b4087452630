"""Carries the protocol: over stdin and stdout for the client that started this process, or over HTTP.

HTTP is served on this machine's own address. On any other, and wherever a token file is given, a client must
send its token; requests from web pages of other sites are refused by the SDK.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from ohara.errors import OharaError, UsageError
from ohara.mcp.asking import Asking
from ohara.mcp.server import make_server
from ohara.mcp.service import connected_service

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from mcp.server.lowlevel import Server
    from starlette.types import ASGIApp, Receive, Scope, Send

    from ohara.mcp.repositories import Choice

_SHORTEST_TOKEN = 16
_HELD_OPEN_S = 2  # for answers on their way when the server is told to end


@asynccontextmanager
async def _serving(choice: Choice) -> AsyncIterator[Server[dict[str, object]]]:
    async with connected_service(choice.index) as service:
        yield make_server(Asking(service, choice))


async def serve_stdio(choice: Choice) -> None:
    """Serve the client that started this process, until it closes stdin."""
    async with _serving(choice) as server, stdio_server() as (received, sent):
        await server.run(received, sent, server.create_initialization_options())


async def serve_http(choice: Choice, host: str, port: int, token: str | None) -> None:
    """Serve clients over HTTP until interrupted; says where on stderr."""
    if token is None and not is_loopback(host):
        raise UsageError(
            f"without a token only this machine is served, and {host} is seen by others",
            hint="--token-file FILE, or --http 127.0.0.1:PORT",
        )
    import uvicorn  # late: over stdin and stdout nothing of it is needed

    security = None if is_loopback(host) else TransportSecuritySettings(enable_dns_rebinding_protection=False)
    async with _serving(choice) as server:
        app: ASGIApp = server.streamable_http_app(
            host="127.0.0.1" if is_loopback(host) else host, transport_security=security
        )
        listener = _listen(host, port)
        shown = f"[{host}]" if ":" in host else host
        sys.stderr.write(f"serving http://{shown}:{listener.getsockname()[1]}/mcp\n")
        sys.stderr.flush()
        config = uvicorn.Config(
            app if token is None else _Guarded(app, token),
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=_HELD_OPEN_S,
        )
        await uvicorn.Server(config).serve(sockets=[listener])


def is_loopback(host: str) -> bool:
    """True for the addresses that only this machine can reach."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read_token(file: Path) -> str:
    """The token that a file holds; others may not read it."""
    try:
        mode = file.stat().st_mode
        token = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "not ASCII"
        raise UsageError(
            f"{file}: cannot be read: {said}", hint="write a long random word into it"
        ) from error
    if mode & 0o077:
        raise UsageError(f"{file} can be read by others", hint=f"chmod 600 {file}")
    if len(token) < _SHORTEST_TOKEN or len(token.split()) != 1:
        raise UsageError(
            f"{file} must hold one word of at least {_SHORTEST_TOKEN} characters",
            hint="openssl rand -hex 32 > FILE",
        )
    return token


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        raise OharaError(
            f"{host}:{port} cannot be served: {error.strerror}", hint="choose another port"
        ) from error
    listener.listen()
    listener.setblocking(False)
    return listener


class _Guarded:
    """Lets requests with the token through, and refuses all others."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and not self._is_known(scope):
            headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send(
                {"type": "http.response.body", "body": b"a token is needed: Authorization: Bearer TOKEN\n"}
            )
            return
        await self._app(scope, receive, send)

    def _is_known(self, scope: Scope) -> bool:
        sent = [value for name, value in scope["headers"] if name == b"authorization"]
        return len(sent) == 1 and hmac.compare_digest(sent[0], self._expected)


def run_stdio(choice: Choice) -> None:
    """Serve over stdin and stdout, in an event loop of its own."""
    anyio.run(serve_stdio, choice)  # noqa: TID251 - it returns nothing


def run_http(choice: Choice, host: str, port: int, token: str | None) -> None:
    """Serve over HTTP, in an event loop of its own."""
    anyio.run(serve_http, choice, host, port, token)  # noqa: TID251 - it returns nothing

"""Serves the terminal UI to a browser on this machine, to whoever has its address and to nobody else.

textual-serve carries the screen, and by itself asks nobody who they are: whoever gets in acts with the user's
rights. So it listens on the loopback address alone, below a path that cannot be guessed; what another site's
page sends (its origin) or a name that was made to point here (its host) is refused, and nothing is loaded
from elsewhere.
"""

from __future__ import annotations

import argparse
import logging
import secrets
import shlex
import socket
import sys
from typing import TYPE_CHECKING

from aiohttp import web
from textual_serve.server import Server

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

HOST = "127.0.0.1"


class GuardedServer(Server):
    """Serves one command to browsers that were given its address."""

    def __init__(self, command: Sequence[str], port: int) -> None:
        super().__init__(shlex.join(command), host=HOST, port=port, title="ohara")
        self._key = secrets.token_urlsafe(24)
        self._origins = frozenset(f"http://{name}:{port}" for name in (HOST, "localhost"))

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"{self.public_url}/{self._key}/"

    async def _make_app(self) -> web.Application:
        """The app of textual-serve below a path of its own, behind the guard."""
        outer = web.Application(middlewares=[self._guard])
        outer.on_response_prepare.append(self._add_headers)
        outer.add_subapp(f"/{self._key}/", await super()._make_app())
        return outer

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse what does not come from a page of this server itself."""
        origin = request.headers.get("Origin")
        is_own = f"http://{request.host}" in self._origins
        if not is_own or (origin is not None and origin != f"http://{request.host}"):
            raise web.HTTPForbidden(text="ohara: only a page of this server itself is let in\n")
        if origin is None and request.headers.get("Upgrade", "").lower() == "websocket":
            raise web.HTTPForbidden(text="ohara: only a browser's page opens the screen\n")
        return await handler(request)

    async def on_startup(self, app: web.Application) -> None:
        """Say nothing yet: nobody listens before the app was started."""

    def serve(self, debug: bool = False) -> None:  # noqa: ARG002 - as the base has it
        """Serve until interrupted; the address is printed as soon as it can be opened."""
        logging.basicConfig(level="WARNING", format="%(message)s")  # requests would name the address
        web.run_app(self._make_app(), host=HOST, port=self.port, access_log=None, print=self._tell)

    def _tell(self, *_: object) -> None:
        print(f"{self.address}\nOnly for this machine; whoever has the address acts as you. Ctrl+C ends it.")  # noqa: T201
        sys.stdout.flush()

    async def _add_headers(self, request: web.Request, response: web.StreamResponse) -> None:
        """What browsers are to enforce: nothing from elsewhere, in no frame, told to nobody."""
        socket_of = f"ws://{request.host}"
        response.headers["Content-Security-Policy"] = (
            "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
            f"img-src 'self' data:; connect-src 'self' {socket_of}; frame-ancestors 'none'"
        )
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Cache-Control"] = "no-store"


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the UI, started with whatever else is given, until interrupted."""
    parser = argparse.ArgumentParser(prog="ohara tui --serve")
    parser.add_argument("--port", type=int, default=0, help="the port to listen on (default: a free one)")
    given, rest = parser.parse_known_args(arguments)
    port = given.port or free_port()
    try:
        GuardedServer([sys.executable, "-P", "-m", "tui", *rest], port).serve()
    except OSError as error:
        hint = "leave --port out: a free one is taken then"
        sys.stderr.write(
            f"ohara: port {port} cannot be listened on: {error.strerror or error}\n  hint: {hint}\n"
        )
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

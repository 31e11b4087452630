"""The fast path of `ohara find`: the service parses the command line, searches and renders the output.

A process that runs one search spends its time on imports, so this module has nearly none: no click, no
msgspec, no dataclass, no pathlib, nothing of ohara. In every special case (another version of the service, an
error, settings in this shell's environment, a command that only this process can run) the result is None, and
the caller takes the ordinary path, which handles or reports it.
"""

from __future__ import annotations

import json
import os
import socket
import stat

from ohara import __version__

TYPE_CHECKING = False  # as in typing, whose import would take as long as the rest of this module
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TextIO

_PROTOCOL = 2  # the same as in ohara.wire, which would be slow to import; a test compares them
_SOCKET = "ohara.sock"
_MAX_FRAME_BYTES = 16 * 2**20

# Even a busy service answers the greeting within a millisecond; the ordinary path waits for a slower one.
_GREETING_S = 1.0
_DEADLINE_S = 120.0
_GRACE_S = 5.0

# Arguments that need this process itself.
_HERE = frozenset({"--batch", "--no-daemon", "--help", "--rule", "-"})

# Variables that do not change an answer of the service. Any other OHARA_ variable overrides a setting for
# this shell alone, or (OHARA_DEBUG) wants a traceback, and the service does not know it.
HARMLESS = ("OHARA_HOME", "OHARA_DAEMON_")

# Variables that change colours or the meaning of a date.
_SENT = ("NO_COLOR", "TERM", "TZ")

_TYPED = 2  # the id of the one request after the greeting


def printed(
    arguments: Sequence[str], *, environ: Mapping[str, str], stdout: TextIO, stderr: TextIO
) -> tuple[int, str, str] | None:
    """The exit code, stdout and stderr of `ohara find` with these arguments; None for the ordinary path."""
    if not _is_plain(arguments, environ):
        return None
    try:
        path = socket_file(environ)
        if path is None:
            return None
        frames = _frame({"do": "hello", "id": 1, "protocol": _PROTOCOL, "version": __version__}) + _frame(
            {
                "do": "typed",
                "id": _TYPED,
                "deadline_ms": int(_DEADLINE_S * 1000),
                "arguments": list(arguments),
                "folder": os.getcwd(),  # noqa: PTH109 - pathlib is not loaded here
                "width": _columns(environ, stdout) if stdout.isatty() else None,
                "talks": stderr.isatty(),
                "environment": {name: environ[name] for name in _SENT if name in environ},
            }
        )
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_GREETING_S)
            connection.connect(path)
            connection.sendall(frames)
            greeting = _reply(connection)
            if (greeting.get("is"), greeting.get("version")) != ("welcome", __version__):
                return None
            connection.settimeout(_DEADLINE_S + _GRACE_S)
            answer = _reply(connection)
    except (OSError, ValueError):  # no service, no reply in time, or text that JSON cannot hold
        return None
    return _understood(answer)


def socket_file(environ: Mapping[str, str]) -> str | None:
    """The service's socket, if its folder exists and is private; other cases are left to `ohara.paths`."""
    if home := environ.get("OHARA_HOME"):
        folder = os.path.join(os.getcwd(), os.path.expanduser(home), "run")  # noqa: PTH109, PTH111, PTH118
    else:
        session = environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
        if not os.path.isabs(session) or os.stat(session).st_uid != os.getuid():  # noqa: PTH116, PTH117
            return None
        folder = os.path.join(session, "ohara")  # noqa: PTH118
    found = os.lstat(folder)
    private = stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) == 0o700
    return os.path.join(folder, _SOCKET) if private and found.st_uid == os.getuid() else None  # noqa: PTH118


def _is_plain(arguments: Sequence[str], environ: Mapping[str, str]) -> bool:
    """True when the service would run the command line exactly as this process would."""
    if overrides_settings(environ) or "_OHARA_COMPLETE" in environ or not _HERE.isdisjoint(arguments):
        return False
    return not any(map(_may_ask_for_help, arguments))


def overrides_settings(environ: Mapping[str, str], *, harmless: tuple[str, ...] = HARMLESS) -> bool:
    """True when the environment holds variables of ohara that the service does not know and should."""
    return any(name.startswith("OHARA_") and not name.startswith(harmless) for name in environ)


def _may_ask_for_help(word: str) -> bool:
    """True for -h, alone or bundled with other short options; -path:GLOB, -"text" and -/…/ are terms."""
    is_short = word[:1] == "-" and word[1:2] not in {"-", '"', "/"}
    return is_short and "h" in word and ":" not in word


def _columns(environ: Mapping[str, str], stdout: TextIO) -> int:
    """The width of the terminal, found as shutil does, which would be slow to import."""
    columns = environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(stdout.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _frame(message: dict[str, object]) -> bytes:
    body = json.dumps(message, ensure_ascii=False).encode("utf-8")
    return len(body).to_bytes(4, "big") + body


def _reply(connection: socket.socket) -> dict[str, object]:
    length = int.from_bytes(_exactly(connection, 4), "big")
    if length > _MAX_FRAME_BYTES:
        raise ValueError("no frame is so long")
    reply = json.loads(_exactly(connection, length))
    if not isinstance(reply, dict):
        raise ValueError("no reply")  # noqa: TRY004 - the caller catches one type for every special case
    return reply


def _exactly(connection: socket.socket, count: int) -> bytes:
    received = bytearray()
    while len(received) < count:
        piece = connection.recv(min(count - len(received), 1 << 20))
        if not piece:
            raise ConnectionError
        received += piece
    return bytes(received)


def _understood(answer: dict[str, object]) -> tuple[int, str, str] | None:
    code, out, err = answer.get("code"), answer.get("out"), answer.get("err")
    if (answer.get("is"), answer.get("id")) != ("printed", _TYPED):
        return None
    if isinstance(code, int) and isinstance(out, str) and isinstance(err, str):
        return code, out, err
    return None

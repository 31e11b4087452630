"""The ways in that need an index, a service or a process: searches, batches, command lines, the socket."""

from __future__ import annotations

import atexit
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from fixtures import histories
from ohara import client, wire
from ohara.cli.batch import answer_batch
from ohara.cli.find_arguments import read_arguments
from ohara.cli.main import main
from ohara.engine import Engine
from ohara.errors import OharaError
from ohara.index.job import IndexOptions
from ohara.model import Mode, Pass, SearchOptions
from tests.process import ROOT
from tests.soak import inputs
from tests.soak.entrances import NOW, Entrance, Fell, harmless, make_frame, refused
from tests.soak.outcome import at_home, set_settings
from tests.soak.processes import end_all_of

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from tests.soak.inputs import Input

_SETTINGS = '[models]\nembedder = "none"\nreranker = "none"\n[find]\nlane_timeout_s = 60\n'
# Commands that only look: the others would change the world that the next input meets.
_COMMANDS = (
    "find",
    "find",
    "find",
    "find",
    "show",
    "status",
    "repos",
    "config",
    "completion",
    "models",
    "--version",
    "-h",
    "fnd",
    "",
)
_OPTIONS = (
    "-k", "-k0", "--mode", "--author", "--path", "--not-path", "--lang", "--since", "--until", "--kind",
    "--ref", "--message", "--symbol", "--added", "--removed", "--no-rerank", "--all-hunks", "--order",
    "--after", "--explain", "--json", "--jsonl", "-C", "--budget", "-q", "--no-daemon", "--color", "-h",
    "--", "-", "--nope", "-x", "date", "always", "literal", "regex", "5", "-1", "0", "HEAD", "main", "bash",
    "path", "list", "9" * 30, "",
)  # fmt: skip
_NEVER = frozenset({"--batch", "pull", "add", "use", "remove", "-"})
_REPLY_S = 290.0


class World:
    """An indexed repository that inputs are put to; made once in a process."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ohara-world-"))
        self.repo = histories.small_project(self.folder / "parcel").path
        self.home = self.folder / "home"
        set_settings(self.home, _SETTINGS)
        with at_home(self.home):
            self.engine = Engine.open(self.repo)
            for _ in self.engine.index(IndexOptions(passes=frozenset(Pass) - {Pass.VECTOR}, lock_wait_s=9)):
                pass
        self._pid = 0

    @property
    def pid(self) -> int:
        """The service of this world, started when first needed."""
        if not self._pid:
            with at_home(self.home), client.connect(start=True) as there:
                self._pid = there.greeting.pid
        return self._pid

    def traceback(self) -> str:
        """What the service wrote of a fault that it did not expect, once."""
        log = self.home / "state" / "ohara.log"
        said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        if "Traceback" not in said:
            return ""
        log.write_text("")
        return f"the service wrote a traceback: {said[-3000:]}"

    def close(self) -> None:
        """End the service and remove everything."""
        self.engine.close()
        end_all_of(self.home)
        shutil.rmtree(self.folder, ignore_errors=True)


_worlds: list[World] = []


def world() -> World:
    """The world of this process, which ends with it."""
    if not _worlds:
        _worlds.append(World())
        atexit.register(close_world)
    return _worlds[0]


def close_world() -> None:
    """Take the world of this process down."""
    while _worlds:
        _worlds.pop().close()


def traceback_of_service() -> str:
    """What the service of this process wrote of an unexpected fault since it was last asked."""
    return _worlds[0].traceback() if _worlds else ""


# -- questions -----------------------------------------------------------------------------------


def _search(given: Input) -> bool:
    source, mode, after = cast("tuple[str, str, str]", given)
    try:
        results = world().engine.find_pattern(
            source, SearchOptions(k=5, mode=Mode(mode), after=after or None, rerank=False, now=NOW)
        )
    except OharaError as error:
        return refused(error)
    for hit in results.hits:
        if not hit.commit.sha:
            raise Fell("a hit without a commit")
    return True


def _make_search(chance: random.Random) -> Input:
    source = inputs.text(chance, inputs.QUERY_PIECES)[:3_000]
    return (
        source,
        chance.choice(tuple(Mode)),
        inputs.noise(chance, 10)[:50] if chance.random() < 0.05 else "",
    )


def _options() -> SearchOptions:
    from ohara.cli.commands.find import command

    context = command.make_context("find", ["--no-rerank", "x"])
    return read_arguments(**context.params).options


def _batch(given: Input) -> bool:
    line = cast("str", given)
    said, stdout = io.StringIO(), sys.stdout
    sys.stdout = said
    try:
        answer_batch(world().engine, _options(), [line])
    finally:
        sys.stdout = stdout
    if not line.strip():
        return True
    answer = json.loads(said.getvalue())
    if said.getvalue().count("\n") != 1:
        raise Fell(f"one line was answered by {said.getvalue()[:300]!r}")
    if "error" in answer:
        message, hint = answer["error"]["message"], answer["error"]["hint"]
        if not message or not hint or "internal fault" in message:
            raise Fell(f"refused with {answer['error']}")
        return False
    return True


def _make_batch(chance: random.Random) -> Input:
    asked: dict[str, object] = {
        "id": chance.choice((1, "x", None, [1], 1.5)),
        "query": inputs.text(chance, inputs.QUERY_PIECES)[:2_000],
    }
    if chance.random() < 0.4:
        asked[chance.choice(("k", "mode", "query", "nope"))] = chance.choice(
            (0, -1, 5, 10**20, "auto", "literal", None, True, [], {})
        )
    line = json.dumps(asked, ensure_ascii=chance.random() < 0.5)
    line = inputs.mutated(chance, line) if chance.random() < 0.4 else line
    return line.replace("\n", " ").replace("\r", " ")


# -- command lines -------------------------------------------------------------------------------


def _make_command(chance: random.Random) -> Input:
    given = [chance.choice(_COMMANDS)]
    for _ in range(chance.randint(0, 5)):
        words = inputs.text(chance, inputs.QUERY_PIECES, 4)[:500]
        given += [words if chance.random() < 0.35 else chance.choice(_OPTIONS)]
    if chance.random() < 0.2:
        given[chance.randrange(len(given))] = inputs.noise(chance, 12)[:200]
    from ohara.cli.main import COMMANDS

    first = given[0] if given[0] not in COMMANDS or given[0] in _COMMANDS else "find"
    rest = [word for word in given[1:] if word not in _NEVER]
    return (first, *rest)


def _told(arguments: tuple[str, ...]) -> list[str]:
    """The command line with the repository it is about, so that no other one is touched."""
    where = ["--repo", str(world().repo)] if arguments[0] in {"find", "show", "status"} else []
    return [arguments[0], *where, *arguments[1:]]


def _command(given: Input) -> bool:
    written = io.BytesIO(), io.BytesIO()
    before = sys.stdin, sys.stdout, sys.stderr, Path.cwd()
    sys.stdin = io.StringIO("")
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(file, encoding="utf-8", write_through=True) for file in written
    )
    streams = sys.stdout, sys.stderr
    os.chdir(world().folder)
    try:
        with at_home(world().home):
            code = main(_told(cast("tuple[str, ...]", given)))
    finally:
        sys.stdin, sys.stdout, sys.stderr = before[:3]
        os.chdir(before[3])
    out, err = (file.getvalue().decode("utf-8", "replace") for file in written)
    for stream in streams:
        stream.close()
    return _judged(code, out, err, given)


def _judged(code: int, out: str, err: str, given: Input) -> bool:
    if code not in {0, 1, 2} or "Traceback" in err or "internal fault" in err:
        raise Fell(f"ended with {code}: {err[-1500:]}")
    if code == 2 and not (err.startswith("ohara: ") and "hint: " in err):
        raise Fell(f"refused without a hint: {err[-1500:]}")
    harmless(err, coloured=True)
    if not {"--json", "--jsonl"} & set(given):
        harmless(out, coloured=True)
    return code != 2


def _process(given: Input) -> bool:
    arguments = [word.replace("\0", "") for word in _told(cast("tuple[str, ...]", given))]
    with at_home(world().home):
        done = subprocess.run(
            [sys.executable, "-m", "ohara", *(word.encode("utf-8", "surrogatepass") for word in arguments)],
            cwd=world().folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_REPLY_S,
            check=False,
        )
    return _judged(
        done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"), given
    )


# -- the socket ----------------------------------------------------------------------------------


def _make_conversation(chance: random.Random) -> Input:
    """Frames for one connection; the last may be bytes that are no frame at all."""
    frames = []
    for _ in range(chance.randint(1, 4)):
        body = cast("bytes", make_frame(chance))
        frames.append(len(body).to_bytes(4, "big") + body)
    if chance.random() < 0.3:
        frames.append(inputs.raw(chance, 200))
    return tuple(frame for frame in frames if not _ends_the_service(frame))


def _ends_the_service(frame: bytes) -> bool:
    with suppress(OharaError):
        return isinstance(wire.decode_request(frame[4:]), wire.Shutdown | wire.Typed | wire.Subscribe)
    return False


def _conversation(given: Input) -> bool:
    import socket

    pid = world().pid
    with at_home(world().home), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_REPLY_S)
        connection.connect(str(client.socket_path()))
        replies = 0
        try:
            connection.sendall(wire.frame(wire.Hello(id=1, protocol=wire.PROTOCOL, version="0")))
            for frame in cast("tuple[bytes, ...]", given):
                connection.sendall(frame)
            connection.sendall(wire.frame(wire.HealthCheck(id=2**53 - 1)))
            connection.shutdown(socket.SHUT_WR)
            for reply in _replies(connection):
                replies += 1
                if isinstance(reply, wire.Fault):
                    error = wire.as_error(reply)
                    if "internal" in error.message.lower():
                        raise Fell(f"the service answered {error.message!r}")
        except (BrokenPipeError, ConnectionResetError):
            pass  # it hung up on what is no frame
        except TimeoutError:
            raise Fell("the service did not answer in time") from None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        raise Fell("the service is gone") from None
    return replies > 1


def _replies(connection: object) -> Iterator[wire.AnyReply]:
    from tests.daemon import receive

    while (reply := receive(connection)) is not None:  # type: ignore[arg-type]
        yield reply


PROGRAMS = (
    Entrance("search", 10, _make_search, _search),
    Entrance("batch line", 10, _make_batch, _batch),
    Entrance("command line", 10, _make_command, _command),
    Entrance("conversation with the service", 10, _make_conversation, _conversation),
    Entrance("command line of a process", 0, _make_command, _process),
)

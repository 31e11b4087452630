"""Messages between the indexer and its worker processes: pickled, with a length in front.

Both ends are ohara itself, started by itself over private pipes: nothing from outside is unpickled.
"""

from __future__ import annotations

import os
import pickle
import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ohara.errors import OharaError
    from ohara.index.rules import Rules
    from ohara.store.locate import IndexLocation

_HEAD = struct.Struct(">Q")
_READ_BYTES = 1 << 20

# What a pipe may hold on its way, where the system lets us say. A thread that sends needs the interpreter
# after each piece that fitted, and waits up to five milliseconds for it while another computes: with the
# usual 64 KiB a message of a megabyte takes sixteen such waits.
_PIPE_BYTES = 1 << 20

# What parsing may cost a worker for good before it is replaced, which takes a third of a second. A thousand
# commits of a small project, whose versions of files are parsed one after the other, cost as much.
LOST_BYTES_AT_MOST = 32 << 20

# What a worker may take for its own data. The largest commits need a part of it: the list of two million
# files half a gigabyte, two versions of a file of 16 MiB and their diff some hundred megabytes. Two workers
# of this size leave a small machine alive. Making vectors is not bound: there the model decides.
MEMORY_BYTES = 2 << 30

# Of a processor, for one commit: two gigabytes of diff at the pace of source code.
COMMIT_SECONDS = 600.0


class WorkerSetup(NamedTuple):
    """What a worker needs to know once, before its first task."""

    repository: str
    location: IndexLocation
    rules: Rules
    chunk_chars: int
    chunk_lines: int
    max_blob_bytes: int
    embedder: str
    model_threads: int = 0  # 0: as many as a model may use
    lost_bytes_at_most: int = LOST_BYTES_AT_MOST
    memory_bytes: int = MEMORY_BYTES
    commit_seconds: float = COMMIT_SECONDS


class Task(NamedTuple):
    """Work for one worker: what to do, with which commits or contents."""

    kind: str
    number: int
    items: tuple[object, ...]


class Ready(NamedTuple):
    """A worker's first message: it has started and read its setup."""


class Part(NamedTuple):
    """Some of a task's results, in the task's order."""

    task: int
    results: tuple[object, ...]


class Failed(NamedTuple):
    """One item of a task that could not be done; the task goes on."""

    task: int
    item: object
    reason: str


class Finished(NamedTuple):
    """The end of a task; a worker that is spent asks to be replaced before the next."""

    task: int
    spent: bool = False


class Broken(NamedTuple):
    """A worker's last message: it cannot do this kind of work; `error` is the one to show, if any."""

    reason: str
    error: OharaError | None = None


Message = Broken | Ready | Part | Failed | Finished


def frame_of(message: object) -> bytes:
    """A message as it is sent."""
    payload = pickle.dumps(message, protocol=5)
    return _HEAD.pack(len(payload)) + payload


def write_frame(fd: int, message: object) -> None:
    """Send one message, whole."""
    send(fd, frame_of(message))


def send(fd: int, frame: bytes) -> None:
    """Send a message that is made."""
    data = memoryview(frame)
    while data:
        data = data[os.write(fd, data) :]


def widen(fd: int) -> None:
    """Let a pipe hold a whole message, where the system allows it."""
    try:
        import fcntl

        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    except (ImportError, AttributeError, OSError):  # another system, or more than this user may have
        return


class Frames:
    """The messages that come through a pipe, taken as they arrive: who sends slowly keeps nobody waiting."""

    def __init__(self, fd: int) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        self._head = bytearray(_HEAD.size)
        self._filling = self._head
        self._filled = 0

    def take(self) -> object | None:
        """The next message, if it is whole by now; EOFError when the other end is gone."""
        if self._filling is self._head:
            if not self._fill():
                return None
            (length,) = _HEAD.unpack(self._head)
            self._filling, self._filled = bytearray(length), 0
        if not self._fill():
            return None
        message: object = pickle.loads(self._filling)  # noqa: S301 - see the module's first paragraph
        self._filling, self._filled = self._head, 0
        return message

    def _fill(self) -> bool:
        """Read on; False when more has yet to come."""
        with memoryview(self._filling) as room:
            while self._filled < len(room):
                try:
                    got = os.readv(self._fd, [room[self._filled :]])
                except BlockingIOError:
                    return False
                if not got:
                    raise EOFError
                self._filled += got
        return True


def read_frame(fd: int) -> object:
    """Receive one message; EOFError when the other end is gone."""
    (length,) = _HEAD.unpack(_read_exactly(fd, _HEAD.size))
    return pickle.loads(_read_exactly(fd, length))  # noqa: S301 - see the module's first paragraph


def _read_exactly(fd: int, length: int) -> bytearray:
    data = bytearray()
    while len(data) < length:
        chunk = os.read(fd, min(_READ_BYTES, length - len(data)))
        if not chunk:
            raise EOFError
        data += chunk
    return data

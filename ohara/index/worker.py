"""A worker process: takes tasks from its standard input and streams results to its standard output.

It ends when its parent does (end of input), ignores Ctrl-C (the parent decides), and turns a fault
in one item into a message instead of an exit. It holds results in a short queue, so that it computes
while the parent is busy writing; as the bytes that are sent, which take a third of the room.
"""

from __future__ import annotations

import gc
import os
import queue
import signal
import sys
import threading
from typing import TYPE_CHECKING, Protocol

from ohara.errors import OharaError, reason_of
from ohara.index.ipc import (
    Broken,
    Failed,
    Finished,
    Part,
    Ready,
    Task,
    WorkerSetup,
    frame_of,
    read_frame,
    send,
)
from ohara.index.memory import trim
from ohara.index.parent_exit import OF_MAIN_THREAD, end_with_parent
from ohara.parse.languages import bytes_lost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_QUEUED_MESSAGES = 4
_GARBAGE_EVERY = 100_000  # objects: a worker makes many, hardly any of them in circles
_UNBOUND = frozenset({"vectors"})  # what takes memory there is the model that was chosen
OUT_OF_MEMORY = 77  # the exit code that says so


class Step(Protocol):
    """One kind of work: from a task's items to messages."""

    def __call__(self, task: Task) -> Iterator[Part | Failed]:
        """Do the work, yielding results as they are ready."""


def _extract(setup: WorkerSetup) -> Step:
    from ohara.index.extract import Extractor

    return Extractor(setup).run


def _derive_text(setup: WorkerSetup) -> Step:
    from ohara.index.rederive import Deriver

    return Deriver(setup).texts


def _derive_literal(setup: WorkerSetup) -> Step:
    from ohara.index.rederive import Deriver

    return Deriver(setup).literals


def _symbols(setup: WorkerSetup) -> Step:
    from ohara.index.symbols import Toucher

    return Toucher(setup).run


def _head(setup: WorkerSetup) -> Step:
    from ohara.index.symbols import HeadParser

    return HeadParser(setup).run


def _vectors(setup: WorkerSetup) -> Step:
    from ohara.index.vectors import Vectoriser

    return Vectoriser(setup).run


STEPS: dict[str, Callable[[WorkerSetup], Step]] = {
    "extract": _extract,
    "derive-text": _derive_text,
    "derive-literal": _derive_literal,
    "symbols": _symbols,
    "head": _head,
    "vectors": _vectors,
}


def main() -> int:
    """Serve tasks until the parent closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(_GARBAGE_EVERY)
    source, target = os.dup(0), os.dup(1)
    end_with_parent(source, by_signal=OF_MAIN_THREAD in sys.argv)
    os.dup2(2, 1)  # a stray print must not corrupt the stream
    outgoing: queue.Queue[bytes | None] = queue.Queue(_QUEUED_MESSAGES)
    sender = threading.Thread(target=_send, args=(target, outgoing), daemon=True)
    sender.start()
    try:
        _serve(source, outgoing)
    except EOFError:
        return 0
    except (
        MemoryError
    ):  # whoever works on here may run out of it anywhere: the parent tries with a new worker
        os._exit(OUT_OF_MEMORY)
    except Exception as fault:  # noqa: BLE001 - whatever it is, the parent must hear of it
        outgoing.put(frame_of(Broken(reason_of(fault), fault if isinstance(fault, OharaError) else None)))
    outgoing.put(None)
    sender.join()
    return 2


def _serve(source: int, outgoing: queue.Queue[bytes | None]) -> None:
    setup = read_frame(source)
    assert isinstance(setup, WorkerSetup)  # noqa: S101 - both ends are this program
    outgoing.put(frame_of(Ready()))
    kind, step = "", None
    while True:
        task = read_frame(source)
        assert isinstance(task, Task)  # noqa: S101
        _bound_memory(None if task.kind in _UNBOUND else setup.memory_bytes)
        if step is None or task.kind != kind:
            step = None  # what the last pass remembered, before the next one begins to
            gc.collect()
            trim()
            kind, step = task.kind, STEPS[task.kind](setup)
        for message in step(task):
            frame = frame_of(message)
            del message  # several megabytes, while the next is made
            outgoing.put(frame)
        outgoing.put(frame_of(Finished(task.number, spent=bytes_lost() > setup.lost_bytes_at_most)))


def _bound_memory(most: int | None) -> None:
    """Let this process have so much memory of its own, files it maps not counted, or as much as there is."""
    try:
        import resource
    except ImportError:  # not on this system
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = hard if most is None else most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def _send(fd: int, outgoing: queue.Queue[bytes | None]) -> None:
    try:
        while (frame := outgoing.get()) is not None:
            send(fd, frame)
    except OSError:  # the parent is gone, and with it every reason to go on
        os._exit(0)


if __name__ == "__main__":
    sys.exit(main())

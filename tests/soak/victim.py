"""Runs one ohara command and says, on a pipe, which phase it is in: python -m tests.soak.victim FD ROOM …

It is the command itself, with a word written before and after some of its functions. ROOM bounds the size of
the files it may write, as a full disk does; 0 bounds nothing.
"""

from __future__ import annotations

import importlib
import inspect
import os
import resource
import signal
import sys
from functools import wraps
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

START, BETWEEN, END = "start-up", "between passes", "ending"

# What is announced, and where it is called from.
PHASES = (
    ("migrating", "ohara.store.sqlite.writer", "migrate"),
    ("setting aside", "ohara.store.sqlite.index", "SqliteIndex.set_aside"),
    ("comparing versions", "ohara.store.sqlite.upkeep", "Upkeep.reconcile"),
    ("judging paths", "ohara.store.sqlite.upkeep", "Upkeep.judge_paths"),
    ("planning", "ohara.index.run", "survey"),
    ("hiding what is gone", "ohara.index.run", "_show"),
    ("reading commits", "ohara.index.stages", "extract"),
    ("words again", "ohara.index.derived_passes", "derive"),
    ("symbols of HEAD", "ohara.index.derived_passes", "read_head"),
    ("symbols", "ohara.index.later_passes", "touch_symbols"),
    ("lines", "ohara.index.line_pass", "follow_lines"),
    ("vectors", "ohara.index.derived_passes", "embed_hunks"),
    ("threads", "ohara.index.threads", "find"),
    ("compacting", "ohara.store.sqlite.upkeep", "Upkeep.compact"),
    ("recording the run", "ohara.index.run", "_record"),
    ("gc", "ohara.store.sqlite.upkeep", "Upkeep.collect"),
    ("forget", "ohara.engine", "forget"),
)


def announced(
    phase: str, function: Callable[..., object], say: Callable[[str], None]
) -> Callable[..., object]:
    """The same function, which says when it begins and ends; a generator, when it is first asked."""
    if inspect.isgeneratorfunction(function):

        @wraps(function)
        def stream(*arguments: object, **named: object) -> Iterator[object]:
            say(phase)
            yield from function(*arguments, **named)
            say(BETWEEN)

        return stream

    @wraps(function)
    def call(*arguments: object, **named: object) -> object:
        say(phase)
        try:
            return function(*arguments, **named)
        finally:
            say(BETWEEN)

    return call


def main() -> int:
    """Announce phases on the pipe while running the command."""
    pipe, room, arguments = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    if room:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    os.set_inheritable(pipe, False)

    def say(phase: str) -> None:
        os.write(pipe, f"{phase}\n".encode())

    for phase, module, name in PHASES:
        home: object = importlib.import_module(module)
        *owners, function = name.split(".")
        for owner in owners:
            home = getattr(home, owner)
        setattr(home, function, announced(phase, getattr(home, function), say))

    from ohara.cli.main import main as ohara

    code = ohara(arguments)
    say(END)
    return code


if __name__ == "__main__":
    sys.exit(main())

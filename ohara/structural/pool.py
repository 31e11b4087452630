"""Parsers in processes of their own: started when needed, replaced when a text has cost one its life.

Nothing of ast-grep is loaded here, so that a search without patterns of syntax does not pay for it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import subprocess
import sys
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from ohara.errors import InternalError, QueryError
from ohara.records import dataclass
from ohara.structural.found import Difference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_ROOT = Path(__file__).resolve().parents[2]
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from ohara.structural.worker import main; sys.exit(main())"
)
_PIPE_BYTES = 2**20  # several files are on their way while one is parsed
# How a process ends that somebody ended, for whatever reason, and one that went too deep.
_FROM_OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGHUP, -signal.SIGINT)
_BY_ITSELF = (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGILL)
_MOST_STARTS = 3
_STEP_S = 0.5
_END_S = 1.0  # for a process that closed its pipe to be gone
_START_S = 20.0  # importing, on a machine that is busy
MOST_PARSERS = 2  # on a machine with more cores as well: each keeps what it read in its memory
_TEXT_CPU_S = 5.0  # a megabyte of code is parsed in a third of a second
_TEXT_S = 60.0  # by the clock: on a busy machine a parser may have to wait long for its turn


@dataclass(frozen=True, slots=True)
class Task:
    """What is looked for: a pattern with its conditions, or a rule of ast-grep's own, in some languages."""

    languages: tuple[str, ...]
    pattern: str = ""
    where: Mapping[str, str] = field(default_factory=dict)
    rule: Mapping[str, Any] | None = None


class Text(NamedTuple):
    """A version of a file: its language, its content's name and that of one which is like it."""

    language: str
    name: str
    near: str = ""


class Pair(NamedTuple):
    """Which texts of a request are compared; None stands for no text."""

    old: int | None
    new: int | None


@dataclass(frozen=True, slots=True)
class Answered:
    """How many matches each text holds, and how each pair differs; nothing when the parser broke off.

    It may have been ended by one of the texts; `for_now` where that is not certain to happen again.
    """

    counts: Sequence[int] = ()
    differences: Sequence[Difference] = ()
    ended_by: Text | None = None
    for_now: bool = False
    broken_off: bool = False


def is_installed() -> bool:
    """Whether code can be matched at all on this machine."""
    return find_spec("ast_grep_py") is not None


class Parser:
    """One process; for one thread at a time."""

    def __init__(self, *, text_cpu_s: float = _TEXT_CPU_S) -> None:
        self._text_cpu_s = text_cpu_s
        self._process: subprocess.Popen[bytes] | None = None
        self._suspect: Text | None = None
        self._left = b""

    def refusals(self, task: Task) -> dict[str, str]:
        """What is wrong with a pattern in each language that it is no code in."""
        return self._start(task, (), (), dict[str, bytes]().__getitem__)

    def compare(
        self, task: Task, texts: Sequence[Text], pairs: Sequence[Pair], read: Callable[[str], bytes]
    ) -> Answered:
        """How many matches texts hold, and which came and went between the two of each pair.

        Where a text ends the parser, or takes it too long, nothing is told but which it was.
        """
        self._start(task, texts, pairs, read)
        lines = self._lines(len(texts) + len(pairs))
        if len(lines) == len(texts) + len(pairs):
            counts = list(map(int, lines[: len(texts)]))
            return Answered(counts, list(map(Difference.from_line, lines[len(texts) :])))
        ended, blamed = self._end_code(), texts[len(lines)] if len(lines) < len(texts) else None
        self.close()
        if blamed and blamed != self._suspect and ended in _FROM_OUTSIDE:
            self._suspect, blamed = blamed, None  # perhaps it was for another's sake
        return Answered(ended_by=blamed, for_now=ended is None or ended in _FROM_OUTSIDE, broken_off=True)

    def _end_code(self) -> int | None:
        """How the process ended; None when it has not."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(_END_S) if self._process is not None else None
        return None

    def _start(
        self, task: Task, texts: Sequence[Text], pairs: Sequence[Pair], read: Callable[[str], bytes]
    ) -> dict[str, str]:
        """Send a request; what is wrong with the pattern in each language that it is no code in."""
        request = {
            "languages": task.languages,
            "pattern": task.pattern,
            "where": dict(task.where),
            "rule": task.rule,
            "texts": texts,
            "pairs": pairs,
            "cpu_s": self._text_cpu_s,
        }
        reply = json.loads(self._replied(json.dumps(request).encode() + b"\n"))
        wanted = [read(texts[number].name) for number in reply["wanted"]]
        self._send(b"".join(part for data in wanted for part in (b"%d\n" % len(data), data)))
        errors: dict[str, str] = reply["errors"]
        return errors

    def _replied(self, request: bytes) -> bytes:
        """What is first answered to a request, by another parser if one is killed meanwhile."""
        for _ in range(_MOST_STARTS):
            self._running()
            self._send(request)
            first = self._line(_START_S)
            if first is not None:
                return first
            ended = self._end_code()
            self.close()
            if ended in _BY_ITSELF:
                raise QueryError("the pattern is more than the parser can read", hint="write a smaller one")
            if ended not in _FROM_OUTSIDE:
                break
        raise InternalError("the parser does not start", hint="ohara doctor says more")

    def _send(self, data: bytes) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(data)
                self._process.stdin.flush()

    def _lines(self, count: int) -> list[bytes]:
        """The next lines, up to the one that the parser does not live to write."""
        lines: list[bytes] = []
        while len(lines) < count:
            line = self._line(_TEXT_S)
            if line is None:
                break
            lines.append(line)
        return lines

    def _running(self) -> None:
        """Start the process unless it runs."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, str(_ROOT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            if self._process.stdin is not None and sys.platform == "linux":
                with contextlib.suppress(OSError):  # the user has many pipes
                    fcntl.fcntl(self._process.stdin, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)

    def _line(self, patience_s: float) -> bytes | None:
        """The next line that the parser writes; None when it has ended, or does not for so long.

        Only waiting counts: while this process is stopped, so may the parser be.
        """
        process = self._process
        if process is None or process.stdout is None:
            return None
        handle = process.stdout.fileno()
        while b"\n" not in self._left:
            ready, _, _ = select.select([handle], [], [], _STEP_S)
            if ready:
                more = os.read(handle, 1 << 16)
                if not more:
                    return None
                self._left += more
            else:
                patience_s -= _STEP_S
                if patience_s <= 0:
                    return None
        line, _, self._left = self._left.partition(b"\n")
        return line

    def close(self) -> None:
        """End the process."""
        self._left = b""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()


class Parsers:
    """Parsers that stay between questions, each started when it is first needed; for each they take turns."""

    def __init__(self) -> None:
        self._parsers = tuple((Parser(), Lock()) for _ in range(min(MOST_PARSERS, os.cpu_count() or 1)))

    @property
    def count(self) -> int:
        """How many there may be at the same time."""
        return len(self._parsers)

    def refusals(self, task: Task) -> dict[str, str]:
        """What is wrong with a pattern in each language that it is no code in."""
        parser, lock = self._parsers[0]
        with lock:
            return parser.refusals(task)

    def compare(
        self,
        task: Task,
        texts: Sequence[Text],
        pairs: Sequence[Pair],
        read: Callable[[str], bytes],
        *,
        by: int = 0,
    ) -> Answered:
        """How many matches texts hold, and which came and went between the two of each pair."""
        parser, lock = self._parsers[by]
        with lock:
            return parser.compare(task, texts, pairs, read)

    def close(self) -> None:
        """End the processes."""
        for parser, lock in self._parsers:
            with lock:
                parser.close()

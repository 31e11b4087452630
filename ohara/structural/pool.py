"""Parsers in processes of their own: started when needed, replaced when a text has cost one its life.

Nothing of ast-grep is loaded here, so that a search without patterns of syntax does not pay for it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from ohara.errors import InternalError
from ohara.structural.found import Listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ROOT = Path(__file__).resolve().parents[2]
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from ohara.structural.worker import main; sys.exit(main())"
)
_START_S = 20.0  # importing, on a machine that is busy
_TEXT_CPU_S = 5.0  # a megabyte of code is parsed in a third of a second
_TEXT_S = 60.0  # by the clock: on a busy machine a parser may have to wait long for its turn


@dataclass(frozen=True, slots=True)
class Task:
    """What is looked for: a pattern with its conditions, or a rule of ast-grep's own, in one language."""

    language: str
    pattern: str = ""
    where: Mapping[str, str] = field(default_factory=dict)
    rule: Mapping[str, Any] | None = None


class Refused(Exception):
    """The pattern is no code in the language; says why."""


def is_installed() -> bool:
    """Whether code can be matched at all on this machine."""
    return find_spec("ast_grep_py") is not None


class Parser:
    """One process; for one thread at a time."""

    def __init__(self, *, text_cpu_s: float = _TEXT_CPU_S) -> None:
        self._text_cpu_s = text_cpu_s
        self._process: subprocess.Popen[bytes] | None = None
        self._left = b""

    def matches(self, task: Task, texts: Sequence[bytes]) -> list[Listed | None]:
        """What matches in each text; None for one that could not be parsed. Refused when it is no code."""
        answers: list[Listed | None] = []
        while True:
            rest = texts[len(answers) :]
            answers += self._ask(task, rest)
            if len(answers) >= len(texts):
                return answers
            answers.append(None)  # the text that ended the parser, or took it too long
            self.close()
            if len(answers) == len(texts):
                return answers

    def _ask(self, task: Task, texts: Sequence[bytes]) -> list[Listed | None]:
        """What matches in the texts up to the one that the parser does not survive."""
        process = self._running()
        request = {
            "language": task.language,
            "pattern": task.pattern,
            "where": dict(task.where),
            "rule": task.rule,
            "sizes": [len(text) for text in texts],
            "cpu_s": self._text_cpu_s,
        }
        answers: list[Listed | None] = []
        if process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(json.dumps(request).encode() + b"\n" + b"".join(texts))
                process.stdin.flush()
        first = self._line(time.monotonic() + _START_S)
        if first is None:
            raise InternalError("the parser does not start", hint="ohara doctor says more")
        if error := json.loads(first)["error"]:
            raise Refused(error)
        for _ in texts:
            line = self._line(time.monotonic() + _TEXT_S)
            if line is None:
                break
            answers.append(Listed.from_line(line))
        return answers

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, str(_ROOT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._process

    def _line(self, until: float) -> bytes | None:
        """The next line that the parser writes; None when it has ended, or does not by then."""
        process = self._process
        if process is None or process.stdout is None:
            return None
        handle = process.stdout.fileno()
        while b"\n" not in self._left:
            ready, _, _ = select.select([handle], [], [], max(0.0, until - time.monotonic()))
            more = os.read(handle, 1 << 16) if ready else b""
            if not more:
                return None
            self._left += more
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
    """A parser that stays between questions; they take turns."""

    def __init__(self) -> None:
        self._parser = Parser()
        self._lock = Lock()

    def matches(self, task: Task, texts: Sequence[bytes]) -> list[Listed | None]:
        """What matches in each text; None for one that could not be parsed."""
        with self._lock:
            return self._parser.matches(task, texts)

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._parser.close()

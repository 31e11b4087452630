"""Shows the progress of an index run or a download on standard error, or of a run as JSON lines.

A bar on a terminal, plain lines elsewhere. The pace is measured over the last seconds, so the time left
follows a slow part of history instead of averaging it away.
"""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from typing import TYPE_CHECKING

from ohara.model import Pass

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from ohara.model import Progress

_REDRAW_S = 0.1
_LINE_EVERY_S = 5.0
_EVENT_EVERY_S = 0.5  # programs draw bars of their own
_PACE_WINDOW_S = 8.0
_BAR_WIDTH = 24

_NAMES = {
    Pass.TEXT: "reading history",
    Pass.LITERAL: "exact search",
    Pass.SYMBOL: "symbols",
    Pass.LINES: "what became of lines",
    Pass.VECTOR: "meaning",
}


class Pace:
    """The speed of a pass over the last few seconds."""

    def __init__(self) -> None:
        self._seen: deque[Progress] = deque()

    def add(self, progress: Progress) -> None:
        """Record the progress of the pass."""
        if self._seen and _counted(self._seen[-1]) != _counted(progress):
            self._seen.clear()
        self._seen.append(progress)
        while progress.elapsed_s - self._seen[0].elapsed_s > _PACE_WINDOW_S:
            self._seen.popleft()

    def per_second(self, of: Callable[[Progress], int]) -> float:
        """The increase of a count per second, 0 while it is not known yet."""
        first, last = self._seen[0], self._seen[-1]
        elapsed = last.elapsed_s - first.elapsed_s
        return (of(last) - of(first)) / elapsed if elapsed > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the pass is done at this pace, or None while that is not known yet."""
        last = self._seen[-1]
        pace = self.per_second(lambda progress: progress.done)
        return (last.total - last.done) / pace if pace > 0 else None


def _counted(progress: Progress) -> tuple[Pass, bool]:
    """What is counted: a pass's commits, or its files."""
    return progress.stage, progress.of_head


def describe(progress: Progress, pace: Pace) -> str:
    """One line that describes the progress of a run."""
    things = "different files of HEAD" if progress.of_head else "commits"
    parts = [f"{progress.done:,} of {progress.total:,} {things}"]
    hunks = pace.per_second(lambda moment: moment.hunks)
    if hunks >= 1:
        parts.append(f"{hunks:,.0f} hunks/s")
    left = pace.seconds_left
    if left is not None and progress.done < progress.total:
        parts.append(f"{_duration(left)} left")
    return f"{_NAMES[progress.stage]}: {' · '.join(parts)}"


def bar(progress: Progress) -> str:
    """A progress bar for a pass."""
    share = progress.done / progress.total if progress.total else 1.0
    filled = round(share * _BAR_WIDTH)
    return "█" * filled + "░" * (_BAR_WIDTH - filled)


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return (
        f"{whole // 60} min {whole % 60:02d} s"
        if whole < 3600
        else f"{whole // 3600} h {whole % 3600 // 60} min"
    )


class Reporter:
    """Writes progress as it arrives; `close` clears the bar from the terminal."""

    def __init__(self, *, quiet: bool, as_json: bool) -> None:
        self._quiet = quiet
        self._json = as_json
        self._terminal = sys.stderr.isatty() and not as_json
        self._pace = Pace()
        self._last_shown = float("-inf")
        self._last_counted: tuple[Pass, bool] | None = None
        self._drawn = False

    @property
    def is_quiet(self) -> bool:
        """True when nothing is written but errors."""
        return self._quiet

    def begin(self, text: str) -> None:
        """Announce the run at once."""
        if not (self._quiet or self._json):
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()

    def show(self, progress: Progress) -> None:
        """Show progress, unless the last line is too recent."""
        self._pace.add(progress)
        now = time.monotonic()
        finished = progress.done >= progress.total
        every_s = _EVENT_EVERY_S if self._json else _REDRAW_S if self._terminal else _LINE_EVERY_S
        due = now - self._last_shown >= every_s
        if self._quiet or not (due or finished or _counted(progress) != self._last_counted):
            return
        self._last_shown, self._last_counted = now, _counted(progress)
        if self._json:
            sys.stdout.write(_event(progress) + "\n")
            sys.stdout.flush()
        elif self._terminal:
            sys.stderr.write(f"\r\x1b[2K{bar(progress)} {describe(progress, self._pace)}")
            sys.stderr.flush()
            self._drawn = True
        else:
            sys.stderr.write(f"{describe(progress, self._pace)}\n")
            sys.stderr.flush()

    def close(self, text: str = "") -> None:
        """Remove the bar and print how the run ended."""
        if self._drawn:
            sys.stderr.write("\r\x1b[2K")
        if text and not (self._quiet or self._json):
            sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def _event(progress: Progress) -> str:
    return json.dumps(
        {
            "event": "progress",
            "pass": progress.stage.value,
            "done": progress.done,
            "total": progress.total,
            "hunks": progress.hunks,
            "elapsed_s": round(progress.elapsed_s, 3),
            "of": "files" if progress.of_head else "commits",
        }
    )


# -- downloads -----------------------------------------------------------------------------------


class Transfer:
    """Shows one download; clears the bar from the terminal when it ends, also by an exception."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._terminal = sys.stderr.isatty()
        self._last = float("-inf")
        self._begun: tuple[float, int] | None = None

    def __enter__(self) -> Transfer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._terminal and self._begun is not None:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()

    def show(self, done: int, total: int) -> None:
        """Show progress, unless the last line is too recent."""
        now = time.monotonic()
        if self._begun is None:
            self._begun = (now, done)
        finished = done >= total
        if not finished and now - self._last < (_REDRAW_S if self._terminal else _LINE_EVERY_S):
            return
        self._last = now
        started, before = self._begun
        pace = (done - before) / (now - started) if now > started else 0.0
        line = described(self._name, done, total, pace)
        if self._terminal:
            filled = round(done / total * _BAR_WIDTH) if total else _BAR_WIDTH
            line = f"\r\x1b[2K{'█' * filled}{'░' * (_BAR_WIDTH - filled)} {line}"
        else:
            line += "\n"
        sys.stderr.write(line)
        sys.stderr.flush()


def described(name: str, done: int, total: int, pace: float) -> str:
    """One line that describes a download; `pace` in bytes per second, 0 while it is not known yet."""
    parts = [f"{done / 1e6:,.1f} of {total / 1e6:,.1f} MB"]
    if pace > 0 and done < total:
        parts += [f"{pace / 1e6:,.1f} MB/s", f"{(total - done) / pace:,.0f} s left"]
    return f"{name}: {' · '.join(parts)}"

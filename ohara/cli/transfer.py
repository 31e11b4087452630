"""Shows the progress of a download on standard error: a bar on a terminal, occasional lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

_REDRAW_S = 0.1
_LINE_EVERY_S = 5.0
_BAR_WIDTH = 24


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

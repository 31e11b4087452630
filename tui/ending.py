"""Ends the UI when a signal tells it to: the terminal is given back as it was, and the session is kept.

By itself the process would end at once at SIGTERM and SIGHUP, and leave a shell on the UI's screen, without a
cursor, to which the mouse writes. At SIGINT asyncio would end it as if nothing had happened.
"""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

    from textual.app import App

_SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
_ENDED_BY = 128  # and the number of the signal, as a shell has it
_ENDS_WITHIN_S = 15  # a terminal that is gone takes nothing any more, and may hold up what is written to it


def end_when_told(app: App[None]) -> None:
    """End the app at these signals; one that is to be ignored, as under nohup, still is."""
    loop = asyncio.get_running_loop()

    def told(number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(end, app, number)

    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, told)


def end(app: App[None], number: int) -> None:
    """End the app as by this signal, from whatever thread."""
    signal.alarm(_ENDS_WITHIN_S)
    app.call_later(app.exit, return_code=_ENDED_BY + number)

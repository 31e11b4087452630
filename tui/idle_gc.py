"""Runs the garbage collector while the user is idle.

Python's own full collections come in the middle of handling a key and take a third of the time that a key may
take. Objects from the start are frozen for good; later ones are collected at any time only in the youngest
generation, and completely when no key has come for a while.
"""

from __future__ import annotations

import gc
import time

CHECK_EVERY_S = 0.25
_IDLE_AFTER_S = 0.6  # longer than between two keys of somebody who goes through a list
_YOUNGEST = 5_000  # objects: about what one key makes
_YOUNG = 20
_OLD = 1_000  # in effect never by itself
_MUCH = 2


class IdleCollector:
    """Knows when the last input came, and whether there is something to collect since."""

    def __init__(self) -> None:
        self._last_input = time.monotonic()

    def start(self) -> None:
        """Freeze all objects so far, and collect later ones when idle."""
        gc.freeze()
        gc.set_threshold(_YOUNGEST, _YOUNG, _OLD)
        gc.enable()  # the program that starts the app switches it off

    def note_input(self) -> None:
        """Note that a key was pressed or the mouse moved."""
        self._last_input = time.monotonic()

    def collect_if_idle(self) -> bool:
        """Run a full collection if the user is idle and there is enough to collect; True when it ran."""
        _, young, old = gc.get_count()
        if time.monotonic() - self._last_input < _IDLE_AFTER_S or (young < _MUCH and not old):
            return False
        gc.collect()
        return True

"""Collects garbage while nobody waits for anything.

Python collects by itself in the middle of a key, and through everything at once: a third of what a key may
take. What a start made is frozen for good; of what came later, only the youngest is collected at any time,
and all of it when no key has come for a while.
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
    """When the last key came, and whether there is something to collect since."""

    def __init__(self) -> None:
        self._last_input = time.monotonic()

    def start(self) -> None:
        """Freeze what is there, and collect what comes."""
        gc.freeze()
        gc.set_threshold(_YOUNGEST, _YOUNG, _OLD)
        gc.enable()  # the program that starts the app switches it off

    def note_input(self) -> None:
        """Note that a key was pressed or the mouse moved."""
        self._last_input = time.monotonic()

    def collect_if_idle(self) -> bool:
        """Collect everything if nobody is there and much was made since; true when it was done."""
        _, young, old = gc.get_count()
        if time.monotonic() - self._last_input < _IDLE_AFTER_S or (young < _MUCH and not old):
            return False
        gc.collect()
        return True

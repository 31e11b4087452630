"""Looks for garbage while nobody waits for anything.

Python looks by itself in the middle of a key, and through everything at once: a third of what a key may take.
What a start made is set aside for good; of what came later, only the youngest is looked through at any time,
and all of it when no key has come for a while.
"""

from __future__ import annotations

import gc
import time

LOOK_EVERY_S = 0.25
_RESTS_AFTER_S = 0.6  # longer than between two keys of somebody who goes through a list
_YOUNGEST = 5_000  # objects: about what one key makes
_YOUNG = 20
_OLD = 1_000  # in effect never by itself
_MUCH = 2


class Rest:
    """When the last key came, and whether there is something to look through since."""

    def __init__(self) -> None:
        self._touched = time.monotonic()

    def begin(self) -> None:
        """Set aside what is there, and look through what comes."""
        gc.freeze()
        gc.set_threshold(_YOUNGEST, _YOUNG, _OLD)
        gc.enable()  # the program that starts the app switches it off

    def touch(self) -> None:
        """Hear that somebody is there."""
        self._touched = time.monotonic()

    def look(self) -> bool:
        """Look through everything if nobody is there and much was made since; true when it was done."""
        _, young, old = gc.get_count()
        if time.monotonic() - self._touched < _RESTS_AFTER_S or (young < _MUCH and not old):
            return False
        gc.collect()
        return True

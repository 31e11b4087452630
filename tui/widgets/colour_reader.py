"""Reads the colours of hunks on screen from the beginning of their files, once nothing moves any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyio import to_thread

from ohara.errors import OharaError
from tui.diff.file_colours import key_of, lines_before, read_colours
from tui.workers import start_worker

if TYPE_CHECKING:
    from textual.timer import Timer

    from ohara.model import Hit
    from tui.diff.file_colours import FileColours, HunkKey
    from tui.widgets.diff_view import DiffView

_AT_REST_S = 0.15  # hits that one only passes are not worth a lexer
_MOST_LINES = 20_000
_KEPT = 200  # hunks


class ColourReader:
    """Knows the colours of hunks from the beginning of their files, and finds out those that are missing."""

    def __init__(self, view: DiffView) -> None:
        self._view = view
        self._timer: Timer | None = None
        self._tried: set[HunkKey] = set()
        self.known: dict[HunkKey, FileColours] = {}

    def look_soon(self) -> None:
        """Find out what is missing on screen, once nothing moved for a moment."""
        if self._timer is not None:
            self._timer.stop()
        if self._view.is_attached and self._view.lines_around is not None:
            self._timer = self._view.set_timer(_AT_REST_S, self._look)

    def _look(self) -> None:
        start_worker(self._view, self._read, group="colours", exclusive=True)

    async def _read(self) -> None:
        for hit in self._view.seen_hits():
            key = key_of(hit)
            before = lines_before(hit)
            if key in self._tried or not 0 < before <= _MOST_LINES:
                continue
            if len(self._tried) > _KEPT:
                self._tried.clear()
                self.known.clear()
            colours = await self._colours(hit, before)
            self._tried.add(key)
            if colours is not None:
                self.known[key] = colours
                self._view.redraw()

    async def _colours(self, hit: Hit, before: int) -> FileColours | None:
        if self._view.lines_around is None:
            return None
        try:
            lead = await self._view.lines_around(hit, 1, before)
        except OharaError:  # colour is not worth a message
            return None
        return await to_thread.run_sync(read_colours, hit, lead)

"""Reads a terminal as it is: bytes that are no text, and a terminal that is gone.

Textual's own reader ends the app at a byte that is not UTF-8. A terminal with another encoding sends such
bytes, and one that tells of the mouse in the oldest way (GNU screen) for every place beyond column 95. Of a
terminal that is gone it reads nothing, for ever.
"""

from __future__ import annotations

import os
import selectors
import signal
from codecs import getincrementaldecoder

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from tui.ending import end

_WAIT_S = 0.1  # for keys, and at the end for what a terminal still answers
_AT_ONCE = 4096


class Terminal(LinuxDriver):
    """Textual's driver, but for its reader."""

    def run_input_thread(self) -> None:
        """Send what is typed to the app, until told to stop or until nothing can come any more."""
        parser = XTermParser(self._debug)
        decoder = getincrementaldecoder("utf-8")(errors="replace")
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            is_last = False
            while not is_last:
                is_last = self.exit_event.is_set()
                if selector.select(_WAIT_S):
                    typed = self._read()
                    if not typed:
                        end(self._app, signal.SIGHUP)
                        return
                    for message in parser.feed(decoder.decode(typed)):
                        self.process_message(message)
                for message in parser.tick():
                    self.process_message(message)

    def _read(self) -> bytes:
        """What was typed; nothing when the terminal is gone."""
        try:
            return os.read(self.fileno, _AT_ONCE)
        except OSError:
            return b""

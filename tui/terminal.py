"""Reads a terminal as it is: bytes that are no text, escape characters in a paste, a terminal that is gone.

Textual's own reader ends the app at a byte that is not UTF-8. A terminal with another encoding sends such
bytes, and one that tells of the mouse in the oldest way (GNU screen) for every place beyond column 95. What
is pasted it takes for keys from the first escape character on, and a terminal need not take these out (tmux).
Of a terminal that is gone it reads nothing, for ever.
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

_ESCAPE = "\x1b"
_PASTE_BEGINS, _PASTE_ENDS = f"{_ESCAPE}[200~", f"{_ESCAPE}[201~"


class Terminal(LinuxDriver):
    """Textual's driver, but for its reader."""

    def run_input_thread(self) -> None:
        """Send what is typed to the app, until told to stop or until nothing can come any more."""
        parser = XTermParser(self._debug)
        decoder = getincrementaldecoder("utf-8")(errors="replace")
        pastes = Pastes()
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
                    for message in parser.feed(pastes.cleaned(decoder.decode(typed))):
                        self.process_message(message)
                for message in parser.tick():
                    self.process_message(message)

    def _read(self) -> bytes:
        """What was typed; nothing when the terminal is gone."""
        try:
            return os.read(self.fileno, _AT_ONCE)
        except OSError:
            return b""


class Pastes:
    """Takes escape characters out of what is pasted, which may come in any pieces; all else is as it was."""

    def __init__(self) -> None:
        self._is_pasted = False
        self._marker = ""  # as much of one as was read

    def cleaned(self, typed: str) -> str:
        """What was typed, without them."""
        return "".join(map(self._passed, typed))

    def _passed(self, character: str) -> str:
        """What of this character, and of those that were kept before it, goes on."""
        kept = self._marker
        awaited = _PASTE_ENDS if self._is_pasted else _PASTE_BEGINS
        self._marker = kept + character
        is_whole = self._marker == awaited
        if not awaited.startswith(self._marker):
            self._marker = character if character == _ESCAPE else ""
        if not self._is_pasted:  # an escape key does not wait for what may follow
            passed = character
        elif is_whole:
            passed = _PASTE_ENDS
        elif self._marker:
            passed = kept[1:] if character == _ESCAPE else ""
        else:
            passed = kept[1:] + character
        if is_whole:
            self._is_pasted = not self._is_pasted
            self._marker = ""
        return passed

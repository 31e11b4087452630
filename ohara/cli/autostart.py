"""Starts the background service after a search by a person, so that the next answer comes sooner.

Only on a terminal, never in CI or for a script, and never again after `ohara daemon stop`. A service that was
started so ends by itself. The first time it is said, with the ways to turn it off.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from ohara import paths
from ohara.client.fastpath import HARMLESS, overrides_settings
from ohara.errors import OharaError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

IDLE_EXIT_S = 900.0  # people ask several times within a quarter of an hour, or tomorrow

_STOPPED, _SAID = "stopped", "said"
NOTE = (
    "a background service keeps the index fresh and answers sooner from now on; it ends after 15 minutes"
    " without a question (ohara daemon stop, or in the settings: daemon.autostart = false)"
)


def start_service_behind(repository: str | None) -> tuple[str, ...]:
    """Start the service if a person would want it; a note the first time. A failure spoils no answer.

    It makes itself ready for the next question about the repository that answered.
    """
    if not is_for_person(os.environ, out=sys.stdout.isatty(), err=sys.stderr.isatty()):
        return ()
    from ohara import config
    from ohara.client import start_daemon_behind

    mark = _mark()
    with suppress(OharaError, OSError):
        said = _read(mark)
        if said == _STOPPED or not config.load().settings.daemon.autostart:
            return ()
        start_daemon_behind(idle_exit_s=IDLE_EXIT_S, ready_for=repository)
        if not said:
            _write(mark, _SAID)
            return (NOTE,)
    return ()


def is_for_person(environ: Mapping[str, str], *, out: bool, err: bool) -> bool:
    """True when somebody reads the answer on a terminal and the service would answer the same."""
    return out and err and not environ.get("CI") and not overrides_settings(environ, harmless=HARMLESS)


def leave_stopped() -> None:
    """Remember that somebody stopped the service: searches do not start it again."""
    _write(_mark(), _STOPPED)


def allow() -> None:
    """Remember that somebody started the service: it was theirs, and searches may start it again."""
    if _read(_mark()) == _STOPPED:
        _write(_mark(), _SAID)


def is_left_stopped() -> bool:
    """True after somebody stopped the service."""
    return _read(_mark()) == _STOPPED


def _mark() -> Path:
    return paths.state_dir() / "autostart"


def _read(mark: Path) -> str:
    try:
        return mark.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _write(mark: Path, word: str) -> None:
    with suppress(OSError, OharaError):
        paths.made(mark.parent)
        mark.write_text(word + "\n", encoding="utf-8")

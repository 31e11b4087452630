"""Kills the background service while it indexes, and starts it again."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from ohara import client, wire
from ohara.errors import OharaError
from ohara.model import SearchOptions

if TYPE_CHECKING:
    import random
    from pathlib import Path


def killed(repo: Path, chance: random.Random) -> str:
    """Ask the service to index, kill it, and have another one answer; the phase it was in."""
    with client.connect(start=True) as there:
        pid = there.greeting.pid
        there.send(wire.Index(repo=str(repo)))
        time.sleep(chance.uniform(0, 1.5))
        with suppress(OharaError):
            there.send(wire.Find(repo=str(repo), query="retry", options=SearchOptions(k=3)))
    os.kill(pid, signal.SIGKILL)
    if chance.random() < 0.5:
        with client.connect(start=True) as there:
            there.send(wire.Repos())
            os.kill(there.greeting.pid, signal.SIGKILL)
    return "the service indexes"

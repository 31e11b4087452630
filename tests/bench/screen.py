"""The terminal UI as one part of the benchmark: keys, first hits, first paint, driving the real app.

A key's cost is the time that the app's own thread works on it, up to the escape sequences that a terminal
would get, so that a busy machine does not blur it; first hits are timed from the moment the debounce fires to
the paint that shows them; the first paint of all is timed in a real pseudo-terminal, beside an app that shows
one word, in turns.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

import tui
from ohara import wire
from tests.bench.changelog import draw_queries
from tests.bench.machine import look
from tests.bench.measure import environment
from tests.bench.report import Report, Table, talk
from tests.bench.serving import service, settle
from tests.bench.workspace import at_home
from tui.finder import Change
from tui.query_draft import QueryDraft
from tui.search_state import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.pilot import Pilot

    from tests.bench.workspace import Subject
    from tui.app import OharaApp

_SIZE = (160, 45)
_QUIET_S = 0.045  # less than the debounce: only the key itself is at work meanwhile
_KEYS = "fixture teardown order"
_PATIENCE_S = 60.0

MINIMAL = """
from textual.app import App, ComposeResult
from textual.widgets import Static

class Minimal(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("first-paint")

Minimal().run()
"""


@dataclass(frozen=True, slots=True)
class ScreenFigures:
    """All times in milliseconds."""

    keys: tuple[float, ...]
    moves: tuple[float, ...]
    first_hits: tuple[float, ...]
    search: tuple[float, ...]
    paint: tuple[float, ...]
    minimal_paint: tuple[float, ...]


def measure_screen(subject: Subject, work: Path, *, queries: int = 60, rounds: int = 7) -> Report:
    """What a person waits for."""
    machine = look()
    home = work / "daemon" / "home"  # the same index as the service's own part
    texts = [" ".join(query.text.split()[:4]) for query in draw_queries(subject.repo, limit=queries).queries]
    with service(home) as there, at_home(home):
        there.send(wire.Index(repo=str(subject.repo)))
        settle(there)
        hunks = there.send(wire.Status(repo=str(subject.repo))).status.hunks
        keys, moves, first_hits, search = asyncio.run(_drive(subject.repo, texts))
        paint, minimal = _paints(subject.repo, home, rounds)
    figures = ScreenFigures(keys, moves, first_hits, search, paint, minimal)
    return Report(
        f"tui-{subject.name}", machine, (screen_table(subject.name, hunks, figures),), asdict(figures)
    )


def screen_table(name: str, hunks: int, figures: ScreenFigures) -> Table:
    """The figures beside what they should be."""
    ratio = median(figures.paint) / median(figures.minimal_paint)
    rows = (
        ("a key typed into the query bar", *_spread(figures.keys), "16 ms"),
        ("an arrow key, with the diff following", *_spread(figures.moves), "16 ms"),
        ("first hits after the debounce", *_spread(figures.first_hits), "150 ms"),
        ("of which the service's own search", *_spread(figures.search), ""),
        ("cold start to first paint", *_spread(figures.paint), f"1.8 x ({ratio:.2f} x)"),
        ("the same of an app that shows one word", *_spread(figures.minimal_paint), ""),
    )
    title = f"The terminal UI on {name} ({hunks:,} hunks), {_SIZE[0]} x {_SIZE[1]}"
    return Table(title, ("", "p50", "p95", "target"), rows)


def _spread(times: Sequence[float]) -> tuple[str, str]:
    high = quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    return f"{median(times):.1f} ms", f"{high:.1f} ms"


# -- inside the app ------------------------------------------------------------------------------


async def _drive(repo: Path, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
    from tui.app import OharaApp

    class Written(OharaApp):
        """Makes escape sequences of what it paints, as for a terminal, and throws them away."""

        CSS_PATH = str(Path(tui.__file__).with_name("app.tcss"))
        is_headless = False

    app = Written(repo)
    async with app.run_test(size=_SIZE) as pilot:
        await _until(pilot, lambda: app.search.finder.state.stage is not Stage.STARTING)
        timed = [await _first_hits(app, pilot, text) for text in ("warm up", "again", *texts)][2:]
        app.search.bar.show(QueryDraft(""))
        await pilot.pause(1.0)
        app.search.bar.input.focus()
        keys = [await _key(app, pilot, character) for character in _KEYS]
        await _until(pilot, lambda: app.search.finder.state.stage is Stage.RESULTS)
        await pilot.pause(1.5)
        moves = [await _key(app, pilot, "down") for _ in range(25)]
    first_hits, search = zip(*timed, strict=True)
    return tuple(keys), tuple(moves), first_hits, search


async def _key(app: OharaApp, pilot: Pilot[None], key: str) -> float:
    """How long the app's thread works on one key."""
    from textual import events

    character = key if len(key) == 1 else None
    await pilot.pause(0.25)  # what the last key began is done
    event = events.Key("space" if key == " " else key, character)
    event.set_sender(app)
    driver = app._driver
    assert driver is not None
    before = time.thread_time()
    driver.send_message(event)
    await asyncio.sleep(_QUIET_S)
    return (time.thread_time() - before) * 1000


async def _first_hits(app: OharaApp, pilot: Pilot[None], text: str) -> tuple[float, float]:
    """From the moment a question is asked to the moment its hits are painted; and the search alone."""
    seen: list[float] = []
    screen = app.search
    heard = screen.finder._on_change

    def hear(change: Change) -> None:
        heard(change)
        if change is Change.ANSWER:
            screen.call_after_refresh(lambda: seen.append(time.perf_counter()))

    screen.finder._on_change = hear
    with screen.prevent(type(screen.bar).Changed):
        screen.bar.show(QueryDraft(text))
    asked = time.perf_counter()
    screen.ask()
    await _until(pilot, lambda: seen)
    screen.finder._on_change = heard
    await pilot.pause(0.05)
    results = screen.finder.state.results
    return (seen[0] - asked) * 1000, results.took_ms if results else 0.0


async def _until(pilot: Pilot[None], true: object) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while callable(true) and not true():
        if time.monotonic() > deadline:
            raise TimeoutError("the app did not get there")
        await asyncio.sleep(0.001)
    await pilot.pause()


# -- in a terminal -------------------------------------------------------------------------------


def _paints(repo: Path, home: Path, rounds: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    env = environment(home, TERM="xterm-256color", COLORTERM="truecolor")
    ours, minimal = [], []
    for turn in range(rounds + 1):
        mine = first_paint([sys.executable, "-m", "tui", "--repo", str(repo)], b"ohara", env)
        least = first_paint([sys.executable, "-c", MINIMAL], b"first-paint", env)
        talk(f"first paint: {mine:.0f} ms, minimal app {least:.0f} ms")
        if turn:  # the first run compiles
            ours.append(mine)
            minimal.append(least)
    return tuple(ours), tuple(minimal)


def first_paint(command: Sequence[str], word: bytes, env: dict[str, str]) -> float:
    """Milliseconds from starting a program to a word of it on its screen."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", _SIZE[1], _SIZE[0], 0, 0))
    started = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True
    )
    os.close(slave)
    said = b""
    try:
        while word not in said:
            ready, _, _ = select.select([master], [], [], _PATIENCE_S)
            if not ready:
                raise TimeoutError(f"{word!r} was never shown: {said[-400:]!r}")
            said += os.read(master, 65_536)
        return (time.perf_counter() - started) * 1000
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()
        os.close(master)

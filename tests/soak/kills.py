"""Kills ohara at random moments, lets the next run end, and compares the index with an uninterrupted one.

A unit is one history in two states: as it was when it was first indexed, and as it is after it grew and was
rewritten. From it come the states that commands begin with; each kill copies one, kills a real process in it
(or one of its workers, or the service, or takes the room on its disk away), goes on, and looks.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fixtures.git import git_bytes
from ohara.engine import Engine
from ohara.errors import IndexMissing
from ohara.index.job import IndexOptions
from ohara.model import SearchOptions
from ohara.store.sqlite.dump import dump
from ohara.store.sqlite.writer import Writer
from tests.process import ROOT
from tests.soak import full, service
from tests.soak.formats import to_first_format
from tests.soak.invariants import faults
from tests.soak.outcome import Outcome, at_home, chance_of, difference, set_settings
from tests.soak.processes import children, end_all_of
from tests.soak.victim import START
from tests.soak.wild import Wild

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

PART = "kills"
KILLS_A_UNIT = 5
_LONG_RUN = 1_050  # commits: from a thousand on, a run ends with a compaction
_FIRST_GUESS_S = 1.2
_AIMED = 0.55  # of the kills; the others come after a delay
_TRIES = 6
_END_S = 600.0  # by when anything must have ended, on a machine that may be busy
_STALE = {"words": -1, "parser": -1, "embedder": "", "vectors": -1, "lines": -1}


@dataclass(frozen=True, slots=True)
class Scene:
    """A state to begin with, a command to kill in it, the phases to aim at, and the state it must end in."""

    name: str
    before: str
    command: tuple[str, ...]
    ends_as: str
    aims: tuple[str, ...] = ()


INDEX = ("index", "-q", "--jobs", "2")
_RUN = (
    "migrating", "comparing versions", "judging paths", "planning", "reading commits", "symbols of HEAD",
    "symbols", "lines", "lines", "vectors", "threads", "recording the run",
)  # fmt: skip
_LATER = (*_RUN, "hiding what is gone", "words again")
SCENES = (
    Scene("first run", "nothing", INDEX, "fresh", _RUN),
    Scene("run after growth and rewrites", "old", INDEX, "grown", _LATER),
    Scene("gc", "grown", ("gc",), "fresh", ("migrating", "gc")),
    Scene("forget", "grown", ("forget",), "fresh", ("forget",)),
    Scene("rebuild", "grown", (*INDEX, "--rebuild"), "fresh", (*_RUN, "setting aside")),
    Scene("passes made again", "stale", INDEX, "fresh", ("comparing versions", "words again", *_LATER[-8:])),
    Scene("migration", "first format", INDEX, "grown", ("migrating",) * 3),
    Scene("changed settings", "grown", INDEX, "resettled", ("judging paths", *_LATER)),
    Scene("worker", "nothing", INDEX, "fresh"),
    Scene("worker of a later run", "old", INDEX, "grown"),
    Scene("service", "old", (), "fresh"),
    Scene("full disk, first run", "nothing", INDEX, "fresh"),
    Scene("full disk, later run", "old", INDEX, "grown"),
)
_WEIGHED = tuple(zip(SCENES, (6, 6, 4, 2, 4, 4, 4, 3, 3, 2, 2, 2, 2), strict=True))
_RESETTLED = '[index]\nignore = ["*.go", "lib/"]\n'
_lengths: dict[str, float] = {}  # how long a command takes that nobody kills, as far as known


class Place:
    """One repository in its last state, and homes in all the states that a command may begin or end with."""

    def __init__(
        self, folder: Path, chance: random.Random, *, slice_of: Path | None, long: bool, encoded: bool
    ) -> None:
        self.folder = folder
        self.long = long
        self.homes = folder / "homes"
        if slice_of:
            self.repo = self._slice(slice_of, 1_200 if long else 150)
        else:
            wild = Wild(folder / "repo.git", chance, rules=False, encoded=encoded)
            wild.grow(_LONG_RUN if long else chance.randint(40, 160))
            self.repo = wild.repo.path
        self.index("old")
        if slice_of:
            git_bytes(
                self.repo,
                "update-ref",
                "HEAD",
                git_bytes(self.repo, "rev-parse", "origin-tip").decode().strip(),
            )
        else:
            for _ in range(chance.randint(3, 12)):
                wild.step()
            wild.grow(chance.randint(0, 60))
        self._dumps: dict[str, list[str]] = {}

    def _slice(self, source: Path, depth: int) -> Path:
        """The newest commits of a real history, standing some way behind its tip."""
        place = self.folder / "repo.git"
        git_bytes(
            self.folder,
            "clone",
            "-q",
            "--bare",
            "--template=",
            f"--depth={depth}",
            f"file://{source}",
            str(place),
        )
        git_bytes(place, "update-ref", "refs/tags/origin-tip", "HEAD")
        behind = git_bytes(place, "rev-list", "HEAD").decode().split()
        git_bytes(place, "update-ref", "HEAD", behind[len(behind) // 3])
        return place

    def home(self, state: str) -> Path:
        """The home in a state, made when first asked for."""
        home = self.homes / state
        if home.exists():
            return home
        match state:
            case "nothing":
                home.mkdir()
            case "grown":
                shutil.copytree(self.homes / "old", home)
                self._dumps[state] = self.index(state)
            case "fresh":
                self._dumps[state] = self.index(state)
            case "resettled":
                set_settings(home, _RESETTLED)
                self._dumps[state] = self.index(state)
            case "stale":
                shutil.copytree(self.home("grown"), home)
                with Writer(self._database(home), passes=frozenset()) as writer:
                    writer.set_meta("fingerprint", _STALE)
                    writer.commit()
            case "first format":
                shutil.copytree(self.home("grown"), home)
                to_first_format(self._database(home))
        return home

    def _database(self, home: Path) -> Path:
        with at_home(home):
            return Engine.open(self.repo).location.database

    def dump(self, state: str) -> list[str]:
        """What an index says that came to a state without an interruption."""
        self.home(state)
        return self._dumps[state]

    def index(self, state: str) -> list[str]:
        """Index without an interruption, and say what came of it."""
        with at_home(self.homes / state):
            engine = Engine.open(self.repo)
            for _ in engine.index(IndexOptions(lock_wait_s=_END_S, jobs=2)):
                pass
            return dump(engine.location.database)

    def copied(self, state: str, name: str) -> Path:
        """A home of its own in one of the states."""
        return Path(shutil.copytree(self.home(state), self.homes / name))


class Unit:
    """Some kills in one place."""

    def __init__(self, place: Place, chance: random.Random) -> None:
        self._place = place
        self._chance = chance
        self.counts: Counter[str] = Counter()
        self.failures: list[str] = []

    def kill(self, scene: Scene, number: int) -> None:
        """Kill once, end what was begun, compare."""
        home = self._place.copied(scene.before, f"kill-{number}")
        if scene.name == "changed settings":
            set_settings(home, _RESETTLED)
        try:
            with at_home(home):
                phase = self._interrupt(scene, home)
                if phase is None:
                    self.counts["came too late"] += 1
                    return
                if (
                    self._chance.random() < 0.2
                    and scene.command
                    and not scene.name.startswith(("worker", "full"))
                ):
                    self._interrupt(Scene(scene.name, "", INDEX, ""), home)
                    self.counts["killed twice"] += 1
                said = self._went_on(scene)
        finally:
            end_all_of(home)
            full.unmounted(home / "data")
            shutil.rmtree(home, ignore_errors=True)
        self.counts["kills"] += 1
        self.counts[f"in: {scene.name}"] += 1
        self.counts[f"while: {phase}"] += 1
        self.failures += [f"{scene.name}, killed while {phase}: {fault}" for fault in said]

    def _interrupt(self, scene: Scene, home: Path) -> str | None:
        if scene.name == "service":
            return service.killed(self._place.repo, self._chance)
        if scene.name.startswith("full disk"):
            room = self._room(home)
            phase, wrong = full.filled(home, room, self._chance, lambda bound: self._process(scene, bound))
            self.failures += [f"{scene.name}, {room:,} bytes: {fault}" for fault in wrong]
            return phase
        for _ in range(_TRIES):
            phase = self._struck(scene)
            if phase is not None:
                return phase
        return None

    def _room(self, home: Path) -> int:
        """A size between what the index has now and what it will have."""
        last = max(file.stat().st_size for file in self._place.home("grown").rglob("index.db"))
        first = max((file.stat().st_size for file in home.rglob("index.db")), default=0)
        return int(first + self._chance.uniform(0.02, 0.95) * max(last - first, 65_536))

    def _process(self, scene: Scene, room: int) -> tuple[subprocess.Popen[bytes], int]:
        reader, writer = os.pipe()
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.soak.victim",
                str(writer),
                str(room),
                *_where(scene.command, self._place.repo),
            ],
            cwd=ROOT,
            # A process without room would leave half of a module's bytecode for all others.
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=(writer,),
            start_new_session=True,
        )
        os.close(writer)
        return process, reader

    def _struck(self, scene: Scene) -> str | None:
        """Start the command and kill it; the phase it was in, or None when it had ended before."""
        chance = self._chance
        is_worker = scene.name.startswith("worker")
        aims = scene.aims + (("compacting",) * self._place.long if "reading commits" in scene.aims else ())
        aim = chance.choice(aims) if aims and chance.random() < _AIMED else None
        length = _lengths.get(scene.name, _FIRST_GUESS_S)
        delay = chance.uniform(0.2 * length if is_worker else 0, length)
        started = time.monotonic()
        process, pipe = self._process(scene, 0)
        phase = _follow(pipe, until=aim, seconds=_END_S if aim else delay)
        if aim:
            time.sleep(chance.expovariate(1 / 0.01))
        victim = process.pid
        if is_worker:
            victim = chance.choice(children(process.pid) or [0])
        if process.poll() is not None or not victim:
            phase = _follow(pipe, until=None, seconds=_END_S)
            self._end(process, pipe)
            _lengths[scene.name] = time.monotonic() - started
            return None
        if not aim and delay > 0.8 * length:
            _lengths[scene.name] = 1.3 * length  # it takes longer than was thought
        with suppress(ProcessLookupError):
            if is_worker or chance.random() < 0.3:
                os.kill(victim, signal.SIGKILL)  # workers must end by themselves
            else:
                os.killpg(process.pid, signal.SIGKILL)
        if is_worker:
            code = process.wait(timeout=_END_S)
            if code:
                said = process.stderr.read().decode(errors="replace") if process.stderr else ""
                self.failures.append(f"{scene.name}: the run ended with {code}: {said[-2000:]}")
        last = _follow(pipe, until=None, seconds=_END_S) if not is_worker else ""
        self._end(process, pipe)
        return last or phase or START

    def _end(self, process: subprocess.Popen[bytes], pipe: int) -> None:
        process.wait(timeout=_END_S)
        if process.stderr:
            process.stderr.close()
        os.close(pipe)

    def _went_on(self, scene: Scene) -> list[str]:
        """Ask what is there, run to the end, and say what differs from a run that nobody interrupted."""
        engine = Engine.open(self._place.repo)
        if self._chance.random() < 0.3:
            with suppress(IndexMissing):
                engine.find_pattern('"retry"', SearchOptions(k=5, rerank=False))
                self.counts["asked before going on"] += 1
            engine.close()
        for _ in engine.index(IndexOptions(lock_wait_s=_END_S, jobs=2)):
            pass
        said = faults(engine.location.database)
        if scene.ends_as != "grown":
            engine.gc()
            said += faults(engine.location.database, collected=True)
        made, wanted = dump(engine.location.database), self._place.dump(scene.ends_as)
        self.counts["facts compared"] += len(wanted)
        self.counts["identical dumps"] += made == wanted
        if made != wanted:
            said.append(f"the index differs from an uninterrupted one: {difference(made, wanted)}")
        return said


def _where(command: tuple[str, ...], repo: Path) -> list[str]:
    return [command[0], *(["--repo", str(repo)] if command[0] != "forget" else [str(repo)]), *command[1:]]


def _follow(pipe: int, *, until: str | None, seconds: float) -> str | None:
    """The last phase announced until the time is over, the one looked for comes, or the process ends."""
    deadline = time.monotonic() + seconds
    heard, last = b"", None
    while (left := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select([pipe], [], [], left)
        if not ready:
            break
        piece = os.read(pipe, 4096)
        if not piece:
            break
        heard += piece
        *lines, heard = heard.split(b"\n")
        for line in lines:
            last = line.decode()
            if last == until:
                return last
    return last


def run(
    seed: str, unit: int, scratch: Path, *, slice_of: Path | None = None, kills: int = KILLS_A_UNIT
) -> Outcome:
    """Kill some times in one place."""
    started = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix=f"kills-{unit}-", dir=scratch))
    chance = chance_of(seed, PART, unit)
    counts: Mapping[str, int] = {}
    failures: list[str] = []
    try:
        # Of encoded text the first format knew nothing: a real history and one in two others may have some.
        real = slice_of if unit % 3 == 0 else None
        encoded = real is not None or unit % 2 == 0
        place = Place(folder, chance, slice_of=real, long=unit % 5 == 4, encoded=encoded)
        this = Unit(place, chance)
        counts, failures = this.counts, this.failures
        weights = [0 if encoded and scene.name == "migration" else weight for scene, weight in _WEIGHED]
        for number, scene in enumerate(chance.choices(SCENES, weights, k=3 * kills)):
            if this.counts["kills"] < kills:  # some commands end before they can be killed
                this.kill(scene, number)
    except Exception as fault:  # noqa: BLE001 - whatever falls here is what the soak looks for
        failures.append(f"{type(fault).__name__}: {fault}\n{traceback.format_exc()}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Outcome(PART, unit, dict(counts), tuple(failures), time.monotonic() - started)

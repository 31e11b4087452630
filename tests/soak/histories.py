"""Random histories with rewrites, indexed step by step: the index and its answers equal those of a rebuild.

Some histories are followed through a shallow clone that is deepened on the way, some with all refs, some with
vectors; settings change in between. What changes cannot undo is not drawn: pieces keep the size they were cut
to, so what is left out of search changes only where nothing is cut.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fixtures.git import Repo, git_bytes
from ohara.engine import Engine
from ohara.index.job import IndexOptions
from ohara.index.plan import Limits
from ohara.index.survey import RefChoice
from ohara.model import Pass, SearchOptions
from ohara.store.sqlite.dump import dump
from tests.soak.invariants import faults, unlike_a_scan
from tests.soak.outcome import Outcome, at_home, chance_of, difference, set_settings
from tests.soak.wild import WORDS, Wild

if TYPE_CHECKING:
    import random

    from ohara.model import Results

PART = "histories"
_ROUNDS = (2, 7)  # index runs
_STEPS = (1, 4)  # operations between two of them
_IGNORED = ('["*.ts"]', '["lib/", "!lib/retry.py"]', '["thing", "docs/"]', "[]")
_PATIENT = "[find]\nlane_timeout_s = 600\n"  # on a busy machine a lane may take long without being wrong
_QUERIES = ('"retry"', "/def \\w+_[0-3]/", '"upload" path:lib/**', "removed:gamma_ray", "retry with backoff")


@dataclass(frozen=True, slots=True)
class Manner:
    """How one history is indexed."""

    refs: RefChoice
    passes: frozenset[Pass]
    cut: bool  # pieces are small, so what is left out of search must not change
    clone: bool
    since: bool

    @classmethod
    def drawn(cls, chance: random.Random) -> Manner:
        """Any manner, the plain ones more often."""
        without = {Pass.VECTOR} if chance.random() < 0.75 else set()
        cut = chance.random() < 0.3
        return cls(
            refs=RefChoice(all_refs=chance.random() < 0.4),
            passes=frozenset(Pass) - without,
            cut=cut,
            clone=chance.random() < 0.15,
            since=not cut and chance.random() < 0.1,
        )


class Story:
    """One history, its index made step by step, and a second one made at the end."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._folder = folder
        self._chance = chance
        self.manner = Manner.drawn(chance)
        self.wild = Wild(folder / "origin.git", chance, rules=not self.manner.cut)
        self.counts: Counter[str] = Counter()
        self._settings = {"since": '"2020-01-01T06:00:00"'} if self.manner.since else {}
        if self.manner.cut:
            self._settings |= {"chunk_lines": "6", "chunk_chars": "200", "large_file_bytes": "1024"}
        self._texts = (*chance.sample(WORDS, 3), f"_{chance.randint(0, 9)}(")
        self._queries = (*_QUERIES, f'"{chance.choice(WORDS)}"')
        self.repo = self._cloned() if self.manner.clone else self.wild.repo

    def play(self) -> list[str]:
        """Index as the history grows, then once from nothing; what differs, in words."""
        chance = self._chance
        said: list[str] = []
        with at_home(self._folder / "grown") as home:
            for _ in range(chance.randint(*_ROUNDS)):
                self._change(home)
                engine = self._index(self._options(chance))
                said += [f"after {self.wild.played}: {fault}" for fault in faults(engine.location.database)]
                if said:
                    return said
            self._settings.pop("since", None)
            self._write_settings(home)
            engine = self._index(
                IndexOptions(refs=self.manner.refs, passes=self.manner.passes, lock_wait_s=9)
            )
            engine.gc()
            self.counts["gc of the index"] += 1
            said += faults(engine.location.database, collected=True)
            said += unlike_a_scan(engine, self._texts)
            self.counts["exact searches beside a scan"] += len(self._texts)
            grown, answers = dump(engine.location.database), self._answers(engine)
        with at_home(self._folder / "fresh") as home:
            self._write_settings(home)
            engine = self._index(
                IndexOptions(refs=self.manner.refs, passes=self.manner.passes, lock_wait_s=9)
            )
            engine.gc()  # a commit may be the only user of a path that HEAD's tree no longer has
            fresh, again = dump(engine.location.database), self._answers(engine)
        self.counts["facts compared"] += len(fresh)
        self.counts["answers compared"] += len(again)
        if grown != fresh:
            said.append(f"the index differs from a rebuild: {difference(grown, fresh)}")
        said += [
            f"{one[0]}: {one[1:]} became {two[1:]}"
            for one, two in zip(again, answers, strict=True)
            if one != two
        ]
        return said

    def _change(self, home: Path) -> None:
        for _ in range(self._chance.randint(*_STEPS)):
            self.counts[self.wild.step().replace("_", " ")] += 1
        if not self.manner.cut and self._chance.random() < 0.2:
            self._settings["ignore"] = self._chance.choice(_IGNORED)
            self.counts["settings changed"] += 1
        if self._chance.random() < 0.1:
            self._settings.pop("since", None)
        self._write_settings(home)
        if self.manner.clone:
            self._fetch()

    def _options(self, chance: random.Random) -> IndexOptions:
        """A run of any kind: whole, of some passes, of the newest commits only, in a hurry."""
        passes, limits, hurry = self.manner.passes, Limits(), None
        draw = chance.random()
        if draw < 0.15:
            passes = frozenset(chance.sample(sorted(Pass), k=chance.randint(1, 3))) & passes or frozenset(
                {Pass.TEXT}
            )
        elif draw < 0.25:
            limits = Limits(max_commits=chance.randint(1, 5))
        elif draw < 0.3:
            hurry = chance.uniform(0, 0.05)
        if chance.random() < 0.03:
            self.counts["rebuild"] += 1
            return IndexOptions(refs=self.manner.refs, passes=passes, rebuild=True, lock_wait_s=9)
        return IndexOptions(
            refs=self.manner.refs, passes=passes, limits=limits, at_most_s=hurry, lock_wait_s=9
        )

    def _index(self, options: IndexOptions) -> Engine:
        engine = Engine.open(self.repo.path)
        for _ in engine.index(options):
            pass
        self.counts["index run"] += 1
        return engine

    def _answers(self, engine: Engine) -> list[tuple[object, ...]]:
        try:
            return [
                (
                    query,
                    *_said(engine.find_pattern(query, SearchOptions(k=50, rerank=False, now=1_700_000_000))),
                )
                for query in self._queries
            ]
        finally:
            engine.close()

    def _write_settings(self, home: Path) -> None:
        index = "".join(f"{key} = {value}\n" for key, value in self._settings.items())
        set_settings(home, f"{_PATIENT}[index]\n{index}")

    # -- through a shallow clone -------------------------------------------------------------------

    def _cloned(self) -> Repo:
        self.wild._history.flush()
        place = self._folder / "clone.git"
        url = f"file://{self.wild.repo.path}"
        git_bytes(
            self._folder,
            "clone",
            "-q",
            "--bare",
            "--template=",
            "--no-single-branch",
            "--depth=2",
            url,
            str(place),
        )
        return Repo(place)

    def _fetch(self) -> None:
        """Bring everything over, forced as a mirror is, deeper than before now and then."""
        deeper = self._chance.choice((None, None, "--deepen=1", "--deepen=3", "--unshallow"))
        if deeper == "--unshallow" and not (self.repo.git_dir / "shallow").exists():
            deeper = None
        options = [deeper] if deeper else []
        self.counts["fetch into a clone"] += 1
        self.repo.git(
            "fetch",
            "-q",
            "--force",
            "--prune",
            "--update-head-ok",
            *options,
            "origin",
            "+refs/heads/*:refs/heads/*",
            "+refs/tags/*:refs/tags/*",
        )
        head = self.wild.repo.git("rev-parse", "--symbolic-full-name", "HEAD").strip()
        if head != "HEAD":
            self.repo.git("symbolic-ref", "HEAD", head)


def _said(results: Results) -> tuple[object, ...]:
    return tuple((hit.commit.sha, hit.path, hit.line, hit.old_line, hit.excerpt) for hit in results.hits)


def run(seed: str, unit: int, scratch: Path) -> Outcome:
    """Play one history."""
    started = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix=f"history-{unit}-", dir=scratch))
    chance = chance_of(seed, PART, unit)
    counts: Counter[str] = Counter()
    try:
        story = Story(folder, chance)
        counts = story.counts
        said = story.play()
        if said:
            said = [f"{story.manner}", f"{story.wild.played}", *said]
    except Exception as fault:  # noqa: BLE001 - whatever falls here is what the soak looks for
        import traceback

        said = [f"{type(fault).__name__}: {fault}", traceback.format_exc()]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    counts["histories"] += 1
    return Outcome(PART, unit, dict(counts), tuple(said), time.monotonic() - started)

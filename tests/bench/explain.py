"""Explaining lines beside `git log -L`: the same commits, and how much sooner.

Spans are drawn from the files of HEAD. Moves are not followed here, as git does not. Times are processor
time: git's of its own process, ohara's in a process that is warm, as the service is.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import time
from collections import Counter
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

import anyio

from ohara.browse.lineage import Position, Trail
from ohara.browse.span import Span
from ohara.engine import Engine
from ohara.git.tree import SUBMODULE
from ohara.model import ExplainOptions
from tests.bench.machine import look
from tests.bench.measure import environment, ohara_command, weigh
from tests.bench.report import Report, Table, talk
from tests.bench.workspace import at_home

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.git.repo import Repository
    from ohara.store.reading import Reader
    from tests.bench.workspace import Subject

_LENGTHS = (0, 2, 10, 40)  # lines after the first


@dataclass(frozen=True, slots=True)
class Followed:
    """One span: what git and ohara found, and how long each took."""

    path: str
    first: int
    last: int
    git: int
    merges: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    why: str
    git_ms: float
    ohara_ms: float
    answer_ms: float


def measure_explain(subject: Subject, work: Path, *, spans: int = 100, seed: int = 11) -> Report:
    """The same spans to git and to ohara."""
    machine = look()
    home = work / "explain"
    weigh(
        ohara_command("index", "-q", "--repo", str(subject.repo), "--passes", "text,literal"),
        env=environment(home),
    )
    with at_home(home):
        engine = Engine.open(subject.repo)
        drawn = _draw(engine.repository, spans, seed)
        engine.explain(drawn[0][0], ExplainOptions(k=1, ref="HEAD"))
        readers = engine.store.readers(size=1)
        found: list[Followed] = []
        for at, span in enumerate(drawn, 1):
            found.append(anyio.run(readers.read, partial(_one, engine, span)))
            if at % 20 == 0:
                talk(f"{subject.name}: {at} of {len(drawn)} spans")
        readers.close()
    return Report(
        f"explain-{subject.name}",
        machine,
        (_agreement(subject.name, found), _times(subject.name, found)),
        {"spans": [asdict(each) for each in found]},
    )


def _draw(repository: Repository, count: int, seed: int) -> list[tuple[str, int, int]]:
    chance = random.Random(seed)  # noqa: S311 a repeatable draw, not a secret
    head = repository.commit_named("HEAD")
    files = sorted(path for path, _, mode in repository.head_tree_files() if mode != SUBMODULE)
    drawn: list[tuple[str, int, int]] = []
    while len(drawn) < count:
        path = chance.choice(files)
        lines = repository.lines_at(head, path)
        if lines and not any("\0" in line for line in lines[:50]):
            first = chance.randint(1, len(lines))
            drawn.append((path, first, min(len(lines), first + chance.choice(_LENGTHS))))
    return drawn


def _one(engine: Engine, span: tuple[str, int, int], reader: Reader) -> Followed:
    path, first, last = span
    repository = engine.repository
    head = repository.commit_named("HEAD")
    reader.commit_graph()
    begun = time.process_time()
    trail = Trail(repository, reader)
    steps = list(trail.follow(Position(head, path, (Span(first, last),))))
    ohara_ms = (time.process_time() - begun) * 1_000
    begun = time.process_time()
    engine.explain(f"{path}:{first}-{last}", ExplainOptions(ref="HEAD"))
    answer_ms = (time.process_time() - begun) * 1_000
    said, git_ms = _git(repository.path, path, first, last)
    gits = {sha for sha, parents in said if parents < 2}
    ours = {step.sha for step in steps if len(repository.links(step.sha).parents) < 2}
    why = ""
    if ours != gits:
        named_so = {step.sha for step in steps if step.at.path == path} & ours
        plain, _ = _git(repository.path, path, first, last, "--no-renames")
        same = {sha for sha, parents in plain if parents < 2}
        why = "renames" if named_so == same or (named_so <= gits and same <= ours | gits) else "other"
    return Followed(
        path,
        first,
        last,
        len(gits),
        sum(parents > 1 for _, parents in said),
        tuple(sorted(gits - ours)),
        tuple(sorted(ours - gits)),
        why,
        git_ms,
        ohara_ms,
        answer_ms,
    )


def _git(repo: Path, path: str, first: int, last: int, *options: str) -> tuple[list[tuple[str, int]], float]:
    """The commits of git, each with the number of its parents, and the processor time it took."""
    before = os.times()
    done = subprocess.run(
        ["git", "-C", str(repo), "log", "--format=%H %P", "-s", *options, f"-L{first},{last}:{path}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return [(line.split()[0], len(line.split()) - 1) for line in done.stdout.splitlines()], spent * 1_000


def _agreement(name: str, found: list[Followed]) -> Table:
    whys = Counter(each.why for each in found if each.why)
    commits = sum(each.git for each in found)
    rows = (
        ("spans", f"{len(found)}"),
        ("the same commits", f"{sum(not each.why for each in found)}"),
        ("other commits, because a file was paired with another by a rename", f"{whys['renames']}"),
        ("other commits, for another reason", f"{whys['other']}"),
        ("commits that git lists, without merges", f"{commits:,}"),
        ("of these not listed by ohara", f"{sum(len(each.missing) for each in found):,}"),
        ("listed by ohara alone", f"{sum(len(each.extra) for each in found):,}"),
        ("merges that git lists without a diff", f"{sum(each.merges for each in found):,}"),
    )
    return Table(f"{name}: commits beside `git log -L`", ("", "count"), rows)


def _times(name: str, found: list[Followed]) -> Table:
    git = [each.git_ms for each in found]
    ours = [each.ohara_ms for each in found]
    whole = [each.answer_ms for each in found]
    rows = tuple(
        (what, f"{statistics.median(times):.0f} ms", f"{sorted(times)[len(times) * 95 // 100]:.0f} ms", ratio)
        for what, times, ratio in (
            ("`git log -L`, commits alone", git, "1"),
            ("ohara, all commits", ours, f"{sum(git) / max(sum(ours), 0.001):.1f}"),
            (
                "`Engine.explain`, ten commits with hunks, merges and tags",
                whole,
                f"{sum(git) / sum(whole):.1f}",
            ),
        )
    )
    columns = ("processor time, warm", "median", "95th percentile", "times faster, over all")
    return Table(f"{name}: time beside `git log -L`", columns, rows)

"""Fates of hunks drawn by chance, held against what git says: blame, log -L and log -S; and what they cost.

git is asked about single lines, because that is what it can be asked: who last touched this line of HEAD
(`git blame -s`, `git log -L`), and which commits changed how often this text occurs (`git log -S`). A
difference is told with the hunk, so that a person can look at it.
"""

from __future__ import annotations

import random
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ohara.engine import Engine
from ohara.fate.fates import solid_lines
from ohara.fate.tip import Tip
from ohara.fate.view import Asked, FateView
from ohara.model import FateState, HunkId
from ohara.settings import Settings
from tests.bench import report
from tests.bench.machine import look
from tests.bench.workspace import Indexed, at_home, bring_up_to_date

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ohara.model import Fate, Sha
    from ohara.store.reading import Reader
    from tests.bench.machine import Machine
    from tests.bench.workspace import Subject

_PAGE = 10
_ROUNDS = 30
_TRIED = 4  # lines of a hunk that are asked for, the longest first
_TOLD = 12  # differences of a kind that are shown

_ALIVE = frozenset({FateState.ALIVE, FateState.CHANGED, FateState.MOVED})
_GONE = frozenset({FateState.GONE, FateState.REVERTED})


@dataclass(frozen=True, slots=True)
class Drawn:
    """A hunk drawn by chance, its fate, and the commits that moved, shifted, joined or restored its lines."""

    sha: Sha
    asked: Asked
    fate: Fate
    added: tuple[str, ...]
    names: tuple[str, ...]
    handed_on: frozenset[Sha]

    def named(self) -> str:
        """The hunk as a person would look it up."""
        return f"{self.sha[:10]} {self.asked.path}"


@dataclass(slots=True)
class Tally:
    """How often git agreed, and where it did not."""

    asked: int = 0
    agreed: int = 0
    explained: dict[str, int] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    def count(self, *, agrees: bool, why: str = "", what: str = "") -> None:
        """Count one question."""
        self.asked += 1
        self.agreed += agrees
        if not agrees:
            self.explained[why] = self.explained.get(why, 0) + 1
            if len(self.told) < _TOLD:
                self.told.append(f"{what}: {why}")


def measure_fate(subject: Subject, work: Path, *, hunks: int = 300, seed: int = 7) -> report.Report:
    """Draw hunks, compare their fates with git's answers, and time a page of ten."""
    machine = look()
    indexed = Indexed(subject.repo, work / "fate", Settings())
    bring_up_to_date(indexed, "--passes", "text,literal,lines")
    with at_home(indexed.home):
        engine = Engine.open(subject.repo)
        with engine.store.line_history() as history:
            reader: Reader = history  # type: ignore[assignment]
            tip = engine.repository.commit_named("HEAD")
            drawn = _drawn(engine, reader, tip, hunks, seed)
            ohara_ms = _page_ms(engine, reader, tip, drawn)
    blame, lines, texts = Tally(), Tally(), Tally()
    git_ms = [_held_against_git(subject.repo, each, blame, lines, texts) for each in drawn]
    return _report(subject, machine, drawn, (blame, lines, texts), ohara_ms, git_ms)


def _drawn(engine: Engine, reader: Reader, tip: Sha, hunks: int, seed: int) -> list[Drawn]:
    """Hunks that add lines, of commits that lead to HEAD."""
    below = reader.ancestors({tip}) or ()
    chance = random.Random(seed)  # noqa: S311 - a repeatable draw, not a secret
    numbers = chance.sample(sorted(reader.line_counts(below)), hunks)
    rows = reader.hydrate(map(HunkId, numbers))
    asked = [Asked(row.hunk, row.commit_id, row.path, row.body) for row in rows.values()]
    view = FateView(reader, Tip(engine.repository, tip), time.monotonic() + 60)
    fates = view.fates(asked)
    return [
        Drawn(
            rows[each.hunk].commit.sha,
            each,
            fates[each.hunk],
            tuple(line[1:] for line in each.body.split("\n") if line[:1] == "+"),
            reader.names_of_file(each.path),
            _handed_on(reader, each.hunk),
        )
        for each in asked
    ]


def _handed_on(reader: Reader, hunk: int) -> frozenset[Sha]:
    """The commits by which lines of a hunk became lines of another, and so on from there."""
    shas = reader.remembered("shas", lambda: {link.commit: link.sha for link in reader.links()})
    found: set[Sha] = set()
    waiting, seen = {hunk}, {hunk}
    while waiting:
        ends = [end for end in reader.ends_of(waiting) if end.to_hunk is not None]
        found.update(shas[end.commit] for end in ends if end.commit in shas)
        waiting = {end.to_hunk for end in ends if end.to_hunk is not None} - seen
        seen |= waiting
    return frozenset(found)


def _page_ms(engine: Engine, reader: Reader, tip: Sha, drawn: Sequence[Drawn]) -> list[float]:
    """Processor time of the fates of ten hunks at a time, with connections and caches warm."""
    kept = Tip(engine.repository, tip)
    pages = [drawn[at : at + _PAGE] for at in range(0, len(drawn) - _PAGE + 1, _PAGE)][:_ROUNDS]
    spent: list[float] = []
    for page in (pages[0], *pages):
        started = time.process_time()
        view = FateView(reader, kept, time.monotonic() + 60)
        view.fates([each.asked for each in page])
        spent.append((time.process_time() - started) * 1_000)
    return sorted(spent[1:])


# -- git -----------------------------------------------------------------------------------------


def git_lines(repo: Path, *arguments: str) -> list[str]:
    """What git prints, line by line."""
    said = subprocess.run(
        ["git", "-C", str(repo), *arguments], capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    return said.stdout.decode("utf-8", "replace").split("\n")


def _held_against_git(repo: Path, each: Drawn, blame: Tally, lines: Tally, texts: Tally) -> float:
    """Ask git about one hunk; how long that took."""
    started = time.perf_counter()
    if each.fate.state in _ALIVE:
        _by_blame(repo, each, blame)
        _by_log_of_lines(repo, each, lines)
    else:
        _not_in_blame(repo, each, blame)
    if each.fate.state in _GONE:
        _by_log_of_text(repo, each, texts)
    return (time.perf_counter() - started) * 1_000


def _blamed(repo: Path, path: str) -> list[tuple[str, str]]:
    """The commit and the text of every line of a file at HEAD."""
    found: list[tuple[str, str]] = []
    sha = ""
    for line in git_lines(repo, "blame", "--line-porcelain", "HEAD", "--", path):
        if line.startswith("\t"):
            found.append((sha, line[1:]))
        elif len(line) > 40 and line[40] == " " and " " not in line[:40]:
            sha = line[:40]
    return found


def _by_blame(repo: Path, each: Drawn, tally: Tally) -> None:
    """As many lines of the file are the hunk's by blame as stand by its fate."""
    assert each.fate.path is not None
    solid = {line for line in each.added if line.strip()}
    blamed = _blamed(repo, each.fate.path)
    own = sum(1 for sha, text in blamed if sha == each.sha and text in solid)
    others = {sha for sha, text in blamed if text in solid} - {each.sha}
    agrees = own >= each.fate.kept or each.fate.state is FateState.MOVED
    why = f"blame has {own} of its lines, not {each.fate.kept}"
    if not agrees and others:
        why = "blame gives the same text to another commit (moved, restored, or slid by a line)"
    tally.count(agrees=agrees, why=why, what=each.named())


def _not_in_blame(repo: Path, each: Drawn, tally: Tally) -> None:
    solid = {line for line in each.added if line.strip()}
    own = [text for sha, text in _blamed(repo, each.asked.path) if sha == each.sha and text in solid]
    other = "blame has the text by this commit: another hunk of it added the same line"
    tally.count(agrees=not own, why=other, what=each.named())


def _by_log_of_lines(repo: Path, each: Drawn, tally: Tally) -> None:
    """The line of HEAD at which the fate points was last touched by the hunk's commit."""
    place = f"{each.fate.line},{each.fate.line}:{each.fate.path}"
    newest = git_lines(repo, "log", "-1", "-s", "--no-merges", "--format=%H", f"-L{place}", "HEAD")[0]
    why = newest[:10]
    if newest in each.handed_on:
        why = "log -L stops at the commit that moved, shifted, joined or restored the line"
    elif newest != each.sha and each.fate.path and each.fate.line:
        blamed = _blamed(repo, each.fate.path)[each.fate.line - 1][0]
        why = (
            "blame names the commit, too; log -L takes another of equal lines" if blamed == each.sha else why
        )
    tally.count(agrees=newest == each.sha, why=why, what=f"{each.named()} {place}")


def _by_log_of_text(repo: Path, each: Drawn, tally: Tally) -> None:
    """The commit that is named changed how often one of the lines occurs in the file, under all its names."""
    if each.fate.by is None:
        tally.count(agrees=False, why="no commit is named", what=each.named())
        return
    solid = {each.added[at] for at in solid_lines(each.asked.body)}
    for text in sorted(solid, key=len, reverse=True)[:_TRIED]:
        options = ("--format=%H", "-m", f"-S{text}", "HEAD", "--", *each.names)
        if each.fate.by in git_lines(repo, "log", *options):
            tally.count(agrees=True)
            return
    why = "the text occurs as often before and after (a line was shifted, or stands there twice)"
    tally.count(agrees=False, why=why, what=f"{each.named()} by {each.fate.by[:10]}")


# -- the report ----------------------------------------------------------------------------------


def _report(  # noqa: PLR0917 - all that is told
    subject: Subject,
    machine: Machine,
    drawn: Sequence[Drawn],
    tallies: tuple[Tally, Tally, Tally],
    ohara_ms: list[float],
    git_ms: list[float],
) -> report.Report:
    states: dict[str, int] = {}
    for each in drawn:
        states[each.fate.state.value] = states.get(each.fate.state.value, 0) + 1
    names = ("git blame", "git log -L", "git log -S")
    rows = [
        (
            name,
            f"{tally.asked}",
            f"{tally.agreed}",
            "; ".join(f"{n} times {w}" for w, n in tally.explained.items()),
        )
        for name, tally in zip(names, tallies, strict=True)
    ]
    for name, tally in zip(names, tallies, strict=True):
        for line in tally.told:
            report.talk(f"{name}: {line}")
    middle, worst = ohara_ms[len(ohara_ms) // 2], ohara_ms[-1]
    page = sum(sorted(git_ms)[len(git_ms) // 2 :][:1]) * _PAGE
    cost = (
        ("ohara, processor time, median", report.millis(middle)),
        ("ohara, the slowest page", report.millis(worst)),
        ("git's commands for the same ten, median", report.millis(page)),
    )
    return report.Report(
        name=f"fate-{subject.name}",
        machine=machine,
        tables=(
            report.Table(
                f"{len(drawn)} hunks of {subject.name}: "
                + ", ".join(f"{count} {state}" for state, count in sorted(states.items())),
                ("", "asked", "agrees", "where it does not"),
                tuple(rows),
            ),
            report.Table("The fates of a page of ten hits, warm", ("", ""), cost),
        ),
        numbers={
            "hunks": len(drawn),
            "agreed": sum(tally.agreed for tally in tallies),
            "asked": sum(tally.asked for tally in tallies),
            "page_ms": middle,
            "git_ms": page,
        },
    )

"""Asks a lazy history and lays its halves side by side: what silence costs, and what a bonus for it costs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from tests.bench.changelog import draw_queries
from tests.bench.evaluate import ask_all
from tests.bench.lazy import LAZY_SHARE, half, with_lazy_messages
from tests.bench.machine import look
from tests.bench.metrics import bootstrap, mixture, reciprocal
from tests.bench.remembered import lanes_remembered
from tests.bench.report import Report, Table, score, signed
from tests.bench.silence import CONTROLS, Controlled, silence_of
from tests.bench.systems import OURS, OURS_RERANKED, Ohara, reranker_missing
from tests.bench.workspace import at_home

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tests.bench.changelog import ChangelogQuery
    from tests.bench.evaluate import Asked
    from tests.bench.metrics import Interval
    from tests.bench.peers import Answer
    from tests.bench.systems import Scored, Way
    from tests.bench.workspace import Indexed, Subject

LAZY_HALF, KEPT_HALF = "lazy half", "kept half"


def measure_lazy(subject: Subject, work: Path, *, patterns: Sequence[str] = (), limit: int = 200) -> Report:
    """The lazy table of a repository alone: the pipeline without and with its reranker, and the controls."""
    machine = look()
    missing = reranker_missing()
    drawn = draw_queries(subject.repo, patterns=patterns, limit=limit)
    indexed = with_lazy_messages(subject, work, drawn.queries, patterns)
    asked = ask_lazy(indexed, drawn.queries, [OURS, *([] if missing else [OURS_RERANKED])])
    note = f"{len(drawn.queries)} queries out of {drawn.available}: every second answer is silent."
    numbers = lazy_numbers(asked)
    table = lazy_table(f"{subject.name}, lazy", halves_of([numbers]), OURS.name, [note])
    return Report(f"lazy-{subject.name}", machine, (table,), numbers)


def ask_lazy(indexed: Indexed, queries: Sequence[ChangelogQuery], ways: Sequence[Way]) -> list[Asked]:
    """What each way answers, and each control of one of them; nothing is asked twice."""
    asked, controls = [], []
    with at_home(indexed.home), lanes_remembered({}):
        for way in ways:
            ohara = Ohara(indexed, way)
            answered = cache(ohara.scored)
            asked.append(ask_all(way.name, _Answering(answered), queries))
            for control in CONTROLS:
                if control.way == way:
                    controlled = Controlled(answered, control, silence_of(ohara.database))
                    controls.append(ask_all(control.name, controlled, queries))
    return [replace(each, elapsed_ms=()) for each in (*asked, *controls)]


@dataclass(frozen=True, slots=True)
class _Answering:
    """A system whose answers are already known, or made when they are wanted."""

    answered: Callable[[str], Scored]

    def ask(self, text: str) -> Answer:
        """The commits of the hits, in their order."""
        return self.answered(text).answer()


def in_halves(asked: Sequence[Asked]) -> dict[str, list[Asked]]:
    """The answers to the questions of each half, by the name of the half."""
    return {
        LAZY_HALF: [replace(each, ranks=tuple(half(each.ranks, lazy=True))) for each in asked],
        KEPT_HALF: [replace(each, ranks=tuple(half(each.ranks, lazy=False))) for each in asked],
    }


def lazy_numbers(asked: Sequence[Asked]) -> dict[str, object]:
    """The answers of each half, as a report keeps them."""
    return {title: [asdict(each) for each in answers] for title, answers in in_halves(asked).items()}


@dataclass(frozen=True, slots=True)
class Halves:
    """What each question of either half is worth."""

    lazy: tuple[float, ...]
    kept: tuple[float, ...]

    @property
    def mixed(self) -> Interval:
        """Both, weighed as lazy commits are."""
        return mixture([(LAZY_SHARE, self.lazy), (1 - LAZY_SHARE, self.kept)])

    def over(self, other: Halves) -> Halves:
        """The paired differences."""
        return Halves(
            tuple(one - less for one, less in zip(self.lazy, other.lazy, strict=True)),
            tuple(one - less for one, less in zip(self.kept, other.kept, strict=True)),
        )


def halves_of(numbers: Sequence[Mapping[str, object]]) -> dict[str, Halves]:
    """The halves of each system in written reports, those of several repositories one after the other."""
    found: dict[str, Halves] = {}
    for written in numbers:
        lazy, kept = (_values(written[title]) for title in (LAZY_HALF, KEPT_HALF))
        for name in lazy:
            known = found.get(name, Halves((), ()))
            found[name] = Halves(known.lazy + lazy[name], known.kept + kept[name])
    return found


def _values(asked: object) -> dict[str, tuple[float, ...]]:
    assert isinstance(asked, list)
    return {each["name"]: tuple(reciprocal(rank) for rank in each["ranks"]) for each in asked}


def lazy_table(title: str, found: Mapping[str, Halves], baseline: str, notes: Sequence[str] = ()) -> Table:
    """Both halves and their mixture, and the paired gain over the baseline; a control's, over its own way."""
    own = {control.name: control.way.name for control in CONTROLS}
    rows = []
    for name, mine in found.items():
        gained = mine.over(found[own.get(name, baseline)])
        lazy, kept = bootstrap(mine.lazy), bootstrap(mine.kept)
        levels = (score(lazy.mean), _between(lazy), score(kept.mean), _between(kept), score(mine.mixed.mean))
        changes = (bootstrap(gained.lazy), bootstrap(gained.kept), gained.mixed)
        rows.append((name, *levels, *("" if name == baseline else _said(one) for one in changes)))
    against = f"{LAZY_HALF}, against {baseline}"
    columns = ("system", LAZY_HALF, "95 %", KEPT_HALF, "95 %", "mixed", against, KEPT_HALF, "mixed")
    return Table(title, columns, tuple(rows), (*notes, _READ))


_READ = (
    f"MRR@10; mixed = {LAZY_SHARE:g} lazy + {1 - LAZY_SHARE:g} kept. A control is compared with the way that "
    "it is a control of: a gain counts as far as it is more than the control's."
)


def _said(interval: Interval) -> str:
    return f"{signed(interval.mean)} [{signed(interval.low)}, {signed(interval.high)}]"


def _between(interval: Interval) -> str:
    return f"{score(interval.low)}-{score(interval.high)}"

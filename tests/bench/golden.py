"""Asks the golden questions, as ohara reads them and by their words alone, and those that have no answer."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import anyio

from ohara.engine import Engine
from ohara.model import Intent, Mode, SearchOptions
from ohara.query import parse
from ohara.settings import Settings
from ohara.store.sqlite.reader import Reader
from ohara.words import query_terms
from tests.bench.change_files import shows_code
from tests.bench.golden_set import KINDS, TUNED, absent_questions, golden_questions, resolved
from tests.bench.machine import look
from tests.bench.metrics import gain, median, quality, rank_of
from tests.bench.report import Report, Table, millis, score, signed, talk
from tests.bench.systems import NOW
from tests.bench.variations import Variation
from tests.bench.workspace import Indexed, at_home, bring_up_to_date

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ohara.model import Results
    from tests.bench.golden_set import Golden
    from tests.bench.workspace import Subject

_DEPTH = 10

# What a question was before it was read: words that rank, whatever came nearest, whichever hunk was found by.
BY_WORDS = Variation("by words alone", constants={"ohara.retrieve.change_shown.HUNKS_READ": 0})
AS_READ = Variation("as it is read")


@dataclass(frozen=True, slots=True)
class Answered:
    """What one way of asking made of one repository's questions.

    `changes` counts hits whose commit changed a file of code that holds a word of the question, `shown` those
    of them that show such a file; `false` counts the questions without an answer that got one.
    """

    name: str
    repository: str
    kinds: tuple[str, ...]
    ranks: tuple[int | None, ...]
    none: int
    elapsed_ms: tuple[float, ...]
    changes: int
    shown: int
    absent: int
    false: int


def measure_golden(subjects: Sequence[Subject], work: Path) -> Report:
    """The tables of all repositories given, pytest apart from those that only report."""
    machine = look()
    answered = []
    for subject in subjects:
        indexed = Indexed(subject.repo, work / "golden", Settings())
        bring_up_to_date(indexed)
        with at_home(indexed.home):
            answered += [_ask(subject, indexed, way) for way in (BY_WORDS, AS_READ)]
    tables = (_questions(answered), _kinds(answered), _absent(answered))
    return Report("golden", machine, tables, {"answered": [asdict(each) for each in answered]})


def _ask(subject: Subject, indexed: Indexed, way: Variation) -> Answered:
    plainly = way is BY_WORDS
    engine = Engine.open(indexed.repo, indexed.settings)
    questions = [one for one in golden_questions() if one.repository == subject.name]
    absent = [one.ask for one in absent_questions() if one.repository == subject.name]
    with ExitStack() as stack:
        stack.enter_context(way.applied())
        _find(engine, "warm the models", plainly=plainly)
        results = [_find(engine, one.ask, plainly=plainly) for one in questions]
        false = sum(bool(_find(engine, ask, plainly=plainly).hits) for ask in absent)
    ranks = [_rank(subject, one, found) for one, found in zip(questions, results, strict=True)]
    reader = Reader(engine.location.database)
    changes = [
        shows_code(reader, hit, query_terms(one.ask))
        for one, found in zip(questions, results, strict=True)
        if one.kind != "name"
        for hit in found.hits
    ]
    mean = quality(ranks)
    talk(f"  {subject.name}, {way.name}: MRR@10 {score(mean.mrr.mean)}, hit@1 {score(mean.hit_1)}")
    reader.close()
    engine.close()
    return Answered(
        way.name,
        subject.name,
        tuple(one.kind for one in questions),
        tuple(ranks),
        none=sum(not found.hits for found in results),
        elapsed_ms=tuple(found.took_ms for found in results),
        changes=sum(each is not None for each in changes),
        shown=sum(each is True for each in changes),
        absent=len(absent),
        false=false,
    )


def _find(engine: Engine, text: str, *, plainly: bool) -> Results:
    plan = engine.search.plan(SearchOptions(k=_DEPTH, now=NOW))
    plan = replace(plan, settings=replace(plan.settings, lane_timeout_s=60.0))
    mode, intent = (Mode.HYBRID, Intent.NONE) if plainly else (Mode.AUTO, None)
    return anyio.run(engine.search.find, parse(text, now=NOW, mode=mode, intent=intent), plan)


def _rank(subject: Subject, question: Golden, found: Results) -> int | None:
    answers = resolved(subject.repo, question.answers)
    return rank_of([hit.commit.sha for hit in found.hits], answers)


# -- tables ----------------------------------------------------------------------------------------


def _groups(answered: Sequence[Answered]) -> list[tuple[str, list[Answered]]]:
    names = list(dict.fromkeys(each.repository for each in answered))
    groups = [(name, [each for each in answered if each.repository == name]) for name in names]
    reporting = [each for each in answered if each.repository != TUNED]
    if len({each.repository for each in reporting}) > 1:
        groups.append(("all but pytest", reporting))
    if len(names) > 1:
        groups.append(("all", list(answered)))
    return groups


def _ranks(answered: Sequence[Answered], way: Variation, kind: str = "") -> list[int | None]:
    return [
        rank
        for each in answered
        if each.name == way.name
        for one, rank in zip(each.kinds, each.ranks, strict=True)
        if kind in {"", one}
    ]


def _questions(answered: Sequence[Answered]) -> Table:
    rows = []
    for name, group in _groups(answered):
        before, after = _ranks(group, BY_WORDS), _ranks(group, AS_READ)
        change = gain(after, before)
        rows.append(
            (
                f"{name} (tuned on)" if name == TUNED else name,
                str(len(after)),
                *(
                    score(value)
                    for found in map(quality, (before, after))
                    for value in (found.mrr.mean, found.hit_1)
                ),
                f"{signed(change.mean)} [{signed(change.low)}, {signed(change.high)}]",
                *(_median(group, way) for way in (BY_WORDS, AS_READ)),
            )
        )
    columns = (
        "repository",
        "questions",
        "MRR@10 by words",
        "hit@1",
        "MRR@10 as read",
        "hit@1",
        "change",
        "p50 by words",
        "p50 as read",
    )
    return Table(
        "golden questions", columns, tuple(rows), ("By words: no intents, no names; reranked both times.",)
    )


def _median(group: Sequence[Answered], way: Variation) -> str:
    return millis(median([ms for each in group if each.name == way.name for ms in each.elapsed_ms]))


def _kinds(answered: Sequence[Answered]) -> Table:
    rows = [
        (
            kind,
            str(len(after)),
            score(quality(before).mrr.mean),
            score(quality(before).hit_1),
            score(quality(after).mrr.mean),
            score(quality(after).hit_1),
        )
        for kind in KINDS
        if (after := _ranks(answered, AS_READ, kind)) and (before := _ranks(answered, BY_WORDS, kind))
    ]
    columns = ("kind", "questions", "MRR@10 by words", "hit@1", "MRR@10 as read", "hit@1")
    return Table("by kind of question", columns, tuple(rows))


def _absent(answered: Sequence[Answered]) -> Table:
    rows = []
    for name, group in _groups(answered):
        cells = []
        for way in (BY_WORDS, AS_READ):
            own = [each for each in group if each.name == way.name]
            absent, changes = sum(each.absent for each in own), sum(each.changes for each in own)
            cells += [
                f"{sum(each.false for each in own)} of {absent}",
                str(sum(each.none for each in own)),
                score(sum(each.shown for each in own) / max(1, changes)),
            ]
        rows.append((name, *cells))
    names = ("answered though nothing is there", "not answered though something is", "shows the change")
    columns = ("repository", *(f"{each}, {way}" for way in ("by words", "as read") for each in names))
    note = (
        "Shows the change: of the hits whose commit changed a file of code that holds a word of the question."
    )
    return Table("nothing relevant, and which hunk is shown", columns, tuple(rows), (note,))

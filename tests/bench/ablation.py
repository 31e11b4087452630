"""Takes the ranking apart: one piece less at a time, the same questions, paired differences."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from ohara.retrieve.profile import PROFILES
from tests.bench.changelog import draw_queries
from tests.bench.evaluate import ask_all
from tests.bench.lazy import with_lazy_messages
from tests.bench.lazy_report import in_halves
from tests.bench.machine import look
from tests.bench.metrics import gain, quality
from tests.bench.remembered import Memory, lanes_remembered, side_by_side
from tests.bench.report import Report, Table, score, signed
from tests.bench.reworded import without_messages
from tests.bench.systems import OURS, OURS_RERANKED, Ohara, reranker_missing
from tests.bench.variations import AS_IT_IS, variations
from tests.bench.workspace import at_home, with_messages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.bench.changelog import ChangelogQuery
    from tests.bench.evaluate import Asked
    from tests.bench.variations import Variation
    from tests.bench.workspace import Indexed, Subject


_DEPTH = 10  # MRR@10 looks no deeper


def measure_ablation(
    subject: Subject, work: Path, *, patterns: Sequence[str] = (), limit: int = 300
) -> Report:
    """A row for each thing taken away."""
    machine = look()
    drawn = draw_queries(subject.repo, patterns=patterns, limit=limit)
    missing = reranker_missing()
    wanted = [one for one in variations(PROFILES["default"]) if not (one.rerank and missing)]
    indexes = {
        "with messages": with_messages(subject, work, patterns),
        "message-blind": without_messages(subject, work, patterns),
    }
    lazy = with_lazy_messages(subject, work, drawn.queries, patterns)
    answers = side_by_side(lambda indexed: _ask(indexed, drawn.queries, wanted), [*indexes.values(), lazy])
    found = {**dict(zip(indexes, answers, strict=False)), **in_halves(answers[-1])}
    notes = [f"{len(drawn.queries)} queries; no rerank unless said. A minus means that the piece helps."]
    if missing:
        notes.append(f"Without the reranker's rows: {missing}.")
    table = ablation_table(f"{subject.name}: one thing taken away", found, notes)
    numbers = {title: [asdict(each) for each in asked] for title, asked in found.items()}
    return Report(f"ablation-{subject.name}", machine, (table,), numbers)


def _ask(indexed: Indexed, queries: Sequence[ChangelogQuery], wanted: Sequence[Variation]) -> list[Asked]:
    asked = []
    memory: Memory = {}
    with at_home(indexed.home):
        for one in wanted:
            way = OURS_RERANKED if one.rerank else OURS
            with one.applied(), lanes_remembered(memory, one.name, one.constants):
                system = Ohara(indexed, way, depth=_DEPTH, plan=one.plan)
                asked.append(ask_all(one.name, system, queries))
    return asked


def ablation_table(title: str, found: dict[str, list[Asked]], notes: Sequence[str]) -> Table:
    """MRR@10 and its change against the ranking as it is, for each kind of history."""
    columns = ["what"]
    for kind in found:
        columns += [f"MRR@10 {kind}", "change", "95 %"]
    names = [each.name for each in next(iter(found.values()))]
    rows = []
    for place, name in enumerate(names):
        row = [name]
        for asked in found.values():
            baseline = next(each for each in asked if each.name == AS_IT_IS.name)
            change = gain(asked[place].ranks, baseline.ranks)
            row.append(score(quality(asked[place].ranks).mrr.mean))
            row += ["", ""] if name == AS_IT_IS.name else [
                signed(change.mean), f"[{signed(change.low)}, {signed(change.high)}]"
            ]  # fmt: skip
        rows.append(tuple(row))
    return Table(title, tuple(columns), tuple(rows), tuple(notes))

"""Asks many systems the same questions and lays their answers side by side.

It knows nothing of how a system answers: whatever has an `ask` takes part. Differences are paired, query by
query, because systems find the same queries hard.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ohara.query import parse
from tests.bench.metrics import gain, percentile, quality, rank_of
from tests.bench.report import Table, millis, score, signed, talk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.bench.changelog import ChangelogQuery
    from tests.bench.peers import Answer

# A name as only code has them: an underscore or dot or bracket inside, a hump, an option.
_NAME_OF_CODE = re.compile(r"\w_\w|\w\.\w|\w\(\)|[a-z][A-Z]|\B--\w|@\w|\b_\w")
_SHORT_WORDS = 12  # the median of the four repositories' queries


class System(Protocol):
    """Anything that names commits for a sentence."""

    def ask(self, text: str) -> Answer:
        """The commits, best first."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What one system made of each query, in the order of the queries."""

    name: str
    ranks: tuple[int | None, ...]
    elapsed_ms: tuple[float, ...]
    faults: tuple[str, ...]


def ask_all(name: str, system: System, queries: Sequence[ChangelogQuery]) -> Asked:
    """Put every query to a system."""
    ranks, elapsed, faults = [], [], []
    for query in queries:
        answer = system.ask(query.text)
        ranks.append(rank_of(answer.commits, query.answers))
        if answer.elapsed_ms:  # git is not even run when no word of a query is in the history
            elapsed.append(answer.elapsed_ms)
        if answer.fault:
            faults.append(f"{query.text[:60]}: {answer.fault}")
    asked = Asked(name, tuple(ranks), tuple(elapsed), tuple(faults))
    talk(f"  {name}: MRR@10 {score(quality(ranks).mrr.mean)}, {millis(percentile(elapsed, 0.5))} a query")
    return asked


def quality_table(title: str, asked: Sequence[Asked], baseline: str, notes: Sequence[str] = ()) -> Table:
    """One row a system; the last column is its paired gain over the baseline's."""
    by_name = {each.name: each for each in asked}
    rows = []
    for each in asked:
        found = quality(each.ranks)
        against = gain(each.ranks, by_name[baseline].ranks)
        difference = f"{signed(against.mean)} [{signed(against.low)}, {signed(against.high)}]"
        rows.append(
            (
                each.name,
                score(found.mrr.mean),
                f"{score(found.mrr.low)}-{score(found.mrr.high)}",
                score(found.hit_1),
                score(found.hit_5),
                score(found.hit_10),
                score(found.recall_50),
                *(
                    millis(percentile(each.elapsed_ms, share)) if each.elapsed_ms else ""
                    for share in (0.5, 0.95)
                ),
                "" if each.name == baseline else difference,
            )
        )
    columns = (
        "system",
        "MRR@10",
        "95 %",
        "hit@1",
        "hit@5",
        "hit@10",
        "recall@50",
        "p50",
        "p95",
        f"against {baseline}",
    )
    return Table(title, columns, tuple(rows), tuple(notes))


def class_table(title: str, asked: Sequence[Asked], queries: Sequence[ChangelogQuery]) -> Table:
    """MRR@10 of each system over the queries of each class."""
    members: dict[str, list[int]] = {}
    for place, query in enumerate(queries):
        for name in classes_of(query.text):
            members.setdefault(name, []).append(place)
    named = sorted(members)
    rows = [
        (each.name, *(score(quality([each.ranks[at] for at in members[name]]).mrr.mean) for name in named))
        for each in asked
    ]
    return Table(title, ("system", *(f"{name} ({len(members[name])})" for name in named)), tuple(rows))


def classes_of(text: str) -> tuple[str, ...]:
    """What kind of question it is: ohara's own class, whether it names code, and its length."""
    names = "names code" if _NAME_OF_CODE.search(text) else "plain words"
    length = "short" if len(text.split()) <= _SHORT_WORDS else "long"
    return (f"class {parse(text, now=0).query_class}", names, length)

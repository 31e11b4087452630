"""The changelog benchmark of one repository, with messages, without and lazy: the same questions to all."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from tests.bench.changelog import default_branch_tip, draw_queries, excluded_pathspecs
from tests.bench.evaluate import ask_all, class_table, quality_table
from tests.bench.githistory import commit_count
from tests.bench.lazy import with_lazy_messages
from tests.bench.lazy_report import ask_lazy, halves_of, lazy_numbers, lazy_table
from tests.bench.machine import look
from tests.bench.peers import GitGrep, GitPickaxe, count_words
from tests.bench.remembered import lanes_remembered, side_by_side
from tests.bench.report import Report, talk
from tests.bench.reworded import without_messages
from tests.bench.systems import OURS, WAYS, Ohara, reranker_missing
from tests.bench.workspace import at_home, with_messages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.bench.changelog import ChangelogQuery
    from tests.bench.evaluate import Asked, System
    from tests.bench.report import Table
    from tests.bench.systems import Way
    from tests.bench.workspace import Indexed, Subject


def measure_quality(
    subject: Subject,
    work: Path,
    *,
    patterns: Sequence[str] = (),
    limit: int = 500,
    git_queries: int = 40,
    ways: Sequence[Way] = WAYS,
    timed: bool = True,
) -> Report:
    """The tables of a repository. git is asked fewer questions: it takes seconds for each.

    Untimed, each lane is asked once for all systems, and there are no times of ours to show.
    """
    machine = look()
    missing = reranker_missing()
    ways = [way for way in ways if not (way.rerank and missing)]
    drawn = draw_queries(subject.repo, patterns=patterns, limit=limit)
    talk(f"{subject.name}: {len(drawn.queries)} of {drawn.available} queries")
    note = (
        f"{len(drawn.queries)} queries out of {drawn.available}, from {drawn.commits_with_fragments} commits "
        f"that added fragments; {commit_count(subject.repo):,} commits without merges, at "
        f"{default_branch_tip(subject.repo)[:12]}."
    )
    notes = [note, *([f"Nothing was reranked: {missing}."] if missing else [])]
    tables: list[Table] = []
    numbers: dict[str, object] = {"queries": [asdict(query) for query in drawn.queries]}
    indexes = {
        "with messages": with_messages(subject, work, patterns),
        "message-blind": without_messages(subject, work, patterns),
    }
    answers = _ask_ours(list(indexes.values()), drawn.queries, ways, timed=timed)
    for (title, indexed), asked in zip(indexes.items(), answers, strict=True):
        tables.append(quality_table(f"{subject.name}, {title}", asked, OURS.name, notes))
        tables.append(
            class_table(f"{subject.name}, {title}: MRR@10 by kind of question", asked, drawn.queries)
        )
        numbers[title] = [asdict(each) for each in asked]
        if git_queries and title == "with messages":  # without them -S and -G answer the same, --grep nothing
            some = drawn.queries[:git_queries]
            by_git = _ask_git(indexed, some, patterns)
            ours = _first(asked, OURS.name, len(some))
            named = f"{subject.name}, {title}: git, on {len(some)} of the queries"
            tables.append(quality_table(named, [*by_git, ours], ours.name))
            numbers[f"{title}, git"] = [asdict(each) for each in by_git]
    lazy = ask_lazy(with_lazy_messages(subject, work, drawn.queries, patterns), drawn.queries, ways)
    halves = lazy_numbers(lazy)
    tables.append(lazy_table(f"{subject.name}, lazy", halves_of([halves]), OURS.name, notes))
    numbers |= halves
    return Report(f"quality-{subject.name}", machine, tuple(tables), numbers)


def _ask_ours(
    indexes: Sequence[Indexed], queries: Sequence[ChangelogQuery], ways: Sequence[Way], *, timed: bool
) -> list[list[Asked]]:
    """What each way answers from each index; untimed, the indexes are asked side by side."""
    if timed:
        return [_ask_each(indexed, queries, ways) for indexed in indexes]
    return side_by_side(lambda indexed: _ask_untimed(indexed, queries, ways), indexes)


def _ask_each(indexed: Indexed, queries: Sequence[ChangelogQuery], ways: Sequence[Way]) -> list[Asked]:
    with at_home(indexed.home):
        return [ask_all(way.name, Ohara(indexed, way), queries) for way in ways]


def _ask_untimed(indexed: Indexed, queries: Sequence[ChangelogQuery], ways: Sequence[Way]) -> list[Asked]:
    with lanes_remembered({}):
        return [replace(each, elapsed_ms=()) for each in _ask_each(indexed, queries, ways)]


def _ask_git(indexed: Indexed, queries: Sequence[ChangelogQuery], patterns: Sequence[str]) -> list[Asked]:
    unseen = excluded_pathspecs(patterns)
    counts = count_words(indexed.repo, [query.text for query in queries], unseen)
    systems: dict[str, System] = {
        "git log -S": GitPickaxe(indexed.repo, counts, "-S", unseen),
        "git log -G": GitPickaxe(indexed.repo, counts, "-G", unseen),
        "git log --grep": GitGrep(indexed.repo, counts),
    }
    return [ask_all(name, system, queries) for name, system in systems.items()]


def _first(asked: Sequence[Asked], name: str, count: int) -> Asked:
    """One system's answers to the first queries only."""
    from tests.bench.evaluate import Asked

    whole = next(each for each in asked if each.name == name)
    return Asked(name, whole.ranks[:count], whole.elapsed_ms[:count], ())

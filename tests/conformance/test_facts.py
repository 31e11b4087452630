"""Facts are known by what holds before anybody recorded them, recorded in batches, and read by anyone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ohara.model import LastRun
from ohara.store import facts
from ohara.store.facts import RefsAsked
from ohara.store.fingerprint import Fingerprint
from ohara.store.message_words import MessageWords
from tests.conformance.histories import open_writer, sha

if TYPE_CHECKING:
    from ohara.store.facts import Fact
    from ohara.store.index import Index

# Each fact with what holds before it is recorded, and two values.
FACTS: tuple[tuple[Fact[object], object, object, object], ...] = (
    (facts.REFS, None, RefsAsked(("main", "v1"), all_refs=False), RefsAsked((), all_refs=True)),
    (facts.TIPS, {}, {"HEAD": sha("a"), "refs/heads/é": sha("b")}, {}),
    (facts.COMPLETE, {}, {"HEAD": sha("a")}, {}),
    (facts.TOTAL, None, 7, 0),
    (facts.SINCE, "", "2 years ago", ""),
    (facts.OLDER, 0, 12, 0),
    (facts.GRAFTS, {}, {sha("a"): sha("b")}, {}),
    (
        facts.LAST_RUN,
        None,
        LastRun(started=1_700_000_000, elapsed_s=1.25, outcome="finished", scheduled=True),
        LastRun(started=1_700_000_001, elapsed_s=0.0, outcome="interrupted", scheduled=False),
    ),
    (facts.ATTRIBUTE_FILES, None, (sha("a"), {"": sha("b"), "é/docs": sha("c")}), (sha("b"), {})),
    (facts.HEAD_SYMBOLS, None, sha("a"), ""),
    (facts.HEAD_LINES, None, sha("b"), ""),
    (facts.SUBMODULES, False, True, False),
    (facts.LONG_RUN, False, True, False),
    (facts.ROOTS, (), (sha("a"), sha("b")), ()),
    (facts.THREADS, 0, 3, 0),
    (facts.THREADED, 0, 17_666, 0),
    (facts.INLINE, False, True, False),
    (
        facts.MESSAGE_WORDS,
        None,
        MessageWords(commits=2, of=4, counts={"fix": 2}),
        MessageWords(commits=0, of=0, counts={}),
    ),
    (
        facts.FINGERPRINT,
        None,
        Fingerprint(words=2, parser=1, embedder="static", vectors=2, pieces=1, lines=1),
        Fingerprint(words=2, parser=1, embedder="", vectors=2, pieces=1, lines=1),
    ),
)  # type: ignore[assignment]


def test_every_fact_is_here() -> None:
    known = {each.name for each in vars(facts).values() if isinstance(each, facts.Fact)}
    assert {fact.name for fact, *_ in FACTS} == known


@pytest.mark.parametrize(("fact", "before", "first", "second"), FACTS, ids=[fact.name for fact, *_ in FACTS])
def test_a_fact_is_what_was_recorded_last(
    index: Index, fact: Fact[object], before: object, first: object, second: object
) -> None:
    with open_writer(index) as writer:
        assert writer.fact(fact) == before
        writer.record(fact, first)
        assert writer.fact(fact) == first
        with index.statistics() as said:
            assert said.fact(fact) == before
        writer.commit()
        with index.statistics() as said:
            assert said.fact(fact) == first
        writer.record(fact, second)
        writer.rollback()
        assert writer.fact(fact) == first
        writer.record(fact, second)
        writer.commit()
    with index.statistics() as said:
        assert said.fact(fact) == second

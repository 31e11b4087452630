"""What the ablation takes away is really away while it is measured, and back afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import anyio
import pytest

from ohara import words
from ohara.model import SearchOptions
from ohara.query import parse
from ohara.retrieve import priors
from ohara.retrieve.lane import LaneQuery
from ohara.retrieve.lanes.symbol import SymbolLane
from ohara.retrieve.lanes.text import TextLane
from ohara.retrieve.profile import DEFAULT, Fusion
from ohara.retrieve.ranking import Ranking
from ohara.retrieve.registry import LANES
from ohara.retrieve.request import Plan
from ohara.settings import Settings
from tests.bench.ablation import ablation_table
from tests.bench.changelog import ChangelogQuery
from tests.bench.evaluate import Asked, ask_all, class_table, classes_of, quality_table
from tests.bench.peers import Answer
from tests.bench.plainwords import without
from tests.bench.quick import literal_complaints, quality_complaints
from tests.bench.rehearsal import CHANGES
from tests.bench.remembered import Memory, lanes_remembered, side_by_side
from tests.bench.variations import AS_IT_IS, COLUMNS, Variation, variations
from tests.bench.workspace import Indexed
from tests.process import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.retrieve.lane import Lane
    from ohara.retrieve.profile import Profile

ALL = {one.name: one for one in variations(DEFAULT)}
PLAN = Plan(SearchOptions(now=0))


def test_every_variation_changes_something_and_has_its_own_name() -> None:
    assert len(ALL) == len(variations(DEFAULT))
    for name, one in ALL.items():
        changed = one.plan(PLAN) != PLAN or bool(one.constants) or one.rerank
        assert changed is (name != AS_IT_IS.name), name


def test_a_lane_is_off_for_every_class_of_query() -> None:
    profile = ALL["no vector lane"].plan(PLAN).profile
    assert "vector" not in profile.lanes
    assert profile.lanes["text"] == DEFAULT.lanes["text"]
    assert not any("vector" in weights for weights in profile.by_class.values())


def test_a_column_is_blank_in_every_weighting() -> None:
    for place, column in enumerate(COLUMNS):
        profile = ALL[f"{column} counts nothing"].plan(PLAN).profile
        assert all(weights[place] == 0 for weights, _ in profile.weightings)
        assert all(any(weights) for weights, _ in profile.weightings)
        assert profile.weightings


def test_fusion_and_recency() -> None:
    assert ALL["weighted RRF instead of a convex sum"].plan(PLAN).profile.fusion is Fusion.RRF
    assert ALL["no recency"].plan(PLAN).settings.recency_weight == 0


def test_constants_hold_only_while_they_are_measured() -> None:
    before = priors.TESTS
    with ALL["no penalty for tests"].applied():
        assert priors.TESTS == 1.0
    assert before == priors.TESTS != 1.0


def test_every_constant_exists() -> None:
    for one in ALL.values():
        with one.applied():
            pass
    with pytest.raises(AttributeError), Variation("x", constants={"ohara.retrieve.priors.NONE": 1}).applied():
        pass


def test_a_lane_is_asked_once_unless_its_own_constants_change(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def search(lane: Lane, given: LaneQuery) -> Ranking:
        asked.append(lane.name)
        return Ranking(lane.name, detail=str(given.limit))

    for lane in LANES:
        monkeypatch.setattr(type(lane), "search", search)
    memory: Memory = {}
    query = parse("retry", now=0)

    async def ask(profile: Profile) -> None:
        given = LaneQuery(query, profile, None, None, None, None, limit=5)  # type: ignore[arg-type]
        await TextLane().search(given)
        await SymbolLane().search(given)

    for name in (AS_IT_IS.name, "no penalty for tests", "further symbols add nothing"):
        with lanes_remembered(memory, name, ALL[name].constants):
            anyio.run(ask, DEFAULT)
    assert asked == ["text", "symbol", "symbol"]
    with lanes_remembered(memory, AS_IT_IS.name, ()):
        anyio.run(ask, replace(DEFAULT, lineless_merge=1.0))
        anyio.run(ask, replace(DEFAULT, judges=False))
    assert asked == ["text", "symbol", "symbol", "text"]
    asked.clear()
    anyio.run(ask, DEFAULT)
    assert asked == ["text", "symbol"]


def test_indexes_are_asked_side_by_side_and_answer_in_order(tmp_path: Path) -> None:
    indexes = [Indexed(tmp_path, tmp_path / name, Settings()) for name in ("a", "b")]
    answers = side_by_side(lambda one: [Asked(one.home.name, (os.getpid(),), (), ())], indexes)
    assert [answer[0].name for answer in answers] == ["a", "b"]
    assert len({os.getpid(), *(answer[0].ranks[0] for answer in answers)}) == 3

    def dies(_: Indexed) -> list[Asked]:
        os._exit(3)

    with pytest.raises(EOFError):
        side_by_side(dies, indexes)


def test_words_without_a_piece_of_their_analysis() -> None:
    assert words.index_text("testing useFixtures") == "test usefixtures usefixtur use fixtur"
    with without("stemming"):
        assert words.index_text("testing useFixtures") == "testing usefixtures use fixtures"
        assert "the" not in words.query_terms("the fixtures")
    with without("splitting"):
        assert words.index_text("testing useFixtures") == "test usefixtur"
    assert words.index_text("testing useFixtures") == "test usefixtures usefixtur use fixtur"
    with pytest.raises(ValueError, match="nothing of words"), without("vowels"):
        pass


def test_a_process_takes_away_what_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("from tests.bench.plainwords import as_told\nas_told()\n")
    code = "from ohara.words import index_text; print(index_text('testing'))"
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    env = os.environ | {"PYTHONPATH": path, "BENCH_WITHOUT": "stemming"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "testing\n"


@dataclass
class Fake:
    """Answers with what it was given for each text."""

    known: dict[str, tuple[str, ...]]
    asked: list[str] = field(default_factory=list)

    def ask(self, text: str) -> Answer:
        self.asked.append(text)
        return Answer(self.known.get(text, ()), 5.0, "" if text in self.known else "unknown")


QUERIES = (ChangelogQuery("a plain question", ("aa",), "f"), ChangelogQuery("about get_name()", ("bb",), "f"))


def test_every_query_is_asked_and_its_answer_looked_for() -> None:
    fake = Fake({"a plain question": ("x", "aa")})
    asked = ask_all("fake", fake, QUERIES)
    assert fake.asked == [query.text for query in QUERIES]
    assert asked == Asked("fake", (2, None), (5.0, 5.0), ("about get_name(): unknown",))


def test_tables_compare_query_by_query() -> None:
    base, other = Asked("base", (1, None), (1.0, 1.0), ()), Asked("other", (1, 2), (2.0, 2.0), ())
    table = quality_table("T", [base, other], "base")
    assert [row[:2] for row in table.rows] == [("base", ".500"), ("other", ".750")]
    assert table.rows[1][-1].startswith("+.250 [")
    kinds = class_table("K", [base, other], QUERIES)
    by_column = dict(zip(kinds.columns, kinds.rows[1], strict=True))
    assert (by_column["plain words (1)"], by_column["names code (1)"], by_column["short (2)"]) == (
        "1.000",
        ".500",
        ".750",
    )
    taken = ablation_table("A", {"with": [Asked("as it is", (1, 1), (), ()), other]}, ())
    assert taken.rows[1][:3] == ("other", ".750", "-.250")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("retry uploads", ("class prose", "plain words", "short")),
        ("the --no-header option", ("class prose", "names code", "short")),
        ("word " * 20 + "getName", ("class prose", "names code", "long")),
    ],
)
def test_kinds_of_questions(text: str, kinds: tuple[str, ...]) -> None:
    assert classes_of(text) == kinds


def test_the_rehearsal_complains_about_what_is_not_sane() -> None:
    good = {"name": "ohara, no rerank", "ranks": [1] * 12, "faults": []}
    bad = {"name": "ohara, no rerank", "ranks": [None] * 12, "faults": ["a query: broken"]}
    queries = [None] * len(CHANGES)
    sane = {title: [good] for title in ("with messages", "message-blind", "lazy half", "kept half")}
    assert list(quality_complaints({"queries": queries, **sane})) == []
    said = list(quality_complaints({**sane, "queries": [], "with messages": [bad]}))
    assert [line.split(":")[0] for line in said] == [
        "0 queries of 12 fragments",
        *["with messages, ohara, no rerank"] * 2,
    ]
    same = {"missing": [], "extra": [], "pattern": {"query": "/x/"}}
    assert list(literal_complaints({"patterns": [same]})) == []
    assert list(literal_complaints({"patterns": [same | {"extra": ["aa"]}]}))

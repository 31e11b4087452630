"""docs/ranking.md names every number that decides an order, with the value it has."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from ohara.model import QueryClass
from ohara.retrieve.profile import DEFAULT, REFERENCE, Blend, Fusion
from ohara.retrieve.registry import LANES
from ohara.store import bm25
from tests.bench.variations import variations

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "ranking.md").read_text(encoding="utf-8")
ROWS = {
    name: (value.strip(), reason.strip(), row.strip())
    for name, value, reason, row in re.findall(
        r"^\| `([\w.\[\]]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", DOCUMENT, flags=re.MULTILINE
    )
}
MODULES = (
    *("word_choice", "silence", "removals", "lanes.commit_text"),
    *("rank", "ranking", "pool", "fusion", "rerank", "priors", "intent_ranking", "relevance", "change_shown"),
    *("lanes.text", "lanes.symbol", "lanes.vector", "lanes.commit"),
)
NOT_RANKING = {"priors._DAY_S", "commit._UNKNOWN", "vector._KEPT"}  # a unit; below every cosine; in memory


def numbers_of(module: str) -> dict[str, object]:
    """The numbers that a module of the ranking gives a name to; what it imports is not its own."""
    loaded = importlib.import_module(f"ohara.retrieve.{module}")
    source = Path(loaded.__file__ or "").read_text(encoding="utf-8")
    assigned = {
        name.id
        for statement in ast.parse(source).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    }
    return {
        f"{module.rpartition('.')[2]}.{name}": value
        for name in assigned
        if _is_number(value := getattr(loaded, name))
        and f"{module.rpartition('.')[2]}.{name}" not in NOT_RANKING
    }


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) or (
        isinstance(value, tuple) and bool(value) and all(isinstance(one, int | float) for one in value)
    )


def said(value: object) -> str:
    """A value as the document writes it."""
    if isinstance(value, Mapping):
        return ", ".join(f"{lane.name} {value.get(lane.name, 0.0)}" for lane in LANES)
    if isinstance(value, Blend):
        return f"fused {value.fused}, model {value.model}, held {value.held}, pairs {value.pairs}"
    return str(tuple(value)) if isinstance(value, tuple) else str(value)


CONSTANTS = {name: value for module in MODULES for name, value in numbers_of(module).items()} | {
    "bm25.COMMIT_K1": bm25.COMMIT_K1,
    "bm25.COMMIT_B": bm25.COMMIT_B,
}
PROFILE = {
    **{
        f"DEFAULT.weightings[{at}]": f"{weights}, share {share}"
        for at, (weights, share) in enumerate(DEFAULT.weightings)
    },
    "DEFAULT.lanes": DEFAULT.lanes,
    "DEFAULT.commit_weighting": DEFAULT.commit_weighting,
    **{f"DEFAULT.by_class[{kind}]": weights for kind, weights in DEFAULT.by_class.items()},
    "DEFAULT.others_in_rrf": DEFAULT.others_in_rrf,
    "DEFAULT.lineless_merge": DEFAULT.lineless_merge,
    "DEFAULT.blend": DEFAULT.blend,
}


@pytest.mark.parametrize("name", sorted(CONSTANTS | PROFILE))
def test_every_number_is_documented_with_its_value_and_its_reason(name: str) -> None:
    value, reason, row = ROWS[name]
    assert value == said((CONSTANTS | PROFILE)[name])
    assert len(reason) > 10
    assert row


def test_nothing_is_documented_that_is_gone() -> None:
    assert set(ROWS) == set(CONSTANTS | PROFILE)


def test_the_rows_named_are_rows_of_the_ablation() -> None:
    names = {one.name for one in variations(DEFAULT)}
    not_measured = {
        "golden questions",
        "by definition",
        "time only",
        "changelog queries are prose",
        "no query is that long",
    }
    for constant, (_, _, rows) in ROWS.items():
        for row in rows.split("; "):
            pattern = re.escape(row).replace("…", ".+")
            assert row in not_measured or any(re.fullmatch(pattern, name) for name in names), constant


def test_the_textbook_is_the_textbook() -> None:
    assert REFERENCE.fusion is Fusion.RRF
    assert REFERENCE.columns == ("added", "removed", "context")
    assert {weight for weights, _ in REFERENCE.weightings for weight in weights} == {1}
    assert all(REFERENCE.weights(kind) == {"vector": 1, "text": 1, "symbol": 1} for kind in QueryClass)
    assert (REFERENCE.blend, REFERENCE.judges, REFERENCE.lineless_merge) == (Blend(0.0, 1.0), False, 1.0)

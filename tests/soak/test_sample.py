"""A seeded sample of the soak, and the soak's own instruments: what they are to notice, they notice."""

from __future__ import annotations

import functools
import os
import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ohara.errors import QueryError
from ohara.store.sqlite.connection import connect_writer
from tests.indexing import index
from tests.soak import fuzz, histories, kills, report
from tests.soak.entrances import ENTRANCES, Entrance, Fell, harmless, refused
from tests.soak.invariants import faults
from tests.soak.ledger import Ledger
from tests.soak.outcome import Outcome, chance_of, difference
from tests.soak.programs import close_world
from tests.soak.runner import Job, done_by
from tests.soak.wild import Wild

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fixtures.git import Repo

SEED = "sample"


def test_killed_runs_end_in_the_index_of_an_uninterrupted_one(tmp_path: Path) -> None:
    outcome = kills.run(SEED, 0, tmp_path, kills=2)
    assert outcome.failures == ()
    assert outcome.counts["identical dumps"] == outcome.counts["kills"] > 0


@pytest.mark.parametrize("unit", range(5))
def test_histories_indexed_step_by_step_equal_a_rebuild(unit: int, tmp_path: Path) -> None:
    outcome = histories.run(SEED, unit, tmp_path)
    assert outcome.failures == ()
    assert outcome.counts["facts compared"] > 0


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    """A folder with a short name, as the path of a socket must be, for the world that inputs are put to."""
    with tempfile.TemporaryDirectory(prefix="ohara-") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)
        close_world()


@pytest.mark.parametrize("entrance", range(len(fuzz.ALL)), ids=[way.name for way in fuzz.ALL])
def test_fuzzed_inputs_are_answered_or_refused(entrance: int, scratch: Path) -> None:
    name = fuzz.ALL[entrance].name
    count = 2 if "process" in name else 80 if entrance < len(ENTRANCES) else 25
    outcome = fuzz.run(SEED, 0, scratch, entrance=entrance, count=count)
    assert outcome.failures == ()
    assert count == sum(outcome.counts.get(how, 0) for how in ("answered", "refused"))


# -- the instruments -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("DELETE FROM content WHERE id = 1", "a hunk whose content is gone: 1"),
        ("DELETE FROM file WHERE id = 1", "a hunk without its file: 1"),
        ("INSERT INTO dropped_words VALUES(1, 999)", "a commit said to have words that has none: 1"),
        ("DELETE FROM hunk WHERE id = 1", "words without their hunk: 1"),
        ("INSERT INTO content VALUES(99, x'00', 0, x'00')", "a content that nothing holds: 1"),
        ("INSERT INTO person VALUES(99, 'Nobody', '')", "a person who wrote nothing: 1"),
    ],
)
def test_damage_to_an_index_is_noticed(damage: str, told: str, three_commits: Repo) -> None:
    engine = index(three_commits)
    engine.gc()
    assert faults(engine.location.database, collected=True) == []
    writer = connect_writer(engine.location.database)
    writer.execute(damage)
    writer.close()
    assert told in faults(engine.location.database, collected=True)


def test_the_same_seed_tells_the_same_history(tmp_path: Path) -> None:
    tips = []
    for name in ("one", "two"):
        wild = Wild(tmp_path / name, random.Random("seed"))  # noqa: S311 - the same twice
        for _ in range(12):
            wild.step()
        tips.append((wild.played, wild.repo.git("show-ref")))
    assert tips[0] == tips[1]
    assert chance_of("a", "part", 1).random() != chance_of("a", "part", 2).random()


def falls_on_x(given: object) -> bool:
    """An entrance that one character breaks, and that refuses another as it should."""
    if "x" in str(given):
        raise ZeroDivisionError("x")
    if "y" in str(given):
        return refused(QueryError("no y", hint="leave it out"))
    return True


def test_an_input_that_falls_is_told_and_made_small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ways = (
        Entrance("broken", 1, lambda chance: chance.choice(("abc", "y", "long text x and more")), falls_on_x),
    )
    monkeypatch.setattr(fuzz, "ALL", ways)
    outcome = fuzz.run(SEED, 0, tmp_path, entrance=0, count=30)
    assert "ZeroDivisionError: x" in outcome.failures[0]
    assert outcome.failures[0].endswith("input: 'x'")
    assert 0 < outcome.counts["refused"] < 30


def test_a_refusal_without_a_hint_and_hostile_output_are_noticed() -> None:
    with pytest.raises(Fell, match="without a hint"):
        refused(QueryError("no"))
    with pytest.raises(Fell, match="not inert"):
        harmless("a\x1b]0;title\x07")
    harmless("\x1b[1mbold\x1b[0m", coloured=True)


def test_two_dumps_are_told_apart() -> None:
    assert difference(["a", "b"], ["b", "c", "c"]) == "1 facts too many, 2 missing\n  + a\n  - c\n  - c"


def dies() -> Outcome:
    """A unit whose process ends in the middle."""
    os._exit(9)


def lives(unit: int) -> Outcome:
    """A unit that comes to its end."""
    return Outcome("part", unit, {"kills": unit})


def test_a_unit_whose_process_dies_is_told_and_the_others_go_on() -> None:
    jobs = [Job("part", 0, dies), *(Job("part", unit, functools.partial(lives, unit)) for unit in (1, 2))]
    outcomes = {outcome.unit: outcome.failures for outcome in done_by(jobs, 1, None)}
    assert outcomes == {0: ("the process died or hung (its traceback is on stderr)",), 1: (), 2: ()}


def test_a_soak_goes_on_where_it_stopped(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "state" / "seed.jsonl")
    ledger.add(Outcome("kills", 3, {"kills": 5, "identical dumps": 4}, ("one fell",), 2.0))
    again = Ledger(ledger.file)
    assert again.outcomes == ledger.outcomes
    assert (again.has("kills", 3), again.has("kills", 4), again.has("inputs", 3)) == (True, False, False)
    assert "| kills, each followed by a run to the end | 5 | 1 | 2 |" in report.tables(
        again.outcomes, heading=""
    )
    assert report.failures(again.outcomes) == ["kills 3: one fell"]

"""Indexed step by step or all at once: the same index, whatever was done to the history."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from fixtures.chance import Operation, Player, operations
from ohara.index.job import IndexOptions
from ohara.index.survey import RefChoice
from tests.indexing import WITHOUT_VECTORS, facts_of, index

EVERY_REF = IndexOptions(refs=RefChoice(all_refs=True), passes=WITHOUT_VECTORS.passes, lock_wait_s=10)


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(sequence=operations(min_size=3, max_size=8))
@pytest.mark.parametrize("options", [WITHOUT_VECTORS, EVERY_REF], ids=["HEAD", "all refs"])
def test_incremental_equals_rebuild(options: IndexOptions, sequence: list[Operation]) -> None:
    with tempfile.TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patch:
        player = Player(Path(scratch) / "repo")
        patch.setenv("OHARA_HOME", f"{scratch}/incremental")
        for operation in sequence:
            player.play(operation)
            engine = index(player.repo, options)
        engine.gc()
        step_by_step = facts_of(engine)
        patch.setenv("OHARA_HOME", f"{scratch}/fresh")
        assert step_by_step == facts_of(index(player.repo, options))

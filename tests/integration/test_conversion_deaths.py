"""A commit that ends workers while an index of a former version is converted costs its own rows alone."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from ohara.index import derived_passes
from ohara.index.inline import Inline
from ohara.index.ipc import WorkerSetup
from ohara.index.pool import WorkerDied
from ohara.index.rules import Rules
from ohara.index.stages import Clock
from ohara.model import Pass
from ohara.store.sqlite.connection import connect_reader
from ohara.store.sqlite.trigram_pieces import contents_with_trigrams
from ohara.store.sqlite.word_pieces import hunks_with_words
from ohara.store.sqlite.writer import Writer
from tests.former_index import make_former, make_former_trigrams
from tests.indexing import index

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.engine import Engine
    from ohara.index.ipc import Failed, Part

_OF_COMMIT = {
    Pass.TEXT: "SELECT id FROM hunk WHERE commit_id = ?",
    Pass.LITERAL: "SELECT content_id FROM hunk WHERE commit_id = ?",
}


class _Dying(Inline):
    """Two workers, of which the one with a fatal commit is quicker: it dies before anything else is done."""

    def __init__(self, engine: Engine, fatal: frozenset[int]) -> None:
        super().__init__(
            WorkerSetup(
                repository=str(engine.repository.common_dir),
                location=engine.location,
                rules=Rules(),
                chunk_chars=1_500,
                chunk_lines=60,
                max_blob_bytes=1 << 20,
                embedder="none",
            )
        )
        self._fatal = fatal

    def run(self, kind: str, tasks: Iterable[tuple[object, ...]]) -> Iterator[Part | Failed]:
        given = list(tasks)
        for items in given:
            if self._fatal.intersection(items):
                raise WorkerDied(items)
        yield from super().run(kind, given)


def _kept(database: Path, stage: Pass) -> set[int]:
    """The hunks that have words, or the contents that have trigrams, as they are kept now."""
    with closing(connect_reader(database)) as connection:
        return set((hunks_with_words if stage is Pass.TEXT else contents_with_trigrams)(connection))


@pytest.mark.parametrize("stage", [Pass.TEXT, Pass.LITERAL])
@pytest.mark.parametrize("which", [(0,), (-2,), (-1,), (1, 2, -1)])
def test_a_commit_that_is_given_up_costs_nothing_of_those_before_it(
    small_project: Repo, monkeypatch: pytest.MonkeyPatch, stage: Pass, which: tuple[int, ...]
) -> None:
    monkeypatch.setattr(derived_passes, "_TASK_ITEMS", 2)
    engine = index(small_project)
    database = engine.location.database
    before = _kept(database, stage)
    (make_former if stage is Pass.TEXT else make_former_trigrams)(database)
    with Writer(database, passes=frozenset(Pass)) as writer:
        passes = writer.passes
        unconverted = passes.unconverted if stage is Pass.TEXT else passes.unconverted_literals
        commits = unconverted()
        fatal = frozenset(commits[at] for at in which)
        pool = _Dying(engine, fatal)
        said = list(derived_passes.convert(writer, pool, Clock(time.monotonic()), stage))
        assert unconverted() == []
        of_fatal = {
            row[0] for commit in fatal for row in writer.connection.execute(_OF_COMMIT[stage], (commit,))
        }
    assert said[-1].done == len(commits)
    assert before - _kept(database, stage) <= of_fatal
    assert len(engine.status().failures) == len(fatal)


@pytest.mark.parametrize("stage", [Pass.TEXT, Pass.LITERAL])
def test_a_conversion_of_which_nothing_can_be_read_comes_to_its_end(three_commits: Repo, stage: Pass) -> None:
    engine = index(three_commits)
    database = engine.location.database
    (make_former if stage is Pass.TEXT else make_former_trigrams)(database)
    with Writer(database, passes=frozenset(Pass)) as writer:
        passes = writer.passes
        unconverted = passes.unconverted if stage is Pass.TEXT else passes.unconverted_literals
        pool = _Dying(engine, frozenset(unconverted()))
        assert list(derived_passes.convert(writer, pool, Clock(time.monotonic()), stage))
        assert unconverted() == []

"""What the index says of HEAD's files follows HEAD wherever it goes, and is gone when HEAD is nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ohara.index.job import IndexOptions
from ohara.index.survey import RefChoice
from ohara.store.sqlite.connection import connect_reader
from tests.indexing import WITHOUT_VECTORS, facts_of, facts_of_a_fresh_index, index

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.engine import Engine

EVERY_REF = IndexOptions(refs=RefChoice(all_refs=True), passes=WITHOUT_VECTORS.passes, lock_wait_s=10)


def head_paths(engine: Engine) -> set[str]:
    """The files of HEAD that the index knows."""
    reader = connect_reader(engine.location.database)
    try:
        rows = reader.execute("SELECT path.path FROM head_file JOIN path ON path.id = path_id")
        return {path for (path,) in rows}
    finally:
        reader.close()


def test_every_ref_includes_what_head_defines(three_commits: Repo) -> None:
    assert head_paths(index(three_commits, EVERY_REF)) == {"hello.py"}


@pytest.mark.parametrize("options", [WITHOUT_VECTORS, EVERY_REF], ids=["HEAD", "all refs"])
@pytest.mark.parametrize("ignore", ["", "*.go\n"], ids=["same rules", "other rules"])
def test_a_head_without_commits_defines_nothing(
    options: IndexOptions, ignore: str, three_commits: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(three_commits, options)
    three_commits.git("symbolic-ref", "HEAD", "refs/heads/unborn")
    (three_commits.path / ".oharaignore").write_text(ignore)
    engine = index(three_commits, options)
    assert head_paths(engine) == set()
    engine.gc()
    assert facts_of(engine) == facts_of_a_fresh_index(three_commits, tmp_path / "fresh", monkeypatch, options)


def test_head_is_followed_where_the_refs_stay(
    three_commits: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_commits.git("branch", "first", three_commits.sha["one"])
    (three_commits.path / "other.py").write_text("def other():\n    return 1\n")
    three_commits.git("add", "other.py")
    three_commits.git("commit", "-qm", "Add another file")
    assert head_paths(index(three_commits, EVERY_REF)) == {"hello.py", "other.py"}
    three_commits.git("symbolic-ref", "HEAD", "refs/heads/first")
    engine = index(three_commits, EVERY_REF)
    assert head_paths(engine) == {"hello.py"}
    assert facts_of(engine) == facts_of_a_fresh_index(
        three_commits, tmp_path / "fresh", monkeypatch, EVERY_REF
    )

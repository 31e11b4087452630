"""An index with the trigram table of former versions: searched as it is, converted by its next run."""

from __future__ import annotations

import dataclasses
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from ohara.engine import Engine
from ohara.index.portable import export, take_over
from ohara.index.rederive import Analysis
from ohara.model import Pass, Pattern
from ohara.retrieve.lanes import literal
from ohara.store.derived import ContentLines, DerivedLiterals
from ohara.store.sql.stored_commits import StoredCommits
from ohara.store.sqlite import former_trigrams
from ohara.store.sqlite.connected import Connected
from ohara.store.sqlite.connection import connect_reader
from ohara.store.sqlite.filters import EVERYTHING
from ohara.store.sqlite.portable import TRIGRAMS, Header, Rows, parts_of
from ohara.store.sqlite.portable_file import messages, written
from ohara.store.sqlite.reader import Reader
from ohara.store.sqlite.writer import Writer
from tests.former_index import FORMER_TRIGRAMS_VERSION, make_former_trigrams
from tests.indexing import WITHOUT_VECTORS, facts_of, index, moments

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from fixtures.git import Repo

_PATTERNS = (
    Pattern("UploadReceipt"),
    Pattern("retry"),
    Pattern("def "),
    Pattern("HTTP.*retr", is_regex=True, flags="i"),
    Pattern("brand_new|timeout", is_regex=True),
    Pattern("nowhere at all"),
)


def _answers(database: Path) -> list[tuple[object, ...]]:
    with closing(Reader(database)) as reader:
        found: list[tuple[object, ...]] = []
        for pattern in _PATTERNS:
            *_, answer = literal.steps(reader, [pattern], EVERYTHING, limit=None, deadline_s=60)
            assert isinstance(answer, literal.LiteralAnswer)
            assert answer.complete
            found.append((answer.commits, answer.total, answer.scanned))
        return found


def _has_former(database: Path) -> bool:
    with closing(connect_reader(database)) as connection:
        return former_trigrams.are_there(connection)


def _commit(repo: Repo, name: str, text: str) -> None:
    (repo.path / name).write_text(text)
    repo.git("add", name)
    repo.git("-c", "user.name=N", "-c", "user.email=n@example.org", "commit", "-qm", f"Add {name}")


def _literals(database: Path, commit: int) -> DerivedLiterals:
    with closing(connect_reader(database)) as connection:
        hunks = StoredCommits(Connected(database, connection)).hunks(commit)
        rows = [
            ContentLines(hunk.content_id, Analysis().changed(hunk.body), None)
            for hunk in hunks
            if hunk.content_id is not None
        ]
        return DerivedLiterals(commit, tuple(rows))


def test_a_former_index_answers_as_before_and_is_converted_by_its_next_run(small_project: Repo) -> None:
    engine = index(small_project)
    database = engine.location.database
    facts, answers = facts_of(engine), _answers(database)
    assert answers[0][1]
    assert not _has_former(database)
    make_former_trigrams(database)
    assert _answers(database) == answers
    said = moments(small_project)
    assert [moment.done for moment in said if moment.stage is Pass.LITERAL][-1] == engine.status().commits
    assert not _has_former(database)
    assert facts_of(engine) == facts
    assert _answers(database) == answers
    assert moments(small_project) == []


def test_a_conversion_goes_on_where_it_stopped_whatever_came_between(small_project: Repo) -> None:
    engine = index(small_project)
    database = engine.location.database
    answers = _answers(database)
    make_former_trigrams(database)
    with Writer(database, passes=frozenset(Pass)) as writer:
        half = writer.passes.unconverted_literals()[2]
        first = [commit for commit in writer.passes.unconverted_literals() if commit <= half]
        writer.passes.convert_literals([_literals(database, commit) for commit in first])
        writer.commit()
        assert writer.passes.unconverted_literals()[0] > half
        assert _answers(database) == answers
        # A run that is killed in the middle of a batch: it is rolled back.
        writer.passes.convert_literals([_literals(database, writer.passes.unconverted_literals()[0])])
    assert _answers(database) == answers
    _commit(small_project, "new.py", "def brand_new_retry():\n    return 1\n")
    index(small_project, dataclasses.replace(WITHOUT_VECTORS, passes=frozenset({Pass.TEXT})))
    assert _has_former(database)
    index(small_project)
    assert not _has_former(database)
    converted = facts_of(engine)
    index(small_project, dataclasses.replace(WITHOUT_VECTORS, rebuild=True))
    assert facts_of(engine) == converted


def test_the_trigrams_of_removed_commits_go_in_both(small_project: Repo) -> None:
    engine = index(small_project)
    database = engine.location.database
    make_former_trigrams(database)
    small_project.git("reset", "-q", "--hard", "HEAD~2")
    with Writer(database, passes=frozenset(Pass)) as writer:
        all_commits = writer.passes.unconverted_literals()
        writer.passes.convert_literals([_literals(database, commit) for commit in all_commits])
        writer.commit()
        newest = writer.passes.pending(Pass.VECTOR)[:2]
        assert writer.remove_commits([writer.sha_of(commit) for commit in newest]) == 2
        writer.sweep()
        writer.commit()
    index(small_project)
    engine.gc()
    kept = facts_of(engine)
    index(small_project, dataclasses.replace(WITHOUT_VECTORS, rebuild=True))
    assert facts_of(engine) == kept


def test_a_file_that_a_former_version_exported_is_taken_over(
    small_project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = index(small_project)
    facts, answers = facts_of(engine), _answers(engine.location.database)
    file, former = tmp_path / "new.ohara", tmp_path / "former.ohara"
    export(engine.repository, engine.store, file, derived=True)
    taken = _taken(small_project, file, tmp_path / "one", monkeypatch)
    assert facts_of(taken) == facts
    make_former_trigrams(taken.location.database)
    ours = {table.name for table in TRIGRAMS}
    with written(former) as sender, closing(connect_reader(taken.location.database)) as connection:
        for message in messages(file):
            if isinstance(message, Header):
                sender.header(msgspec.structs.replace(message, schema=FORMER_TRIGRAMS_VERSION))
            elif isinstance(message, Rows) and message.table not in ours:
                rows = [msgspec.msgpack.encode(row) for row in msgspec.msgpack.decode(message.rows)]
                sender._rows(message.table, rows)
        for table in parts_of(former_trigrams.TABLE):
            sender.table(table.name, connection.execute(table.select))
        sender.end()
    again = _taken(small_project, former, tmp_path / "two", monkeypatch)
    assert _has_former(again.location.database)
    assert _answers(again.location.database) == answers
    again = index(small_project)
    assert not _has_former(again.location.database)
    assert facts_of(again) == facts


def _taken(repo: Repo, file: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setenv("OHARA_HOME", str(home))
    engine = Engine.open(repo.path)
    take_over(engine.repository, engine.store, file, replace=False, progress=lambda _: None)
    return engine

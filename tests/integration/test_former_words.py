"""An index with the word table of former versions: searched as it is, converted by its next run."""

from __future__ import annotations

import dataclasses
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from ohara.engine import Engine
from ohara.index.portable import export, take_over
from ohara.index.rederive import Analysis
from ohara.model import Mode, Pass, SearchOptions
from ohara.store.derived import DerivedTexts, HunkText
from ohara.store.sql.stored_commits import StoredCommits
from ohara.store.sqlite import former_words
from ohara.store.sqlite.connected import Connected
from ohara.store.sqlite.connection import connect_reader
from ohara.store.sqlite.portable import POSTINGS, Header, Rows, parts_of
from ohara.store.sqlite.portable_file import messages, written
from ohara.store.sqlite.writer import Writer
from ohara.store.vocabulary import Numbering
from tests.former_index import FORMER_VERSION, make_former
from tests.indexing import WITHOUT_VECTORS, facts_of, index, moments

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from fixtures.git import Repo

_QUERIES = ("retry backoff", "Client", "added:retry", "parser error", "HttpClient.send", "retyr")


def _answers(engine: Engine) -> list[tuple[object, ...]]:
    """By hunks: whole commits cannot be asked of the former table, and the lane says so."""
    options = SearchOptions(k=30, now=1_800_000_000, mode=Mode.TEXT)
    found = [engine.find_pattern(query, options) for query in _QUERIES]
    return [
        (one.notes, *((hit.commit.sha, hit.path, hit.excerpt, round(hit.score, 9)) for hit in one.hits))
        for one in found
    ]


def _has_former(database: Path) -> bool:
    with closing(connect_reader(database)) as connection:
        return former_words.are_there(connection)


def _commit(repo: Repo, name: str, text: str) -> None:
    (repo.path / name).write_text(text)
    repo.git("add", name)
    repo.git("-c", "user.name=N", "-c", "user.email=n@example.org", "commit", "-qm", f"Add {name} and retry")


def _texts(database: Path, commit: int) -> DerivedTexts:
    with closing(connect_reader(database)) as connection:
        stored, analysis = StoredCommits(Connected(database, connection)), Analysis()
        numbering = Numbering()
        said = numbering.pack(analysis.message(stored.message(commit)))
        rows = []
        for hunk in stored.hunks(commit):
            words = analysis.hunk(hunk.path, hunk.header, hunk.body) if hunk.searchable else None
            if words is not None:
                rows.append(HunkText(hunk.hunk_id, said, *map(numbering.pack, words)))
        texts = [text for row in rows for text in row[2:]]
        return DerivedTexts(commit, tuple(rows), said, numbering.vocabulary([said, *texts]))


def test_a_former_index_answers_as_before_and_is_converted_by_its_next_run(small_project: Repo) -> None:
    engine = index(small_project)
    database = engine.location.database
    facts, answers = facts_of(engine), _answers(engine)
    assert not _has_former(database)
    make_former(database)
    former = Engine.open(small_project.path)
    assert facts_of(former) == facts
    assert _answers(former) == answers
    lanes = {lane.name: lane for lane in former.find_pattern("retry backoff", SearchOptions()).lanes}
    assert lanes["commit_text"].detail == "words of former versions: ohara index converts them"
    said = moments(small_project)
    assert [moment.done for moment in said if moment.stage is Pass.TEXT][-1] == former.status().commits
    assert not _has_former(database)
    assert facts_of(former) == facts
    assert _answers(former) == answers
    assert moments(small_project) == []


def test_a_conversion_goes_on_where_it_stopped_whatever_came_between(small_project: Repo) -> None:
    engine = index(small_project)
    database = engine.location.database
    make_former(database)
    with Writer(database, passes=frozenset(Pass)) as writer:
        half = writer.passes.unconverted()[::2][:3]
        first = [commit for commit in writer.passes.unconverted() if commit <= half[-1]]
        writer.passes.convert_texts([_texts(database, commit) for commit in first])
        writer.commit()
        assert writer.passes.unconverted()[0] > half[-1]
        # A commit that is converted already, and one that is not, get their words anew.
        for commit in (first[0], writer.passes.unconverted()[-1]):
            writer.passes.write_texts([_texts(database, commit)])
        writer.commit()
        # A run that is killed in the middle of a batch: it is rolled back.
        writer.passes.convert_texts([_texts(database, writer.passes.unconverted()[0])])
    _commit(small_project, "new.py", "def brand_new_retry():\n    return 1\n")
    index(small_project)
    assert not _has_former(database)
    converted = facts_of(engine)
    index(small_project, dataclasses.replace(WITHOUT_VECTORS, rebuild=True))
    assert facts_of(engine) == converted


def test_the_words_of_removed_commits_go_in_both(small_project: Repo) -> None:
    engine = index(small_project)
    database = engine.location.database
    make_former(database)
    small_project.git("reset", "-q", "--hard", "HEAD~2")
    with Writer(database, passes=frozenset(Pass)) as writer:
        writer.passes.convert_texts([_texts(database, commit) for commit in writer.passes.unconverted()])
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
    facts, answers = facts_of(engine), _answers(engine)
    file, former = tmp_path / "new.ohara", tmp_path / "former.ohara"
    export(engine.repository, engine.store, file, derived=True)
    taken = _taken(small_project, file, tmp_path / "one", monkeypatch)
    make_former(taken.location.database)
    ours = {table.name for table in POSTINGS}
    with written(former) as sender, closing(connect_reader(taken.location.database)) as connection:
        for message in messages(file):
            if isinstance(message, Header):
                sender.header(msgspec.structs.replace(message, schema=FORMER_VERSION))
            elif isinstance(message, Rows) and message.table not in ours:
                sender._rows(message.table, _packed(message))
        for table in parts_of(former_words.TABLE):
            sender.table(table.name, connection.execute(table.select))
        sender.end()
    again = _taken(small_project, former, tmp_path / "two", monkeypatch)
    assert _has_former(again.location.database)
    assert _answers(again) == answers
    again = index(small_project)
    assert not _has_former(again.location.database)
    assert facts_of(again) == facts


def _taken(repo: Repo, file: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setenv("OHARA_HOME", str(home))
    engine = Engine.open(repo.path)
    take_over(engine.repository, engine.store, file, replace=False, progress=lambda _: None)
    return engine


def _packed(message: Rows) -> list[bytes]:
    return [msgspec.msgpack.encode(row) for row in msgspec.msgpack.decode(message.rows)]

"""What is in an index: every line of history, once, with its commit, and nothing left out in silence."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ohara.git.diff import changes
from ohara.git.repo import Repository
from ohara.index.job import IndexOptions
from ohara.model import LeftOut, Pass, Sha
from ohara.store.sqlite.connection import connect_reader
from ohara.store.sqlite.reader import Reader
from ohara.store.sqlite.trigram_pieces import contents_with_trigrams
from ohara.store.sqlite.word_pieces import hunks_with_words
from ohara.store.sqlite.word_search import WordSearch
from tests.indexing import index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fixtures.git import Repo
    from ohara.engine import Engine
    from ohara.store.sqlite.connection import Connection


@pytest.fixture(scope="module")
def indexed(shared_project: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(tmp_path_factory.mktemp("content")))
        yield index(shared_project, IndexOptions())


@pytest.fixture(scope="module")
def database(indexed: Engine) -> Iterator[Connection]:
    connection = connect_reader(indexed.location.database)
    yield connection
    connection.close()


def hunks_of(database: Connection, indexed: Engine, sha: Sha) -> list[tuple[str, str]]:
    """Path and body of every stored hunk of a commit."""
    stored = indexed.store.stored_commits()
    commit_id = database.execute("SELECT id FROM commits WHERE sha = ?", (bytes.fromhex(sha),)).get
    return [(hunk.path, hunk.body) for hunk in stored.hunks(commit_id)]


def matching(database: Connection, term: str) -> set[str]:
    """The commits whose rows of the text pass hold a term."""
    with closing(Reader(Path(database.filename))) as reader:
        held = WordSearch(reader).holding_any((term,), ())
    rows = database.execute(
        "SELECT hex(sha) FROM hunk JOIN commits ON commits.id = commit_id "
        "WHERE hunk.id IN (SELECT value FROM json_each(?))",
        (json.dumps(held),),
    )
    return {row[0].lower() for row in rows}


def test_every_reachable_commit_is_there_and_every_pass_is_complete(
    shared_project: Repo, indexed: Engine, database: Connection
) -> None:
    reachable = set(shared_project.git("rev-list", "HEAD").split())
    assert {row[0].hex() for row in database.execute("SELECT sha FROM commits")} == reachable
    status = indexed.status()
    assert (status.commits, status.indexed, status.behind) == (len(reachable), len(reachable), 0)
    assert [(part.stage, part.done) for part in status.passes] == [(stage, len(reachable)) for stage in Pass]
    assert status.failures == ()


def test_every_changed_line_of_every_commit_is_stored(
    shared_project: Repo, indexed: Engine, database: Connection
) -> None:
    repository = Repository.open(shared_project.path)
    for sha in map(Sha, shared_project.git("rev-list", "HEAD").split()):
        expected = [
            (change.path, line)
            for change in changes(repository, sha).files
            for hunk in change.hunks
            for line in hunk.body.split("\n")
        ]
        found = [
            (path, line)
            for path, body in hunks_of(database, indexed, sha)
            if body
            for line in body.split("\n")
        ]
        assert sorted(found) == sorted(expected), sha


def test_long_hunks_are_cut_to_the_budget(indexed: Engine, database: Connection) -> None:
    stored = indexed.store.stored_commits()
    commit_ids: list[int] = [row[0] for row in database.execute("SELECT id FROM commits")]
    for commit_id in commit_ids:
        for hunk in stored.hunks(commit_id):
            if hunk.searchable and "\n" in hunk.body:
                assert hunk.body.count("\n") < 60, hunk.path
                assert len(hunk.body) <= 1_500, hunk.path


def test_what_is_done_again_shares_its_content_and_keeps_its_own_occurrence(
    shared_project: Repo, database: Connection
) -> None:
    first, again = (
        {
            row[0]
            for row in database.execute(
                "SELECT content_id FROM hunk JOIN commits ON commits.id = commit_id WHERE sha = ?",
                (bytes.fromhex(shared_project.sha[key]),),
            )
        }
        for key in ("rate-limit", "rate-limit-again")
    )
    assert first & again
    digests = [row[0] for row in database.execute("SELECT digest FROM content")]
    assert len(digests) == len(set(digests))


def test_an_evil_merge_is_found_by_what_only_it_changed(
    shared_project: Repo, indexed: Engine, database: Connection
) -> None:
    evil = hunks_of(database, indexed, shared_project.sha["evil-merge"])
    plain = hunks_of(database, indexed, shared_project.sha["merge"])
    assert any(line.startswith("+") for _, body in evil for line in body.split("\n"))
    assert all(not body for _, body in plain)


@pytest.mark.parametrize("key", ["empty", "mode", "submodule-bump", "merge", "binary"])
def test_a_commit_without_searchable_lines_is_found_by_its_message(
    key: str, shared_project: Repo, database: Connection
) -> None:
    sha = shared_project.sha[key]
    own = database.execute(
        "SELECT hunk.id FROM hunk JOIN commits ON commits.id = commit_id WHERE sha = ?", (bytes.fromhex(sha),)
    )
    assert {row[0] for row in own} & set(hunks_with_words(database))


def test_what_is_left_out_of_search_is_counted_by_reason_and_stays_in_the_literal_pass(
    indexed: Engine, database: Connection
) -> None:
    counted = dict(indexed.status().left_out)
    assert indexed.status(left_out=False) == replace(indexed.status(), left_out=())
    for reason in (LeftOut.BINARY, LeftOut.LOCK, LeftOut.MINIFIED, LeftOut.VENDORED, LeftOut.IGNORED):
        assert counted[reason] >= 1, reason
    lock_contents = {
        row[0]
        for row in database.execute(
            "SELECT content_id FROM hunk JOIN file ON file.id = file_id JOIN path ON path.id = path_id "
            "WHERE path.left_out = 'lock'"
        )
    }
    literal = set(contents_with_trigrams(database))
    text = set(hunks_with_words(database))
    lock_hunks = {
        row[0]
        for row in database.execute(
            "SELECT hunk.id FROM hunk JOIN file ON file.id = file_id JOIN path ON path.id = path_id "
            "WHERE path.left_out = 'lock'"
        )
    }
    assert lock_contents
    assert lock_contents <= literal
    assert not lock_hunks & text


def test_identifiers_are_words_whole_and_in_parts(shared_project: Repo, database: Connection) -> None:
    retry = shared_project.sha["retry"]
    names = {
        word
        for line in shared_project.git("show", "--format=", retry).splitlines()
        if line.startswith("+")
        for word in line.replace("(", " ").replace(".", " ").split()
        if "_" in word.strip("_") and word.isidentifier() and word.islower()
    }
    assert names
    for name in names:
        assert retry in matching(database, name), name
    assert retry in matching(database, "backoff")


def test_symbols_know_what_a_hunk_touches_and_what_head_defines(database: Connection) -> None:
    touched = database.execute("SELECT count(*) FROM hunk_symbol").get
    defined = {row[0] for row in database.execute("SELECT language FROM parsed_blob")}
    assert touched > 20
    assert {"python", "typescript", "go"} <= defined


def test_every_searchable_content_has_a_vector(database: Connection) -> None:
    without = database.execute(
        "SELECT count(*) FROM content WHERE passes & 8 AND id NOT IN (SELECT rowid FROM vec_hunk)"
    ).get
    with_vector = database.execute("SELECT count(*) FROM vec_hunk").get
    assert with_vector > 50
    assert without <= with_vector // 10  # only texts without a single word that the model knows

"""Whatever searches gives the same hits, and each hit names its repository."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from ohara import client, wire
from ohara.engine import Engine
from ohara.errors import IndexMissing
from ohara.model import SearchOptions
from ohara.records import replace
from tests.daemon import service
from tests.indexing import index
from tests.process import ohara

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.model import Hit, IndexStatus
    from ohara.searcher import Searcher

NOW = 1_800_000_000


def answers(searcher: Searcher) -> list[tuple[Hit, ...]]:
    """What the searcher finds for queries of each kind, and shows of a commit."""
    options = SearchOptions(k=20, now=NOW)
    queries = ("retry backoff", '"import"', "/def +\\w+/", "HEAD", "author:ada parser")
    return [*(searcher.find_pattern(query, options).hits for query in queries), searcher.show("HEAD~1")]


def unsized(statuses: tuple[IndexStatus, ...]) -> list[IndexStatus]:
    """Statuses without sizes: files that SQLite keeps beside a database come and go with its readers."""
    return [replace(status, size_bytes=0) for status in statuses]


def test_the_engine_and_the_service_give_equal_hits(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, small_project: Repo
) -> None:
    index(small_project)
    with service(ohara_home, monkeypatch), client.connect() as there:
        remote = client.RemoteSearcher(there, small_project.path)
        alone = Engine.open(small_project.path)
        assert answers(remote) == answers(alone)
        assert unsized(remote.statuses()) == unsized(alone.statuses())
        assert all(answers(remote))
        assert {hit.repository for hits in answers(remote) for hit in hits} == {str(small_project.path)}
        assert [status.repository for status in remote.statuses()] == [str(small_project.path)]


def test_hits_of_two_repositories_name_their_own(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, small_project: Repo, three_commits: Repo
) -> None:
    repos = [small_project.path, three_commits.path]
    for repo in repos:
        index(repo)
    with service(ohara_home, monkeypatch), client.connect() as there:
        for made in (Engine.open, lambda repo: client.RemoteSearcher(there, repo)):
            for repo in repos:
                searcher: Searcher = made(repo)
                hits = (*searcher.find_pattern('"print"').hits, *searcher.show("HEAD"))
                assert {hit.repository for hit in hits} == {str(repo)}
        symbol = wire.HistoryRequest(repo=str(three_commits.path), commit="HEAD", path="hello.py")
        touched = there.send(symbol).history.hits
        assert {hit.repository for hit in touched} == {str(three_commits.path)}
    for repo in repos:
        said = json.loads(ohara("find", "--repo", str(repo), "--json", '"print"').stdout)
        assert {hit["repository"] for hit in said["hits"]} == {str(repo)}


@pytest.mark.usefixtures("ohara_home")
def test_a_bare_repository_and_a_folder_inside_one_are_named_as_status_names_them(
    three_commits: Repo, tmp_path: Path
) -> None:
    bare = tmp_path / "bare.git"
    three_commits.git("clone", "--quiet", "--bare", ".", str(bare))
    inside = three_commits.path / "inside"
    inside.mkdir()
    index(bare)
    index(three_commits)
    for start in (bare, inside):
        engine = Engine.open(start)
        assert engine.find_pattern("greeting").hits[0].repository == engine.status().repository


def test_a_path_that_is_no_text_is_sent_in_a_readable_form(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    odd = three_commits.path.with_name(os.fsdecode(b"od\xffd"))
    three_commits.path.rename(odd)
    home = ohara_home / "link"
    home.symlink_to(odd)
    index(odd)
    with service(ohara_home, monkeypatch), client.connect() as there:
        remote = client.RemoteSearcher(there, home)
        seen = {hit.repository for hit in (*remote.find_pattern("greeting").hits, *remote.show("HEAD"))}
        assert seen == {wire.sendable(str(odd))} == {status.repository for status in remote.statuses()}


def test_what_is_not_indexed_is_the_same_error_either_way(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    with service(ohara_home, monkeypatch), client.connect() as there:
        for searcher in (Engine.open(three_commits.path), client.RemoteSearcher(there, three_commits.path)):
            with pytest.raises(IndexMissing, match="has no index yet"):
                searcher.find_pattern("greeting")

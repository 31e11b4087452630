"""Agents, the terminal UI and all clients of the service ask a team's index, their own while it is away."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ohara import client, wire
from ohara.cli.main import main
from ohara.engine import Engine
from ohara.errors import ConfigError, ServerAway, StoreError
from ohara.index.push import push
from ohara.model import SearchOptions
from ohara.sharing import server_named, shared_index
from tests.daemon import service
from tests.indexing import index
from tests.mcp_client import Place, call, over_stdio
from tests.tui.driving import running, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo
    from fixtures.postgres import Server as Running
    from ohara.model import Results
    from ohara.store.postgres.connection import Server

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def place(shared_project: Repo, team: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A repository indexed here and on the server, and a service; another that only the server knows."""
    home = tmp_path_factory.mktemp("team")
    repo = shared_project.copy_to(tmp_path_factory.mktemp("repos") / "served")
    default = shared_project.copy_to(tmp_path_factory.mktemp("repos") / "defaulted")
    settings = f'[shared.team]\ndsn = "{team.dsn}"\ndefault_for = ["{default.path}"]\n'
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(home))
        with service(home, patch, settings=settings):
            for each in (repo, default):
                engine = index(each)
                for _ in push(engine.store, shared_index(engine.repository, server_named("team"))):
                    pass
            Engine.open(default.path).forget()
            yield Place(home, repo.path)
            for each in (repo, default):
                shared_index(Engine.open(each.path).repository, server_named("team")).forget(wait_s=5)


@pytest.fixture(autouse=True)
def _at_home(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OHARA_HOME", str(place.home))


def default_repo(place: Place) -> Path:
    """The repository that is searched on the server without saying so."""
    (found,) = re.findall(r'default_for = \["(.*)"\]', (place.home / "config" / "config.toml").read_text())
    return type(place.folder)(found)


def shas(results: Results) -> list[str]:
    return [hit.commit.sha for hit in results.hits]


def test_every_request_is_answered_from_the_index_that_it_names(place: Place) -> None:
    repo = str(place.folder)
    options = SearchOptions(k=5, rerank=False)
    with client.connect() as ohara:
        own = ohara.send(wire.Find(repo=repo, query="retry", options=options)).results
        shared = ohara.send(wire.Find(repo=repo, index="team", query="retry", options=options)).results
        assert shas(shared) == shas(own) != []
        assert (own.index.shared, shared.index.shared) == ("", "team")
        status = ohara.send(wire.Status(repo=repo, index="team")).status
        assert (status.shared, status.hunks > 0) == ("team", True)
        head = ohara.send(wire.Describe(repo=repo, index="team", commit="HEAD")).details.commit.sha
        assert ohara.send(wire.Show(repo=repo, index="team", commit=head)).hits
        explained = ohara.send(wire.Explain(repo=repo, index="team", place="README.md")).results
        assert explained.index.shared == "team"
        related = ohara.send(wire.RelatedRequest(repo=repo, index="team", place="README.md")).related
        assert related == ohara.send(wire.RelatedRequest(repo=repo, place="README.md")).related
        both = ohara.send(wire.Find(repo=repo, also=(repo,), index="team", query="retry")).results
        assert "several repositories are searched in this machine's own indexes" in both.notes
        with pytest.raises(ConfigError, match="there is no shared index taem"):
            ohara.send(wire.Find(repo=repo, index="taem", query="retry"))


def test_what_the_server_lacks_is_said_and_not_indexed_here(shared_project: Repo) -> None:
    with client.connect() as ohara, pytest.raises(StoreError, match="team has no index of"):
        ohara.send(wire.Find(repo=str(shared_project.path), index="team", query="retry"))


def test_while_the_server_is_away_the_own_index_answers_and_says_so(
    place: Place, postgres_server: Running
) -> None:
    repo, options = str(place.folder), SearchOptions(k=5, rerank=False)
    with client.connect() as ohara:
        before = ohara.send(wire.Find(repo=repo, index="team", query="retry", options=options)).results
        postgres_server.stop()
        try:
            away = ohara.send(wire.Find(repo=repo, index="team", query="retry", options=options)).results
            status = ohara.send(wire.Status(repo=repo, index="team")).status
            described = ohara.send(wire.Describe(repo=repo, index="team", commit="HEAD"))
            with pytest.raises(ServerAway, match="the server of team does not answer"):
                ohara.send(wire.Find(repo=str(default_repo(place)), index="team", query="retry"))
        finally:
            postgres_server.start()
        again = ohara.send(wire.Find(repo=repo, index="team", query="retry", options=options)).results
        postgres_server.stop()
        postgres_server.start()  # and nobody asked meanwhile
        later = ohara.send(wire.Find(repo=repo, index="team", query="retry", options=options)).results
    assert shas(before) == shas(away) == shas(again) == shas(later) != []
    assert [each.index.shared for each in (before, away, again, later)] == ["team", "", "team", "team"]
    assert re.search("does not answer .*: answered from this machine's own index", away.notes[0])
    assert status.shared == ""
    assert described.details.commit.sha


async def test_agents_ask_it_and_are_told(place: Place) -> None:
    named = Place(place.home, place.folder, ("--index", "team"))
    default = Place(place.home, default_repo(place))
    for each in (named, default):
        async with over_stdio(each) as agent:
            said = await call(agent, "find_pattern", pattern="retry with backoff", k=1)
            assert re.search(
                r"^coverage: \d+ of \d+ commits of the shared index team, fresh as of", said, re.MULTILINE
            )
            status = await call(agent, "history_status")
            assert "commits of the shared index team" in status
    async with over_stdio(place) as agent:
        assert "shared index" not in await call(agent, "find_pattern", pattern="retry with backoff", k=1)


async def test_the_terminal_ui_asks_it_and_says_so(place: Place) -> None:
    for repo, named in ((place.folder, "team"), (default_repo(place), "")):
        async with running(repo, "retry", size=(160, 40), index=named) as (app, _):
            assert "commits of the shared index team in" in text_of(app)
    async with running(place.folder, "retry", size=(160, 40)) as (app, _):
        assert "shared index" not in text_of(app)


@pytest.mark.parametrize("command", ["tui", "mcp"])
def test_an_unknown_index_is_told_at_once(
    place: Place, command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place.folder)
    assert main([command, "--index", "taem"]) == 2
    assert "there is no shared index taem" in capsys.readouterr().err

"""One real service and one real index for all tests of the terminal UI; a fresh session for each."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from ohara import client, wire
from tests.daemon import CONFIG, end_whatever_runs
from tests.indexing import index
from tests.process import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory, shared_project: Repo) -> Iterator[Path]:
    """The home of a service that knows parcel."""
    home = tmp_path_factory.mktemp("tui") / "home"
    (home / "config").mkdir(parents=True)
    (home / "config" / "config.toml").write_text(CONFIG)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(home))
        patch.setenv("PYTHONPATH", str(ROOT))
        index(shared_project)
        client.connect(start=True).close()
    yield home
    end_whatever_runs(home)


@pytest.fixture
def still(parcel: Path) -> Iterator[Path]:
    """A service that indexes nothing meanwhile: what is shown is shown again."""
    with client.connect(start=True) as ohara:
        ohara.send(wire.Pause())
        yield parcel
        ohara.send(wire.Resume())


@pytest.fixture
def parcel(served: Path, shared_project: Repo, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of parcel, with the service that knows it and a session that remembers nothing."""
    monkeypatch.setenv("OHARA_HOME", str(served))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm-256color")
    shutil.rmtree(served / "state", ignore_errors=True)
    (served / "config" / "config.toml").write_text(CONFIG)
    return shared_project.path

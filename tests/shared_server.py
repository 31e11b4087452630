"""The server of tests that need one: a fixture for all of them, started by the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixtures import postgres
from ohara.store.postgres.connection import Server
from ohara.store.postgres.server import initialise

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """A PostgreSQL server of this test session (of each worker, where there are several)."""
    with postgres.running() as server:
        yield server


@pytest.fixture(scope="session")
def team(postgres_server: postgres.Server) -> Server:
    """That server, set up to share indexes."""
    server = Server("team", postgres_server.dsn)
    initialise(server)
    return server

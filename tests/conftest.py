"""What every test stands on: no user's files, no user's git configuration, no clock of its own.

Session-wide, so that session fixtures which build repositories are isolated as well; the ohara home is
fresh for each test.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest_plugins = ("fixtures.plugin", "tests.shared_server")

# Deadlines measure the machine, not the code. On CI a failure must be the same failure twice.
hypothesis.settings.register_profile("dev", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="session", autouse=True)
def _nobody_in_particular(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run as a user with an empty home, no git configuration and no OHARA_* variables."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("OHARA_", "GIT_", "XDG_", "_OHARA_")):
                patch.delenv(name)
        if os.environ.get("PYTHONDONTWRITEBYTECODE"):
            # Not beside the source, then; but hundreds of processes need not compile it again each.
            patch.delenv("PYTHONDONTWRITEBYTECODE")
            patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("bytecode")))
        patch.setenv("HOME", str(home))
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("GIT_TERMINAL_PROMPT", "0")
        patch.setenv("TZ", "UTC")
        patch.setenv("NO_COLOR", "1")
        patch.setenv("OHARA_DAEMON_AUTOSTART", "false")  # a test leaves nothing running
        patch.setenv("OHARA_HOME", str(home / "ohara"))
        yield


@pytest.fixture(autouse=True)
def ohara_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh folder for everything ohara writes in this test."""
    home = tmp_path_factory.mktemp("ohara", numbered=True)
    monkeypatch.setenv("OHARA_HOME", str(home))
    return home


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The one event loop that ohara runs on."""
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def _sockets_left_in_the_middle() -> Iterator[None]:
    """Let no test fail by how anyio waits for a socket.

    It has the event loop set the result of a future; when the task that waits is cancelled in the very moment
    in which bytes arrive, that future is done already. asyncio logs it; anyio's test runner fails the test.
    """
    from anyio._backends._asyncio import TestRunner

    heard = TestRunner._exception_handler

    def hear(runner: TestRunner, loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        is_race = isinstance(context.get("exception"), asyncio.InvalidStateError)
        if not (is_race and "set_result" in str(context.get("message"))):
            heard(runner, loop, context)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TestRunner, "_exception_handler", hear)
        yield

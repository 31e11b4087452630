"""A search by a person starts the service behind it; a script's, or one after `daemon stop`, does not."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import anyio
import pytest

from ohara import client, paths, wire
from ohara.cli import autostart
from ohara.daemon.repositories import Repositories
from ohara.model import SearchOptions
from ohara.store.sql import ancestry
from tests.daemon import alive, end_whatever_runs, wait_until
from tests.indexing import index
from tests.process import ROOT, ohara, on_a_terminal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.model import Sha
    from ohara.store.sql.session import Session

NOTE = "a background service keeps the index fresh"


@pytest.fixture(autouse=True)
def _person(monkeypatch: pytest.MonkeyPatch, ohara_home: Path) -> Iterator[None]:
    monkeypatch.delenv("OHARA_DAEMON_AUTOSTART")
    monkeypatch.delenv("CI", raising=False)
    yield
    end_whatever_runs(ohara_home)


def typed(*arguments: str, env: dict[str, str] | None = None) -> str:
    """What a command prints on a terminal of its own."""
    env = os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm", "GIT_PAGER": "cat", **(env or {})}
    return on_a_terminal([sys.executable, "-m", "ohara", *arguments], env).decode()


def is_running() -> bool:
    known = client.running(replace=False)
    if known is not None:
        known.close()
    return known is not None


def pid() -> int:
    with client.connect() as known:
        return known.greeting.pid


def find(repo: Repo, *others: str, env: dict[str, str] | None = None) -> str:
    return typed("find", "--no-rerank", "--repo", str(repo.path), *others, "upload", env=env)


def test_the_first_search_starts_the_service_and_says_so_once(shared_project: Repo, ohara_home: Path) -> None:
    index(shared_project).close()
    first = find(shared_project)
    assert NOTE in first.replace("\r\n", " ")
    assert wait_until(is_running)
    assert wait_until(lambda: f"INFO ready for {shared_project.path}" in paths.log_file().read_text())
    started = pid()
    with client.connect() as known:
        known.send(wire.Index(repo=str(shared_project.path)))
    assert wait_until(lambda: f"ready again for {shared_project.path}" in paths.log_file().read_text())
    second = find(shared_project)
    assert NOTE not in second
    assert [line for line in second.splitlines() if line.startswith("1.")] == [
        line for line in first.splitlines() if line.startswith("1.")
    ]
    end_whatever_runs(ohara_home)
    assert not alive(started)
    third = find(shared_project)  # it ended by itself, say: started again, and not said again
    assert wait_until(is_running)
    assert NOTE not in third


def test_what_somebody_stopped_stays_stopped_until_somebody_starts_it(shared_project: Repo) -> None:
    index(shared_project).close()
    find(shared_project)
    assert wait_until(is_running)
    assert ohara("daemon", "stop").returncode == 0
    find(shared_project)
    assert not is_running()
    assert "as you stopped it" in ohara("daemon", "status").stdout
    assert ohara("daemon", "start").returncode == 0
    assert wait_until(is_running)
    assert not autostart.is_left_stopped()


@pytest.mark.parametrize(
    ("others", "env"),
    [
        (("--no-daemon",), {}),
        ((), {"CI": "true"}),
        ((), {"OHARA_DAEMON_AUTOSTART": "false"}),
        ((), {"OHARA_FIND_K": "3"}),  # the service would not know of it
    ],
    ids=["asked not to", "in CI", "turned off", "settings of this shell"],
)
def test_nothing_is_started(shared_project: Repo, others: tuple[str, ...], env: dict[str, str]) -> None:
    index(shared_project).close()
    assert NOTE not in find(shared_project, *others, env=env)
    assert not (client.socket_path().parent / "daemon.err").exists()


def test_a_script_starts_nothing(shared_project: Repo) -> None:
    index(shared_project).close()
    answer = ohara("find", "--repo", str(shared_project.path), "--no-rerank", "upload")
    assert answer.returncode == 0
    assert not (client.socket_path().parent / "daemon.err").exists()


def test_a_home_that_cannot_be_written_does_not_spoil_the_answer(
    monkeypatch: pytest.MonkeyPatch, shared_project: Repo
) -> None:
    index(shared_project).close()
    monkeypatch.setattr(autostart, "is_for_person", lambda *_, **__: True)

    def refuse(**_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(client, "start_daemon_behind", refuse)
    assert autostart.start_service_behind(str(shared_project.path)) == ()


def test_what_an_index_run_made_readers_forget_is_worked_out_again(
    shared_project: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(shared_project).close()
    made: list[Collection[Sha]] = []
    all_shown = ancestry._all_shown

    def counted(session: Session, tips: frozenset[Sha]) -> frozenset[int] | None:
        made.append(tips)
        return all_shown(session, tips)

    monkeypatch.setattr(ancestry, "_all_shown", counted)

    async def ask(known: Repositories) -> None:
        async with known.use(str(shared_project.path)) as engine:
            await engine.find("upload", SearchOptions(rerank=False))

    async def work() -> None:
        known = Repositories()
        await ask(known)
        assert made
        async with anyio.create_task_group() as group:  # a reader that is new forgets what was worked out
            for _ in range(4):
                group.start_soon(ask, known)
        made.clear()
        (opened,) = known._open.values()
        last_used, folder = opened.last_used, str(opened.engine.repository.common_dir)
        for _ in opened.engine.index():  # nothing is new: it writes only that it ran
            pass
        await known.refresh("/another", "change")
        assert not made
        await known.refresh(folder, "upload")
        assert len(made) == 1
        assert (opened.users, opened.last_used) == (0, last_used)
        await ask(known)
        assert len(made) == 1
        known.close()

    anyio.run(work)


def test_a_service_that_cannot_get_ready_serves(tmp_path: Path) -> None:
    client.start_daemon_behind(idle_exit_s=60, ready_for=str(tmp_path))
    assert wait_until(is_running)
    assert wait_until(lambda: f"not ready for {tmp_path}" in paths.log_file().read_text())
    assert is_running()

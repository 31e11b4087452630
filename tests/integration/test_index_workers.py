"""Worker processes: one that parsing has worn out is replaced, and nothing of its work is lost."""

from __future__ import annotations

from itertools import repeat
from threading import Timer
from typing import TYPE_CHECKING

from ohara.index.ipc import Part, WorkerSetup
from ohara.index.pool import Pool
from ohara.index.rules import Rules
from ohara.store.locate import IndexLocation

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from fixtures.git import Repo

_TASKS = 6


def _setup(repo: Repo, folder: Path, *, lost_bytes_at_most: int) -> WorkerSetup:
    return WorkerSetup(
        repository=str(repo.path),
        location=IndexLocation(repo.git_dir, folder),
        rules=Rules(),
        chunk_chars=1_500,
        chunk_lines=60,
        max_blob_bytes=1 << 20,
        embedder="none",
        lost_bytes_at_most=lost_bytes_at_most,
    )


def _names_and_processes(pool: Pool, blob: str) -> tuple[list[str], set[int]]:
    """What a worker finds in the same blob, once a task, and the processes that did it."""
    names: list[str] = []
    processes: set[int] = set()

    def tasks() -> Iterable[tuple[object, ...]]:
        for _ in range(_TASKS):
            processes.update(worker.process.pid for worker in pool._workers)
            yield ((blob, "python"),)

    for message in pool.run("head", tasks()):
        assert isinstance(message, Part)
        for _, symbols in message.results:  # type: ignore[misc]
            names += [symbol.name for symbol in symbols]  # type: ignore[has-type]
    return names, processes


def test_a_worker_that_parsing_wore_out_is_replaced_between_tasks(
    three_commits: Repo, tmp_path: Path
) -> None:
    source = tmp_path / "shop.py"
    # Large enough to be parsed by pieces, which is what wears out.
    source.write_text("def pay():\n    return 1\n" + "costs = 1\n" * 15_000, encoding="utf-8")
    blob = three_commits.git("hash-object", "-w", str(source)).strip()

    with Pool(_setup(three_commits, tmp_path, lost_bytes_at_most=1 << 24), jobs=1) as pool:
        names, processes = _names_and_processes(pool, blob)
    assert names == ["pay"] * _TASKS
    assert len(processes) == 1

    with Pool(_setup(three_commits, tmp_path, lost_bytes_at_most=0), jobs=1) as pool:
        names, processes = _names_and_processes(pool, blob)
    assert names == ["pay"] * _TASKS
    assert len(processes) > 1


def test_tasks_and_answers_larger_than_the_pipes_keep_nobody_waiting_for_ever(
    three_commits: Repo, tmp_path: Path
) -> None:
    """The one who gives tasks must not wait for a worker that waits for its answers to be taken."""
    source = tmp_path / "many.py"
    source.write_text("".join(f"def function_{at}(): pass\n" for at in range(25)), encoding="utf-8")
    blob = three_commits.git("hash-object", "-w", str(source)).strip().encode()
    task = tuple((blob.decode(), "python") for _ in range(1_500))  # each a text of its own, sent as such
    with Pool(_setup(three_commits, tmp_path, lost_bytes_at_most=1 << 40), jobs=1) as pool:
        watchdog = Timer(90, pool.dismiss)
        watchdog.start()
        try:
            with pool.meanwhile(repeat("a step")):
                found = [len(message.results) for message in pool.run("head", [task] * 8)]  # type: ignore[union-attr]
        finally:
            watchdog.cancel()
    assert found == [len(task)] * 8

"""Brings the index up to date before a search, within limits.

The first search in a repository waits a few seconds for the newest commits and leaves the rest to a
background process; later searches index a few new commits first. The notes say what is not indexed yet.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

from ohara.cli.progress import Reporter
from ohara.engine import CATCH_UP_COMMITS
from ohara.errors import IndexCorrupt, IndexLocked, IndexMissing, IndexTooNew, StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ohara.engine import Engine

FIRST_RUN_S = 5.0  # as long as a person watches a bar; on two cores it reads the newest thousand commits

_LOG = "background.log"
_BEING_READ = "another process is reading the rest (ohara status)"


def freshen(engine: Engine, *, quiet: bool) -> list[str]:
    """Index the newest commits before a search; returns notes about what is left to the background."""
    if engine.is_shared:  # who pushes it looks after it
        return []
    try:
        if not engine.store.exists or _holds_nothing(engine):
            _begin(engine, quiet=quiet)
            return finish_in_background(engine)
        pending = engine.catch_up()
    except IndexLocked:
        if not engine.store.exists:
            raise
        return [_BEING_READ]
    except StoreError as error:
        if isinstance(error, IndexCorrupt | IndexTooNew) or not engine.store.exists:
            raise
        return [f"new commits could not be read: {error.message}"]  # what is indexed can still be searched
    return _start_background(engine) if pending else []


def begin_all(engines: Sequence[Engine], *, quiet: bool) -> list[str]:
    """Begin indexes that are missing, in the time of one; returns notes about what is left to do."""
    notes: list[str] = []
    for engine in engines:
        engine.location.prepare()
        reporter = Reporter(quiet=quiet, as_json=False)
        reporter.begin(f"{engine.repository.path} has no index yet: reading its newest commits")
        try:
            _run(engine, quiet=quiet, at_most_s=FIRST_RUN_S / len(engines))
            notes += [f"{engine.repository.path}: {note}" for note in finish_in_background(engine)]
        except IndexLocked:
            notes.append(f"{engine.repository.path}: {_BEING_READ}")
    return notes


def renew_vectors(engine: Engine) -> list[str]:
    """Start making the chosen embedder's vectors in the background; returns notes about it."""
    if engine.indexing_since() is None:
        start_indexer(engine.repository.common_dir, engine.location.folder / _LOG)
    return ["another embedder was chosen: its vectors are being made in the background (ohara status)"]


def _holds_nothing(engine: Engine) -> bool:
    """True when the first run was ended before it indexed any commit, or before it wrote anything at all."""
    try:
        pending = engine.pending()
    except IndexMissing:
        if engine.indexing_since() is not None:  # it is being made
            raise
        return True
    return pending is not None and pending > CATCH_UP_COMMITS and not engine.status().indexed


def _begin(engine: Engine, *, quiet: bool) -> None:
    engine.location.prepare()  # a folder that cannot be written fails here, before anything is printed
    Reporter(quiet=quiet, as_json=False).begin(
        f"no index yet: reading the newest commits for up to {FIRST_RUN_S:.0f} s"
    )
    _run(engine, quiet=quiet, at_most_s=FIRST_RUN_S)


def finish_in_background(engine: Engine) -> list[str]:
    """Leave what is not done yet to an indexer in the background; returns notes about it."""
    passes = engine.status().passes
    if engine.pending() or any(part.done < part.total for part in passes):
        return _start_background(engine)
    return []


def _run(engine: Engine, *, quiet: bool, at_most_s: float) -> None:
    from ohara.index.job import IndexOptions

    reporter = Reporter(quiet=quiet, as_json=False)
    try:
        with closing(engine.index(IndexOptions(at_most_s=at_most_s))) as moments:
            for progress in moments:
                reporter.show(progress)
    finally:
        reporter.close()


def _start_background(engine: Engine) -> list[str]:
    """Start an indexer that outlives this process, unless one is running; returns notes about it."""
    if engine.indexing_since() is not None:
        return [_BEING_READ]
    try:
        start_indexer(engine.repository.common_dir, engine.location.folder / _LOG)
    except OSError as error:  # what is indexed can still be searched
        return [f"the rest cannot be read: {error.strerror}: {error.filename}"]
    return ["the rest is being read in the background (ohara status)"]


def start_indexer(repository: Path, log: Path) -> None:
    """Start a niced `ohara index` in its own session, detached from the terminal.

    `-P` keeps the interpreter from importing modules from the current folder, which may hold anything.
    """
    command = [sys.executable, "-P", "-m", "ohara", "index", "--repo", str(repository), "--scheduled"]
    with log.open("wb") as said:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            cwd=log.parent,
            env=os.environ | {"OHARA_DEBUG": ""},
            start_new_session=True,
        )
    process.returncode = 0  # this process does not wait for it; without a code, Popen would warn

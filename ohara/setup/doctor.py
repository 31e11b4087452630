"""Checks everything that ohara depends on and reports, for each part, that it is fine or how to repair it.

A check never raises and never changes anything; `repair` does what a check proposes, where that is safe.
"""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from ohara import client, config, paths, speedups, wire
from ohara.embed.catalog import load_embedder, load_reranker
from ohara.embed.identity import embedder_identity
from ohara.embed.model_text import VECTORS_VERSION
from ohara.errors import ConfigError, IndexMissing, OharaError, reason_of
from ohara.parse import PARSER_VERSION
from ohara.plural import counted
from ohara.records import dataclass
from ohara.setup import schedule
from ohara.setup.subprocesses import ohara_command, run
from ohara.store.engines import index_at, try_engine
from ohara.store.fingerprint import LINES_VERSION, PIECES_VERSION, Fingerprint, stale_passes
from ohara.store.locate import closed_indexes, known_indexes, not_entered
from ohara.words import WORDS_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ohara.settings import Settings
    from ohara.store.index import Index

_LEAST_FREE_BYTES = 500 * 10**6  # a batch, its log and a merge of the word tables
_WATCHES_A_REPOSITORY = 300  # folders below refs, generously


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check; `fix` is the command to type, `repair` the arguments of ohara that do it."""

    name: str
    well: bool
    said: str
    fix: str = ""
    repair: tuple[str, ...] = ()


def examine() -> Iterator[Finding]:
    """Run every check; wrong settings are reported once, not by each check that needs them."""
    told: set[str] = set()
    for name, check in _CHECKS:
        try:
            yield from check(name)
        except (OharaError, OSError) as error:
            if isinstance(error, ConfigError) and error.message in told:
                continue
            told.add(reason_of(error))
            hint = error.hint if isinstance(error, OharaError) else ""
            yield Finding(name, well=False, said=reason_of(error), fix=hint)
    for location in known_indexes():
        yield _index(index_at(location))


def repair(finding: Finding) -> str:
    """Do what a finding proposes; returns what went wrong, or an empty text."""
    done = run(ohara_command(*finding.repair))
    return done.stderr.strip().partition("\n")[0].removeprefix("ohara: ") if done.returncode else ""


# -- the checks ----------------------------------------------------------------------------------


def _settings(name: str) -> Iterator[Finding]:
    config.load()
    yield Finding(name, well=True, said=f"read from {paths.config_file()} and the environment")


def _database(name: str) -> Iterator[Finding]:
    yield Finding(name, well=True, said=try_engine())


def _compiled(name: str) -> Iterator[Finding]:
    if speedups.is_outdated:
        checkout = Path(speedups.__file__).parents[2]
        said = "compiled from other sources than these, and not used: indexing takes a third longer"
        yield Finding(name, well=False, said=said, fix=f"pip install -e {checkout}")
        return
    there = speedups.compiled is not None
    without = "not there: installed without a C compiler; words and literals of a history take a third longer"
    yield Finding(name, well=True, said="indexing is compiled" if there else without)


def _embedder(name: str) -> Iterator[Finding]:
    wanted = _loaded().models.embedder
    model = load_embedder(wanted)
    if model is None:
        yield Finding(name, well=True, said="switched off (models.embedder = none)")
        return
    yield Finding(name, well=True, said=f"{model.name}, {model.dimensions} dimensions")


def _reranker(name: str) -> Iterator[Finding]:
    wanted = _loaded().models.reranker
    model = load_reranker(wanted)
    yield Finding(name, well=True, said=model.name if model else "switched off (models.reranker = none)")


def _space(name: str) -> Iterator[Finding]:
    place = paths.data_dir()
    there = next(folder for folder in (place, *place.parents) if folder.exists())
    free = shutil.disk_usage(there).free
    yield Finding(
        name,
        well=free >= _LEAST_FREE_BYTES,
        said=f"{free / 1e9:,.1f} GB free in {there}",
        fix="free some space, or move ohara: OHARA_HOME, or XDG_DATA_HOME",
    )


def _permissions(name: str) -> Iterator[Finding]:
    paths.runtime_dir()
    for folder in (paths.data_dir(), paths.state_dir(), paths.indexes_dir()):
        if folder.exists():
            found = folder.stat()
            if found.st_uid != os.getuid() or not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
                yield Finding(
                    name, well=False, said=f"{folder} is not yours to write in", fix=f"ls -ld {folder}"
                )
                return
    closed = next(closed_indexes(), None)
    if closed is not None:
        fault = not_entered(closed)
        yield Finding(name, well=False, said=fault.message, fix=fault.hint)
        return
    open_ones = [
        place.folder for place in known_indexes() if stat.S_IMODE(place.folder.stat().st_mode) & 0o077
    ]
    if open_ones:
        yield Finding(
            name, well=False, said=f"others may look into {open_ones[0]}", fix=f"chmod 700 {open_ones[0]}"
        )
        return
    yield Finding(name, well=True, said="all folders are yours, and indexes yours alone")


def _watcher(name: str) -> Iterator[Finding]:
    limit = Path("/proc/sys/fs/inotify/max_user_watches")
    watched = sum(1 for place in known_indexes() if place.common_dir.is_dir())
    if not limit.exists():
        yield Finding(name, well=True, said="notified by the system")
        return
    allowed = int(limit.read_text())
    yield Finding(
        name,
        well=allowed >= watched * _WATCHES_A_REPOSITORY,
        said=f"{allowed:,} folders may be watched, for {counted(watched, 'repository')}",
        fix="sudo sysctl fs.inotify.max_user_watches=524288",
    )


def _daemon(name: str) -> Iterator[Finding]:
    known = client.running(replace=False)
    if known is None:
        yield Finding(name, well=True, said="not running (ohara daemon start keeps indexes fresh)")
        return
    with known:
        vitals = known.send(wire.HealthCheck())
    paused = f", {vitals.paused}" if vitals.paused else ""
    watched = counted(len(vitals.watched), "repository")
    yield Finding(
        name,
        well=True,
        said=f"process {vitals.pid}, version {vitals.version}, {watched}{paused}",
    )
    for trouble in vitals.troubles:
        # A repository that is polled instead of watched is as fresh, some seconds later.
        yield Finding(
            f"{name}, {trouble.part} {trouble.repository}",
            well=trouble.part == "watching",
            said=trouble.said,
            fix="ohara daemon logs",
        )


def _schedule(name: str) -> Iterator[Finding]:
    there = schedule.found()
    if not there:
        yield Finding(name, well=True, said="none (ohara schedule install makes one)")
    for way, installed in there:
        yield Finding(
            name,
            well=installed.active,
            said=f"{way.name}, {'on' if installed.active else 'written but switched off'}",
            fix="ohara schedule install",
        )


def _index(index: Index) -> Finding:
    """Check that an index is intact, belongs to an existing repository, and was made by the current rules."""
    location = index.location
    name = f"index of {location.common_dir}"
    if not location.common_dir.is_dir():
        forget = ("forget", str(location.common_dir))
        return Finding(
            name,
            well=False,
            said="its repository is gone",
            fix=f"ohara forget {location.common_dir}",
            repair=forget,
        )
    again = ("index", "--scheduled", "--repo", str(location.common_dir))
    try:
        examined = index.examine()
    except IndexMissing as error:
        return Finding(name, well=False, said=error.message, fix=f"ohara {' '.join(again)}", repair=again)
    except OharaError as error:
        rebuild = (*again, "--rebuild")
        return Finding(name, well=False, said=error.message, fix=f"ohara {' '.join(rebuild)}", repair=rebuild)
    if examined.damage:
        rebuild = (*again, "--rebuild")
        return Finding(
            name,
            well=False,
            said=f"damaged: {examined.damage}",
            fix=f"ohara {' '.join(rebuild)}",
            repair=rebuild,
        )
    try:
        stale = stale_passes(examined.made_with, _fingerprint())
    except ConfigError:  # told already, and the index is as it was
        stale = frozenset()
    if stale:
        passes = ", ".join(sorted(stale))
        return Finding(
            name,
            well=False,
            said=f"made by another version: {passes}",
            fix=f"ohara {' '.join(again)}",
            repair=again,
        )
    return Finding(name, well=True, said=f"whole, {index.size_bytes() / 1e6:,.1f} MB")


def _fingerprint() -> Fingerprint:
    identity = embedder_identity(_loaded().models.embedder)
    return Fingerprint(
        words=WORDS_VERSION,
        parser=PARSER_VERSION,
        embedder=identity.id if identity else "",
        vectors=VECTORS_VERSION,
        pieces=PIECES_VERSION,
        lines=LINES_VERSION,
    )


def _loaded() -> Settings:
    return config.load().settings


_CHECKS: tuple[tuple[str, Callable[[str], Iterator[Finding]]], ...] = (
    ("settings", _settings),
    ("database", _database),
    ("speedups", _compiled),
    ("embedder", _embedder),
    ("reranker", _reranker),
    ("disk space", _space),
    ("permissions", _permissions),
    ("watcher", _watcher),
    ("daemon", _daemon),
    ("schedule", _schedule),
)

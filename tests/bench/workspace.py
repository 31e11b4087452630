"""Where a benchmark keeps its copies and indexes: one folder, never the user's, of use to the next run."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ohara.paths import HOME_VARIABLE
from ohara.settings import Settings
from tests.bench.changelog import ignore_patterns
from tests.bench.measure import environment, ohara_command, weigh
from tests.bench.report import talk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Subject:
    """A repository under test, by the name it has in tables."""

    name: str
    repo: Path


@dataclass(frozen=True, slots=True)
class Indexed:
    """A history that is indexed without its changelog, in a home of its own."""

    repo: Path
    home: Path
    settings: Settings


def with_messages(subject: Subject, work: Path, patterns: Sequence[str] = ()) -> Indexed:
    """Index a history as it is, but for the changelog."""
    settings = Settings()
    settings = replace(settings, index=replace(settings.index, ignore=ignore_patterns(patterns)))
    indexed = Indexed(subject.repo, work / "with-messages", settings)
    bring_up_to_date(indexed)
    return indexed


def bring_up_to_date(indexed: Indexed, *options: str, **told: str) -> None:
    """Run `ohara index` on what an index lacks."""
    talk(f"{indexed.repo}: indexing ({indexed.home.name})")
    cost = weigh(
        ohara_command("index", "-q", "--repo", str(indexed.repo), *options),
        env=environment(indexed.home, OHARA_INDEX_IGNORE=",".join(indexed.settings.index.ignore), **told),
    )
    talk(f"{indexed.repo}: indexed in {cost.wall_s:.1f} s")


@contextmanager
def at_home(home: Path) -> Iterator[None]:
    """Let ohara in this process keep its files in a folder of the benchmark."""
    before = os.environ.get(HOME_VARIABLE)
    os.environ[HOME_VARIABLE] = str(home)
    try:
        yield
    finally:
        if before is None:
            del os.environ[HOME_VARIABLE]
        else:
            os.environ[HOME_VARIABLE] = before

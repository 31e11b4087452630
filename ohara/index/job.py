"""What one index run is asked to do, and what its steps share."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.embed.identity import embedder_identity
from ohara.index.plan import NO_LIMITS, Limits
from ohara.index.rules import Exclusions, find_attribute_files, read_rules
from ohara.index.stages import Clock
from ohara.index.survey import DEFAULT_REFS, RefChoice, earliest
from ohara.model import Pass
from ohara.records import dataclass

if TYPE_CHECKING:
    from threading import Event

    from ohara.git.repo import Repository
    from ohara.settings import Settings
    from ohara.store.index import Index

ALL_PASSES = frozenset(Pass)


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """What one run should do."""

    refs: RefChoice = DEFAULT_REFS
    limits: Limits = NO_LIMITS
    jobs: int = 0
    passes: frozenset[Pass] = ALL_PASSES
    rebuild: bool = False
    scheduled: bool = False
    lock_wait_s: float = 0.0
    at_most_s: float | None = None
    stop: Event | None = None  # set from outside: end early, in good order
    visit: bool = False  # refs are read for one search, or taken out again after it


DEFAULTS = IndexOptions()


class Job:
    """The things that the steps of one run share."""

    def __init__(
        self, repository: Repository, index: Index, settings: Settings, options: IndexOptions
    ) -> None:
        self.repository = repository
        self.index = index
        self.settings = settings
        self.options = options
        now = time.monotonic()
        deadline = None if options.at_most_s is None else now + options.at_most_s
        self.clock = Clock(now, deadline, options.stop, repository.common_dir)
        self.attribute_files = find_attribute_files(repository, index)
        self.rules = read_rules(repository, settings.index, self.attribute_files)
        self.exclusions = Exclusions(self.rules)
        self.rejudged = 0
        self.embedder = embedder_identity(settings.models.embedder)
        self.limits = options.limits
        self.is_bound_by_setting = bool(settings.index.since) and options.limits.since is None
        if self.is_bound_by_setting:
            self.limits = replace(options.limits, since=earliest(settings.index.since))

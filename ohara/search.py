"""The search part of the engine of one repository: readers and models that stay open between queries."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from ohara.embed.catalog import serving_embedder, serving_reranker
from ohara.embed.identity import embedder_of
from ohara.embed.model_cache import shared_embedder, shared_reranker
from ohara.errors import QueryError, RepositoryError, UsageError
from ohara.fate.source import FateSource
from ohara.forge import forge_of, hit_page
from ohara.index.reachability import NOT_INDEXED_HINT, Reach, Reaches
from ohara.index.status import UnseenCommits, brief_status
from ohara.index.survey import (
    RefChoice,
    choose_refs,
    command_to_choose,
    resolve_tips,
)
from ohara.model import MOST_HITS, WHOLE_HUNK, Group, IndexStatus, LaneStatus, Mode, Order, Sha, SpanScope
from ohara.query.project import of_another_project
from ohara.query.repositories import filter_source, lets_through
from ohara.records import replace
from ohara.retrieve.found import results_of
from ohara.retrieve.head_lines import HeadLines
from ohara.retrieve.profile import PROFILES
from ohara.retrieve.query_vector import Models
from ohara.retrieve.reading import moment
from ohara.retrieve.request import Extent, Named, Plan, Reached, Sources
from ohara.retrieve.run import find, search
from ohara.store.facts import OLDER

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from anyio.streams.memory import MemoryObjectSendStream

    from ohara.embed.encoder import Embedder, Reranker
    from ohara.git.repo import Repository
    from ohara.model import Query, Results, SearchOptions
    from ohara.query.names import LinesName
    from ohara.retrieve.comparing import Beside
    from ohara.retrieve.cursor import Page
    from ohara.retrieve.found import Found
    from ohara.retrieve.lanes.literal import Verified
    from ohara.retrieve.request import Traced
    from ohara.retrieve.structural import Structures
    from ohara.settings import Settings
    from ohara.store.index import Index
    from ohara.store.reading import Reader


class Search:
    """Answers queries over one index; safe to use from several tasks at once."""

    def __init__(
        self,
        repository: Repository,
        index: Index,
        settings: Settings,
        trace: Callable[[Reader, LinesName, Sequence[str]], Traced],
    ) -> None:
        self._repository = repository
        self._shared_by = index.shared_by
        self._settings = settings
        self._lock = Lock()
        self._embedder: Embedder | None = None
        self._former: Embedder | None = None
        self.vectors_are_old = False  # a query met vectors of another model than the settings mean
        self._reranker: Reranker | None = None
        self._reaches = Reaches(repository, settings.index.since)
        self._unseen = UnseenCommits(repository)
        self._pool = index.readers()
        self._match_cache = index.match_cache
        self._structures: Structures | None = None
        self._sources = Sources(
            repository=str(repository.path),
            pool=self._pool,
            models=Models(self._load_embedder, self._maker),
            reranker=self._load_reranker,
            reachable=self._reachable,
            named=self._named,
            status=self._status,
            extent=self._extent,
            count_lines=HeadLines(repository.common_dir).count,
            structures=self._load_structures,
            tip=self._tip,
            fates=FateSource(repository.common_dir),
            trace=trace,
            is_served=bool(index.shared_by),
        )

    def close(self) -> None:
        """Close the connections, and end the parser."""
        self._pool.close()
        with self._lock:
            structures, self._structures = self._structures, None
        if structures is not None:
            structures.close()

    @property
    def is_outdated(self) -> bool:
        """True when connections are open to an index that is no longer there."""
        return self._pool.is_outdated

    def plan(self, options: SearchOptions) -> Plan:
        """How to answer with these options, checked, and completed by the settings."""
        if options.order not in frozenset(Order):  # who calls from Python may write anything
            raise UsageError(
                f"there is no order {options.order!r}", hint=f"the orders are {', '.join(Order)}"
            )
        if options.group not in frozenset(Group):
            raise UsageError(
                f"hits are not grouped by {options.group!r}", hint=f"group them by {' or '.join(Group)}"
            )
        if options.all_hunks and options.group == Group.THREAD:
            raise UsageError(
                "every hunk and one hit a thread exclude each other", hint="leave out --all-hunks or --group"
            )
        if options.k is not None and not 0 <= options.k <= MOST_HITS:
            raise UsageError(f"{options.k} hits cannot be shown", hint=f"give a number from 1 to {MOST_HITS}")
        if options.context is not None and not 0 <= options.context <= WHOLE_HUNK:
            raise UsageError(f"{options.context} lines of context cannot be shown", hint="give 0 or more")
        return Plan(
            options=replace(options, now=moment(options)),
            settings=self._settings.find,
            profile=PROFILES[self._settings.find.profile],
            models=f"{self._settings.models.embedder} {self._settings.models.reranker}",
        )

    async def find(
        self, query: Query, plan: Plan, moments: MemoryObjectSendStream[Verified] | None = None
    ) -> Results:
        """Answer a query; the progress of an exact search is sent to `moments`."""
        self.vectors_are_old = False
        query = self._without_repositories(query)
        results = await self._pool.of_one_index(lambda: find(self._sources, query, plan, moments))
        results = self._with_notes(results, plan)
        return replace(results, notes=(*self._of_another_project(query), *results.notes))

    async def find_beside(
        self,
        query: Query,
        plan: Plan,
        page: Page,
        *,
        beside: Beside,
        choose: Callable[[Found], Awaitable[int]],
    ) -> Results:
        """Answer a query as one of several indexes.

        The first hunks are compared with those of the others, and `choose` tells how many of what was found
        are among the hits of all.
        """
        self.vectors_are_old = False
        sources = replace(self._sources, beside=beside)

        async def ask() -> Results:
            found = await search(sources, query, plan, page=page)
            return await results_of(found.first(await choose(found)))

        return self._with_notes(await self._pool.of_one_index(ask), plan)

    def _without_repositories(self, query: Query) -> Query:
        """The query without filters of repositories; an error when they leave this one out."""
        filters = query.filters
        if not lets_through(filters, self._sources.repository):
            raise QueryError(
                f"{self._sources.repository} is not let through by {filter_source(filters)}",
                hint="--everywhere searches all indexed repositories",
            )
        return replace(query, filters=replace(filters, repos=(), not_repos=()))

    def load_reranker(self) -> Reranker | None:
        """The cross-encoder that the settings name; None when there is none."""
        return self._load_reranker()

    def _with_notes(self, results: Results, plan: Plan) -> Results:
        notes = (*_gone(results.index.gone), *self._substitutes(results, plan))
        with self._lock:
            forge = forge_of(self._repository.remote_url())
        hits = results.hits
        if forge is not None:
            hits = tuple(replace(hit, url=hit_page(forge, hit)) for hit in hits)
        return replace(results, hits=hits, notes=(*results.notes, *notes))

    def _of_another_project(self, query: Query) -> tuple[str, ...]:
        """A note about a name of another repository, whose number or path is looked up in this one."""
        if query.mode is not Mode.AUTO or query.patterns:
            return ()
        with self._lock:
            note = of_another_project(query.words, self._repository.remote_urls())
        return (note,) if note else ()

    def _substitutes(self, results: Results, plan: Plan) -> tuple[str, ...]:
        """Notes about models that a setting names and this machine lacks, if the search needed them."""
        models = self._settings.models
        status = {report.name: report.status for report in results.lanes}
        said: list[str] = []
        if status.get("vector", LaneStatus.OFF) is not LaneStatus.OFF:
            said.append(serving_embedder(models.embedder).note)
        if plan.rerank and "rerank" in status:
            said.append(serving_reranker(models.reranker).note)
        return tuple(filter(None, said))

    # -- sources ---------------------------------------------------------------------------------

    def _load_embedder(self) -> Embedder | None:
        with self._lock:
            if self._embedder is None:
                self._embedder = shared_embedder(serving_embedder(self._settings.models.embedder).name)
            return self._embedder

    def _maker(self, model_id: str) -> Embedder | None:
        """The embedder that made the stored vectors, kept for the next query."""
        with self._lock:
            self.vectors_are_old = True
            if self._former is None or self._former.id != model_id:
                self._former = embedder_of(model_id)
            return self._former

    def _load_reranker(self) -> Reranker | None:
        with self._lock:
            if self._reranker is None:
                self._reranker = shared_reranker(serving_reranker(self._settings.models.reranker).name)
            return self._reranker

    def _load_structures(self) -> Structures:
        from ohara.retrieve.structural import Structures  # late: most questions are not of code

        with self._lock:
            if self._structures is None:
                self._structures = Structures(self._repository.common_dir, self._match_cache())
            return self._structures

    def _named(self, reader: Reader, names: tuple[str, ...]) -> Named:
        """The commits that names resolve to, and a note about those that are not indexed."""
        with self._lock:
            found = self._resolved(names)
        indexed = reader.indexed(set(found.values()))
        absent = [name for name, sha in found.items() if sha not in indexed]
        verb = "is" if len(absent) == 1 else "are"
        note = f"{' and '.join(absent)} {verb} not in the index: {NOT_INDEXED_HINT}" if absent else ""
        return Named(tuple(found.values()), note)

    def _resolved(self, names: tuple[str, ...]) -> dict[str, Sha]:
        try:
            return self._repository.resolve(names)
        except RepositoryError as error:
            raise QueryError(error.message, hint=error.hint) from error

    def _reachable(self, reader: Reader, refs: tuple[str, ...]) -> Reached:
        """The indexed commits that refs lead to, and a note when some are not indexed."""
        with self._lock:
            found = self._resolved(refs)
            choice = choose_refs(reader, RefChoice(), self._settings.index.refs)
            covered = resolve_tips(self._repository.shared, choice).values()
            reach = self._reaches.of(reader, found, covered)
            note = _outside(refs, reach, command_to_choose(self._repository, choice, reach.names))
        return Reached(reach.indexed, note, reach.outside)

    def _status(self, reader: Reader) -> IndexStatus:
        with self._lock:
            return brief_status(
                self._repository,
                reader,
                self._settings,
                reader.counts().passes,
                self._unseen.count,
                shared=self._shared_by,
            )

    def _extent(self, reader: Reader) -> Extent:
        """Whether every commit up to HEAD is indexed (none pending, failed, cut off, left out), and read."""
        with self._lock:
            head = self._repository.resolve_existing(("HEAD",)).get("HEAD")
        whole = (
            head is not None
            and not self._repository.is_shallow
            and not reader.fact(OLDER)
            and not reader.failed()
            and bool(reader.indexed((head,)))
            and self._status(reader).behind == 0
        )
        if not whole:
            return Extent(SpanScope.INDEXED, head)
        return Extent(SpanScope.READ if reader.unread_commits() else SpanScope.HISTORY, head)

    def _tip(self, refs: tuple[str, ...]) -> Sha | None:
        """The commit from which lines are seen: the first of the refs that were asked for, or HEAD."""
        with self._lock:
            if refs:
                return next(iter(self._resolved(refs).values()), None)
            return self._repository.resolve_existing(("HEAD",)).get("HEAD")


def _gone(refs: tuple[str, ...]) -> tuple[str, ...]:
    """A note about refs that were chosen to be indexed and no longer exist."""
    if not refs:
        return ()
    verb = "is" if len(refs) == 1 else "are"
    return (f"{' and '.join(refs)}, chosen to be indexed, {verb} gone (ohara status)",)


def _outside(refs: tuple[str, ...], reach: Reach, command: str) -> str:
    """A note about commits that no indexed ref leads to; empty when there are none."""
    if not reach.outside:
        return ""
    many = "commit" if reach.commits == 1 else "commits"
    verb = "is" if reach.outside == 1 else "are"
    remedy = command or f"no branch or tag leads to {'it' if reach.outside == 1 else 'them'}"
    those = f"{reach.commits:,} {many} of {' and '.join(refs)}"
    return f"{reach.outside:,} of the {those} {verb} not indexed: {remedy}"

"""The engine of one repository: index it, search it, browse it, and report its status."""

from __future__ import annotations

import shlex
import time
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ohara import config
from ohara.errors import IndexLocked, IndexMissing, InternalError, OharaError, RepositoryError, reason_of
from ohara.git.repo import Repository
from ohara.git.walk import walk
from ohara.index.reachability import not_indexed
from ohara.index.status import brief_status, count_unseen
from ohara.index.survey import DEFAULT_REFS, ChosenBy, RefChoice, choose_refs, recount, resolve_tips
from ohara.model import WHOLE_HUNK, ExplainOptions, IndexStatus, Pass, Progress, SearchOptions
from ohara.records import dataclass
from ohara.sharing import server_named, shared_index
from ohara.store.engines import index_at
from ohara.store.facts import LAST_RUN, TIPS, TOTAL
from ohara.store.locate import known_indexes, locate

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from anyio.streams.memory import MemoryObjectSendStream

    from ohara.browse.browser import Browser
    from ohara.index.job import IndexOptions
    from ohara.model import Hit, Query, Related, Results, Sha
    from ohara.query.names import LinesName
    from ohara.retrieve.lanes.literal import Verified
    from ohara.retrieve.request import Traced
    from ohara.search import Search
    from ohara.settings import Settings
    from ohara.store.index import Index, Statistics
    from ohara.store.locate import IndexLocation
    from ohara.store.reading import Reader

CATCH_UP_COMMITS = 200  # a day's pull: read in well under a second
EXACT_PASSES = frozenset({Pass.TEXT, Pass.LITERAL})

# A service or a hook indexes what is new just as a search asks for it. Such commits are there in a fraction
# of a second, and the search waits for them. A run that has gone on for longer has a long history to read.
_BESIDE_S = 3.0
_JUST_BEGUN_S = 5.0
_LOOK_EVERY_S = 0.02

_LOCK_WAIT_S = 10.0  # for the short operations: a running index batch ends well before this
_VISIT_LINES_S = 2.0  # far from what is indexed a minute would not do; the answer says what is not known


class Engine:
    """Everything ohara does with one repository."""

    def __init__(self, repository: Repository, settings: Settings, store: Index | None = None) -> None:
        self.repository = repository
        self.settings = settings
        self.store: Index = store or index_at(locate(repository.common_dir))
        self.is_shared = store is not None  # such an index is only read
        self._shared_settings: Settings | None = None
        self._search: Search | None = None
        self._browser: Browser | None = None

    @classmethod
    def open(
        cls, path: Path | str = ".", settings: Settings | None = None, *, shared: str | None = None
    ) -> Engine:
        """Open the repository that contains a path, with the settings in force there.

        `shared` names the server whose index is asked instead of this machine's; such an engine only reads.
        """
        repository = Repository.open(path)
        if settings is None:
            settings = config.load(repository=repository.work_dir).settings
        if shared:
            return cls(repository, settings, shared_index(repository, server_named(shared)))
        engine = cls(repository, settings)
        if not engine.store.exists:
            from ohara.index.adopt import adopt_index

            adopt_index(repository, engine.store)
        return engine

    @property
    def index_settings(self) -> Settings:
        """The settings that an index run goes by: of all work trees, those of the main one.

        They share an index, which must not be made anew for each of them in turn.
        """
        if not self.repository.is_linked:
            return self.settings
        if self._shared_settings is None:
            shared = config.load(repository=self.repository.shared.work_dir).settings
            self._shared_settings = replace(self.settings, index=shared.index)
        return self._shared_settings

    @property
    def location(self) -> IndexLocation:
        """Where the index lies."""
        return self.store.location

    # -- writing ---------------------------------------------------------------------------------

    def index(self, options: IndexOptions | None = None) -> Generator[Progress]:
        """Index what is not indexed yet, yielding progress."""
        from ohara.index.job import DEFAULTS
        from ohara.index.run import run

        return run(self.repository.shared, self.store, self.index_settings, options or DEFAULTS)

    def gc(self) -> int:
        """Remove commits that no indexed ref reaches any more; how many there were."""
        self.require_index()
        with (
            self.store.locked(wait_s=_LOCK_WAIT_S),
            self.store.writer(passes=frozenset(), verdict=lambda _: None) as writer,
        ):
            self.store.discard_aside()
            return writer.upkeep.collect()

    def forget(self) -> int:
        """Delete the index; how many bytes that freed."""
        return forget(self.store)

    # -- asking ----------------------------------------------------------------------------------

    @property
    def search(self) -> Search:
        """The search part; its readers and models stay open between queries."""
        if self._search is None:
            self.require_index()
            from ohara.search import Search  # late: an index run that finds nothing to do needs none of it

            self._search = Search(
                self.repository,
                self.store,
                replace(self.settings, index=self.index_settings.index),
                self._trace,
            )
        return self._search

    @property
    def browser(self) -> Browser:
        """The browsing part; its readers stay open between requests."""
        if self._browser is None:
            self.require_index()
            from ohara.browse.browser import Browser  # late: only those who browse need it

            self._browser = Browser(self.repository, self.store, self.settings)
        return self._browser

    def _trace(self, reader: Reader, lines: LinesName, paths: Sequence[str]) -> Traced:
        """What touched lines; the browsing half is opened by the first who asks."""
        return self.browser.trace(reader, lines, paths)

    def find_pattern(self, query: str | Query, options: SearchOptions = SearchOptions()) -> Results:  # noqa: B008 - frozen
        """Answer a query; one that is already parsed has its mode, filters and polarity in it."""
        from ohara import blocking

        return blocking.run(self.find, query, options)

    async def find(
        self,
        query: str | Query,
        options: SearchOptions = SearchOptions(),  # noqa: B008 - frozen
        moments: MemoryObjectSendStream[Verified] | None = None,
    ) -> Results:
        """Answer a query, in a running event loop; the progress of an exact search is sent to `moments`."""
        from ohara.retrieve.reading import read_query

        results = await self.search.find(read_query(query, options), self.search.plan(options), moments)
        return await self.with_tags(results) if options.tags else results

    async def with_tags(self, results: Results) -> Results:
        """The results with the first release that held each hit."""
        if not results.hits:
            return results
        tags = await self.browser.first_tags({hit.commit.sha for hit in results.hits})
        return replace(
            results, hits=tuple(replace(hit, tag=tags.get(hit.commit.sha)) for hit in results.hits)
        )

    def explain(self, place: str, options: ExplainOptions = ExplainOptions()) -> Results:  # noqa: B008 - frozen
        """The commits that made a place (lines, a file, a symbol) what it is; one hit for each."""
        from ohara import blocking

        return blocking.run(self.browser.explain, place, options)

    async def hunks_of(self, sha: Sha) -> Results:
        """All hunks of a commit, whole; an error when it is not indexed."""
        results = await self.find(sha, SearchOptions(k=0, rerank=False, all_hunks=True, context=WHOLE_HUNK))
        if not results.hits:
            raise not_indexed(sha)
        return results

    def show(self, commit: str) -> tuple[Hit, ...]:
        """All hunks of one commit, whole, named by sha, prefix or ref."""
        from ohara import blocking

        return blocking.run(self.hunks_of, self.repository.commit_named(commit)).hits

    def related(self, place: str, k: int = 10) -> Related:
        """What changes together with a path, lines of it, a symbol or a commit."""
        from ohara import blocking

        return blocking.run(self.browser.related, place, k)

    def statuses(self) -> tuple[IndexStatus, ...]:
        """The status of the one index, as `Searcher` has it."""
        return (self.status(),)

    @property
    def is_outdated(self) -> bool:
        """True when readers are open on an index that was deleted or replaced; the next query closes them."""
        halves = (self._search, self._browser)
        return any(half is not None and half.is_outdated for half in halves)

    def close(self) -> None:
        """Close readers and release models; the next query opens them again."""
        if self._search is not None:
            self._search.close()
            self._search = None
        if self._browser is not None:
            self._browser.close()
            self._browser = None

    def status(self, *, left_out: bool = True) -> IndexStatus:
        """The status of the index, and how far behind the repository it is.

        Without `left_out` nobody goes through all files to count what is left out of search.
        """
        self.require_index()
        with self.store.statistics() as known:
            status = self._status(known)
            return replace(status, left_out=known.left_out()) if left_out else status

    def _status(self, known: Statistics) -> IndexStatus:
        brief = brief_status(
            self.repository,
            known,
            self.index_settings,
            known.passes(),
            partial(count_unseen, self.repository),
            recounts=True,
            shared=self.store.shared_by,
        )
        return replace(
            brief,
            hunks=known.hunks(),
            contents=known.contents(),
            symbols=known.symbols(),
            size_bytes=self.store.size_bytes(),
            failures=known.failures(),
            last_run=known.fact(LAST_RUN),
        )

    def catch_up(self, *, jobs: int = 0, at_most_s: float | None = None) -> int | None:
        """Index new commits for exact search and fates, if they are few; returns what is pending then.

        That is None when nothing is, as of `pending`.
        """
        pending = self.pending()
        if pending is None or pending > CATCH_UP_COMMITS:
            return pending
        from ohara.index.job import IndexOptions

        passes = EXACT_PASSES | {Pass.LINES} if self._few_lines_pending() else EXACT_PASSES
        options = IndexOptions(passes=passes, jobs=jobs, at_most_s=at_most_s)
        ends = time.monotonic() + _BESIDE_S
        while True:
            try:
                self._run(options)
                return self.pending()
            except IndexLocked:
                if time.monotonic() >= ends or not self._has_just_begun():
                    raise
            time.sleep(_LOOK_EVERY_S)
            if self.pending() is None:  # the other one has read them
                return None

    def _has_just_begun(self) -> bool:
        """True when whoever holds the lock began a moment ago, most likely for the same new commits."""
        holder = self.indexing_since()
        return holder is None or time.time() - holder[1] < _JUST_BEGUN_S

    @contextmanager
    def visiting(self, names: Sequence[str]) -> Iterator[None]:
        """Have the history of some names searched beside what is indexed, and hidden again afterwards.

        What was read stays in the index, unseen, until `gc`: the next visit reads only what is new. Lines are
        followed for a moment at most.
        """
        from ohara.index.job import IndexOptions

        with self.store.statistics() as known:
            choice = choose_refs(known, RefChoice(), self.settings.index.refs)
        chosen = tuple(resolve_tips(self.repository.shared, choice))
        visited = RefChoice(tuple(dict.fromkeys((*chosen, *names))), by=ChosenBy.VISIT)
        follows = self._few_lines_pending()
        options = IndexOptions(refs=visited, passes=EXACT_PASSES, visit=True, lock_wait_s=_LOCK_WAIT_S)
        with ExitStack() as after:
            after.callback(self._run, replace(options, refs=DEFAULT_REFS))
            self._run(options)
            if follows:
                self._run(replace(options, passes=frozenset({Pass.LINES}), at_most_s=_VISIT_LINES_S))
            yield

    def _run(self, options: IndexOptions) -> None:
        with closing(self.index(options)) as moments:
            for _ in moments:
                pass

    def outside(self, name: str) -> int:
        """How many commits that a name leads to are not indexed because no indexed ref leads to them."""
        self.require_index()
        tip = self.repository.commit_named(name)
        with self.store.statistics() as known:
            choice = choose_refs(known, RefChoice(), self.settings.index.refs)
        covered = resolve_tips(self.repository.shared, choice).values()
        return sum(1 for _ in walk(self.repository, (tip,), hide=covered))

    def _few_lines_pending(self) -> bool:
        """True when the lines of nearly all commits are followed: new ones cost next to nothing."""
        with self.store.statistics() as known:
            followed = next(each for each in known.passes() if each.stage is Pass.LINES)
        return followed.done > 0 and followed.total - followed.done <= CATCH_UP_COMMITS

    def pending(self) -> int | None:
        """How many commits an index run would read; 0 when refs only moved, None when all is as indexed.

        Cheaper than `status`, as it runs before every search. Commits that could not be read do not count:
        the next full run tries them again.
        """
        self.require_index()
        repository, settings = self.repository.shared, self.index_settings
        with self.store.statistics() as known:
            tips = resolve_tips(repository, choose_refs(known, RefChoice(), settings.index.refs))
            seen = known.fact(TIPS)
            recounted = recount(repository, known, tips, settings.index.since)
            total = known.fact(TOTAL) or 0 if recounted is None else recounted
            left = total - known.commits() - len(known.failed())
        if recounted is not None:
            return max(0, left, count_unseen(repository, tips.values(), seen.values()))
        if tips == seen:
            return left if left > 0 else None
        return max(0, left) + count_unseen(repository, tips.values(), seen.values())

    def refs_to_index(self, asked: RefChoice) -> dict[str, Sha]:
        """The commits that a run would start from; raises for a ref that leads nowhere."""
        repository, settings = self.repository.shared, self.index_settings
        if not (asked.is_default and self.store.exists):
            choice = RefChoice(settings.index.refs, by=ChosenBy.SETTING) if asked.is_default else asked
            return resolve_tips(repository, choice)
        try:
            with self.store.statistics() as known:
                choice = choose_refs(known, asked, settings.index.refs)
        except IndexMissing:  # a run that made the file was killed before it wrote anything
            choice = RefChoice(settings.index.refs, by=ChosenBy.SETTING)
        return resolve_tips(repository, choice)

    def indexing_since(self) -> tuple[int, int] | None:
        """The process that is indexing now and when it began, or None."""
        return self.store.locked_by()

    def require_index(self) -> None:
        """Raise when there is no index yet."""
        if not self.store.exists:
            raise IndexMissing(
                f"{self.repository.name} has no index yet",
                hint=f"build it with: ohara index --repo {shlex.quote(str(self.repository.path))}",
            )


@dataclass(frozen=True, slots=True)
class KnownIndex:
    """An index on this machine: its status, or why that cannot be read."""

    store: Index
    status: IndexStatus | None
    fault: OharaError | None = None

    @property
    def repository(self) -> str:
        """The repository as people name it."""
        return self.status.repository if self.status else str(self.store.location.common_dir)


def all_indexes() -> Iterator[KnownIndex]:
    """Every index on this machine; an error of one does not affect the others."""
    config.load()  # what is wrong with the user's own settings is said once
    for location in known_indexes():
        store = index_at(location)
        try:
            yield KnownIndex(store, _status_of(store))
        except OharaError as fault:
            yield KnownIndex(store, None, fault)
        except Exception as fault:  # noqa: BLE001 - whatever it is, the others shall be listed
            yield KnownIndex(store, None, InternalError(reason_of(fault), hint="ohara doctor"))


def _status_of(store: Index) -> IndexStatus:
    location = store.location
    place = shlex.quote(str(location.common_dir))
    if not location.common_dir.exists():
        raise RepositoryError("the repository is gone", hint=f"ohara forget {place} removes its index")
    engine = Engine.open(location.common_dir)
    if engine.location != location:
        raise RepositoryError(
            f"the repository is gone; {engine.repository.common_dir} is there instead",
            hint=f"rm -r {shlex.quote(str(location.folder))} removes its index",
        )
    if not store.exists and (running := engine.indexing_since()) is not None:
        raise IndexMissing(f"being indexed for the first time, by process {running[0]}", hint="ohara status")
    if not store.exists:
        raise IndexMissing("the first index run did not finish", hint=f"ohara index --repo {place}")
    return engine.status()


def forget(store: Index) -> int:
    """Delete an index, waiting for whoever writes it; how many bytes that freed."""
    return store.forget(wait_s=_LOCK_WAIT_S)

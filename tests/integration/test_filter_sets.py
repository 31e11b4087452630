"""Filters kept as sets of hunks: they let through what the condition in SQL does, and follow the index."""

from __future__ import annotations

import os
import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event
from typing import TYPE_CHECKING

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures import histories
from ohara.engine import Engine
from ohara.index.job import IndexOptions
from ohara.index.survey import RefChoice
from ohara.model import ChangeKind, Filters, HunkId, SearchOptions
from ohara.store.answers import ResolvedCommits, WordQuery
from ohara.store.sql.filters import compile_filters as as_conditions
from ohara.store.sqlite import filters as sqlite_filters
from ohara.store.sqlite.filters import EVERYTHING
from ohara.store.sqlite.hunk_sets import HunkSet, flags
from ohara.store.sqlite.pool import ReaderPool
from ohara.store.sqlite.reader import Reader
from ohara.store.sqlite.shared_memory import SharedMemory
from ohara.store.sqlite.writer import Writer
from tests.indexing import WITHOUT_VECTORS, index

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fixtures.git import Repo
    from ohara.model import Sha
    from ohara.store.candidates import Allowed

NOW = 1_735_689_600
EVERY_PASS = IndexOptions(lock_wait_s=10)

GLOBS = ("cmd/**", "*.go", "web/**/*.ts", "**/test_*", "docs/**", "nowhere/**", "**")
WORDS = ("retry", "compress", "fix", "Goodbye", "renovate", "no such text")


@pytest.fixture(scope="module")
def engine(shared_project: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(tmp_path_factory.mktemp("sets")))
        indexed = index(shared_project, EVERY_PASS)
        # As after a rewrite that was not collected yet: some commits are there and not shown.
        writer = Reader(indexed.location.database)
        writer.connection.pragma("query_only", 0)
        writer.connection.execute("UPDATE commits SET live = 0 WHERE id % 17 = 3")
        writer.close()
        yield indexed
        indexed.close()


@pytest.fixture(scope="module")
def reader(engine: Engine) -> Iterator[Reader]:
    opened = Reader(engine.location.database)
    yield opened
    opened.close()


def some(values: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(values, max_size=2).map(tuple)


def drawn(reader: Reader) -> st.SearchStrategy[Filters]:
    """Filters of every kind that an index decides, with values that fit some, all or none."""
    people = [name for (name,) in reader.rows("SELECT name FROM person")] + ["nobody"]
    paths = [path for (path,) in reader.rows("SELECT path FROM path")]
    symbols = [name for (name,) in reader.rows("SELECT DISTINCT name FROM symbol LIMIT 40")] + ["nothing"]
    times = [time for (time,) in reader.rows("SELECT committer_time FROM commits")]
    globs = some(st.sampled_from([*GLOBS, *paths]))
    authors = some(st.sampled_from(people))
    languages = some(st.sampled_from(["go", "python", "ts", "markdown", "cobol"]))
    endings = some(st.sampled_from(["go", "py", "md", "ts", "zzz"]))
    kinds = st.lists(st.sampled_from(list(ChangeKind)), max_size=2).map(tuple)
    messages, names = some(st.sampled_from(WORDS)), some(st.sampled_from(symbols))
    moments = st.none() | st.sampled_from(times)
    seldom = st.sampled_from([()])
    return st.builds(
        Filters,
        authors=seldom | authors,
        paths=seldom | globs,
        not_paths=seldom | globs,
        langs=seldom | languages,
        since=moments,
        until=moments,
        kinds=seldom | kinds,
        messages=seldom | messages,
        symbols=seldom | names,
        exts=seldom | endings,
        not_authors=seldom | authors,
        not_langs=seldom | languages,
        not_exts=seldom | endings,
        not_kinds=seldom | kinds,
        not_messages=seldom | messages,
        not_symbols=seldom | names,
    )


# What a message is found by, of a commit that has lines: no list shows it beside them.
_UNLISTED = """SELECT id FROM hunk WHERE file_id = 0
  AND commit_id IN (SELECT commit_id FROM hunk WHERE file_id != 0)"""


def hunks(reader: Reader, allowed: Allowed) -> list[int]:
    return sorted(at.hunk for at in reader.recent(allowed))


def listed(reader: Reader, hunks: Iterable[int]) -> list[int]:
    """Those of some hunks that a list shows."""
    return sorted(set(hunks).difference(number for (number,) in reader.rows(_UNLISTED)))


@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_set_lets_through_what_the_condition_does(reader: Reader, data: st.DataObject) -> None:
    filters = data.draw(drawn(reader))
    commits = [(number, sha.hex()) for number, sha in reader.rows("SELECT id, sha FROM commits")]
    if data.draw(st.booleans()):
        filters = Filters(
            refs=("some",) if data.draw(st.booleans()) else (),
            commits=("some",) if data.draw(st.booleans()) else (),
            not_refs=("other",) if data.draw(st.booleans()) else (),
            not_commits=("other",) if data.draw(st.booleans()) else (),
            paths=filters.paths,
        )
    chosen = random.Random(data.draw(st.integers(0, 99)))  # noqa: S311 - which commits, not a secret

    def numbers() -> frozenset[int]:
        every = [number for number, _ in commits]
        return frozenset(chosen.sample(every, chosen.choice([0, 3, len(every)])))

    def shas() -> tuple[Sha, ...]:
        return tuple(sha for _, sha in chosen.sample(commits, 3))

    told = (
        ResolvedCommits.of(numbers() if filters.refs else None, shas() if filters.commits else ()),
        ResolvedCommits.of(numbers() if filters.not_refs else None, shas() if filters.not_commits else ()),
    )
    condition = as_conditions(reader, filters, EVERYTHING, *told)
    wanted = [
        n for (n,) in reader.rows(f"SELECT id FROM hunk WHERE {condition.condition}", condition.parameters)
    ]
    for _ in ("made", "kept"):
        allowed = reader.allow(filters, *told)
        assert hunks(reader, allowed) == listed(reader, wanted)
    both = {"contents": "content_id", "commits": "commit_id"}
    for name, column in both.items():
        there = getattr(reader.allow(filters, *told), name)(reader)
        found = reader.rows(
            f"SELECT DISTINCT {column} FROM hunk WHERE {column} IS NOT NULL AND {condition.condition}",
            condition.parameters,
        )
        assert there is None or there == flags(number for (number,) in found)


QUERIES = (
    "retry with backoff",
    "compress",
    "added: retry",
    "retry -compress",
    '"return"',
    "symbol lookup in the client",
)
FILTERS = (
    "-path:docs/** -path:web/** -path:cmd/**",
    "author:a since:2024-01-01",
    "lang:go -kind:deleted",
    "-ext:md message:fix",
    "until:2024-06-01 -author:renovate",
    "is:alive",
    "ref:main -lang:python",
)


@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_set_that_is_narrowed_knows_its_contents_and_commits(
    reader: Reader, data: st.DataObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_filters, "_MANY", data.draw(st.sampled_from([0, 10_000])))
    every = [HunkId(number) for (number,) in reader.rows("SELECT id FROM hunk")]
    some_hunks = st.sets(st.sampled_from(every), max_size=60)
    allowed = reader.allow(data.draw(drawn(reader)))
    allowed = allowed.among(data.draw(some_hunks)) if data.draw(st.booleans()) else allowed
    allowed = allowed.apart_from(data.draw(some_hunks)) if data.draw(st.booleans()) else allowed
    words = WordQuery(("retry", "config"), columns=("added",))
    allowed = allowed.holding(words) if data.draw(st.booleans()) else allowed
    kept = reader.narrowed(("a test", allowed), lambda: allowed)
    assert reader.narrowed(("a test", allowed), lambda: EVERYTHING) is kept
    assert kept.is_one_set
    for one in (allowed, kept):
        rows = reader.rows(
            f"SELECT id, commit_id, content_id FROM hunk WHERE {one.condition}", one.parameters
        )
        assert hunks(reader, one) == listed(reader, (hunk for hunk, _, _ in rows))
        for found, column in ((one.commits(reader), 1), (one.contents(reader), 2)):
            if found is None:
                assert one.everything
                continue
            named = {number for number, flag in enumerate(found, 1) if flag}
            assert named == {row[column] for row in rows if row[column] is not None}


def test_what_is_kept_answers_as_what_is_worked_out_anew(engine: Engine) -> None:
    asked = [f"{query} {filters}" for query in QUERIES for filters in FILTERS]
    first = [_hits(engine, each) for each in asked]
    assert sum(map(bool, first)) > len(first) // 3
    for number, (each, hits) in enumerate(zip(asked, first, strict=True)):
        _assert_same(_hits(engine, each), hits, each)
        if number % 5 == 0:
            fresh = Engine(engine.repository, engine.settings, engine.store)
            _assert_same(_hits(fresh, each), hits, each)
            fresh.close()


def _assert_same(hits: list[tuple[int, float]], others: list[tuple[int, float]], asked: str) -> None:
    """The same hunks in the same order; vectors that are kept are summed up with others, and rounded so."""
    assert [hunk for hunk, _ in hits] == [hunk for hunk, _ in others], asked
    assert [score for _, score in hits] == pytest.approx([score for _, score in others], abs=1e-7), asked


def _hits(engine: Engine, query: str) -> list[tuple[int, float]]:
    results = engine.find_pattern(query, SearchOptions(k=10, rerank=False, now=NOW, all_hunks=True))
    return [(hit.hunk, round(hit.score, 9)) for hit in results.hits]


def test_a_filter_that_is_kept_follows_the_index(small_project: Repo) -> None:
    engine = index(small_project)
    asked = '"parcel of news" path:news/**'
    assert _hits(engine, asked) == _hits(engine, asked) == []
    small_project.git("checkout", "-q", "-f", "HEAD")
    for number in (1, 2):
        news = small_project.path / "news" / f"{number}.txt"
        news.parent.mkdir(exist_ok=True)
        news.write_text(f"a parcel of news, {number}\n", encoding="utf-8")
        small_project.git("add", "news")
        small_project.git(
            "-c", "user.name=N", "-c", "user.email=n@e.org", "commit", "-q", "-m", f"News {number}"
        )
        index(small_project)
        assert len(_hits(engine, asked)) == number
        assert len(_hits(engine, f"{asked} -path:news/1.txt")) == number - 1
    engine.close()


def test_commits_that_a_ref_no_longer_leads_to_leave_a_set_that_is_kept(small_project: Repo) -> None:
    rewrite = histories.rewrite_branch(small_project)
    small_project.git("branch", "-f", "moving", rewrite.old[0])
    small_project.git("symbolic-ref", "HEAD", f"refs/heads/{rewrite.branch}")
    engine = index(
        small_project,
        IndexOptions(lock_wait_s=10, passes=WITHOUT_VECTORS.passes, refs=RefChoice(all_refs=True)),
    )

    def found() -> set[str]:
        asked = "compress with gzip ref:moving"
        return {hit.commit.sha for hit in engine.find_pattern(asked, SearchOptions(k=20, rerank=False)).hits}

    before = found()
    assert before & set(rewrite.old)
    assert found() == before
    small_project.git("branch", "-f", "moving", rewrite.new[0])
    after = found()
    assert after & set(rewrite.new)
    assert not after & set(rewrite.old)
    engine.close()


def test_readers_share_what_was_worked_out(engine: Engine) -> None:
    asked = Filters(not_paths=("cmd/**",))

    async def several() -> list[Allowed]:
        with ReaderPool(engine.location.database) as pool:
            await pool.read(lambda reader: reader.allow(Filters()))  # so that both have looked
            return [await pool.read(lambda reader: reader.allow(asked)) for _ in range(2)]

    first, again = anyio.run(several)
    assert again is first


def test_a_change_that_anybody_has_seen_has_all_forgotten() -> None:
    memory = SharedMemory()
    first = memory.found("key", lambda: HunkSet(b"1"))
    assert memory.found("key", lambda: HunkSet(b"2")) is first

    def overtaken() -> HunkSet:
        memory.forget()
        return HunkSet(b"3")

    memory.forget()
    assert memory.found("key", overtaken).hunks == b"3"
    assert memory.found("key", lambda: HunkSet(b"4")).hunks == b"4"


def test_another_reader_of_files_that_nobody_wrote_to_has_nothing_forgotten(small_project: Repo) -> None:
    database = index(small_project, WITHOUT_VECTORS).location.database

    def settle() -> None:
        for file in database.parent.iterdir():
            os.utime(file, (file.stat().st_mtime - 60,) * 2)

    def made_anew() -> bool:
        made: list[int] = []
        with closing(Reader(database, memory)) as reader:
            reader.remembered("something", lambda: made.append(1))
        return bool(made)

    memory = SharedMemory()
    kept = Reader(database, memory)  # while it is open the files stay as they are
    settle()
    assert made_anew()
    assert not made_anew()
    with Writer(database, passes=frozenset()) as writer:
        writer.begin()
        writer.run("UPDATE commits SET message = message || '.'")
        writer.commit()
    assert made_anew()  # it was written to a moment ago, and may be once more
    assert made_anew()
    settle()
    assert made_anew()
    assert not made_anew()
    kept.close()


def test_who_asks_for_what_is_being_made_waits_for_it() -> None:
    memory = SharedMemory()
    begun, asked = Event(), Event()
    made: list[HunkSet] = []

    def make() -> HunkSet:
        begun.set()
        assert asked.wait(10)
        made.append(HunkSet(b"1"))
        return made[0]

    with ThreadPoolExecutor() as threads:
        first = threads.submit(memory.found, "key", make)
        assert begun.wait(10)
        second = threads.submit(memory.found, "key", make)
        with pytest.raises(TimeoutError):
            second.result(0.05)
        asked.set()
        assert first.result(10) is second.result(10)
    assert len(made) == 1


def test_what_was_not_asked_for_longest_makes_room() -> None:
    memory = SharedMemory(most_bytes=3 * 250)
    for number in (1, 2):
        memory.found(number, lambda: HunkSet(bytes(100)))
    kept = memory.found(1, lambda: HunkSet(b"never"))
    memory.found(3, lambda: HunkSet(bytes(100)))
    assert memory.found(1, lambda: HunkSet(b"never")) is kept
    assert memory.found(2, lambda: HunkSet(b"again")).hunks == b"again"


def test_a_reader_that_is_lent_forgets_what_it_has_seen_change(small_project: Repo) -> None:
    engine = index(small_project, WITHOUT_VECTORS)
    made: list[int] = []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    def change() -> None:
        with Writer(engine.location.database, passes=frozenset()) as writer:
            writer.begin()
            writer.run_many("INSERT OR REPLACE INTO meta VALUES('a test', ?)", [(str(len(made)),)])
            writer.commit()

    def visit(reader: Reader) -> list[int]:
        found = [reader.remembered("x", make), reader.remembered("x", make)]
        change()
        reader.rows("SELECT count(*) FROM commits")  # a statement, which sees it
        return [*found, reader.remembered("x", make)]

    with ReaderPool(engine.location.database) as pool:
        assert anyio.run(pool.read, visit) == [0, 0, 1]
        change()
        assert anyio.run(pool.read, lambda reader: reader.remembered("x", make)) == 2
    engine.close()

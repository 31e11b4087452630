"""A team's index on a real server: pushed, searched, kept from others, and gone on with after a kill."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import psycopg
import pytest

from fixtures import histories
from ohara.cli.main import main
from ohara.embed.encoder import TextKind
from ohara.embed.quantise import Probe
from ohara.engine import Engine
from ohara.errors import IndexLocked, IndexMissing, IndexTooNew, StoreError
from ohara.index import push as pushing
from ohara.index.job import IndexOptions
from ohara.index.push import push
from ohara.model import Filters, SearchOptions
from ohara.store.answers import WordQuery
from ohara.store.facts import TIPS
from ohara.store.locate import IndexLocation
from ohara.store.postgres import index as shared_index
from ohara.store.postgres import postings, schema, server, upkeep
from ohara.store.postgres.connection import Server, connect
from ohara.store.postgres.hybrid import HybridHit, hybrid
from ohara.store.postgres.index import PostgresIndex
from ohara.store.postgres.reader import Reader as PostgresReader
from ohara.store.postgres.schema import Migration
from ohara.store.postgres.shared import PostgresServer
from ohara.store.sql.copying import CopySource
from tests.process import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from fixtures.git import Repo
    from fixtures.postgres import Server as Running
    from ohara.settings import Settings
    from ohara.store.copying import CopiedCommit
    from ohara.store.postgres.connection import Connection
    from ohara.store.reading import Reader

QUERIES = (
    "retry upload", "retry", '"def "', r"/re\.compile|import/", "retry backoff", "removed: test",
)  # fmt: skip


@pytest.fixture
def pushed(small_project: Repo, team: Server, tmp_path: Path) -> Iterator[tuple[Engine, PostgresIndex]]:
    """A repository with an index of its own, and that index on the server."""
    engine = Engine.open(small_project.path)
    engine.settings = patient(engine.settings)
    indexed(engine)
    target = PostgresIndex(
        IndexLocation(engine.repository.common_dir, tmp_path / "none"), team, tmp_path.name
    )
    pushed_to(engine, target)
    yield engine, target
    if target.exists:
        target.forget(wait_s=5)


def patient(settings: Settings) -> Settings:
    """However busy the machine is, no lane is left out."""
    return replace(settings, find=replace(settings.find, lane_timeout_s=100.0))


def indexed(engine: Engine) -> None:
    for _ in engine.index(IndexOptions(jobs=1)):
        pass


def pushed_to(engine: Engine, target: PostgresIndex) -> None:
    for _ in push(engine.store, target):
        pass


def shared_engine(engine: Engine, target: PostgresIndex) -> Engine:
    return Engine(engine.repository, engine.settings, target)


def hits(engine: Engine, query: str) -> list[tuple[str, str, int]]:
    found = engine.find_pattern(query, SearchOptions(k=20, rerank=False, now=2_000_000_000))
    return [(hit.commit.sha, hit.path, hit.line) for hit in found.hits]


def test_a_pushed_index_answers_as_ones_own(pushed: tuple[Engine, PostgresIndex]) -> None:
    own, target = pushed
    with closing(shared_engine(own, target)) as shared:
        for query in QUERIES:
            assert hits(shared, query) == hits(own, query), query
        with own.store.statistics() as ours, target.statistics() as theirs:
            assert theirs.commits() == ours.commits()
            assert theirs.hunks() == ours.hunks()
            assert theirs.passes() == ours.passes()
            assert theirs.symbols() == ours.symbols()
            assert theirs.left_out() == ours.left_out()
            assert theirs.fact(TIPS) == ours.fact(TIPS)


def test_words_score_as_in_ones_own_index(pushed: tuple[Engine, PostgresIndex]) -> None:
    own, target = pushed
    even = ((1.0, 2.0, 0.5, 1.0, 0.7, 0.2), 1.0)
    asked = (
        WordQuery(("retry", "upload")),
        WordQuery(("upload",), ("parcel", "return")),
        WordQuery(("parcel",), columns=("added",)),
    )

    def scored(reader: Reader) -> list[list[float]]:
        allowed = reader.allow(Filters())
        return [
            [round(one.scores[0], 9) for one in reader.by_words(words, [even], allowed, 50)]
            for words in asked
        ]

    def scores(engine: Engine) -> list[list[float]]:
        readers = engine.store.readers()
        try:
            return anyio.run(readers.read, scored)
        finally:
            readers.close()

    ours = scores(own)
    assert all(ours)
    assert scores(shared_engine(own, target)) == ours


def test_only_what_is_new_is_pushed_and_what_went_is_hidden(
    pushed: tuple[Engine, PostgresIndex], small_project: Repo
) -> None:
    own, target = pushed
    with target.statistics() as known:
        before = known.commits()
    (small_project.path / "brand_new.py").write_text("def unheard_of():\n    return 'zebra'\n")
    small_project.git("add", "brand_new.py")
    small_project.git("commit", "-q", "-m", "an unheard-of zebra")
    indexed(own)
    added = [moment for moment in push(own.store, target) if moment.done]
    with target.statistics() as known:
        assert known.commits() == before + 1
    assert added[0].hunks <= 4  # nothing that was there was written again
    with closing(shared_engine(own, target)) as shared:
        assert hits(shared, '"zebra"') == hits(own, '"zebra"') != []
        small_project.git("reset", "--hard", "-q", "HEAD~1")
        indexed(own)
        pushed_to(own, target)
        assert hits(shared, '"zebra"') == []


def test_a_history_that_was_rewritten_leaves_nothing_behind(
    pushed: tuple[Engine, PostgresIndex], small_project: Repo, team: Server, tmp_path: Path
) -> None:
    own, target = pushed
    with target.statistics() as known:
        before = known.commits()
    small_project.git("reset", "--hard", "-q", f"HEAD~{before // 4}")
    (small_project.path / "brand_new.py").write_text("def unheard_of():\n    return 'zebra'\n")
    small_project.git("add", "brand_new.py")
    small_project.git("commit", "-q", "-m", "an unheard-of zebra")
    indexed(own)
    own.gc()
    pushed_to(own, target)
    assert target.examine().damage == ""
    fresh = PostgresIndex(target.location, team, f"{tmp_path.name}-fresh")
    pushed_to(own, fresh)
    assert target.dump() == fresh.dump()
    with closing(shared_engine(own, target)) as shared:
        for query in ("zebra", *QUERIES):
            assert hits(shared, query) == hits(own, query), query
    fresh.forget(wait_s=5)


def test_no_more_is_read_at_once_than_a_batch_holds(
    pushed: tuple[Engine, PostgresIndex], team: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, target = pushed
    whole = target.dump()
    sizes: list[tuple[int, int]] = []
    read = CopySource.read

    def listen(self: CopySource, numbers: Sequence[int]) -> list[CopiedCommit]:
        found = read(self, numbers)
        sizes.append((len(found), sum(len(file.hunks) for each in found for file in each.files)))
        return found

    monkeypatch.setattr(CopySource, "read", listen)
    monkeypatch.setattr(pushing, "_BATCH_HUNKS", 6)
    again = PostgresIndex(target.location, team, f"{tmp_path.name}-again")
    pushed_to(own, again)
    assert again.dump() == whole
    assert max(commits for commits, _ in sizes) > 1
    assert all(hunks <= 6 or commits == 1 for commits, hunks in sizes)
    again.forget(wait_s=5)


def test_two_do_not_push_at_once(
    pushed: tuple[Engine, PostgresIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    own, target = pushed
    monkeypatch.setattr(pushing, "_LOCK_WAIT_S", 0.2)  # for a lock that stays held
    with target.locked(wait_s=0), pytest.raises(IndexLocked, match="somebody else is pushing"):
        next(iter(push(own.store, target)))


_PUSH = """
import sys, os, signal
from pathlib import Path
from ohara.engine import Engine
from ohara.index import push as pushing
from ohara.store.postgres.connection import Server
from ohara.store.postgres.index import PostgresIndex
from ohara.store.locate import IndexLocation
repo, dsn, name, after = sys.argv[1:]
pushing._READ_COMMITS, pushing._BATCH_HUNKS = 3, 1
engine = Engine.open(repo)
location = IndexLocation(engine.repository.common_dir, Path("/nonexistent"))
target = PostgresIndex(location, Server("team", dsn), name)
for at, _ in enumerate(pushing.push(engine.store, target)):
    if at == int(after):
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_push_that_is_killed_is_gone_on_with(
    small_project: Repo, team: Server, postgres_server: Running, tmp_path: Path
) -> None:
    engine = Engine.open(small_project.path)
    indexed(engine)
    location = IndexLocation(engine.repository.common_dir, tmp_path / "none")
    killed, whole = (PostgresIndex(location, team, f"{tmp_path.name}-{kind}") for kind in ("killed", "whole"))
    seen = []
    for after in (2, 3, 4):
        asked = [str(small_project.path), postgres_server.dsn, killed.name, str(after)]
        done = subprocess.run(
            [sys.executable, "-c", _PUSH, *asked],
            cwd=ROOT, check=False, capture_output=True,
        )  # fmt: skip
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert killed.examine().damage == ""
        with killed.statistics() as known:
            seen.append(known.commits())
    assert seen == sorted(seen)
    assert seen[0] > 0
    pushed_to(engine, killed)
    pushed_to(engine, whole)
    assert killed.dump() == whole.dump()
    for index in (killed, whole):
        index.forget(wait_s=5)


# -- roles ---------------------------------------------------------------------------------------


def as_role(running: Running, role: str) -> Server:
    return Server("team", f"host={running.folder} user={role} dbname=postgres")


def test_a_reader_sees_what_it_was_granted_and_no_row_of_another(
    pushed: tuple[Engine, PostgresIndex], postgres_server: Running, team: Server, tmp_path: Path
) -> None:
    own, target = pushed
    other = PostgresIndex(target.location, team, f"{tmp_path.name}-other")
    pushed_to(own, other)
    run = PostgresServer("team", team.dsn)
    with psycopg.connect(team.dsn, autocommit=True) as admin:
        for role in ("alice", "bob"):
            admin.execute(f"DROP ROLE IF EXISTS {role}")
            admin.execute(f"CREATE ROLE {role} LOGIN")
    run.grant("alice", target.name)
    run.grant("bob", other.name)
    alice = PostgresIndex(target.location, as_role(postgres_server, "alice"), target.name)
    with closing(shared_engine(own, alice)) as engine:
        assert hits(engine, "retry") == hits(own, "retry") != []
    assert [each.name for each in PostgresServer("team", alice.server.dsn).indexes()] == [target.name]
    foreign = PostgresIndex(target.location, alice.server, other.name)
    assert not foreign.exists
    with pytest.raises(IndexMissing, match="your role may not read it"), foreign.statistics():
        pass
    numbers = {}
    with psycopg.connect(team.dsn, autocommit=True) as admin:
        for index in (target, other):
            row = admin.execute("SELECT id FROM ohara.repository WHERE name = %s", (index.name,)).fetchone()
            assert row is not None
            numbers[index.name] = row[0]
    with psycopg.connect(alice.server.dsn, autocommit=True) as connection:
        for table in (
            "hunk",
            "content",
            "commits",
            "hunk_text",
            "literal",
            "vec_content",
            "file",
            "vec_commit",
        ):
            rows = connection.execute(f"SELECT DISTINCT repository FROM ohara.{table}").fetchall()
            assert rows == [(numbers[target.name],)], table
        for statement in (
            f"SELECT 1 FROM ohara_r{numbers[other.name]}.hunk",
            f"SELECT 1 FROM ohara_r{numbers[other.name]}.meta",
            f"DELETE FROM ohara_r{numbers[target.name]}.hunk",
            "DELETE FROM ohara.hunk",
            "SELECT 1 FROM ohara.granted",
            "INSERT INTO ohara.repository(name, identity, format) VALUES('x', 'x', 1)",
            "SET ROLE ohara_writer",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)
    with pytest.raises(StoreError, match="your role may not"):
        pushed_to(own, alice)
    run.revoke("alice", target.name)
    assert not alice.exists
    other.forget(wait_s=5)


# -- the server --------------------------------------------------------------------------------------


def test_setting_up_twice_does_no_harm_and_migrations_are_checked(
    team: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert server.initialise(team).startswith("PostgreSQL 1")
    first, *_ = schema.MIGRATIONS
    edited = (Migration(first.of_server + " ", first.of_repository),)
    monkeypatch.setattr(schema, "MIGRATIONS", edited)
    with pytest.raises(StoreError, match="step 1 of the server's tables is not the one"):
        server.initialise(team)
    monkeypatch.setattr(schema, "MIGRATIONS", ())
    with pytest.raises(IndexTooNew):
        server.initialise(team)


def test_a_later_migration_reaches_the_server_and_each_repository(
    postgres_server: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(postgres_server.dsn, autocommit=True) as admin:
        admin.execute("CREATE DATABASE later")
    there = Server("later", postgres_server.dsn.replace("dbname=postgres", "dbname=later"))
    server.initialise(there)
    index = PostgresIndex(IndexLocation(tmp_path, tmp_path / "none"), there, "old")
    index.writer(passes=frozenset(), verdict=lambda _: None).__exit__(None, None, None)
    later = Migration("ALTER TABLE commits ADD COLUMN mood text;", "CREATE TABLE weather(day int);")
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, later))
    with pytest.raises(StoreError, match="older than this ohara"):
        index.writer(passes=frozenset(), verdict=lambda _: None)
    server.initialise(there)
    index.writer(passes=frozenset(), verdict=lambda _: None).__exit__(None, None, None)
    with closing(connect(there)) as connection:
        connection.execute("SELECT mood FROM ohara_r1.commits")
        connection.execute("SELECT day FROM ohara_r1.weather")


def test_an_index_of_the_first_format_gets_its_postings_and_its_readers_keep_it(
    pushed: tuple[Engine, PostgresIndex], postgres_server: Running, team: Server
) -> None:
    own, target = pushed
    before = target.dump()
    with psycopg.connect(team.dsn, autocommit=True) as admin:
        admin.execute("DROP ROLE IF EXISTS carol")
        admin.execute("CREATE ROLE carol LOGIN")
        PostgresServer("team", team.dsn).grant("carol", target.name)
        row = admin.execute("SELECT id FROM ohara.repository WHERE name = %s", (target.name,)).fetchone()
        assert row is not None
        admin.execute(f"SET search_path = ohara_r{row[0]}, ohara; SET ROLE ohara_writer")
        for texts, postings in (("hunk_text", "posting"), ("symbol_text", "symbol_posting")):
            admin.execute(f"DROP TABLE {postings}")
            admin.execute(f"CREATE INDEX {texts}_seq ON {texts} USING gin(seq)")
        admin.execute("UPDATE repository SET format = 1 WHERE id = %s", (row[0],))
    with pytest.raises(StoreError, match="are older than this ohara"), target.statistics():
        pass
    server.initialise(team)
    assert target.dump() == before
    carol = PostgresIndex(target.location, as_role(postgres_server, "carol"), target.name)
    with closing(shared_engine(own, carol)) as engine:
        assert hits(engine, "retry") == hits(own, "retry") != []
    PostgresServer("team", team.dsn).revoke("carol", target.name)


_CROWDED = """SELECT word FROM posting GROUP BY word HAVING count(*) > 2
  AND count(*) > 2 * count(DISTINCT (message, path, header, added, removed, context))"""


def test_postings_of_many_batches_are_joined(pushed: tuple[Engine, PostgresIndex]) -> None:
    own, target = pushed
    whole = target.dump()
    target.forget(wait_s=5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pushing, "_READ_COMMITS", 1)
        patch.setattr(pushing, "_BATCH_HUNKS", 1)
        patch.setattr(postings, "_ROWS_OF_A_WORD", 2)
        pushed_to(own, target)
    assert target.dump() == whole
    with closing(PostgresReader(target.server, target.name)) as reader:
        assert reader.rows(_CROWDED) == []


def test_a_long_statement_is_stopped(team: Server) -> None:
    with closing(connect(team)) as connection:
        row = connection.execute("SHOW statement_timeout").fetchone()
        assert row == ("30s",)


# -- the command -------------------------------------------------------------------------------------


@pytest.fixture
def configured(team: Server) -> Callable[..., None]:
    """Writes the user's settings."""

    def write(dsn: str = team.dsn, more: str = "") -> None:
        from ohara import paths

        paths.config_file().parent.mkdir(parents=True, exist_ok=True)
        paths.config_file().write_text(f'[find]\nlane_timeout_s = 100\n[shared.team]\ndsn = "{dsn}"\n{more}')

    return write


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    said = capsys.readouterr()
    return code, said.out, said.err


def test_the_commands_from_init_to_drop(
    small_project: Repo,
    configured: Callable[..., None],
    team: Server,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(small_project.path)
    configured()
    code, out, _ = run(capsys, "share", "init", team.dsn)
    assert (code, "pgvector" in out) == (0, True)
    assert "host=" not in out
    code, out, _ = run(capsys, "share", "push", "--as", "parcel-shared")
    assert code == 0
    assert "pushed parcel-shared to team" in out
    code, out, _ = run(capsys, "share", "status")
    assert "parcel-shared: " in out
    small_project.git("remote", "add", "origin", "https://example.com/x/parcel-shared.git")
    code, shared, err = run(capsys, "find", "--index", "team", "retry", "-k", "3")
    assert code == 0, err
    _, own, _ = run(capsys, "find", "--no-daemon", "retry", "-k", "3")
    assert shared == own
    code, shown, _ = run(capsys, "show", "--index", "team", "HEAD")
    assert (code, shown) == (0, run(capsys, "show", "HEAD")[1])
    code, _, _ = run(capsys, "explain", "--index", "team", "README.md")
    assert code == 0
    configured(more=f'default_for = ["{small_project.path}"]\n')
    code, shared, _ = run(capsys, "find", "retry", "-k", "3")
    assert shared == own
    code, out, _ = run(capsys, "share", "drop", "parcel-shared")
    assert (code, "dropped parcel-shared" in out) == (0, True)
    code, _, err = run(capsys, "find", "retry")
    assert code == 2
    assert "team has no index of parcel-shared" in err


def test_while_the_server_is_away_ones_own_index_answers_and_says_so(
    small_project: Repo, configured: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    configured("host=/nonexistent dbname=x")
    repo = str(small_project.path)
    code, _, err = run(capsys, "find", "--index", "team", "--repo", repo, "retry")
    assert code == 2
    assert "the server of team does not answer" in err
    indexed(Engine.open(repo))
    code, out, err = run(capsys, "find", "--index", "team", "--repo", repo, "retry")
    assert code == 0
    assert out
    assert "answered from this machine's own index" in err


@pytest.mark.parametrize(
    ("dsn", "said"),
    [
        ("postgresql://ada:hush@example.com/x", "has a password in it"),
        ("host=example.com password=hush", "has a password in it"),
        ("hush ===", "is none"),
    ],
)
def test_a_password_is_neither_taken_nor_repeated(
    small_project: Repo,
    configured: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
    dsn: str,
    said: str,
) -> None:
    configured(dsn)
    for arguments in (
        ("share", "status"),
        ("find", "--index", "team", "--repo", str(small_project.path), "x"),
    ):
        code, out, err = run(capsys, *arguments)
        assert code == 2
        assert said in err
        assert "hush" not in out + err


def test_an_unknown_server_is_told(
    small_project: Repo, configured: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    configured()
    code, _, err = run(capsys, "find", "--index", "taem", "--repo", str(small_project.path), "x")
    assert (code, "did you mean team?" in err) == (2, True)


def test_where_no_server_is_known_the_settings_are_named_that_lack_it(
    small_project: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(capsys, "share", "push", "--repo", str(small_project.path))
    assert code == 2
    assert "no shared index is known here\n  hint: write [shared.team] and dsn = " in err


def test_a_shallow_clone_is_not_pushed(
    small_project: Repo,
    configured: Callable[..., None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    configured()
    shallow = str(tmp_path / "shallow")
    small_project.git("clone", "--quiet", "--depth", "2", f"file://{small_project.path}", shallow)
    code, out, err = run(capsys, "share", "push", "--repo", shallow, "--as", "cut-off")
    assert (code, out) == (2, "")
    assert "this is a shallow clone" in err
    assert "cut-off: " not in run(capsys, "share", "status")[1]


def test_history_of_another_repository_is_refused(
    pushed: tuple[Engine, PostgresIndex],
    configured: Callable[..., None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, target = pushed
    configured()
    stranger = histories.three_commits(tmp_path / "stranger")
    code, _, err = run(capsys, "share", "push", "--repo", str(stranger.path), "--as", target.name, "-q")
    assert (code, "is the history of another repository" in err) == (2, True)


def test_waiting_for_the_lock_ends(pushed: tuple[Engine, PostgresIndex]) -> None:
    _, target = pushed
    began = time.time()
    with target.locked(wait_s=0):
        holder = target.locked_by()
    assert holder is not None
    assert began - 60 < holder[1] < time.time() + 60
    assert target.locked_by() is None


def test_the_lock_is_free_before_the_server_notices_that_its_connection_is_gone(
    pushed: tuple[Engine, PostgresIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, target = pushed
    unnoticed: list[Connection] = []

    @contextmanager
    def left_open(connection: Connection) -> Iterator[Connection]:
        unnoticed.append(connection)
        yield connection

    with monkeypatch.context() as busy:
        busy.setattr(shared_index, "closing", left_open)
        with target.locked(wait_s=0):
            pass
    assert target.locked_by() is None
    for connection in unnoticed:
        connection.close()


def test_meaning_and_words_are_weighed_in_one_statement(pushed: tuple[Engine, PostgresIndex]) -> None:
    own, target = pushed
    embedder = own.search._load_embedder()
    assert embedder is not None
    probe = Probe.of(embedder.embed(["upload"], TextKind.QUERY)[0], embedder)
    assert probe is not None

    def asked(reader: PostgresReader, semantic: float, fulltext: float) -> list[HybridHit]:
        return hybrid(
            reader, WordQuery(("upload",)), probe, weights=(1, 1, 1, 1, 1, 1), model=embedder.id,
            allowed=reader.allow(Filters()), limit=500, semantic_weight=semantic, fulltext_weight=fulltext,
        )  # fmt: skip

    with closing(PostgresReader(target.server, target.name)) as reader:
        both, words, meaning = asked(reader, 0.5, 0.5), asked(reader, 0.0, 1.0), asked(reader, 1.0, 0.0)
        even = [((1.0, 1.0, 1.0, 1.0, 1.0, 1.0), 1.0)]
        by_words = reader.by_words(WordQuery(("upload",)), even, reader.allow(Filters()), 500)
    assert len(both) == reader_count(target)
    assert all(abs(hit.score - (hit.semantic + hit.fulltext) / 2) < 1e-9 for hit in both)
    assert [hit.at.hunk for hit in words[: len(by_words)]] == [one.at.hunk for one in by_words]
    assert [hit.semantic for hit in meaning] == sorted((hit.semantic for hit in meaning), reverse=True)
    assert (max(hit.fulltext for hit in both), max(hit.semantic for hit in both)) == (1.0, 1.0)


_HNSW = "SELECT indexname FROM pg_indexes WHERE tablename = 'vec_content' AND indexdef LIKE '%hnsw%'"


def test_an_index_of_neighbours_finds_as_many_as_are_asked_for(
    pushed: tuple[Engine, PostgresIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    own, target = pushed
    embedder = own.search._load_embedder()
    assert embedder is not None
    probe = Probe.of(embedder.embed(["upload a parcel"], TextKind.QUERY)[0], embedder)
    assert probe is not None

    def near(filters: Filters) -> list[tuple[int, float]]:
        with closing(PostgresReader(target.server, target.name)) as reader:
            reader.connection.execute("SET enable_seqscan = off")
            reader.connection.execute("SET enable_bitmapscan = off")
            reader.connection.execute("SET enable_sort = off")
            found = reader.nearest_contents(probe, embedder.id, reader.allow(filters), 1_000)
        assert found is not None
        return found

    narrow = Filters(paths=("server/**",))
    exact, narrowed = near(Filters()), near(narrow)
    monkeypatch.setattr(upkeep, "HNSW_FROM", 1)
    pushed_to(own, target)
    with closing(PostgresReader(target.server, target.name)) as reader:
        made = reader.rows(_HNSW)
    assert made
    assert len(exact) > 60 > len(narrowed) > 10
    assert set(near(Filters())) == set(exact)
    assert set(near(narrow)) == set(narrowed)


def reader_count(index: PostgresIndex) -> int:
    with index.statistics() as known:
        return known.hunks()

"""What an index run promises whatever happens to it: kills, rewrites, faults, a second indexer."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fixtures import histories
from fixtures.script import History
from ohara.engine import Engine
from ohara.errors import IndexCorrupt, IndexLocked, IndexTooNew, StoreError
from ohara.index import symbols
from ohara.index.inline import Inline
from ohara.index.job import IndexOptions
from ohara.index.plan import Limits
from ohara.index.pool import Pool, WorkerDied
from ohara.index.symbols import Toucher
from ohara.model import Pass
from ohara.store.sql.session import PASS_BITS
from ohara.store.sqlite.connection import connect_reader, connect_writer
from ohara.store.sqlite.passes import Passes
from ohara.store.sqlite.writer import Writer
from ohara.store.writer_lock import writer_lock
from tests.indexing import WITHOUT_VECTORS, facts_of, facts_of_a_fresh_index, index, moments
from tests.process import ROOT, ohara

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager

    from fixtures.git import Repo
    from ohara.index.ipc import Failed, Part
    from ohara.parse.symbols import SyntaxTree
    from ohara.store.derived import IndexedHunk

KILLS = 12
ALL = IndexOptions()


def start(repo: Repo, *options: str, stderr: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """An `ohara index` that runs by itself, in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "ohara", "index", "--repo", str(repo.path), "-q", *options],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        start_new_session=True,
    )


def wait_until_written(database: Path, seconds: float = 30) -> None:
    """Wait for the first commit to be visible to a reader."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if database.exists():
            try:
                connection = connect_reader(database)
                try:
                    if connection.execute("SELECT count(*) FROM commits").get:
                        return
                finally:
                    connection.close()
            except Exception:  # noqa: BLE001 - the tables may be half-made; that is what is waited for
                time.sleep(0.01)
        time.sleep(0.005)
    pytest.fail("nothing was indexed in time")


def test_killed_at_random_moments_the_finished_index_equals_an_uninterrupted_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = histories.many_commits(tmp_path / "many", 1_500)
    chance = random.Random(20240601)  # noqa: S311 - the same moments every time
    for _ in range(KILLS):
        run = start(repo, "--jobs", "2")
        time.sleep(chance.uniform(0.3, 2.0))
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    engine = index(repo, ALL)
    assert engine.status().behind == 0
    assert facts_of(engine) == facts_of_a_fresh_index(repo, tmp_path / "fresh", monkeypatch, ALL)


def followed(database: Path) -> int:
    """How many commits the pass that follows lines has done, as a reader sees it."""
    connection = connect_reader(database)
    try:
        return int(connection.execute("SELECT count(*) FROM commits WHERE passes & 16").get)
    finally:
        connection.close()


def test_killed_while_lines_are_followed_the_next_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = one_file_edited_often(tmp_path / "edited", commits=1_600)
    passes = frozenset({Pass.TEXT, Pass.LITERAL, Pass.LINES})
    index(repo, IndexOptions(passes=passes - {Pass.LINES}))
    database = Engine.open(repo.path).location.database
    done = [0]
    while len(done) < 3:
        run = start(repo, "--passes", "text,literal,lines")
        while run.poll() is None and followed(database) == done[-1]:
            time.sleep(0.002)
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        done.append(followed(database))
    assert 0 < done[1] < done[2] <= 1_600, "what was done before a kill stays done"
    assert done[1] < 1_600, "it was killed in the middle"

    engine = index(repo, IndexOptions(passes=passes))

    assert followed(database) == 1_600
    assert facts_of(engine) == facts_of_a_fresh_index(
        repo, tmp_path / "fresh", monkeypatch, IndexOptions(passes=passes)
    )


def one_file_edited_often(path: Path, commits: int) -> Repo:
    """A file of a thousand lines, one of which is another with each commit."""
    chance = random.Random(7)  # noqa: S311 - the same lines every time
    lines = [f"line {number}" for number in range(1_000)]
    with History(path) as history:
        for number in range(commits):
            lines[chance.randrange(len(lines))] = f"edit {number}"
            history.commit(f"Edit {number}", {"a.txt": "\n".join(lines)})
    return history.repo


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    repo = histories.many_commits(tmp_path / "many", 3_000)
    run = start(repo, "--jobs", "2")
    workers: list[int] = []
    deadline = time.monotonic() + 20
    while len(workers) < 2 and time.monotonic() < deadline:
        workers = children(run.pid)
        time.sleep(0.01)
    assert len(workers) == 2
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    while any(Path(f"/proc/{pid}/cmdline").exists() for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(alive(pid) for pid in workers)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends them only there, whatever they do")
def test_workers_end_with_their_parent_even_if_they_cannot_notice(tmp_path: Path) -> None:
    run = start(histories.many_commits(tmp_path / "many", 3_000), "--jobs", "2")
    deadline = time.monotonic() + 30
    wait_until_written(Engine.open(tmp_path / "many").location.database)  # both have long begun
    workers = children(run.pid)
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)  # as one that is in a library for seconds
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    while any(alive(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.01)
    left = [pid for pid in workers if alive(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert workers
    assert not left


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def alive(pid: int) -> bool:
    """True for a process that still runs; one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_worker_that_is_killed_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = histories.many_commits(tmp_path / "many", 1_200)
    run = start(repo, "--jobs", "2", "--passes", "text,literal,symbol", stderr=subprocess.PIPE)
    deadline = time.monotonic() + 20
    while len(children(run.pid)) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.4)
    for pid in children(run.pid)[:1]:
        os.kill(pid, signal.SIGKILL)
    said = run.communicate(timeout=60)[1]
    assert run.returncode == 0, said
    engine = index(repo)
    assert engine.status().failures == ()
    assert facts_of(engine) == facts_of_a_fresh_index(repo, tmp_path / "fresh", monkeypatch)


def test_a_worker_that_is_killed_with_nothing_in_hand_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = histories.many_commits(tmp_path / "many", 1_200)
    dead: list[str] = []
    run = Pool.run

    def dying(self: Pool, kind: str, tasks: Iterable[tuple[object, ...]]) -> Iterator[Part | Failed]:
        yield from run(self, kind, tasks)
        if kind not in dead:
            dead.append(kind)
            raise WorkerDied((), "ends the indexing process")

    with monkeypatch.context() as patched:
        patched.setattr(Pool, "run", dying)
        engine = index(repo)
    assert "extract" in dead
    assert facts_of(engine) == facts_of_a_fresh_index(repo, tmp_path / "fresh", monkeypatch)


def test_lines_followed_while_workers_work_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = histories.many_commits(tmp_path / "many", 600)
    beside = facts_of(index(repo))
    monkeypatch.setattr(Pool, "meanwhile", Inline.meanwhile)
    assert beside == facts_of_a_fresh_index(repo, tmp_path / "fresh", monkeypatch)


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc which workers there are")
def test_lines_that_are_left_when_workers_are_done_have_the_memory_to_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = histories.many_commits(tmp_path / "many", 600)
    monkeypatch.setattr(Pool, "meanwhile", Inline.meanwhile)  # all lines are left then
    mark = Passes.mark
    workers: dict[Pass, set[int]] = {}

    def counting(self: Passes, stage: Pass, commits: Iterable[int]) -> None:
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        told = [Path(f"/proc/{child}/cmdline").read_bytes() for child in children]
        workers.setdefault(stage, set()).add(sum(b"ohara.index.worker" in each for each in told))
        mark(self, stage, commits)

    monkeypatch.setattr(Passes, "mark", counting)
    index(repo)
    assert min(workers[Pass.SYMBOL]) > 0
    assert workers[Pass.LINES] == {0}


def test_what_is_done_meanwhile_is_done_while_workers_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = histories.many_commits(tmp_path / "many", 600)
    steps: list[object] = []
    meanwhile = Pool.meanwhile

    def counted(self: Pool, given: Iterator[object]) -> AbstractContextManager[None]:
        def counting() -> Iterator[object]:
            for step in given:
                steps.append(step)
                yield step

        return meanwhile(self, counting())

    monkeypatch.setattr(Pool, "meanwhile", counted)
    index(repo)
    assert steps


def test_a_fault_while_lines_are_followed_costs_no_symbols_and_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = histories.many_commits(tmp_path / "many", 600)
    mark, run = Passes.mark, Pool.run
    done: list[int] = []
    at_work: list[str] = []
    failed_beside: list[str] = []

    def failing(self: Passes, stage: Pass, commits: Iterable[int]) -> None:
        """Fail when the lines of a commit are written and it is not marked yet."""
        if stage is Pass.LINES:
            done.append(1)
            if len(done) == 30:
                failed_beside.extend(at_work)
                raise ZeroDivisionError
        mark(self, stage, commits)

    def noted(self: Pool, kind: str, tasks: Iterable[tuple[object, ...]]) -> Iterator[Part | Failed]:
        at_work.append(kind)
        try:
            yield from run(self, kind, tasks)
        finally:
            at_work.remove(kind)

    with monkeypatch.context() as patched:
        patched.setattr(Passes, "mark", failing)
        patched.setattr(Pool, "run", noted)
        with pytest.raises(ZeroDivisionError):
            index(repo)
    assert failed_beside
    engine = Engine.open(repo.path)
    with closing(connect_reader(engine.location.database)) as reader:
        without = "SELECT count(*) FROM commits WHERE passes & ? = 0"
        half_written = """SELECT count(*) FROM line_count JOIN hunk ON hunk.id = hunk_id
          JOIN commits ON commits.id = hunk.commit_id WHERE passes & ? = 0"""
        assert reader.execute(without, (PASS_BITS[Pass.SYMBOL],)).get == 0
        assert reader.execute(without, (PASS_BITS[Pass.LINES],)).get > 0
        assert reader.execute(half_written, (PASS_BITS[Pass.LINES],)).get == 0
    index(repo)
    assert facts_of(engine) == facts_of_a_fresh_index(repo, tmp_path / "fresh", monkeypatch)


def test_a_file_that_ends_a_worker_costs_its_own_symbols(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with History(tmp_path / "repo") as history:
        history.commit(
            "Add both", {f"{name}.py": f"def {name}():\n    return 1\n" for name in ("good", "bad")}
        )
    reading = Toucher._tree

    def dying(self: Toucher, blob: str, hunk: IndexedHunk) -> SyntaxTree:
        if hunk.path == "bad.py":
            raise MemoryError
        return reading(self, blob, hunk)

    monkeypatch.setattr(Toucher, "_tree", dying)
    engine = index(history.repo)
    assert [failure.reason for failure in engine.status().failures] == [
        "its symbol pass takes more memory than there is"
    ]
    reader = connect_reader(engine.location.database)
    names = reader.execute("SELECT name FROM symbol JOIN hunk_symbol ON symbol_id = id").fetchall()
    assert names == [("good",)]
    assert reader.execute("SELECT count(*) FROM commits WHERE passes & 4 = 0").get == 0
    reader.close()


def test_each_version_of_a_file_is_parsed_once_whatever_the_number_of_its_hunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two versions of a large file do not fit into what is remembered."""
    before = "".join(f"def f{number}():\n    return 1\n\n\n\n\n\n\n\n" for number in range(20))
    with History(tmp_path / "repo") as history:
        history.commit("Add", {"large.py": before})
        history.commit("Change all", {"large.py": before.replace("return 1", "return 2")})
    monkeypatch.setattr(symbols, "_REMEMBERED_SOURCE_BYTES", 1)
    parsed: list[str] = []
    parse = Toucher._parsed

    def counted(self: Toucher, source: bytes, language: str) -> SyntaxTree:
        parsed.append(language)
        return parse(self, source, language)

    monkeypatch.setattr(Toucher, "_parsed", counted)
    engine = index(history.repo)
    reader = connect_reader(engine.location.database)
    touched = "SELECT count(*) FROM hunk_symbol JOIN hunk ON hunk.id = hunk_id WHERE hunk.commit_id ="
    assert reader.execute(f"{touched} (SELECT max(id) FROM commits)").get >= 20
    reader.close()
    assert len(parsed) <= 3


def test_readers_see_whole_batches_while_a_run_goes_on(tmp_path: Path) -> None:
    repo = histories.many_commits(tmp_path / "many", 2_000)
    database = Engine.open(repo.path).location.database
    run = start(repo, "--passes", "text,literal")
    try:
        wait_until_written(database)
        counts: list[int] = []
        while run.poll() is None:
            reader = connect_reader(database)
            commits = reader.execute("SELECT count(*) FROM commits").get
            orphans = reader.execute(
                "SELECT count(*) FROM commits WHERE id NOT IN (SELECT commit_id FROM hunk)"
            ).get
            counts.append(commits)
            assert orphans == 0
            reader.close()
            time.sleep(0.01)
        assert counts == sorted(counts)
    finally:
        run.kill()
        run.wait()


def test_nothing_new_means_nothing_to_do(small_project: Repo) -> None:
    index(small_project)
    assert moments(small_project) == []


def test_one_new_commit_is_all_that_is_read(small_project: Repo) -> None:
    index(small_project)
    (small_project.path / "new.py").write_text("def brand_new():\n    return 1\n")
    small_project.git("add", "new.py")
    small_project.git("-c", "user.name=N", "-c", "user.email=n@example.org", "commit", "-qm", "Add brand new")
    said = moments(small_project)
    assert [(moment.done, moment.total) for moment in said if moment.stage is Pass.TEXT] == [(1, 1)]


def test_rewritten_commits_are_hidden_at_once_and_collected_later(
    small_project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewrite = histories.rewrite_branch(small_project)
    small_project.git("branch", "-f", "before", rewrite.old[0])
    small_project.git("symbolic-ref", "HEAD", "refs/heads/before")
    engine = index(small_project)
    small_project.git("symbolic-ref", "HEAD", f"refs/heads/{rewrite.branch}")
    small_project.git("branch", "-D", "before")
    index(small_project)
    reader = connect_reader(engine.location.database)
    dead = {row[0].hex() for row in reader.execute("SELECT sha FROM commits WHERE live = 0")}
    reader.close()
    gone = set(rewrite.old) - set(small_project.git("rev-list", rewrite.branch).split())
    assert dead == gone
    assert gone
    assert engine.gc() == len(dead)
    assert facts_of(engine) == facts_of_a_fresh_index(small_project, tmp_path / "fresh", monkeypatch)


def test_the_second_indexer_is_told_who_is_at_work(small_project: Repo) -> None:
    engine = index(small_project)
    with (
        writer_lock(engine.location.lock, wait_s=0),
        pytest.raises(IndexLocked, match=f"process {os.getpid()}"),
    ):
        list(engine.index(IndexOptions(lock_wait_s=0)))


def test_two_indexers_started_together_leave_one_whole_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = histories.many_commits(tmp_path / "many", 800)
    runs = [start(repo, "--passes", "text,literal,symbol") for _ in range(3)]
    codes = sorted(run.wait(timeout=60) for run in runs)
    assert codes[0] == 0
    assert set(codes) <= {0, 2}
    assert facts_of(index(repo)) == facts_of_a_fresh_index(repo, tmp_path / "fresh", monkeypatch)


def test_a_run_that_was_killed_before_it_wrote_anything_is_no_hindrance(three_commits: Repo) -> None:
    location = Engine.open(three_commits.path).location
    location.prepare()
    location.database.touch()
    done = ohara("index", "--passes", "text,literal", "--repo", str(three_commits.path))
    assert (done.returncode, Engine.open(three_commits.path).status().indexed) == (0, 3), done.stderr


def test_a_damaged_database_is_reported_and_set_aside_by_a_rebuild(three_commits: Repo) -> None:
    engine = index(three_commits)
    database = engine.location.database
    data = bytearray(database.read_bytes())
    data[:4096] = b"\0" * 4096
    database.write_bytes(data)
    for name in ("-wal", "-shm"):
        Path(f"{database}{name}").unlink(missing_ok=True)
    with pytest.raises(IndexCorrupt) as damaged:
        index(three_commits)
    assert "ohara index --rebuild" in damaged.value.hint
    assert database.read_bytes() == bytes(data)
    index(three_commits, IndexOptions(rebuild=True, passes=WITHOUT_VECTORS.passes))
    assert engine.status().indexed == 3
    kept = list(engine.location.folder.glob("aside-*.db"))
    assert [file.read_bytes() for file in kept] == [bytes(data)]
    engine.gc()
    assert not list(engine.location.folder.glob("aside-*"))


def test_a_foreign_database_is_not_touched(three_commits: Repo) -> None:
    import apsw

    engine = index(three_commits)
    database = engine.location.database
    engine.forget()
    engine.location.prepare()
    foreign = apsw.Connection(str(database))
    foreign.execute("CREATE TABLE precious(x); INSERT INTO precious VALUES('mine')")
    foreign.close()
    with pytest.raises(IndexCorrupt, match="is not an ohara index"):
        index(three_commits)
    kept = apsw.Connection(str(database))
    assert kept.execute("SELECT x FROM precious").get == "mine"
    kept.close()


def test_a_full_disk_loses_nothing_that_was_indexed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = histories.many_commits(tmp_path / "many", 2_000)
    engine = index(repo, IndexOptions(limits=Limits(max_commits=200), passes=WITHOUT_VECTORS.passes))
    room = engine.location.database.stat().st_size + 64 * 1024
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2);"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "sys.argv = ['ohara', 'index', '-q', '--passes', 'text,literal,symbol', '--repo', sys.argv[2]];"
        "from ohara.cli.main import main; sys.exit(main())"
    )
    full = subprocess.run(
        [sys.executable, "-c", code, str(room), str(repo.path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert full.returncode == 2
    assert full.stderr.startswith("ohara: ")
    assert "hint:" in full.stderr
    assert "Traceback" not in full.stderr
    assert engine.status().indexed >= 200
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    assert facts_of(index(repo)) == facts_of_a_fresh_index(repo, tmp_path / "fresh", monkeypatch)


def test_a_full_disk_is_named_with_what_may_be_freed(three_commits: Repo) -> None:
    database = index(three_commits).location.database
    with Writer(database, passes=frozenset()) as writer:
        writer.connection.pragma("max_page_count", 1)  # as many as there are already
        writer.begin()
        with pytest.raises(StoreError, match="the disk is full") as told:
            writer.set_meta("large", "x" * 10_000_000)
    assert told.value.hint.startswith(f"free space on the disk of {database.parent} (")
    assert "ohara repos lists indexes that ohara forget deletes, ohara gc shrinks one" in told.value.hint


def test_missing_blobs_are_recorded_and_read_once_they_arrive(
    small_project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, _, blob, *_ = small_project.git("diff-tree", "-r", f"{small_project.sha['retry']}^!").split()
    hidden = histories.hide_blobs(small_project, [blob])
    engine = index(small_project)
    failures = engine.status().failures
    assert small_project.sha["retry"] in {failure.sha for failure in failures}
    assert all("not in this clone" in failure.reason for failure in failures)
    assert engine.status().indexed == engine.status().commits
    hidden.restore()
    index(small_project)
    assert engine.status().failures == ()
    assert facts_of(engine) == facts_of_a_fresh_index(small_project, tmp_path / "fresh", monkeypatch)


def test_all_work_trees_of_a_repository_share_one_index(small_project: Repo, tmp_path: Path) -> None:
    linked = histories.linked_worktree(small_project, tmp_path / "linked")
    places = [small_project.path, small_project.path / "cmd", small_project.path / ".git", linked.path]
    assert len({Engine.open(place).location for place in places}) == 1


@pytest.mark.parametrize("build", [histories.empty, histories.unborn_head])
def test_a_repository_without_commits_gives_an_empty_index(build: object, tmp_path: Path) -> None:
    repo: Repo = build(tmp_path / "none")  # type: ignore[operator]
    status = index(repo).status()
    assert (status.commits, status.indexed, status.behind) == (0, 0, 0)


@pytest.mark.parametrize("build", [histories.detached_head, histories.replaced, histories.grafted])
def test_odd_heads_are_indexed_as_git_shows_them(build: object, tmp_path: Path) -> None:
    repo: Repo = build(tmp_path / "odd")  # type: ignore[operator]
    engine = index(repo)
    expected = repo.git("log", "--format=%H").split()
    reader = connect_reader(engine.location.database)
    assert {row[0].hex() for row in reader.execute("SELECT sha FROM commits WHERE live = 1")} == set(expected)
    reader.close()


def test_shallow_and_partial_clones_index_what_they_have(small_project: Repo, tmp_path: Path) -> None:
    shallow = histories.shallow_clone(small_project, tmp_path / "shallow", depth=5)
    assert index(shallow).status().indexed == len(shallow.git("rev-list", "HEAD").split())
    partial = histories.partial_clone(small_project, tmp_path / "partial")
    status = index(partial).status()
    assert status.indexed == len(small_project.git("rev-list", "HEAD").split())
    assert status.failures


def test_a_shallow_clone_that_was_deepened_is_indexed_as_if_it_had_never_been_shallow(
    small_project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = histories.shallow_clone(small_project, tmp_path / "shallow", depth=3)
    status = index(clone).status()
    assert (status.shallow, status.commits, status.behind) == (True, 3, 0)
    assert Engine.open(clone.path).pending() is None
    for option in ("--deepen=2", "--unshallow"):
        clone.git("fetch", "-q", option)
        reachable = len(clone.git("rev-list", "HEAD").split())
        engine = Engine.open(clone.path)
        status = engine.status()
        assert (status.commits, engine.pending()) == (reachable, status.behind)
        engine = index(clone)
        assert engine.pending() is None
        fresh = facts_of_a_fresh_index(clone, tmp_path / f"fresh{option}", monkeypatch)
        engine.gc()
        assert facts_of(engine) == fresh
    assert not engine.status().shallow


def test_the_setting_since_holds_for_every_run_and_leaves_nothing_pending(
    three_commits: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = int(three_commits.git("log", "-1", "--format=%ct"))
    monkeypatch.setenv("OHARA_INDEX_SINCE", datetime.fromtimestamp(newest, UTC).isoformat())
    engine = index(three_commits)
    status = engine.status()
    assert (status.indexed, status.commits, status.behind, status.older) == (1, 1, 0, 2)
    assert engine.pending() is None
    monkeypatch.delenv("OHARA_INDEX_SINCE")
    engine = Engine.open(three_commits.path)
    assert (engine.pending(), engine.status().behind) == (2, 2)
    status = index(three_commits).status()
    assert (status.indexed, status.commits, status.behind, status.older) == (3, 3, 0, 0)
    monkeypatch.setenv("OHARA_INDEX_SINCE", datetime.fromtimestamp(newest, UTC).isoformat())
    engine = index(three_commits)
    assert (engine.status().indexed, engine.pending()) == (3, None)


def test_what_is_older_than_a_later_limit_stays_and_is_counted(
    three_commits: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = int(three_commits.git("log", "-1", "--format=%ct"))
    index(three_commits)
    monkeypatch.setenv("OHARA_INDEX_SINCE", datetime.fromtimestamp(newest, UTC).isoformat())
    engine = Engine.open(three_commits.path)
    status = engine.status()
    assert (status.indexed, status.commits, status.behind, engine.pending()) == (3, 3, 0, 0)
    three_commits.git("commit", "-q", "--allow-empty", "-m", "One more")
    status = engine.status()
    assert (status.indexed, status.commits, status.behind, engine.pending()) == (3, 4, 1, 1)
    status = index(three_commits).status()
    assert (status.indexed, status.commits, status.behind, status.older) == (4, 4, 0, 0)


def test_changed_rules_are_applied_to_what_is_indexed(
    small_project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = index(small_project, ALL)
    (small_project.path / ".oharaignore").write_text("*.go\n")
    index(small_project, ALL)
    assert facts_of(engine) == facts_of_a_fresh_index(small_project, tmp_path / "fresh", monkeypatch, ALL)


def test_a_stale_pass_is_made_again_from_stored_bodies(small_project: Repo) -> None:
    engine = index(small_project)
    before = facts_of(engine)
    with Writer(engine.location.database, passes=frozenset()) as writer:
        writer.set_meta("fingerprint", {"words": -1, "parser": -1, "embedder": ""})
        writer.commit()
    stages = {moment.stage for moment in moments(small_project)}
    assert Pass.TEXT in stages
    assert Pass.SYMBOL in stages
    assert facts_of(engine) == before


def test_text_first_and_the_other_passes_later_end_the_same(
    small_project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for stage in (Pass.TEXT, Pass.SYMBOL, Pass.LITERAL, Pass.LINES, Pass.VECTOR):
        engine = index(small_project, IndexOptions(passes=frozenset({stage})))
    assert facts_of(engine) == facts_of_a_fresh_index(small_project, tmp_path / "fresh", monkeypatch, ALL)


def test_a_huge_commit_goes_in_by_parts_and_whole(tmp_path: Path) -> None:
    repo = histories.many_files(tmp_path / "files", 20_000)
    status = index(repo, IndexOptions(passes=frozenset({Pass.TEXT, Pass.LITERAL}))).status()
    assert status.indexed == status.commits
    assert status.hunks >= 20_000


def test_json_events_tell_how_a_run_went(small_project: Repo) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "ohara", "index", "--json", "--repo", str(small_project.path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    events = [json.loads(line) for line in run.stdout.splitlines()]
    assert {event["pass"] for event in events[:-1]} == {"text", "symbol", "lines", "vector"}
    assert events[-1]["event"] == "done"
    assert (
        events[-1]["indexed"] == events[-1]["commits"] == len(small_project.git("rev-list", "HEAD").split())
    )
    assert run.stderr == ""


def test_nothing_that_lies_in_a_repository_is_run(tmp_path: Path) -> None:
    repo = histories.many_commits(tmp_path / "hostile", 100)
    for name in ("zstandard", "pygit2", "json", "apsw", "ohara"):
        (repo.path / f"{name}.py").write_text("from pathlib import Path\nPath('ran').write_text('it')\n")
    start = (
        "import sys; sys.path.insert(0, sys.argv.pop(1)); from ohara.cli.main import main; sys.exit(main())"
    )
    from_inside = subprocess.run(
        [sys.executable, "-P", "-c", start, str(ROOT), "index", "-q"],
        cwd=repo.path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (from_inside.returncode, from_inside.stderr) == (0, "")
    assert not (repo.path / "ran").exists()
    assert Engine.open(repo.path).status().indexed == 100


def test_an_index_of_the_former_format_is_brought_up_by_whoever_opens_it(three_commits: Repo) -> None:
    engine = index(three_commits)
    before = facts_of(engine)
    database = engine.location.database
    writer = connect_writer(database)
    writer.execute("ALTER TABLE hunk ADD COLUMN header TEXT NOT NULL DEFAULT ''")
    writer.execute("UPDATE hunk SET header = coalesce((SELECT header FROM header WHERE id = header_id), '')")
    writer.execute("ALTER TABLE hunk DROP COLUMN header_id")
    writer.execute("DROP TABLE header")
    for later in ("encoded", "thread", "copy"):
        writer.execute(f"DROP TABLE {later}")
    writer.execute("DELETE FROM meta WHERE key IN ('threads', 'threaded')")
    writer.pragma("user_version", 1)
    writer.close()

    assert facts_of(engine) == [fact for fact in before if not fact.startswith("thread ")]
    index(three_commits)
    assert facts_of(engine) == before


def test_an_index_of_a_newer_ohara_is_refused_and_left_alone(three_commits: Repo) -> None:
    engine = index(three_commits)
    writer = connect_writer(engine.location.database)
    writer.pragma("user_version", 99)
    writer.close()
    held = engine.location.database.read_bytes()

    with pytest.raises(IndexTooNew, match="format 99"):
        facts_of(engine)
    assert engine.location.database.read_bytes() == held

"""An index travels in a file: the same history makes the same file, and no file is trusted."""

from __future__ import annotations

import hashlib
import random
import signal
import subprocess
import sys
import tracemalloc
from contextlib import closing
from typing import TYPE_CHECKING

import apsw
import msgspec
import pytest
import zstandard

from fixtures.script import History
from ohara.engine import Engine
from ohara.errors import OharaError, RepositoryError, StoreError
from ohara.index.job import IndexOptions
from ohara.index.portable import export, take_over
from ohara.model import Pass, SearchOptions
from ohara.store.facts import MESSAGE_WORDS
from ohara.store.sql.meta import read_fact
from ohara.store.sqlite import portable_file
from ohara.store.sqlite.connected import Connected
from ohara.store.sqlite.connection import connect_reader
from ohara.store.sqlite.portable import End, Header, Rows
from ohara.store.sqlite.trigram_pieces import contents_with_trigrams
from tests.indexing import facts_of, index
from tests.process import ROOT, ohara

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fixtures.git import Repo

EVERYTHING = IndexOptions(lock_wait_s=10)
QUERIES = ("retry backoff", '"import"', "/def +\\w+/", "author:ada parser", "Client", "is:gone retry")


def exported(engine: Engine, file: Path, *, derived: bool = True) -> Path:
    export(engine.repository, engine.store, file, derived=derived)
    return file


def imported(repo: Path, file: Path, *, replace: bool = False) -> Engine:
    engine = Engine.open(repo)
    take_over(engine.repository, engine.store, file, replace=replace, progress=lambda _: None)
    return index(repo, EVERYTHING)


def answers(engine: Engine) -> list[list[tuple[object, ...]]]:
    options = SearchOptions(k=30, now=1_800_000_000)
    return [
        [
            (hit.commit.sha, hit.path, hit.excerpt, hit.fate, round(hit.score, 9), hit.also_on, hit.thread)
            for hit in engine.find_pattern(query, options).hits
        ]
        for query in QUERIES
    ]


@pytest.fixture
def another_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def move(name: str) -> None:
        monkeypatch.setenv("OHARA_HOME", str(tmp_path / name))

    return move


def clone(repo: Repo, place: Path) -> Path:
    repo.git("clone", "--quiet", ".", str(place))
    return place


@pytest.mark.parametrize("derived", [True, False])
def test_a_clone_that_takes_over_an_index_answers_as_one_that_was_built(
    small_project: Repo, tmp_path: Path, another_home: Callable[[str], None], *, derived: bool
) -> None:
    built = index(small_project, EVERYTHING)
    file = exported(built, tmp_path / "project.ohara", derived=derived)
    there = clone(small_project, tmp_path / "clone")
    another_home("elsewhere")
    taken = imported(there, file)
    assert facts_of(taken) == facts_of(index_of(there, tmp_path, another_home))
    with closing(connect_reader(taken.location.database)) as connection:
        said = read_fact(Connected(taken.location.database, connection), MESSAGE_WORDS)
    assert said is not None
    assert said.of == taken.status().commits
    if derived:
        assert answers(taken) == answers(built)
    else:  # equal scores may come in another order: rows were made in another
        found, expected = answers(taken), answers(built)
        assert [sorted(hit[:2] for hit in each) for each in found] == [
            sorted(hit[:2] for hit in each) for each in expected
        ]
    assert taken.store.examine().damage == ""
    assert taken.status().indexed == built.status().indexed


def index_of(repo: Path, tmp_path: Path, another_home: Callable[[str], None]) -> Engine:
    del tmp_path
    another_home("fresh")
    return index(repo, EVERYTHING)


def test_the_same_history_makes_the_same_file_whatever_runs_indexed_it(
    small_project: Repo, tmp_path: Path, another_home: Callable[[str], None]
) -> None:
    first = exported(index(small_project, EVERYTHING), tmp_path / "first")
    another_home("by-steps")
    engine = Engine.open(small_project.path)
    for options in (
        IndexOptions(passes=frozenset({Pass.TEXT}), jobs=1),
        IndexOptions(jobs=2),
        EVERYTHING,
    ):
        for _ in engine.index(options):
            pass
    assert exported(engine, tmp_path / "second").read_bytes() == first.read_bytes()
    another_home("taken-over")
    there = clone(small_project, tmp_path / "clone")
    assert exported(imported(there, first), tmp_path / "third").read_bytes() == first.read_bytes()


def test_what_is_new_is_read_and_what_the_clone_lacks_is_hidden(
    tmp_path: Path, another_home: Callable[[str], None]
) -> None:
    with History(tmp_path / "origin") as history:
        for number in range(6):
            history.commit(f"Step {number}", {"a.py": "".join(f"x{i} = {i}\n" for i in range(number + 1))})
    origin = history.repo
    there = clone(origin, tmp_path / "clone")
    (origin.path / "a.py").write_text("only_here = 1\n")
    origin.git("commit", "--quiet", "-am", "Only in the origin")
    file = exported(index(origin, EVERYTHING), tmp_path / "file")
    (there / "b.py").write_text("only_there = 1\n")
    for arguments in (("add", "."), ("commit", "--quiet", "-m", "Only in the clone")):
        subprocess.run(
            ["git", "-C", str(there), "-c", "user.name=x", "-c", "user.email=x@x.example", *arguments],
            check=True,
        )
    another_home("elsewhere")
    said = ohara("import", str(file), "--repo", str(there))
    assert not said.returncode, said.stderr
    assert "7 commits taken over; 7 of this clone can be searched" in said.stderr
    engine = Engine.open(there)
    assert engine.find_pattern('"only_here"').hits == ()
    assert [hit.commit.subject for hit in engine.find_pattern('"only_there"').hits] == ["Only in the clone"]
    assert len(engine.find_pattern('"x0 = 0"', SearchOptions(k=0)).hits) == 1


def test_a_file_of_another_repository_or_version_is_refused_in_one_line(
    small_project: Repo, three_commits: Repo, tmp_path: Path
) -> None:
    file = exported(index(small_project), tmp_path / "file")
    said = ohara("import", str(file), "--repo", str(three_commits.path))
    assert said.returncode == 2
    assert "is the index of another repository" in said.stderr
    again = ohara("import", str(file), "--repo", str(small_project.path))
    assert again.returncode == 2
    assert "has an index already" in again.stderr
    assert not Engine.open(three_commits.path).store.exists
    newer = tmp_path / "newer"
    newer.write_bytes(b"ohara-index 9\n" + b"x" * 100)
    for other, message in ((newer, "has format 9"), (ROOT / "README.md", "is no index that ohara exported")):
        with pytest.raises(StoreError, match=message):
            imported(three_commits.path, other)


def test_a_file_that_was_changed_or_cut_off_is_refused(small_project: Repo, tmp_path: Path) -> None:
    whole = exported(index(small_project), tmp_path / "file").read_bytes()
    changed = tmp_path / "changed"
    for at in (20, len(whole) // 2, len(whole) - 40, len(whole) - 1):
        changed.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(StoreError, match="changed, or cut off"):
            portable_file.check(changed)
    for length in (13, 40, len(whole) // 3, len(whole) - 1):
        changed.write_bytes(whole[:length])
        with pytest.raises(StoreError):
            portable_file.check(changed)


# -- hostile files: whole by their digest, and written by somebody else ----------------------------


def remade(file: Path, change: Callable[[list[Header | Rows | End]], list[object]], to: Path) -> Path:
    """A file with other messages, and the digest that goes with them."""
    packed = b"".join(
        len(body).to_bytes(4, "big") + body
        for body in map(msgspec.msgpack.encode, change(list(portable_file.messages(file))))
    )
    whole = b"ohara-index 1\n" + zstandard.ZstdCompressor().compress(packed)
    to.write_bytes(whole + hashlib.sha256(whole).digest())
    return to


def with_rows(
    table: str, change: Callable[[list[list[object]]], object]
) -> Callable[[Sequence[object]], list[object]]:
    def changed(sent: Sequence[object]) -> list[object]:
        made: list[object] = []
        for message in sent:
            if isinstance(message, Rows) and message.table == table:
                rows = msgspec.msgpack.decode(message.rows)
                change(rows)
                made.append(Rows(table, msgspec.Raw(msgspec.msgpack.encode(rows))))
            else:
                made.append(message)
        return made

    return changed


HOSTILE = {
    "a table of its own": lambda sent: [*sent[:-1], Rows("sqlite_schema", msgspec.Raw(b"\x90")), sent[-1]],
    "a trigger as a table": lambda sent: [
        *sent[:-1],
        Rows("commits; DROP TABLE commits", msgspec.Raw(b"\x90")),
        sent[-1],
    ],
    "text for a number": with_rows("hunk", lambda rows: rows[0].__setitem__(0, "1")),
    "a number beyond all": with_rows("hunk", lambda rows: rows[0].__setitem__(0, 2**63)),
    "a short sha": with_rows("commits", lambda rows: rows[0].__setitem__(1, b"x" * 19)),
    "odd parents": with_rows("commits", lambda rows: rows[0].__setitem__(2, b"x" * 21)),
    "another body": with_rows("content", lambda rows: rows[0].__setitem__(3, b"+ forged")),
    "a body that is no text": with_rows(
        "content",
        lambda rows: rows[0].__setitem__(
            slice(1, 4), [hashlib.blake2b(b"\xff", digest_size=16).digest(), 0, b"\xff"]
        ),
    ),
    "a hunk of no commit": with_rows("hunk", lambda rows: rows[0].__setitem__(2, 99_999)),
    "a hunk of no content": with_rows("hunk", lambda rows: rows[-1].__setitem__(3, 99_999)),
    "the same commit twice": with_rows("commits", lambda rows: rows[1].__setitem__(1, rows[0][1])),
    "one row too many": with_rows("person", lambda rows: rows.append([9_999, "a", "b"])),
    "rows left out": lambda sent: [
        each for each in sent if not (isinstance(each, Rows) and each.table == "hunk")
    ],
    "no header": lambda sent: sent[1:],
    "two headers": lambda sent: [sent[0], *sent],
    "no end": lambda sent: sent[:-1],
    "vectors of no form": lambda sent: [
        sent[0],
        Rows("vector", msgspec.Raw(msgspec.msgpack.encode([[1, b"abcd"]]))),
        End(1),
    ],
}


@pytest.fixture
def sample(small_project: Repo, tmp_path: Path) -> Path:
    return exported(index(small_project), tmp_path / "sample")


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_is_refused_and_leaves_nothing(
    small_project: Repo, sample: Path, tmp_path: Path, another_home: Callable[[str], None], kind: str
) -> None:
    hostile = remade(sample, HOSTILE[kind], tmp_path / "hostile")
    another_home("victim")
    engine = Engine.open(small_project.path)
    with pytest.raises(StoreError):
        take_over(engine.repository, engine.store, hostile, replace=False, progress=lambda _: None)
    assert not engine.store.exists
    assert not list(engine.location.folder.glob("import-*"))


def test_a_bomb_is_not_unpacked(small_project: Repo, tmp_path: Path) -> None:
    packed = zstandard.ZstdCompressor().compress((2**27 + 1).to_bytes(4, "big") + b"\0" * 2**28)
    whole = b"ohara-index 1\n" + packed
    bomb = tmp_path / "bomb"
    bomb.write_bytes(whole + hashlib.sha256(whole).digest())
    assert bomb.stat().st_size < 100_000
    engine = Engine.open(small_project.path)
    with pytest.raises(StoreError, match="too long"):
        take_over(engine.repository, engine.store, bomb, replace=False, progress=lambda _: None)


MANY = zstandard.ZstdCompressor().compress((2**22).to_bytes(4, "little") + b"\0" * 2**22)
SWOLLEN: dict[str, Callable[[list[object]], object]] = {
    "members that are not said": lambda row: row.__setitem__(2, MANY),
    "members that cannot be": lambda row: row.__setitem__(slice(1, 3), [2**22, MANY]),
    "blocks that cannot be": lambda row: row.__setitem__(3, MANY),
}


@pytest.mark.parametrize("kind", SWOLLEN)
def test_trigrams_that_swell_are_refused_before_they_take_room(
    small_project: Repo, sample: Path, tmp_path: Path, another_home: Callable[[str], None], kind: str
) -> None:
    hostile = remade(sample, with_rows("trigram_piece", lambda rows: SWOLLEN[kind](rows[0])), tmp_path / "h")
    another_home("victim")
    engine = Engine.open(small_project.path)
    tracemalloc.start()
    try:
        with pytest.raises(StoreError, match=r"too long|more than there can be"):
            take_over(engine.repository, engine.store, hostile, replace=False, progress=lambda _: None)
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()
    assert not engine.store.exists


def test_a_piece_of_trigrams_has_the_members_that_it_says(small_project: Repo) -> None:
    engine = index(small_project)
    with closing(apsw.Connection(str(engine.location.database))) as connection:
        connection.execute("UPDATE trigram_piece SET contents = contents + 1")
        with pytest.raises(ValueError, match="as many contents as it says"):
            contents_with_trigrams(connection)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_bytes_a_file_holds_it_is_refused_or_answers(
    three_commits: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Fuzz: bytes of rows, word tables and vectors are changed under a digest that fits."""
    sample = exported(index(three_commits, EVERYTHING), tmp_path / "sample")
    chance = random.Random(seed)  # noqa: S311 - a repeatable draw
    refused = 0

    def fuzzed(sent: list[Header | Rows | End]) -> list[object]:
        made: list[object] = list(sent)
        for _ in range(chance.randint(1, 3)):
            place = chance.randint(1, len(made) - 2)
            message = made[place]
            assert isinstance(message, Rows)
            raw = bytearray(bytes(message.rows))
            for at in chance.sample(range(len(raw)), min(len(raw), chance.randint(1, 8))):
                raw[at] = chance.randint(0, 255)
            made[place] = Rows(message.table, msgspec.Raw(bytes(raw)))
        return made

    for turn in range(12):
        monkeypatch.setenv("OHARA_HOME", str(tmp_path / f"home-{turn}"))
        engine = Engine.open(three_commits.path)
        try:
            hostile = remade(sample, fuzzed, tmp_path / "hostile")
            take_over(engine.repository, engine.store, hostile, replace=False, progress=lambda _: None)
            for query in ("greeting", '"print"', "hello.py"):
                engine.find_pattern(query, SearchOptions(rerank=False))
        except OharaError:
            refused += 1
        finally:
            engine.close()
    assert refused


# -- killed ----------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from pathlib import Path
from ohara.engine import Engine
from ohara.index.portable import take_over
from ohara.store.sqlite import install
install._MESSAGES_AT_ONCE = 1
engine = Engine.open(sys.argv[1])
seen = 0
def progress(rows):
    global seen
    seen += 1
    if seen == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
take_over(engine.repository, engine.store, Path(sys.argv[2]), replace=False, progress=progress)
"""


def test_a_copy_that_was_killed_goes_on_and_ends_as_one_that_was_not(
    small_project: Repo, sample: Path, tmp_path: Path, another_home: Callable[[str], None]
) -> None:
    built = facts_of(Engine.open(small_project.path))
    another_home("killed")
    for at in (1, 2, 3):
        ended = subprocess.run(
            [sys.executable, "-c", KILLED, str(small_project.path), str(sample), str(at)],
            check=False,
            env={"PYTHONPATH": str(ROOT), "OHARA_HOME": str(tmp_path / "killed"), "PATH": "/usr/bin:/bin"},
            timeout=60,
        )
        assert ended.returncode == -signal.SIGKILL
        assert not Engine.open(small_project.path).store.exists
    engine = Engine.open(small_project.path)
    take_over(engine.repository, engine.store, sample, replace=False, progress=lambda _: None)
    assert facts_of(engine) == built


def test_a_shallow_clone_is_not_exported(small_project: Repo, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    small_project.git("clone", "--quiet", "--depth", "2", f"file://{small_project.path}", str(shallow))
    with pytest.raises(RepositoryError, match="shallow"):
        exported(index(shallow), tmp_path / "file")


def test_a_file_that_cannot_be_written_is_told_with_what_to_do(small_project: Repo, tmp_path: Path) -> None:
    index(small_project)
    said = ohara("export", str(tmp_path / "nowhere" / "file"), "--repo", str(small_project.path))
    assert said.returncode == 2
    assert "nowhere/file cannot be written: No such file or directory\n  hint: name a file" in said.stderr

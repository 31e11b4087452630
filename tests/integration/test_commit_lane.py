"""The commit lane: what a whole change is about, how its score is shared, and how its vectors live and go."""

from __future__ import annotations

import gc
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from fixtures.tree import Edit
from ohara.embed.add_model import add_folder
from ohara.index.job import IndexOptions
from ohara.model import Filters, LaneStatus, Mode, SearchOptions
from ohara.store.sqlite.connection import connect_reader
from ohara.store.sqlite.reader import Reader
from ohara.store.sqlite.writer import Writer
from tests import onnx_bytes
from tests.indexing import facts_of, facts_of_a_fresh_index, index

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.engine import Engine
    from ohara.model import LaneReport, Results

pytestmark = pytest.mark.filterwarnings("default")  # fastembed's dependencies warn as they are imported

ALL = IndexOptions(lock_wait_s=10)
NOW = 1_735_689_600

# No hunk of "spread" is about the whole: the socket, its timeout and the proxy stand in three files.
FILES = {
    "net/connection.py": "def open_socket(host):\n    return connect(host)\n",
    "net/limits.py": "LIMITS = {}\n",
    "settings/proxy.py": "def proxy_of(environment):\n    return None\n",
    "shop/cart.py": "def total(items):\n    return sum(items)\n",
    "shop/mail.py": "def greet(name):\n    return 'hello ' + name\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    with History(tmp_path / "spread") as history:
        history.commit("Begin", dict(FILES), key="begin")
        history.commit(
            "wip",
            {
                "net/connection.py": Edit("return connect(host)", "return connect(host, wait=LIMITS)"),
                "net/limits.py": Edit("LIMITS = {}", "LIMITS = {'seconds': 30}"),
                "settings/proxy.py": Edit("return None", "return environment.get('HTTPS_PROXY')"),
            },
            key="spread",
        )
        history.commit(
            "Greet customers by their first name",
            {"shop/mail.py": Edit("'hello ' + name", "name.split()[0]")},
            key="mail",
        )
        history.commit("wip", {"shop/cart.py": Edit("sum(items)", "sum(items) * 2")}, key="cart")
    return history.repo


def ask(engine: Engine, query: str, **options: object) -> Results:
    return engine.find_pattern(query, SearchOptions(k=5, rerank=False, now=NOW, **options))  # type: ignore[arg-type]


def report(results: Results) -> LaneReport:
    (one,) = [lane for lane in results.lanes if lane.name == "commit"]
    return one


def first_by_commit(results: Results, repo: Repo) -> str:
    found = {
        repo.key_of(hit.commit.sha): hit.lanes["commit"] for hit in results.hits if "commit" in hit.lanes
    }
    return min(found, key=lambda key: found[key])


def test_a_commit_is_found_by_what_it_changed_and_by_its_subject(repo: Repo) -> None:
    engine = index(repo, ALL)
    whole = ask(engine, "connection limits in seconds and the proxy from the environment settings")
    assert report(whole).status is LaneStatus.OK
    assert first_by_commit(whole, repo) == "spread"
    named = ask(engine, "customers greeted with their first names", mode=Mode.SEMANTIC)
    assert first_by_commit(named, repo) == "mail"
    assert repo.key_of(named.hits[0].commit.sha) == "mail"


def test_its_score_is_that_of_every_hunk_of_the_commit(repo: Repo) -> None:
    results = ask(index(repo, ALL), "connect limits proxy environment", all_hunks=True)
    spread = [hit for hit in results.hits if repo.key_of(hit.commit.sha) == "spread"]
    assert len(spread) == 3
    assert len({hit.lane_scores["commit"] for hit in spread}) == 1


def test_hunks_that_are_remembered_are_nothing_that_garbage_is_looked_for_in(repo: Repo) -> None:
    with closing(Reader(index(repo, ALL).location.database)) as reader:
        first = reader.hunks_of([1, 2, 3], reader.allow(Filters()), 10)
        gc.collect()
        again = reader.hunks_of([1, 2, 3], reader.allow(Filters()), 10)
    assert again == first
    assert not any(map(gc.is_tracked, again))


def test_filters_hold_before_the_best_are_taken(repo: Repo) -> None:
    engine = index(repo, ALL)
    results = ask(engine, "connect limits proxy environment path:shop/*", mode=Mode.SEMANTIC)
    assert {hit.path for hit in results.hits} <= {"shop/cart.py", "shop/mail.py"}
    assert report(results).count == 3  # begin, mail and cart touch the shop
    assert report(ask(engine, "connect limits path:nowhere/*")).status is LaneStatus.EMPTY


def test_a_merge_without_lines_of_its_own_has_no_vector(tmp_path: Path) -> None:
    with History(tmp_path / "merged") as history:
        history.commit("Begin", {"a.py": "parcel = 1\n"}, key="begin")
        history.branch("side")
        history.commit("Send parcels", {"b.py": "def send_parcel():\n    pass\n"}, key="side")
        history.switch("main")
        history.commit("Weigh letters", {"c.py": "def weigh_letter():\n    pass\n"}, key="main")
        history.merge("Merge the sending of parcels", "side", key="merge")
    engine = index(history.repo, ALL)
    with closing(connect_reader(engine.location.database)) as connection:
        rows = {
            row[0].hex(): row[1:]
            for row in connection.execute(
                "SELECT sha, subject IS NULL, change IS NULL FROM vec_commit JOIN commits USING(id)"
            )
        }
    assert rows[history.repo.sha["merge"]] == (1, 1)
    assert rows[history.repo.sha["side"]] == (0, 0)


def test_an_index_of_an_earlier_version_gets_what_it_lacks(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = index(repo, ALL)
    with Writer(engine.location.database, passes=frozenset()) as writer:
        writer.begin()
        writer.connection.execute("DROP TABLE vec_commit")
        made_with = writer.connection.execute("SELECT value FROM meta WHERE key = 'fingerprint'").get
        earlier = made_with.replace(', "vectors": 2', "")
        assert earlier != made_with
        writer.connection.execute("UPDATE meta SET value = ? WHERE key = 'fingerprint'", (earlier,))
        writer.commit()
    results = ask(engine, "connect limits proxy environment")
    assert (report(results).status, report(results).count) == (LaneStatus.EMPTY, 0)
    assert "no vectors of commits yet" in report(results).detail
    assert {lane.name for lane in results.lanes if lane.status is LaneStatus.OK} >= {"vector", "text"}
    index(repo, ALL)
    assert report(ask(engine, "connect limits proxy environment")).status is LaneStatus.OK
    assert facts_of(engine) == facts_of_a_fresh_index(repo, tmp_path / "fresh", monkeypatch, ALL)


def test_paths_left_out_or_taken_in_again_change_what_a_commit_is_about(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = index(repo, ALL)
    before = facts_of(engine)
    monkeypatch.setenv("OHARA_INDEX_IGNORE", "settings/**")
    index(repo, ALL)
    left_out = facts_of(engine)
    assert left_out != before
    assert left_out == facts_of_a_fresh_index(repo, tmp_path / "fresh", monkeypatch, ALL)
    monkeypatch.delenv("OHARA_INDEX_IGNORE")
    index(repo, ALL)
    assert facts_of(engine) == before


def test_vectors_of_another_model_serve_as_well(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_folder(onnx_bytes.write_folder(tmp_path / "first", onnx_bytes.embedder(8)))
    monkeypatch.setenv("OHARA_MODELS_EMBEDDER", "first")
    engine = index(repo, ALL)
    results = ask(engine, "connect limits proxy environment", mode=Mode.SEMANTIC)
    assert (report(results).status, report(results).count) == (LaneStatus.OK, 4)
    near = [hit.lane_scores["commit"] for hit in results.hits]
    assert all(-1.001 <= score <= 1.001 for score in near)
    narrowed = ask(engine, "connect limits path:shop/cart.py", mode=Mode.SEMANTIC)
    assert report(narrowed).count == 2

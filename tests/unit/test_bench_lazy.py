"""The lazy history: who loses its message, what the copy knows, and what the control does."""

from __future__ import annotations

import sqlite3
from hashlib import sha1
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.engine import Engine
from ohara.model import Mode
from tests.bench.changelog import ChangelogQuery, draw_queries
from tests.bench.githistory import commits_of, git
from tests.bench.lazy import ELUSIVE, LAZY_SHARE, STOCK, half, is_lazy, lazy_messages, with_lazy_messages
from tests.bench.lazy_report import KEPT_HALF, LAZY_HALF, Halves, halves_of, lazy_table
from tests.bench.metrics import mixture
from tests.bench.rehearsal import write_rehearsal
from tests.bench.silence import CONTROLS, Controlled, Silence, silence_of
from tests.bench.systems import OURS, Ohara, Way
from tests.bench.workspace import Subject, at_home, with_messages

if TYPE_CHECKING:
    from pathlib import Path

    from tests.bench.workspace import Indexed

COMMITS = [sha1(str(number).encode(), usedforsecurity=False).hexdigest() for number in range(6_000)]
QUERIES = [
    ChangelogQuery(f"question {place}", (COMMITS[2 * place], COMMITS[2 * place + 1]), "news/1")
    for place in range(50)
]
ANSWERS = frozenset(sha for query in QUERIES for sha in query.answers)
SILENT = lazy_messages(QUERIES, COMMITS[:300])


def test_every_second_answer_is_silent_and_the_halves_share_no_question() -> None:
    said = lazy_messages(QUERIES, COMMITS)
    lazy, kept = half(QUERIES, lazy=True), half(QUERIES, lazy=False)
    assert not set(lazy) & set(kept)
    assert sorted((*lazy, *kept), key=QUERIES.index) == QUERIES
    assert len(lazy) == len(kept)
    assert {sha for query in lazy for sha in query.answers} <= said.keys()
    assert not {sha for query in kept for sha in query.answers} & said.keys()


def test_of_the_other_commits_the_share_is_silent() -> None:
    said = lazy_messages(QUERIES, COMMITS)
    others = [sha for sha in COMMITS if sha not in ANSWERS]
    assert sum(sha in said for sha in others) / len(others) == pytest.approx(LAZY_SHARE, abs=0.02)
    assert set(said.values()) == {*STOCK, *ELUSIVE}


@given(st.lists(st.sampled_from(COMMITS[:300]), unique=True))
def test_who_is_silent_depends_on_the_seed_alone(commits: list[str]) -> None:
    assert lazy_messages(QUERIES, commits) == {sha: SILENT[sha] for sha in commits if sha in SILENT}


def test_another_seed_silences_others_and_the_same_answers() -> None:
    other = lazy_messages(QUERIES, COMMITS[:300], seed=8)
    assert other.keys() != SILENT.keys()
    assert other.keys() & ANSWERS == SILENT.keys() & ANSWERS


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return Subject("rehearsal", write_rehearsal(tmp_path_factory.mktemp("rehearsal") / "repo.git").path)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def queries(subject: Subject) -> tuple[ChangelogQuery, ...]:
    return draw_queries(subject.repo).queries


@pytest.fixture(scope="module")
def lazy(subject: Subject, work: Path, queries: tuple[ChangelogQuery, ...]) -> Indexed:
    return with_lazy_messages(subject, work, queries)


def _rows(indexed: Indexed, statement: str) -> list[tuple[object, ...]]:
    with at_home(indexed.home):
        database = Engine.open(indexed.repo, indexed.settings).location.database
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def test_the_copy_says_what_was_drawn_and_keeps_the_rest(
    subject: Subject, lazy: Indexed, queries: tuple[ChangelogQuery, ...]
) -> None:
    said = lazy_messages(queries, commits_of(subject.repo))
    rows = _rows(lazy, "SELECT lower(hex(sha)), message FROM commits")
    stored = {str(sha): str(text) for sha, text in rows}
    as_written = {sha: git(subject.repo, "log", "-1", "--format=%B", sha).decode() for sha in stored}
    assert {sha: text.strip() for sha, text in stored.items()} == {
        sha: said.get(sha, text).strip() for sha, text in as_written.items()
    }


def test_no_lane_of_the_copy_knows_a_lost_message(
    subject: Subject, work: Path, lazy: Indexed, queries: tuple[ChangelogQuery, ...]
) -> None:
    message = {
        query.answers[0]: git(subject.repo, "log", "-1", "--format=%s", query.answers[0]).decode().strip()
        for query in queries
    }
    text = Way("text", Mode.TEXT)
    known = with_messages(subject, work)
    for place, query in enumerate(queries):
        sha = query.answers[0]
        asked = f'message:"{message[sha]}"'
        with at_home(known.home):
            assert sha in Ohara(known, text).ask(asked).commits
        with at_home(lazy.home):
            assert (sha in Ohara(lazy, text).ask(asked).commits) is not is_lazy(place)


def test_a_lazy_subject_has_the_vector_that_indexing_gives_it(
    subject: Subject, lazy: Indexed, work: Path
) -> None:
    statement = "SELECT hex(sha), message, hex(subject), hex(change) FROM vec_commit JOIN commits USING (id)"
    of_phrase: dict[object, set[object]] = {}
    before = {row[0]: row for row in _rows(with_messages(subject, work), statement)}
    after = _rows(lazy, statement)
    assert len(after) == len(before)
    for sha, text, vector, change in after:
        assert change == before[sha][3]
        if text in {*STOCK, *ELUSIVE}:
            of_phrase.setdefault(text, set()).add(vector)
            assert vector != before[sha][2]
        else:
            assert vector == before[sha][2]
    assert of_phrase
    assert all(len(vectors) == 1 for vectors in of_phrase.values())
    assert len({vector for vectors in of_phrase.values() for vector in vectors}) == len(of_phrase)


def test_only_what_says_nothing_is_silent() -> None:
    telling = [f"Retry uploads number{n} with exponential backoff after timeout{n}" for n in range(300)]
    silence = Silence([*telling, *["fix"] * 60, *["address review comments"] * 60])
    assert silence.of("fix") == 1.0
    assert silence.of("") == 1.0
    assert silence.of("address review comments") > 0.9
    signed = (
        "address review comments\n\nSigned-off-by: Someone Rare <a@example.org>\nhttps://example.org/rare"
    )
    assert silence.of(signed) == silence.of("address review comments")
    assert silence.of(telling[0]) == 0.0


def test_the_control_moves_the_silent_up_and_nothing_else(
    lazy: Indexed, queries: tuple[ChangelogQuery, ...]
) -> None:
    moved = 0
    with at_home(lazy.home):
        plain = Ohara(lazy, OURS)
        controlled = Controlled(plain.scored, CONTROLS[0], silence_of(plain.database))
        for query in queries:
            hits = plain.scored(query.text).hits
            silent = {hit.commit.sha for hit in hits if hit.commit.message.strip() in {*STOCK, *ELUSIVE}}
            before, after = plain.ask(query.text).commits, controlled.ask(query.text).commits
            assert sorted(before) == sorted(after)
            moved += before != after
            assert [sha for sha in after if sha in silent][:1] == [sha for sha in before if sha in silent][:1]
            for sha in silent:
                assert len({*after[: after.index(sha)]} - silent) <= len(
                    {*before[: before.index(sha)]} - silent
                )
    assert moved


def test_halves_are_weighed_and_a_control_is_compared_with_its_own_way() -> None:
    found = mixture([(0.3, [1.0, 0.0]), (0.7, [1.0, 1.0])])
    assert found.mean == pytest.approx(0.85)
    assert found.low == pytest.approx(0.7)
    assert found.high == pytest.approx(1.0)
    control = CONTROLS[1]
    numbers = {
        LAZY_HALF: [_asked(OURS.name, 2), _asked(control.way.name, 2), _asked(control.name, 1)],
        KEPT_HALF: [_asked(OURS.name, 1), _asked(control.way.name, 1), _asked(control.name, 2)],
    }
    halves = halves_of([numbers, numbers])
    assert halves[control.name] == Halves((1.0, 1.0), (0.5, 0.5))
    rows = {row[0]: row[1:] for row in lazy_table("t", halves, OURS.name).rows}
    assert rows[control.name][0::2][:2] == ("1.000", ".500")
    assert rows[control.name][4:] == (
        ".650",
        "+.500 [+.500, +.500]",
        "-.500 [-.500, -.500]",
        "-.200 [-.200, -.200]",
    )
    assert rows[OURS.name][4:] == (".850", "", "", "")


def _asked(name: str, rank: int) -> dict[str, object]:
    return {"name": name, "ranks": [rank]}

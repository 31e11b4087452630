"""Encoded text in an index: found exactly, counted, and nowhere among words, vectors and trigrams."""

from __future__ import annotations

import base64
import random
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from ohara.index.job import IndexOptions
from ohara.model import LeftOut, Pass, Pattern
from ohara.retrieve.lanes import literal
from ohara.retrieve.lanes.literal import LiteralAnswer
from ohara.store.sqlite.connection import connect_reader, connect_writer
from ohara.store.sqlite.filters import EVERYTHING
from ohara.store.sqlite.reader import Reader
from ohara.store.sqlite.trigram_listing import listed_trigrams
from ohara.store.sqlite.writer import Writer
from ohara.words import index_text
from tests.bench.literals import escaped
from tests.former_index import make_former_trigrams
from tests.indexing import facts_of, facts_of_a_fresh_index, index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.engine import Engine

_COMMITS = 6


def _lines(encoded: bytes, columns: int = 76) -> str:
    text = encoded.decode()
    return "\n".join(text[at : at + columns] for at in range(0, len(text), columns))


def _script(chance: random.Random, number: int) -> str:
    return (
        f"import base64\n\n\ndef unpack_archive_{number}(target):\n    return base64.b64decode(DATA)\n\n\n"
        f'DATA = """\n{_lines(base64.b64encode(chance.randbytes(9_000)))}\n"""\n\n\n'
        f"def install_everything_{number}():\n    unpack_archive_{number}('lib')\n"
    )


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A script that carries an archive, a patch in base85, a certificate, a style sheet with an image."""
    chance = random.Random(5)  # noqa: S311
    with History(tmp_path_factory.mktemp("encoded") / "repo") as history:
        for number in range(_COMMITS):
            image = base64.b64encode(chance.randbytes(600)).decode()
            history.commit(
                f"Release {number}",
                {
                    "contrib/install.py": _script(chance, number),
                    "fix.patch": f"z{_lines(base64.b85encode(chance.randbytes(4_000)), 65)}\n",
                    "server.pem": "-----BEGIN CERTIFICATE-----\n"
                    f"{_lines(base64.b64encode(chance.randbytes(900)), 64)}\n-----END CERTIFICATE-----\n",
                    "site.css": f".logo {{ background: url(data:image/png;base64,{image}) left; }}\n",
                    "notes.txt": f"plain words about release {number}\n",
                },
                key=f"release {number}",
            )
    return history.repo


@pytest.fixture(scope="module")
def indexed(carried: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(tmp_path_factory.mktemp("home")))
        yield index(carried, IndexOptions())


def found(engine: Engine, pattern: Pattern) -> LiteralAnswer:
    reader = Reader(engine.location.database)
    try:
        *_, last = literal.steps(reader, [pattern], EVERYTHING, limit=None, deadline_s=60.0)
    finally:
        reader.close()
    assert isinstance(last, LiteralAnswer)
    return last


def git_finds(repo: Repo, expression: str) -> set[str]:
    return set(repo.git("log", "--format=%H", "-E", f"-G{expression}", "HEAD").split())


def drawn_lines(repo: Repo, chance: random.Random, count: int) -> list[str]:
    changed = [
        line[1:]
        for line in repo.git("log", "-p", "--format=", "HEAD").split("\n")
        if line[:1] in {"+", "-"} and line[:3] not in {"+++", "---"} and len(line) > 20
    ]
    return chance.sample(changed, count)


def test_any_part_of_any_line_is_found_where_git_finds_it(carried: Repo, indexed: Engine) -> None:
    chance = random.Random(9)  # noqa: S311
    for line in drawn_lines(carried, chance, 40):
        length = chance.choice((3, 4, 6, 12, 40, len(line)))
        at = chance.randrange(max(1, len(line) - length))
        part = line[at : at + length]
        assert set(found(indexed, Pattern(part)).commits) == git_finds(carried, escaped(part)), part


def test_expressions_with_and_without_trigrams_find_what_git_finds(carried: Repo, indexed: Engine) -> None:
    chance = random.Random(11)  # noqa: S311
    line = next(line for line in drawn_lines(carried, chance, 40) if len(line) == 76)
    for expression in (
        f"{escaped(line[:4])}.*{escaped(line[-5:])}",
        f"{escaped(line[10:16])}|install_everything_3",
        f"^{escaped(line[:7])}",
        f"{escaped(line[-6:])}$",
        "[A-Z][0-9][a-z][+][A-Z]{2}",
        "base64,.*left",
        "BEGIN CERT|Q[+]{2}",
    ):
        answer = found(indexed, Pattern(expression, is_regex=True))
        assert set(answer.commits) == git_finds(carried, expression), expression


def test_every_commit_that_changes_the_number_of_a_part_is_found(carried: Repo, indexed: Engine) -> None:
    for line in drawn_lines(carried, random.Random(3), 10):  # noqa: S311
        part = line[3:17]
        pickaxe = set(carried.git("log", "--format=%H", f"-S{part}", "HEAD").split())
        assert pickaxe <= set(found(indexed, Pattern(part)).commits)


def test_code_beside_an_archive_keeps_its_words_and_symbols(indexed: Engine) -> None:
    database = connect_reader(indexed.location.database)
    for word in ("unpack_archive_3", "install_everything_3", "logo", "certificate"):
        count = "SELECT sum(hunks) FROM posting WHERE word = ?"
        assert database.execute(count, (index_text(word).split()[0],)).get > 0, word
    names = {row[0] for row in database.execute("SELECT name FROM symbol JOIN hunk_symbol ON id = symbol_id")}
    assert {"unpack_archive_3", "install_everything_3"} <= names
    database.close()


def test_encoded_lines_are_not_among_words_and_trigrams(carried: Repo, indexed: Engine) -> None:
    database = connect_reader(indexed.location.database)
    trigrams = len({code for _, codes in listed_trigrams(database) for code in codes})
    words = database.execute("SELECT count(DISTINCT word) FROM posting").get
    database.close()
    size = len(carried.git("log", "-p", "HEAD"))
    # Each of the archives' 12,000 trigrams is another one, and each of their lines other words.
    assert size > 150_000
    assert trigrams < 15_000
    assert words < 3_000


def test_status_counts_the_files_with_encoded_lines(indexed: Engine) -> None:
    assert dict(indexed.status().left_out) == {LeftOut.ENCODED: 4 * _COMMITS}


def test_the_literal_pass_made_again_is_the_same(carried: Repo, indexed: Engine) -> None:
    before = facts_of(indexed)
    with Writer(indexed.location.database, passes=frozenset(Pass)) as writer:
        writer.passes.restart(Pass.LITERAL)
        writer.passes.restart(Pass.TEXT)
        writer.commit()
    assert facts_of(indexed) != before
    assert facts_of(index(carried, IndexOptions())) == before


def test_commits_that_go_take_their_encoded_contents_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(1)  # noqa: S311
    with History(tmp_path / "repo") as history:
        history.commit("Start", {"a.py": _script(chance, 1)}, key="start")
        history.commit("Go on", {"a.py": _script(chance, 2)}, key="next")
    repo = history.repo
    engine = index(repo)
    repo.git("reset", "--hard", repo.sha["start"])
    index(repo)
    engine.gc()
    assert facts_of(engine) == facts_of_a_fresh_index(repo, tmp_path / "fresh", monkeypatch)


def test_an_index_of_a_former_ohara_answers_and_goes_on(tmp_path: Path) -> None:
    chance = random.Random(2)  # noqa: S311
    scripts = [_script(chance, number) for number in range(2)]
    with History(tmp_path / "repo") as history:
        history.commit("Start", {"a.py": scripts[0]}, key="start")
    repo = history.repo
    engine = index(repo)
    make_former_trigrams(engine.location.database)  # which had all lines among its trigrams
    with closing(connect_writer(engine.location.database)) as connection:
        connection.execute("DROP TABLE encoded")
        connection.pragma("user_version", 3)
    old, new = (script.split("\n")[20][5:40] for script in scripts)
    assert found(engine, Pattern(old)).commits == (repo.sha["start"],)

    (repo.path / "a.py").write_text(scripts[1], encoding="utf-8")
    repo.git("commit", "--quiet", "--all", "--message", "Go on")
    index(repo)
    head = repo.git("rev-parse", "HEAD").strip()
    assert set(found(engine, Pattern(old)).commits) == {repo.sha["start"], head}
    assert set(found(engine, Pattern(new)).commits) == {head}

"""A long hunk is stored in pieces, each with a change, and shown as git shows it."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, cast

import apsw
import pytest

from fixtures.git import git_bytes
from fixtures.script import History
from ohara.index import extract
from ohara.index.job import IndexOptions
from ohara.model import Hunk
from ohara.store.answers import holds_change
from ohara.store.sqlite import pieces
from tests.indexing import facts_of, facts_of_a_fresh_index, index
from tests.process import ohara

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.engine import Engine
    from ohara.store.sqlite.writer import Writer


def _text(chance: random.Random, lines: int) -> list[str]:
    words = ("alpha", "beta", "gamma", "delta", "return", "value", "if", "def f():", "class A:", "")
    return [
        f"{'    ' * chance.randrange(3)}{chance.choice(words)} {chance.randrange(10_000)}"
        + "x" * chance.choice((0, 0, 0, 200))
        for _ in range(lines)
    ]


def _edited(chance: random.Random, text: list[str], every: float) -> list[str]:
    """A text with lines replaced, put in and taken out, at about every so many places."""
    made: list[str] = []
    for line in text:
        what = chance.random()
        if what < every:
            made += chance.choice(
                ([], ["put in"], _text(chance, chance.randrange(1, 40)), [line, "after it"])
            )
        else:
            made.append(line)
    return made


@pytest.fixture(scope="module")
def edits(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Versions of a few files that differ in much: most hunks are too long for one piece."""
    chance = random.Random(7)  # noqa: S311 - the same versions every time
    with History(tmp_path_factory.mktemp("edits") / "repo") as history:
        first = {name: _text(chance, 150) for name in ("one.py", "two.txt", "three.c")}
        texts = first
        for number in range(10):
            written = {name: "\n".join(text) + "\n" * chance.choice((0, 1)) for name, text in texts.items()}
            history.commit(f"Version {number}", written, key=f"v{number}")
            texts = {name: _edited(chance, text, chance.choice((0.05, 0.3))) for name, text in first.items()}
    return history.repo


def bodies(engine: Engine) -> Iterator[str]:
    """Every body that is stored."""
    stored = engine.store.stored_commits()
    connection = apsw.Connection(str(engine.location.database), flags=apsw.SQLITE_OPEN_READONLY)
    for commit in connection.execute("SELECT id FROM commits").fetchall():
        yield from (hunk.body for hunk in stored.hunks(cast("int", commit[0])) if hunk.body)
    connection.close()


@pytest.fixture(scope="module")
def indexed(edits: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(tmp_path_factory.mktemp("home")))
        yield index(edits)


def asked(indexed: Engine, *arguments: str) -> str:
    """What ohara prints about the indexed edits."""
    home = indexed.location.folder.parents[2]
    done = ohara(*arguments, cwd=indexed.repository.work_dir, env={"OHARA_HOME": str(home)})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_stored_piece_holds_a_change(indexed: Engine) -> None:
    found = list(bodies(indexed))
    assert len(found) > 200
    assert all(map(holds_change, found))


@pytest.mark.parametrize(
    ("key", "context"), [("v0", None), ("v1", None), ("v4", None), ("v9", None), ("v4", "1"), ("v9", "0")]
)
def test_a_commit_is_shown_with_the_hunks_that_git_shows(
    edits: Repo, indexed: Engine, key: str, context: str | None
) -> None:
    asked_for = ("show", edits.sha[key], *(("-C", context) if context else ()))
    said = git_bytes(edits.path, "show", "--format=", f"-U{context or 3}", edits.sha[key]).decode()
    assert asked(indexed, *asked_for, "--color", "never").endswith(said)
    hits = json.loads(asked(indexed, *asked_for, "--json"))["hits"]
    assert [hit["excerpt"] for hit in hits] == _bodies_of_hunks(said)


@pytest.mark.anyio
async def test_the_hunks_of_a_file_are_counted_as_git_counts_them(edits: Repo, indexed: Engine) -> None:
    for key, sha in edits.sha.items():
        said = git_bytes(edits.path, "show", "--format=", sha).decode()
        files = re.split(r"^diff --git .*\n", said, flags=re.MULTILINE)[1:]
        counts = [len(re.findall(r"^@@ ", file, flags=re.MULTILINE)) for file in files]
        assert [file.hunks for file in (await indexed.browser.details(sha)).files] == counts, key


@pytest.mark.parametrize("key", ["v0", "v4", "v9"])
def test_the_other_hunks_of_a_commit_are_counted_as_git_counts_them(
    edits: Repo, indexed: Engine, key: str
) -> None:
    version = f"Version {key[1:]}"
    said = git_bytes(edits.path, "show", "--format=", edits.sha[key]).decode()
    bodies = _bodies_of_hunks(said)
    for question, found in (
        (version, bodies),  # words: what else the commit has
        ('"alpha"', [each for each in bodies if re.search(r"^[+-].*alpha", each, flags=re.MULTILINE)]),
        ("alpha path:two.txt", _bodies_of_hunks("diff --git" + said.split("diff --git")[-1])),
    ):
        hits = json.loads(asked(indexed, "find", question, "-k", "0" if '"' in question else "50", "--json"))
        (hit,) = [each for each in hits["hits"] if each["commit"] == edits.sha[key]]
        assert hit["more_in_commit"] == len(found) - 1, question


def _bodies_of_hunks(diff: str) -> list[str]:
    """The lines of each hunk, without the line of its range."""
    files = re.split(r"^diff --git .*\n", diff.removesuffix("\n"), flags=re.MULTILINE)[1:]
    hunks = [re.split(r"^@@ .*\n", file.removesuffix("\n"), flags=re.MULTILINE)[1:] for file in files]
    return [hunk.removesuffix("\n") for file in hunks for hunk in file]


def test_a_hit_is_numbered_where_the_file_has_it(edits: Repo, indexed: Engine) -> None:
    hits = json.loads(asked(indexed, "find", '"put in"', "-k", "0", "--all-hunks", "--json"))["hits"]
    assert len(hits) > 20
    for hit in hits:
        versions = ((hit["commit"], hit["line"]), (f"{hit['commit']}^", hit["old_line"]))
        found = [
            file[number - 1]
            for version, number in versions
            if 0
            < number
            <= len(file := git_bytes(edits.path, "show", f"{version}:{hit['path']}").split(b"\n"))
        ]
        assert b"put in" in found


# -- indexes of earlier versions -----------------------------------------------------------------


def cut_at_context(_: object, hunk: Hunk, __: object, **___: bool) -> tuple[Hunk, ...]:
    """Cuts as earlier versions could: what is context alone is a piece of its own, of at most two lines."""
    runs: list[list[str]] = []
    for line in hunk.body.split("\n"):
        is_context = line[:1] == " "
        most = 2 if is_context else 99
        is_same = bool(runs) and (runs[-1][0][:1] == " ") == is_context and len(runs[-1]) < most
        if is_same or line[:1] == "\\":
            runs[-1].append(line)
        else:
            runs.append([line])
    old = hunk.old_start + (not hunk.old_lines)
    new = hunk.new_start + (not hunk.new_lines)
    made = []
    for run in runs:
        old_lines = sum(line[:1] in "- " for line in run)
        new_lines = sum(line[:1] in "+ " for line in run)
        made.append(
            Hunk(
                old if old_lines else old - 1,
                old_lines,
                new if new_lines else new - 1,
                new_lines,
                hunk.header,
                "\n".join(run),
            )
        )
        old, new = old + old_lines, new + new_lines
    return tuple(made)


@pytest.fixture
def small_edits(tmp_path: Path) -> Repo:
    """Hunks that fit a piece each, one change in several places and commits, so that contents are shared."""
    text = [f"line {number}" for number in range(60)]
    with History(tmp_path / "small") as history:
        history.commit("Begin", {"a.txt": "\n".join(text) + "\n", "b.py": "x = 1\n"})
        for number, place in enumerate((0, 5, 30, 59)):
            text[place] = "changed"
            copies = {f"{name}.txt": "\n".join(text) + "\n" for name in "abc"[: number + 1]}
            history.commit(f"Change {number}", copies)
        history.commit("Back", {"a.txt": "\n".join(["changed", *text[2:30], "more", *text[30:]]) + "\n"})
    return history.repo


@pytest.mark.parametrize("is_interrupted", [False, True])
def test_pieces_without_a_change_are_joined_by_the_next_run(
    small_edits: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_interrupted: bool
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(extract.Extractor, "_pieces", cut_at_context)
        engine = index(small_edits, IndexOptions())
    assert not all(map(holds_change, bodies(engine)))
    _made_by_an_earlier_version(engine)
    if is_interrupted:
        with monkeypatch.context() as patch:
            _interrupt(patch, after=7)
            with pytest.raises(KeyboardInterrupt):
                index(small_edits, IndexOptions())
    engine = index(small_edits, IndexOptions())
    fresh = facts_of_a_fresh_index(small_edits, tmp_path / "fresh", monkeypatch, IndexOptions())
    assert facts_of(engine) == fresh
    assert ohara("find", "-q", '"line 5"', cwd=small_edits.path).returncode == 0


def _interrupt(patch: pytest.MonkeyPatch, *, after: int) -> None:
    """Let a run be interrupted while it joins pieces, a few of them in a batch."""
    join, left = pieces._join, iter(range(after))

    def interrupted(writer: Writer, hunk: int) -> bool:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return join(writer, hunk)

    patch.setattr(pieces, "_join", interrupted)
    patch.setattr(pieces, "_BATCH_HUNKS", 3)


def _made_by_an_earlier_version(engine: Engine) -> None:
    connection = apsw.Connection(str(engine.location.database))
    connection.execute("UPDATE meta SET value = json_remove(value, '$.pieces') WHERE key = 'fingerprint'")
    connection.close()


def test_until_then_words_do_not_find_them(small_edits: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(extract.Extractor, "_pieces", cut_at_context)
        index(small_edits)
    answer = ohara("find", "line 57 line 58", "--all-hunks", "--json", "--no-daemon", cwd=small_edits.path)
    hits = json.loads(answer.stdout)["hits"]
    assert hits
    assert all(holds_change(hit["excerpt"]) for hit in hits if hit["excerpt"])

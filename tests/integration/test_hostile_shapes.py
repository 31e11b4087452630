"""Histories of hostile shape: fate, explanation, threads and companions each answer, or say why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixtures.people import Person
from fixtures.script import History
from fixtures.tree import Edit, MovedFrom
from ohara.errors import UsageError
from ohara.index.job import IndexOptions
from ohara.index.survey import RefChoice
from ohara.model import ExplainOptions, Fate, FateState, Group, Pass, SearchOptions
from tests.indexing import index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.engine import Engine

ADA, BOB = Person("Ada", "ada@ohara.example"), Person("Bob", "bob@ohara.example")
TEXT = "".join(f"line {number}\n" for number in range(40))
CODE = "".join(f"def step_{number}():\n    return {number}\n\n\n" for number in range(12))
LINES = 50_000
EVERY_HUNK = SearchOptions(k=0, all_hunks=True, rerank=False)


def crossed(history: History) -> None:
    """Two branches that merge each other crosswise, each with a line of its own, then both into main."""
    history.commit("Begin", {"cross.txt": TEXT}, key="begin", author=BOB)
    history.branch("left", "begin")
    history.commit("Left", {"cross.txt": Edit("line 3\n", "left 3\n")}, key="left-1", author=ADA)
    history.branch("right", "begin")
    history.commit("Right", {"cross.txt": Edit("line 30\n", "right 30\n")}, key="right-1", author=BOB)
    both = TEXT.replace("line 3\n", "left 3\n").replace("line 30\n", "right 30\n")
    history.merge("Merge left into right", "left-1", changes={"cross.txt": both}, key="down")
    history.switch("left")
    history.merge("Merge right into left", "right-1", changes={"cross.txt": both}, key="up")
    history.commit(
        "Take left back", {"cross.txt": Edit("left 3\n", "line three\n")}, key="left-2", author=ADA
    )
    history.switch("main")
    history.merge("Merge branch 'left'", "left", key="first")
    history.merge("Merge branch 'right'", "right", keep_ours=True, key="second")


def with_arms(history: History) -> None:
    """An octopus of four branches, each with a file, and a line of its own in a common one."""
    history.commit("Ground", {"arms.txt": TEXT}, key="ground", author=BOB)
    arms = TEXT
    for number in (2, 12, 22, 32):
        history.branch(f"arm-{number}", "ground")
        history.commit(
            f"Arm {number}",
            {
                "arms.txt": Edit(f"line {number}\n", f"arm {number}\n"),
                f"arms/{number}.txt": f"arm {number}\n",
            },
            key=f"arm {number}",
            author=ADA,
            at="2021-01-01 00:00",
        )
        arms = arms.replace(f"line {number}\n", f"arm {number}\n")
    history.switch("main")
    history.merge(
        "Merge pull request #5 from ada/arms\n\nFour arms",
        *(f"arm-{number}" for number in (2, 12, 22, 32)),
        changes={"arms.txt": arms},
        key="octopus",
        at="2021-01-02 00:00",
    )


def renamed(history: History) -> None:
    """A file that is renamed and edited at once, twice, with a test that changes beside it."""
    history.commit("Write steps", {"steps.py": CODE, "test_steps.py": "0\n"}, key="steps", author=ADA)
    history.commit(
        "Rename and edit",
        {
            "lib/steps.py": MovedFrom("steps.py", (Edit("return 3\n", "return 3.0\n"),)),
            "test_steps.py": "1\n",
        },
        key="renamed",
        author=ADA,
        at="2021-06-01 00:00",
    )
    history.commit(
        "Rename and edit again (#9)",
        {
            "core/steps.py": MovedFrom("lib/steps.py", (Edit("return 3.0\n", "return three\n"),)),
            "test_steps.py": "2\n",
        },
        key="again",
        author=ADA,
        at="2022-01-01 00:00",
    )


def with_large_and_binary(history: History) -> None:
    """A table of fifty thousand lines of which one is edited and all are shifted, and a picture."""
    table = [f"entry {number} = {number * 7 % 1009}" for number in range(LINES)]
    history.commit(
        "Begin the table", {"table.txt": "\n".join(table) + "\n", "logo.png": b"\x89PNG\0\0"}, key="table"
    )
    table[30_000] = "entry changed"
    history.commit(
        "Change the table",
        {"table.txt": "\n".join(table) + "\n", "logo.png": b"\x89PNG\0\1"},
        key="changed",
        at="2023-01-01 00:00",
    )
    table[:0] = ["above"] * 10
    history.commit(
        "Shift the table",
        {"table.txt": "\n".join(table) + "\n", "logo.png": b"\x89PNG\0\2"},
        key="shifted",
        at="2024-01-01 00:00",
    )


@pytest.fixture(scope="module")
def shaped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Repo, Engine]]:
    """All of these shapes in one history, indexed once."""
    with History(tmp_path_factory.mktemp("shapes") / "repo") as history:
        crossed(history)
        with_arms(history)
        renamed(history)
        with_large_and_binary(history)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(tmp_path_factory.mktemp("home")))
        passes = frozenset(Pass) - {Pass.VECTOR}
        engine = index(history.repo, IndexOptions(refs=RefChoice(all_refs=True), passes=passes))
        yield history.repo, engine
        engine.close()


# -- fate ----------------------------------------------------------------------------------------


def fates(shaped: tuple[Repo, Engine], key: str) -> list[tuple[str, Fate]]:
    repo, engine = shaped
    return [(hit.path, hit.fate) for hit in engine.show(repo.sha[key]) if hit.fate is not None]


def test_fates_through_criss_cross_merges(shaped: tuple[Repo, Engine]) -> None:
    repo, _ = shaped
    ((_, left),) = fates(shaped, "left-1")
    assert (left.state, left.by) == (FateState.GONE, repo.sha["left-2"])
    ((_, right),) = fates(shaped, "right-1")
    assert (right.state, right.path, right.line) == (FateState.ALIVE, "cross.txt", 31)


def test_fates_through_an_octopus(shaped: tuple[Repo, Engine]) -> None:
    for number in (2, 12, 22, 32):
        found = dict(fates(shaped, f"arm {number}"))
        assert found["arms.txt"].state is FateState.ALIVE
        assert found["arms.txt"].line == number + 1
        assert found[f"arms/{number}.txt"].state is FateState.ALIVE


def test_fates_through_renames_with_edits(shaped: tuple[Repo, Engine]) -> None:
    repo, _ = shaped
    first = dict(fates(shaped, "steps"))["steps.py"]
    assert (first.state, first.kept, first.of) == (FateState.CHANGED, 23, 24)
    assert (first.path, first.line, first.by) == ("core/steps.py", 1, repo.sha["renamed"])
    second = dict(fates(shaped, "renamed"))["lib/steps.py"]
    assert (second.state, second.by) == (FateState.GONE, repo.sha["again"])


def test_fates_of_a_large_file_and_none_of_a_binary_one(shaped: tuple[Repo, Engine]) -> None:
    repo, engine = shaped
    pieces = [fate for path, fate in fates(shaped, "table") if path == "table.txt"]
    assert (sum(each.kept for each in pieces), sum(each.of for each in pieces)) == (LINES - 1, LINES)
    assert {each.state for each in pieces} == {FateState.ALIVE, FateState.CHANGED}
    ((_, changed),) = [each for each in fates(shaped, "changed") if each[0] == "table.txt"]
    assert (changed.state, changed.line) == (FateState.ALIVE, 30_011)
    lineless = [hit for hit in engine.show(repo.sha["shifted"]) if hit.path == "logo.png"]
    assert [hit.fate for hit in lineless] == [None] * len(lineless)


# -- explanation ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "place",
    ["cross.txt:1-40", "cross.txt:4", "arms.txt:1-40", "core/steps.py:13-16", "table.txt:30011"],
)
def test_explanations_are_those_of_git(shaped: tuple[Repo, Engine], place: str) -> None:
    repo, engine = shaped
    path, _, lines = place.partition(":")
    first, _, last = lines.partition("-")
    said = repo.git("log", "--format=%H", "-s", "--no-merges", f"-L{first},{last or first}:{path}").split()
    told = engine.explain(place, ExplainOptions(k=0, moves=False))
    merges = set(repo.git("log", "--format=%H", "--merges").split())
    assert sorted({hit.commit.sha for hit in told.hits} - merges) == sorted(said)


def test_a_binary_file_has_no_lines_to_explain(shaped: tuple[Repo, Engine]) -> None:
    repo, engine = shaped
    told = engine.explain("logo.png", ExplainOptions(k=0))
    assert [repo.key_of(hit.commit.sha) for hit in told.hits] == ["shifted", "changed", "table"]
    with pytest.raises(UsageError, match="binary: it has no lines"):
        engine.explain("logo.png:1")


# -- threads -------------------------------------------------------------------------------------


def thread(shaped: tuple[Repo, Engine], key: str) -> dict[str, tuple[str, int, int]]:
    """The commits of a thread with their fate, by their keys."""
    repo, engine = shaped
    found = engine.find_pattern(repo.sha[key], EVERY_HUNK).threads
    return {
        repo.key_of(each.sha): (each.fate.state.value, each.fate.kept, each.fate.of)
        for each in (found[0].commits if found else ())
        if each.fate is not None
    }


def test_threads_of_hostile_shapes_with_the_fate_of_their_commits(shaped: tuple[Repo, Engine]) -> None:
    assert thread(shaped, "arm 12") == {
        **{f"arm {number}": ("alive", 2, 2) for number in (2, 12, 22, 32)},
        "octopus": ("removal", 0, 0),
    }
    crossing = thread(shaped, "left-1")
    assert crossing["left-1"] == ("gone", 0, 1)
    assert crossing["left-2"] == ("alive", 1, 1)
    assert thread(shaped, "begin") == {"begin": ("changed", 38, 40), "right-1": ("alive", 1, 1)}


def test_the_thread_of_a_renamed_and_edited_file(tmp_path: Path) -> None:
    with History(tmp_path / "repo") as history:
        renamed(history)
        history.revert("again", key="back", at="2023-01-01 00:00")
    shaped = (history.repo, index(history.repo))
    assert thread(shaped, "again") == {"again": ("reverted", 0, 2), "back": ("alive", 2, 2)}
    grouped = shaped[1].find_pattern("rename and edit", SearchOptions(group=Group.THREAD, rerank=False))
    assert len(grouped.threads) == 1


# -- companions ----------------------------------------------------------------------------------


def test_companions_through_renames_merges_and_of_what_has_no_lines(shaped: tuple[Repo, Engine]) -> None:
    repo, engine = shaped
    steps = engine.related("core/steps.py")
    assert (steps.files[0].path, steps.files[0].together, steps.files[0].of) == ("test_steps.py", 3, 3)
    assert {each.path for each in engine.related("arms.txt").files} == {
        f"arms/{number}.txt" for number in (2, 12, 22, 32)
    }
    picture = engine.related("logo.png")
    assert [(each.path, each.together, each.of) for each in picture.files] == [("table.txt", 3, 3)]
    table = engine.related("table.txt:30011")
    assert [(each.path, each.together) for each in table.files] == [("logo.png", 2)]
    assert engine.related(repo.sha["octopus"]).kind == "commit"
    assert engine.related("cross.txt").files == ()

"""What merges did to lines: a merge that took neither side's content is named as the commit that took it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from ohara.fate import merge_losses, sides
from ohara.model import Fate, FateState, SearchOptions
from tests.indexing import index

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from ohara.engine import Engine
    from ohara.model import Sha
    from ohara.store.lines import Segment

OURS = "def pack(data):\n    size = len(data)\n    return [size, data]\n"
THEIRS = "class Packer:\n    limit = 512\n    def feed(self, chunk):\n        self.chunks.append(chunk)\n"
MORE = "    def close(self):\n        self.chunks.clear()\n"


@pytest.fixture
def history(tmp_path: Path) -> History:
    found = History(tmp_path / "repo")
    found.commit("begin", {"a.py": "import os\n\n\n", "b.py": "import sys\n"}, key="begin")
    return found


def ended(history: History) -> Engine:
    history.flush()
    history.checkout()
    return index(history.repo)


def told(engine: Engine, key: Sha) -> list[Fate]:
    """The fates of a commit's hunks, without dates."""
    return [replace(hit.fate, by_time=None, returned=None) for hit in engine.show(key) if hit.fate]


def found_by(engine: Engine, query: str) -> set[str]:
    results = engine.find_pattern(query, SearchOptions(k=0, all_hunks=True))
    return {hit.commit.subject for hit in results.hits}


def of_another_history(history: History) -> None:
    """A history of its own, with another root, as a library has one."""
    history.switch("library")
    history.commit("their start", {"pack.py": THEIRS, "README": "packs\n"}, parents=(), key="their start")


def test_what_a_subtree_merge_put_in_place_of_a_file_stands_and_what_it_replaced_is_gone(
    history: History,
) -> None:
    history.commit("our own", {"lib/pack.py": OURS, "lib/extra.py": "extra = 1\n"}, key="own")
    of_another_history(history)
    history.switch("main")
    merge = history.commit(
        "take the library",
        {"lib/pack.py": THEIRS, "lib/README": "packs\n", "lib/extra.py": None},
        parents=("main", "library"),
    )
    engine = ended(history)
    sha = history.repo.sha
    assert told(engine, sha["own"]) == [
        Fate(FateState.GONE, 0, 1, by=merge),
        Fate(FateState.GONE, 0, 3, by=merge),
    ]
    assert told(engine, sha["their start"]) == [
        Fate(FateState.ALIVE, 1, 1, "lib/README", 1),
        Fate(FateState.ALIVE, 4, 4, "lib/pack.py", 1),
    ]
    assert found_by(engine, "is:gone") == {"our own"}
    assert found_by(engine, "is:alive") == {"begin", "their start"}


def test_a_library_that_is_merged_again_is_followed_below_its_folder(history: History) -> None:
    of_another_history(history)
    history.switch("main")
    history.commit(
        "take the library",
        {"lib/pack.py": THEIRS, "lib/README": "packs\n"},
        parents=("main", "library"),
    )
    local = history.commit("adapt", {"lib/pack.py": "import os\n" + THEIRS})
    history.switch("library")
    closing = history.commit("close", {"pack.py": THEIRS.replace("    limit = 512\n", "") + MORE})
    history.switch("main")
    history.commit(
        "take it again",
        {"lib/pack.py": "import os\n" + THEIRS.replace("    limit = 512\n", "") + MORE},
        parents=("main", "library"),
    )
    engine = ended(history)
    assert told(engine, closing) == [Fate(FateState.ALIVE, 2, 2, "lib/pack.py", 5)]
    assert told(engine, local) == [Fate(FateState.ALIVE, 1, 1, "lib/pack.py", 1)]
    start = told(engine, history.repo.sha["their start"])
    assert start == [
        Fate(FateState.ALIVE, 1, 1, "lib/README", 1),
        Fate(FateState.CHANGED, 3, 4, "lib/pack.py", 2, closing),
    ]
    last = history.commit("done with it", {"lib/pack.py": None, "lib/README": None})
    engine = ended(history)  # what is looked up goes the same way as what was swept
    assert told(engine, closing) == [Fate(FateState.GONE, 0, 2, by=last)]
    assert {fate.by for fate in told(engine, history.repo.sha["their start"])} == {last}


def test_lines_that_both_sides_had_and_a_merge_took_are_gone_by_the_merge(history: History) -> None:
    history.commit("pack", {"a.py": "import os\n\n\n" + OURS, "c.py": THEIRS}, key="pack")
    history.branch("side")
    history.commit("side", {"b.py": "import sys\nimport re\n"})
    history.switch("main")
    history.commit("main", {"d.py": "d = 1\n"})
    merge = history.merge("evil", "side", changes={"a.py": "import os\n\n\n", "c.py": None})
    engine = ended(history)
    assert told(engine, history.repo.sha["pack"]) == [
        Fate(FateState.GONE, 0, 3, by=merge),
        Fate(FateState.GONE, 0, 4, by=merge),
    ]
    hits = engine.find_pattern('"class Packer"', SearchOptions(k=0)).hits
    assert {hit.commit.subject: hit.fate and hit.fate.by for hit in hits} == {"pack": merge, "evil": None}


def test_a_merge_that_takes_one_side_whole_is_named_for_the_lines_of_the_other(history: History) -> None:
    history.branch("side")
    history.commit("other", {"a.py": "import os\n\n\n" + THEIRS}, key="other")
    history.switch("main")
    history.commit("mine", {"a.py": "import os\n\n\n" + OURS}, key="mine")
    history.branch("kept-ours")
    ours = history.merge("ours", "side", keep_ours=True)
    engine = ended_at(history, "kept-ours")
    assert told(engine, history.repo.sha["other"]) == [Fate(FateState.GONE, 0, 4, by=ours)]
    assert [fate.state for fate in told(engine, history.repo.sha["mine"])] == [FateState.ALIVE]
    history.switch("main")
    theirs = history.merge("theirs", "side", changes={"a.py": "import os\n\n\n" + THEIRS})
    engine = ended_at(history, "main")
    assert told(engine, history.repo.sha["mine"]) == [Fate(FateState.GONE, 0, 3, by=theirs)]
    assert [fate.state for fate in told(engine, history.repo.sha["other"])] == [FateState.ALIVE]


def ended_at(history: History, branch: str) -> Engine:
    history.flush()
    history.repo.git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    return index(history.repo)


def test_who_removed_a_line_on_one_side_is_named_and_not_the_merge_that_took_it_over(
    history: History,
) -> None:
    history.commit("pack", {"a.py": "import os\n\n\n" + OURS}, key="pack")
    history.branch("side")
    remover = history.commit("remove", {"a.py": "import os\n\n\n"})
    history.switch("main")
    history.commit("main", {"a.py": "import os\nimport io\n\n\n" + OURS})
    history.merge("merge", "side", changes={"a.py": "import os\nimport io\n\n\n"})
    (fate,) = told(ended(history), history.repo.sha["pack"])
    assert (fate.state, fate.by) == (FateState.REVERTED, remover)


def test_an_octopus_is_named_for_what_it_took_and_only_for_that(history: History) -> None:
    history.commit("pack", {"a.py": "import os\n\n\n" + OURS}, key="pack")
    history.branch("one", "pack")
    history.commit("one", {"one.py": THEIRS}, key="one")
    history.branch("two", "one")
    remover = history.commit("two", {"one.py": "two = 2\n"}, key="two")
    history.branch("three", "pack")
    history.commit("three", {"three.py": "three = 3\n"}, key="three")
    history.switch("main")
    history.commit("main", {"d.py": "d = 1\n"})
    octopus = history.commit(
        "octopus",
        {"a.py": "import os\n\n\n", "one.py": "two = 2\n"},
        parents=("main", "one", "two", "three"),
    )
    engine = ended(history)
    sha = history.repo.sha
    assert told(engine, sha["pack"]) == [Fate(FateState.GONE, 0, 3, by=octopus)]
    assert told(engine, sha["three"]) == [Fate(FateState.GONE, 0, 1, by=octopus)]
    assert told(engine, sha["one"]) == [Fate(FateState.GONE, 0, 4, by=remover)]
    assert told(engine, sha["two"]) == [Fate(FateState.ALIVE, 1, 1, "one.py", 1)]
    assert found_by(engine, "is:gone") == {"pack", "one", "three"}


def test_a_line_that_a_later_merge_took_is_not_said_to_be_gone_since_a_removal_that_was_undone(
    history: History,
) -> None:
    history.commit("pack", {"a.py": "import os\n\n\n" + OURS}, key="pack")
    history.branch("side")
    history.commit("remove", {"a.py": "import os\n\n\nprint()\n"})
    history.switch("main")
    history.commit("main", {"b.py": "b = 1\n"})
    history.merge("keep it", "side", changes={"a.py": "import os\n\n\n" + OURS})
    history.branch("later")
    history.commit("later", {"c.py": "c = 1\n"})
    history.switch("main")
    history.commit("more", {"b.py": "b = 2\n"})
    last = history.merge("take it", "later", changes={"a.py": "import os\n\n\n"})
    (fate,) = told(ended(history), history.repo.sha["pack"])
    assert (fate.state, fate.by) == (FateState.GONE, last)


def test_a_file_that_became_binary_or_a_link_took_its_lines_with_it(history: History) -> None:
    history.commit("pack", {"a.py": "import os\n\n\n" + OURS, "c.py": THEIRS}, key="pack")
    binary = history.commit("compiled", {"a.py": b"\0\1\2\3" * 9})
    removed = history.commit("no more", {"c.py": None})
    engine = ended(history)
    assert [fate.by for fate in told(engine, history.repo.sha["pack"])] == [binary, removed]


def test_a_folder_that_was_split_off_and_joined_again_stands_by_both_histories(history: History) -> None:
    history.commit("our own", {"lib/pack.py": OURS}, key="own")
    history.switch("split")
    history.commit("our own, split", {"pack.py": OURS}, parents=(), key="split")
    history.switch("main")
    history.commit("rejoin", {}, parents=("main", "split"))
    engine = ended(history)
    for key in ("own", "split"):
        assert told(engine, history.repo.sha[key]) == [Fate(FateState.ALIVE, 3, 3, "lib/pack.py", 1)], key


def test_lines_picked_before_the_branch_was_taken_whole_are_alive_on_both_sides(history: History) -> None:
    history.branch("side")
    history.commit("side", {"a.py": "import os\n\n\n" + THEIRS + MORE}, key="side")
    history.switch("main")
    history.commit("picked", {"a.py": "import os\n\n\n" + THEIRS + "x = 1\n"}, key="picked")
    merge = history.merge("merge", "side", changes={"a.py": "import os\n\n\n" + THEIRS + MORE})
    engine = ended(history)
    assert told(engine, history.repo.sha["picked"]) == [Fate(FateState.CHANGED, 4, 5, "a.py", 4, merge)]
    assert told(engine, history.repo.sha["side"]) == [Fate(FateState.ALIVE, 6, 6, "a.py", 4)]


def test_lines_in_a_file_that_the_other_side_renamed_are_followed_or_told_to_be_taken(
    history: History,
) -> None:
    history.commit("pack", {"a.py": THEIRS + OURS, "c.py": OURS + THEIRS}, key="pack")
    history.branch("side")
    history.commit("rename", {"a.py": None, "z.py": THEIRS + OURS, "c.py": None, "y.py": OURS + THEIRS})
    history.switch("main")
    history.commit(
        "more", {"a.py": THEIRS + OURS + "more = 1\n", "c.py": OURS + THEIRS + "last = 1\n"}, key="more"
    )
    merge = history.merge(
        "merge",
        "side",
        changes={"a.py": None, "c.py": None, "z.py": OURS + "more = 1\n", "y.py": OURS + THEIRS},
    )
    engine = ended(history)
    assert told(engine, history.repo.sha["pack"]) == [
        Fate(FateState.CHANGED, 3, 7, "z.py", 1, merge),
        Fate(FateState.ALIVE, 7, 7, "y.py", 1),
    ]
    assert told(engine, history.repo.sha["more"]) == [
        Fate(FateState.ALIVE, 1, 1, "z.py", 4),
        Fate(FateState.GONE, 0, 1, by=merge),
    ]


def test_a_folder_merged_in_on_a_branch_and_refused_on_main_is_gone_by_that_merge(history: History) -> None:
    of_another_history(history)
    history.branch("side", "begin")
    history.commit("take it", {"lib/pack.py": THEIRS}, parents=("side", "library"))
    history.switch("main")
    history.commit("main", {"d.py": "d = 1\n"})
    merge = history.commit("not here", {}, parents=("main", "side"))
    fates = told(ended(history), history.repo.sha["their start"])
    assert fates[1] == Fate(FateState.GONE, 0, 4, by=merge)


def test_a_merge_of_a_moved_tree_looks_through_each_file_a_few_times(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each against each takes minutes where a thousand files were moved."""
    texts = {f"of_{at}.py": f"def made_{at}():\n    return {at}\n" for at in range(40)}
    history.commit("make them", texts)
    history.switch("side")
    lines = {name: f"{text}\n\nmade = {name!r}\n" for name, text in texts.items()}
    history.commit("use them", lines, key="use them")
    history.switch("main")
    history.commit("move them", dict.fromkeys(texts) | {f"src/{at}": texts[at] for at in texts})
    merge = history.commit(
        "take them otherwise",
        {f"src/{name}": f"{text}\n\nused = {name!r}\n" for name, text in texts.items()},
        parents=("main", "side"),
    )
    looked_through: list[Iterable[Segment]] = []
    known = merge_losses._known

    def counting(segments: Iterable[Segment]) -> Iterator[Segment]:
        looked_through.append(segments)
        return known(segments)

    monkeypatch.setattr(merge_losses, "_known", counting)
    engine = ended(history)
    assert len(looked_through) < 5 * len(texts)
    assert {fate.by for fate in told(engine, history.repo.sha["use them"])} == {merge}


def test_a_first_run_goes_back_from_no_merge_and_a_later_one_tells_the_same(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where branches begin long before they are merged, going back from each merge takes nearly all time."""
    history.branch("old", "begin")
    history.commit("their work", {"b.py": "import sys\nsys.exit()\n"}, key="theirs")
    history.switch("main")
    history.commit("our work", {"a.py": "import os\n\n\nos.abort()\n"}, key="ours")
    merge = history.commit("take it", {"b.py": "import sys\n"}, parents=("main", "old"))

    def walked(*_: object) -> None:
        raise AssertionError("the parents of a merge were followed back")

    with monkeypatch.context() as first:
        first.setattr(sides, "exclusive", walked)
        engine = ended(history)
    sha = history.repo.sha
    assert told(engine, sha["theirs"]) == [Fate(FateState.GONE, 0, 1, by=merge)]
    history.branch("older", "begin")
    late = history.commit("late work", {"c.py": "import re\nre.purge()\n"}, key="late")
    history.switch("main")
    again = history.commit("take a part", {"c.py": "import re\n"}, parents=("main", "older"))
    engine = ended(history)
    assert told(engine, late) == [Fate(FateState.CHANGED, 1, 2, "c.py", 1, by=again)]

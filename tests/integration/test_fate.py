"""What became of lines, told with every hit: alive, changed, moved, gone, reverted, and back again."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from ohara.errors import QueryError
from ohara.index.job import IndexOptions
from ohara.index.survey import RefChoice
from ohara.model import Fate, FateState, Pass, SearchOptions
from tests.indexing import WITHOUT_VECTORS, facts_of, index

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.engine import Engine

FUNCTION = "def retry(times):\n    for attempt in range(times):\n        call(attempt)\n"
OTHER = "def shout(text):\n    words = text.upper()\n    return words + '!'\n"


def fates(engine: Engine, key: str) -> list[Fate | None]:
    return [hit.fate for hit in engine.show(key)]


def fate(engine: Engine, key: str) -> Fate:
    (found,) = fates(engine, key)
    assert found is not None
    return found


def found_by(engine: Engine, query: str) -> set[str]:
    results = engine.find_pattern(query, SearchOptions(k=0, all_hunks=True))
    return {hit.commit.subject for hit in results.hits}


@pytest.fixture
def story(tmp_path: Path) -> History:
    history = History(tmp_path / "repo")
    history.commit("begin", {"a.py": "import os\n\n\n", "b.py": "import sys\n"}, key="begin")
    history.commit("add retry", {"a.py": "import os\n\n\n" + FUNCTION}, key="retry")
    return history


def ended(history: History) -> Engine:
    history.flush()
    history.checkout()
    return index(history.repo)


def test_lines_that_stand_are_told_with_their_place_through_renames(story: History) -> None:
    story.commit("rename", {"a.py": None, "net/a.py": "# net\nimport os\n\n\n" + FUNCTION})
    engine = ended(story)
    assert fate(engine, story.repo.sha["retry"]) == Fate(FateState.ALIVE, 3, 3, "net/a.py", 5)


def test_lines_of_which_some_stand_are_counted(story: History) -> None:
    edited = FUNCTION.replace("call(attempt)", "call(attempt, 2)")
    last = story.commit("edit", {"a.py": "import os\n\n\n" + edited})
    found = fate(ended(story), story.repo.sha["retry"])
    assert (found.state, found.kept, found.of, found.line) == (FateState.CHANGED, 2, 3, 4)
    assert found.by == last


def test_lines_that_went_name_the_commit_that_took_the_last_of_them(story: History) -> None:
    story.commit("shorten", {"a.py": "import os\n\n\n" + FUNCTION.split("\n", 1)[0] + "\n    pass\n"})
    last = story.commit("remove", {"a.py": "import os\n\n\nprint(1)\n"})
    found = fate(ended(story), story.repo.sha["retry"])
    assert replace(found, by_time=None) == Fate(FateState.GONE, 0, 3, by=last)


def test_lines_that_a_commit_moved_to_another_file_are_followed(story: History) -> None:
    move = story.commit("move", {"a.py": "import os\n", "b.py": "import sys\n" + FUNCTION})
    story.commit("below", {"b.py": "import sys\nimport re\n" + FUNCTION})
    found = fate(ended(story), story.repo.sha["retry"])
    assert replace(found, by_time=None) == Fate(FateState.MOVED, 3, 3, "b.py", 3, move)
    again = story.commit("again", {"b.py": "import sys\nimport re\n", "c.py": FUNCTION})
    found = fate(ended(story), story.repo.sha["retry"])
    assert replace(found, by_time=None) == Fate(FateState.MOVED, 3, 3, "c.py", 1, again)


def test_lines_moved_within_their_file_are_alive(story: History) -> None:
    top = "import os\n\n\n"
    story.commit("another", {"a.py": top + FUNCTION + OTHER + "x = 1\ny = 2\nz = 3\n" * 3})
    story.commit("shift", {"a.py": top + OTHER + "x = 1\ny = 2\nz = 3\n" * 3 + FUNCTION})
    found = fate(ended(story), story.repo.sha["retry"])
    assert (found.state, found.kept, found.path) == (FateState.ALIVE, 3, "a.py")


def test_a_revert_is_told_and_so_is_the_revert_of_a_revert(story: History) -> None:
    taken_back = story.revert("retry", key="revert")
    engine = ended(story)
    found = fate(engine, story.repo.sha["retry"])
    assert replace(found, by_time=None) == Fate(FateState.REVERTED, 0, 3, by=taken_back)
    again = story.revert("revert", key="again")
    engine = ended(story)
    found = fate(engine, story.repo.sha["retry"])
    assert replace(found, by_time=None) == Fate(FateState.ALIVE, 3, 3, "a.py", 4, again)
    assert found_by(engine, "is:reverted") == set()


def test_an_exact_inverse_is_a_revert_whatever_it_says(story: History) -> None:
    last = story.commit("tidy up", {"a.py": "import os\n\n\n"})
    assert fate(ended(story), story.repo.sha["retry"]).state is FateState.REVERTED
    assert fate(ended(story), story.repo.sha["retry"]).by == last


def test_removed_lines_that_came_back_are_told(story: History) -> None:
    story.commit("remove", {"a.py": "import os\n\n\nprint(1)\n"}, key="remove")
    back = story.commit("bring back", {"a.py": "import os\n\n\nprint(1)\n" + FUNCTION})
    engine = ended(story)
    returned = fate(engine, story.repo.sha["remove"]).returned
    assert returned is not None
    assert (returned.lines, returned.of, returned.path, returned.line, returned.by) == (3, 3, "a.py", 5, back)


def test_the_same_change_on_both_sides_of_a_merge_is_alive_on_both(story: History) -> None:
    story.branch("release", "begin")
    story.commit("unrelated", {"c.py": "c = 1\n"})
    story.cherry_pick("retry", key="picked")
    story.switch("main")
    story.merge("merge", "release")
    engine = ended(story)
    for key in ("retry", "picked"):
        found = fate(engine, story.repo.sha[key])
        assert (found.state, found.path, found.line) == (FateState.ALIVE, "a.py", 4), key


def test_what_a_merge_did_not_take_over_is_gone_by_the_merge(story: History) -> None:
    story.branch("side", "begin")
    story.commit("other", {"a.py": "import os\n\n\n" + OTHER}, key="other")
    story.switch("main")
    merge = story.merge("ours", "side", keep_ours=True)
    engine = ended(story)
    found = fate(engine, story.repo.sha["other"])
    assert replace(found, by_time=None) == Fate(FateState.GONE, 0, 3, by=merge)
    assert fate(engine, story.repo.sha["retry"]).state is FateState.ALIVE


def test_fate_is_seen_from_head_as_it_is_now_and_from_a_ref(story: History) -> None:
    story.branch("old", "retry")
    story.switch("main")
    story.commit("remove", {"a.py": "import os\n\n\nprint(1)\n"})
    story.branch("feature", "begin")
    story.commit("feature", {"d.py": "d = 1\ne = 2\n"}, key="feature")
    story.switch("main")
    engine = ended(story)
    for _ in engine.index(replace(WITHOUT_VECTORS, refs=RefChoice(all_refs=True))):
        pass
    assert fate(engine, story.repo.sha["retry"]).state is FateState.GONE
    assert fate(engine, story.repo.sha["feature"]).state is FateState.UNMERGED
    (hit,) = engine.find_pattern('"call(attempt)" ref:old', SearchOptions(k=0)).hits
    assert hit.fate == Fate(FateState.ALIVE, 3, 3, "a.py", 4)
    story.repo.git("symbolic-ref", "HEAD", "refs/heads/old")  # a checkout, not indexed yet
    assert fate(engine, story.repo.sha["retry"]) == Fate(FateState.ALIVE, 3, 3, "a.py", 4)
    assert found_by(engine, '"call(attempt)" is:alive') == {"add retry"}


def test_fate_is_seen_anew_when_only_the_files_that_are_kept_are_others(story: History) -> None:
    story.branch("beside", "retry")
    story.commit("beside", {"d.py": "d = 1\n"})
    story.branch("above", "retry")
    story.commit("above", {"a.py": "# one\n# two\nimport os\n\n\n" + FUNCTION.replace("call", "ask")})
    story.switch("main")
    story.flush()
    all_refs = replace(WITHOUT_VECTORS, refs=RefChoice(all_refs=True))
    head = story.repo.git("symbolic-ref", "HEAD").strip()
    story.repo.git("symbolic-ref", "HEAD", "refs/heads/beside")
    engine = index(story.repo, all_refs)
    story.repo.git("symbolic-ref", "HEAD", head)
    expected = Fate(FateState.ALIVE, 3, 3, "a.py", 4)
    assert fate(engine, story.repo.sha["retry"]) == expected
    story.repo.git("symbolic-ref", "HEAD", "refs/heads/above")
    index(story.repo, all_refs).close()
    story.repo.git("symbolic-ref", "HEAD", head)
    assert fate(engine, story.repo.sha["retry"]) == expected


def test_is_bounds_what_is_searched(story: History) -> None:
    story.commit("shout", {"b.py": "import sys\n" + OTHER})
    story.commit("move it", {"b.py": "import sys\n", "c.py": OTHER})
    story.commit("remove", {"a.py": "import os\n\n\nprint(1)\n"})
    engine = ended(story)
    assert found_by(engine, "is:gone") == {"add retry"}
    assert found_by(engine, "is:moved") == {"shout"}
    assert found_by(engine, "is:alive") == {"begin", "shout", "move it", "remove"}
    assert found_by(engine, "-is:alive") == {"add retry", "move it"}
    assert found_by(engine, "is:alive -is:moved") == {"begin", "move it", "remove"}
    with pytest.raises(QueryError, match="'dead' is not something"):
        engine.find_pattern("is:dead")


def test_is_beside_a_far_ref_goes_by_what_was_ended_and_says_so(story: History) -> None:
    story.commit("shout", {"b.py": "import sys\n" + OTHER})
    story.commit("move it", {"b.py": "import sys\n", "c.py": OTHER})
    story.commit("take away", {"a.py": "import os\n\n\nprint(1)\n"}, key="taken")
    story.revert("taken", key="back")
    story.commit("fill", {f"many/{number}.py": f"old_{number} = 1\n" for number in range(70)}, key="far")
    story.commit("again", {f"many/{number}.py": f"new_{number} = 1\n" for number in range(70)})
    story.commit("empty", {"a.py": "", "c.py": ""})
    engine = ended(story)
    far = f"ref:{story.repo.sha['far'][:12]}"

    back = 'Revert "take away"'
    assert found_by(engine, f"is:alive {far}") == {"begin", "add retry", "shout", "move it", back, "fill"}
    assert found_by(engine, f"is:gone {far}") == {"take away"}
    assert found_by(engine, f"is:reverted {far}") == {"take away"}
    assert found_by(engine, f"is:moved {far}") == {"shout"}
    (note,) = [note for note in engine.find_pattern(f"is:gone {far}").notes if note.startswith("is: goes by")]
    assert f"what the commits up to {story.repo.sha['far'][:10]} removed" in note
    assert not [note for note in engine.find_pattern("is:gone").notes if note.startswith("is: goes by")]
    assert found_by(engine, "is:gone") >= {"add retry", "shout", "move it", "fill"}


def test_what_is_not_followed_yet_is_null_and_said_once(story: History) -> None:
    story.flush()
    story.checkout()
    exact = IndexOptions(passes=frozenset({Pass.TEXT, Pass.LITERAL}), lock_wait_s=10)
    engine = index(story.repo, exact)
    results = engine.find_pattern('"call(attempt)"')
    assert [hit.fate for hit in results.hits] == [None]
    assert [note for note in results.notes if "not known yet: 0 of 2 commits" in note]
    with pytest.raises(QueryError, match="is: cannot be answered"):
        engine.find_pattern("is:gone retry")


def test_history_that_is_rewritten_takes_its_lines_with_it(story: History) -> None:
    ended(story)
    story.amend("add retry, better", {"a.py": "import os\n\n\n" + FUNCTION + "print(2)\n"}, key="amended")
    engine = ended(story)
    assert fate(engine, story.repo.sha["amended"]) == Fate(FateState.ALIVE, 4, 4, "a.py", 4)
    assert engine.gc() == 1
    assert fate(engine, story.repo.sha["amended"]) == Fate(FateState.ALIVE, 4, 4, "a.py", 4)
    dumped = json.dumps(facts_of(engine))
    assert story.repo.sha["retry"].upper() not in dumped


def test_large_and_binary_files_and_an_octopus_are_answered(tmp_path: Path) -> None:
    history = History(tmp_path / "repo")
    many = [f"line {number}" for number in range(50_000)]
    history.commit("many", {"many.txt": "\n".join(many) + "\n", "x.bin": b"\0\1\2"}, key="many")
    for side in ("one", "two", "three"):
        history.branch(side, "many")
        history.commit(side, {f"{side}.py": f"{side} = 1\n"}, key=side)
    history.switch("main")
    history.merge("octopus", "one", "two", "three")
    many[25_000] = "another"
    history.commit("change", {"many.txt": "\n".join(many) + "\n", "x.bin": b"\0\3"}, key="change")
    engine = ended(history)
    assert fate(engine, history.repo.sha["three"]) == Fate(FateState.ALIVE, 1, 1, "three.py", 1)
    pieces = [found for found in fates(engine, history.repo.sha["many"]) if found is not None]
    assert sum(found.of for found in pieces) == 50_000
    assert sum(found.kept for found in pieces) == 49_999
    lines = [found for found in fates(engine, history.repo.sha["change"]) if found is not None]
    assert [(found.state, found.path, found.line) for found in lines] == [
        (FateState.ALIVE, "many.txt", 25_001)
    ]


def test_a_commit_made_since_the_last_run_is_followed_when_it_is_caught_up_with(story: History) -> None:
    engine = ended(story)
    last = story.commit("remove", {"a.py": "import os\n\n\nprint(1)\n"})
    story.flush()
    story.checkout()
    engine.catch_up()
    found = fate(engine, story.repo.sha["retry"])
    assert (found.state, found.by) == (FateState.GONE, last)


def test_what_explains_a_place_says_what_became_of_it(story: History) -> None:
    edited = FUNCTION.replace("call(attempt)", "call(attempt, 2)")
    story.commit("edit", {"a.py": "import os\n\n\n" + edited})
    results = ended(story).explain("a.py:4-6")
    told = {
        hit.commit.subject: hit.fate and (hit.fate.state, hit.fate.kept, hit.fate.of) for hit in results.hits
    }
    assert told == {"edit": (FateState.ALIVE, 1, 1), "add retry": (FateState.CHANGED, 2, 3)}


def test_a_content_that_came_back_is_known_at_head_and_not_elsewhere(story: History) -> None:
    story.commit("away", {"a.py": "import os\n\n\nprint(1)\n"})
    back = story.commit("back", {"a.py": "import os\n\n\n" + FUNCTION})
    engine = ended(story)
    with engine.store.line_history() as history:
        blob = engine.repository.blob_at(back, "a.py")
        assert blob is not None
        assert history.head_origins("a.py", blob) is None
        assert history.head_origins("a.py", blob, of_head=True) is not None
    assert fate(engine, story.repo.sha["retry"]).state is FateState.GONE
    assert fate(engine, back) == Fate(FateState.ALIVE, 3, 3, "a.py", 4, returned=fate(engine, back).returned)

"""Commits are added whole, hidden, removed and remembered as failed, batch by batch."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from ohara.errors import InternalError
from ohara.model import Failure, LeftOut, Pass, Sha
from tests.conformance.histories import (
    HISTORY,
    NEWEST,
    RETRY,
    SAME_LINES,
    commit,
    file,
    fill,
    hunk,
    open_writer,
    sha,
)

if TYPE_CHECKING:
    from ohara.store.index import Index
    from tests.conformance.conftest import MakeIndex


# -- batches -------------------------------------------------------------------------------------


def test_a_batch_is_seen_from_its_end_on(index: Index) -> None:
    with open_writer(index) as writer:
        states = [writer.in_batch]
        writer.add([RETRY])
        states.append(writer.in_batch)
        with index.statistics() as before:
            assert (before.commits(), before.hunks(), before.contents()) == (0, 0, 0)
        writer.commit()
        states.append(writer.in_batch)
        assert states == [False, True, False]
        with index.statistics() as after:
            assert (after.commits(), after.hunks(), after.contents()) == (1, 1, 1)


def test_a_batch_that_is_rolled_back_leaves_nothing(make_index: MakeIndex) -> None:
    index = fill(make_index("one"), [RETRY])
    before = index.dump()
    with open_writer(index) as writer:
        writer.add([SAME_LINES, NEWEST])
        writer.record_failure(sha("d"), "it cannot be read")
        writer.rollback()
        assert not writer.in_batch
        assert writer.known_shas() == {sha("a"): True}
        ((known, (time, parents)),) = writer.known_links().items()
        assert (known.hex(), time, parents) == (sha("a"), RETRY.commit.committer_time, b"")
        writer.commit()
        assert index.dump() == before
        writer.add([SAME_LINES, NEWEST])
        writer.commit()
    assert index.dump() == fill(make_index("other")).dump()


def test_leaving_a_writer_undoes_the_open_batch(index: Index) -> None:
    fill(index, [RETRY])
    before = index.dump()
    with open_writer(index) as writer:
        writer.add([NEWEST])
    assert index.dump() == before


def test_a_failing_block_undoes_the_open_batch(index: Index) -> None:
    fill(index, [RETRY])
    before = index.dump()
    with suppress(RuntimeError), open_writer(index) as writer:
        writer.add([NEWEST])
        raise RuntimeError
    assert index.dump() == before


def test_the_size_of_a_batch_is_counted_in_hunks(index: Index) -> None:
    with open_writer(index) as writer:
        assert writer.hunks_pending == 0
        writer.add([RETRY, NEWEST])
        assert writer.hunks_pending == 3
        writer.add([SAME_LINES])
        assert writer.hunks_pending == 4
        writer.commit()
        assert writer.hunks_pending == 0
        writer.add([commit("d", file("x.py", hunk("+x")))])
        writer.rollback()
        assert writer.hunks_pending == 0


def test_batches_and_order_do_not_show(make_index: MakeIndex) -> None:
    one = make_index("one")
    for each in HISTORY:
        fill(one, [each])
    assert one.dump() == fill(make_index("other"), reversed(HISTORY)).dump()


# -- parts of a big commit -----------------------------------------------------------------------


def test_a_commit_added_in_parts_is_one_commit(make_index: MakeIndex) -> None:
    one, two, three = (file(f"{name}.py", hunk(f"+{name}")) for name in ("one", "two", "three"))
    index = make_index("parts")
    with open_writer(index) as writer:
        between = [writer.between_commits]
        writer.add([commit("a", one, last=False)])
        between.append(writer.between_commits)
        assert writer.holds_part_of(sha("a"))
        assert not writer.holds_part_of(sha("b"))
        writer.add([commit("a", two, first=False, last=False), commit("a", three, first=False)])
        between.append(writer.between_commits)
        assert between == [True, False, True]
        assert not writer.holds_part_of(sha("a"))
        writer.commit()
    assert index.dump() == fill(make_index("whole"), [commit("a", one, two, three)]).dump()


def test_a_batch_does_not_end_inside_a_commit(index: Index) -> None:
    with open_writer(index) as writer:
        writer.add([commit("a", file("one.py", hunk("+one")), last=False)])
        with pytest.raises(InternalError, match="inside a commit"):
            writer.commit()
        writer.rollback()
    with open_writer(index) as writer:
        assert writer.known_shas() == {}


def test_half_a_commit_is_rolled_back(index: Index) -> None:
    with open_writer(index) as writer:
        writer.add([commit("a", file("one.py", hunk("+one")), last=False)])
        writer.rollback()
        assert writer.between_commits
        assert not writer.holds_part_of(sha("a"))
        assert writer.known_shas() == {}


# -- what is stored ------------------------------------------------------------------------------


def test_lines_that_occur_twice_are_one_content(index: Index) -> None:
    fill(index)
    with index.statistics() as said:
        assert (said.commits(), said.hunks(), said.contents()) == (3, 4, 3)


def test_equal_lines_within_one_batch_and_across_batches_are_one_content(make_index: MakeIndex) -> None:
    apart = fill(make_index("apart"), [RETRY])
    fill(apart, [SAME_LINES])
    assert apart.dump() == fill(make_index("together"), [RETRY, SAME_LINES]).dump()


def test_known_commits_and_whether_they_are_shown(index: Index) -> None:
    fill(index)
    with open_writer(index) as writer:
        assert writer.known_shas() == {sha("a"): True, sha("b"): True, sha("c"): True}
        writer.show(live=[], dead=[sha("a"), sha("b")])
        assert writer.known_among([sha("b"), sha("c"), sha("d")]) == {sha("b"): False, sha("c"): True}
        writer.show(live=[sha("b")], dead=[])
        writer.commit()
        assert writer.known_shas() == {sha("a"): False, sha("b"): True, sha("c"): True}
    with index.statistics() as said:
        assert said.commits() == 2


def test_showing_again_what_was_hidden_leaves_no_trace(index: Index) -> None:
    fill(index)
    before = index.dump()
    with open_writer(index) as writer:
        writer.show(live=[], dead=[sha("a")])
        writer.commit()
        assert index.dump() != before
        writer.show(live=[sha("a")], dead=[])
        writer.commit()
    assert index.dump() == before


# -- removing ------------------------------------------------------------------------------------


def test_a_removed_commit_takes_what_only_it_had(index: Index) -> None:
    fill(index)
    with open_writer(index) as writer:
        assert writer.remove_commits([sha("a"), sha("c"), sha("e")]) == 2
        writer.commit()
        assert writer.known_shas() == {sha("b"): True}
    with index.statistics() as said:
        assert (said.commits(), said.hunks(), said.contents()) == (1, 1, 1)


def test_a_removed_commit_can_come_again(make_index: MakeIndex) -> None:
    index = fill(make_index("one"))
    before = index.dump()
    with open_writer(index) as writer:
        writer.remove_commits([sha("a"), sha("c")])
        writer.commit()
        writer.add([NEWEST, RETRY])
        writer.commit()
    assert index.dump() == before


def test_removing_nothing_removes_nothing(index: Index) -> None:
    fill(index)
    before = index.dump()
    with open_writer(index) as writer:
        assert writer.remove_commits([sha("e")]) == 0
        writer.commit()
    assert index.dump() == before


# -- failures ------------------------------------------------------------------------------------


def test_a_commit_that_cannot_be_read_is_remembered_with_its_reason(index: Index) -> None:
    with open_writer(index) as writer:
        writer.add([RETRY])
        writer.record_failure(sha("e"), "it is damaged")
        writer.record_failure(sha("d"), "it takes too long")
        writer.record_failure(sha("d"), "it takes longer than 600 s")
        writer.commit()
        assert writer.failed() == [sha("d"), sha("e")]
        assert writer.incomplete() == []
    with index.statistics() as said:
        assert said.failures() == (
            Failure(sha("d"), "it takes longer than 600 s", 2),
            Failure(sha("e"), "it is damaged", 1),
        )
        assert said.failed() == [sha("d"), sha("e")]


def test_a_commit_that_lacks_objects_is_stored_and_told(index: Index) -> None:
    lost = ("1f" * 20, "2f" * 20)
    with open_writer(index) as writer:
        writer.add([commit("a", file("one.py", hunk("+one")), missing=lost)])
        writer.commit()
        assert writer.incomplete() == [(sha("a"), lost[0])]
        assert writer.failed() == []
    with index.statistics() as said:
        assert said.failures() == (Failure(sha("a"), "2 objects are not in this clone, or damaged", 1),)
        assert said.failed() == []


def test_something_left_out_of_a_commit_is_told(index: Index) -> None:
    fill(index, [commit("a", file("one.py", hunk("+one")), left_out="vast left out: more than 2 files")])
    with index.statistics() as said:
        assert said.failures() == (Failure(sha("a"), "vast left out: more than 2 files", 1),)


def test_a_commit_that_is_read_at_last_is_no_failure(index: Index) -> None:
    with open_writer(index) as writer:
        writer.record_failure(sha("a"), "it is damaged")
        writer.commit()
        writer.add([RETRY])
        writer.commit()
        assert writer.failed() == []
    with index.statistics() as said:
        assert said.failures() == ()


def test_a_removed_commit_is_no_failure(index: Index) -> None:
    fill(index, [commit("a", file("one.py", hunk("+one")), missing=("1f" * 20,))])
    with open_writer(index) as writer:
        writer.remove_commits([sha("a")])
        writer.commit()
    with index.statistics() as said:
        assert said.failures() == ()


# -- what is left out ----------------------------------------------------------------------------


def test_what_is_left_out_is_counted_by_reason(index: Index) -> None:
    def verdict(path: str) -> str | None:
        return {"vendor/lib.py": "vendored", "kept.min.js": "kept"}.get(path)

    changes = [
        commit("a", file("vendor/lib.py", hunk("+one")), file("logo.png", left_out=LeftOut.BINARY)),
        commit("b", file("vendor/lib.py", hunk("+two")), file("huge.sql", left_out=LeftOut.LARGE)),
        commit("c", file("kept.min.js", hunk("+three"), left_out=LeftOut.MINIFIED)),
        commit(
            "d",
            file("key.pem", hunk("+MIIB", signs=3), hunk("+MIIC", signs=3)),
            file("vendor/lib.py", hunk("+four")),
        ),
    ]
    with open_writer(index, verdict=verdict) as writer:
        writer.add(changes)
        writer.show(live=[], dead=[sha("b")])
        writer.commit()
    with index.statistics() as said:
        assert said.left_out() == ((LeftOut.BINARY, 1), (LeftOut.ENCODED, 1), (LeftOut.VENDORED, 2))


def test_each_new_path_is_judged_once(index: Index) -> None:
    asked: list[str] = []

    def verdict(path: str) -> str | None:
        asked.append(path)
        return None

    with open_writer(index, verdict=verdict) as writer:
        writer.add([RETRY, commit("d", file("net/retry.py", hunk("+more")))])
        writer.commit()
    with open_writer(index, verdict=verdict) as writer:
        writer.add([commit("e", file("net/retry.py", hunk("+still more")), file("new.py", hunk("+new")))])
        writer.commit()
    assert asked == ["net/retry.py", "new.py"]


def test_the_sha_of_a_stored_commit_is_told(index: Index) -> None:
    fill(index)
    with open_writer(index) as writer:
        found = {writer.sha_of(each) for each in writer.passes.pending(Pass.SYMBOL)}
    assert found == {Sha("a" * 40), Sha("b" * 40), Sha("c" * 40)}

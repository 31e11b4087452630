"""An index as a whole: made, locked, examined, set aside, forgotten."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from ohara.errors import IndexLocked, IndexMissing
from tests.conformance.histories import HISTORY, NEWEST, fill, open_writer

if TYPE_CHECKING:
    from ohara.store.index import Index
    from tests.conformance.conftest import MakeIndex


def test_an_index_exists_from_its_first_writer_on(index: Index) -> None:
    there = [index.exists]
    assert (index.size_bytes(), index.last_written()) == (0, 0.0)
    before = time.time()
    with open_writer(index):
        there.append(index.exists)
    assert there == [False, True]
    assert index.size_bytes() > 0
    assert before - 60 < index.last_written() < time.time() + 60


def test_an_index_that_is_not_there_says_so(index: Index) -> None:
    with pytest.raises(IndexMissing), index.statistics():
        pass
    with pytest.raises(IndexMissing):
        index.stored_commits()
    with pytest.raises(IndexMissing):
        index.examine()
    assert not index.exists


def test_indexes_beside_each_other_know_nothing_of_each_other(make_index: MakeIndex) -> None:
    one, other = fill(make_index("one")), fill(make_index("other"), [NEWEST])
    with one.statistics() as said, other.statistics() as also:
        assert (said.commits(), also.commits()) == (3, 1)
    other.forget(wait_s=0)
    assert one.exists


def test_only_one_holds_the_lock(index: Index) -> None:
    assert index.locked_by() is None
    started = int(time.time())
    with index.locked(wait_s=0):
        holder = index.locked_by()
        assert holder is not None
        pid, since = holder
        assert pid == os.getpid()
        assert started <= since <= started + 60
        with pytest.raises(IndexLocked), index.locked(wait_s=0):
            pass
    assert index.locked_by() is None
    with index.locked(wait_s=0):
        pass


def test_a_whole_index_is_well(index: Index) -> None:
    fill(index)
    examined = index.examine()
    assert (examined.damage, examined.made_with) == ("", None)


def test_an_index_set_aside_gives_way_to_a_new_one(index: Index) -> None:
    index.set_aside()  # nothing is there yet
    fill(index)
    index.set_aside()
    assert not index.exists
    fill(index, [NEWEST])
    with index.statistics() as said:
        assert said.commits() == 1
    index.set_aside()
    fill(index)
    before = index.dump()
    index.discard_aside()
    assert index.dump() == before


def test_a_forgotten_index_is_gone(index: Index) -> None:
    fill(index)
    size = index.size_bytes()
    assert index.forget(wait_s=0) >= size
    assert not index.exists
    assert not index.location.folder.exists()
    with pytest.raises(IndexMissing):
        index.forget(wait_s=0)
    index.location.prepare()
    fill(index, [NEWEST])
    with index.statistics() as said:
        assert said.commits() == 1


def test_an_index_that_is_written_is_not_forgotten(index: Index) -> None:
    fill(index)
    with index.locked(wait_s=0), pytest.raises(IndexLocked):
        index.forget(wait_s=0)
    assert index.exists


def test_whoever_reads_goes_on_with_what_was_there(index: Index) -> None:
    fill(index, HISTORY[:1])
    with index.statistics() as said:
        assert said.commits() == 1
        fill(index, HISTORY[1:])
        assert said.commits() == 3
    with index.statistics() as said:
        assert said.commits() == 3


def test_a_dump_names_every_commit(index: Index) -> None:
    assert fill(index).dump() == sorted(index.dump())
    for each in HISTORY:
        assert any(each.commit.sha in line.lower() for line in index.dump())

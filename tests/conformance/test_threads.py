"""Threads, copies and how often things change: what an engine is given, what it gives back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from ohara.history.copies import Copied
from ohara.history.reasons import Reason
from ohara.history.threads import Member
from ohara.model import HunkId
from ohara.store.answers import CommitAt, CopyOf, FileLife
from ohara.store.derived import TouchedHunk, TouchedSymbol
from tests.conformance.histories import HISTORY, all_ids, commit, fill, open_writer, sha

if TYPE_CHECKING:
    from collections.abc import Callable

    from ohara.store.index import Index
    from ohara.store.reading import Reader

A, B, C = sha("a"), sha("b"), sha("c")


def read(index: Index, work: Callable[[Reader], object]) -> object:
    """What a reader of an index answers."""
    readers = index.readers()
    try:
        return anyio.run(readers.read, work)
    finally:
        readers.close()


@pytest.fixture
def filled(index: Index) -> Index:
    fill(index)
    with open_writer(index) as writer:
        ids = all_ids(writer)
        writer.threads.replace(
            [[Member(ids[A], Reason.MERGE), Member(ids[C], Reason.LIKELY)]],
            [[Copied(ids[A], ("main",)), Copied(ids[B], ("3.9", "main"))]],
        )
        writer.commit()
    return index


def test_nodes_are_live_commits_oldest_first(filled: Index) -> None:
    with open_writer(filled) as writer:
        ids = all_ids(writer)
        nodes = writer.threads.nodes()
        writer.show(live=(), dead=(C,))
        fewer = writer.threads.nodes()

    assert [(node.id, node.sha) for node in nodes] == [(ids[A], A), (ids[B], B), (ids[C], C)]
    assert [node.message for node in nodes] == [each.commit.message for each in HISTORY]
    assert [len(node.paths) for node in nodes] == [1, 1, 1]
    assert len({node.patch for node in nodes}) == 3  # the same lines of another file are another patch
    assert [node.sha for node in fewer] == [A, B]


def test_threads_and_copies_are_read_as_they_were_written(filled: Index) -> None:
    def asked(reader: Reader) -> object:
        members = reader.thread_commits((A,))
        return (
            reader.threads_of((A, B, C)),
            {first: [(each.sha, each.reason) for each in commits] for first, commits in members.items()},
            reader.copies_of((B,)),
        )

    assert read(filled, asked) == (
        {A: A, C: A},
        {A: [(A, Reason.MERGE), (C, Reason.LIKELY)]},
        {B: (CopyOf(A, ("main",)), CopyOf(B, ("3.9", "main")))},
    )


def test_a_replaced_thread_and_a_removed_commit_leave_nothing(filled: Index) -> None:
    with open_writer(filled) as writer:
        ids = all_ids(writer)
        writer.threads.replace([[Member(ids[A], Reason.FIX), Member(ids[B], Reason.FIX)]], [])
        writer.commit()
    changed = read(filled, lambda reader: (reader.threads_of((A, B, C)), reader.copies_of((A, B, C))))
    with open_writer(filled) as writer:
        writer.show(live=(), dead=(B,))
        writer.commit()
        writer.upkeep.collect()

    assert changed == ({A: A, B: A}, {})
    assert read(filled, lambda reader: reader.thread_commits((A,))) == {}


def test_the_merge_that_brought_a_commit_in_is_the_first_of_work_after_it(index: Index) -> None:
    sides = (sha("1"), sha("2"))
    history = [
        commit("1", message="fix", day=1),
        commit("2", message="wip", day=2),
        commit("3", message="Merge branch 'main' into uploads", day=3, parents=sides),
        commit("4", message="Merge pull request #7 from ada/uploads\n\nRetry", day=4, parents=sides),
        commit("5", message="Merge pull request #9 from bob/uploads\n\nAgain", day=5, parents=sides),
        commit("6", message="Merge what has one parent", day=6, parents=sides[:1]),
        commit("7", message="alone", day=7),
    ]
    with open_writer(index) as writer:
        writer.add(history)
        writer.commit()
        ids = all_ids(writer)
        members = [Member(ids[sha(digit)], Reason.MERGE) for digit in "123456"]
        writer.threads.replace([members], [])
        writer.commit()
    numbers = {digit: ids[sha(digit)] for digit in "1234567"}
    brought = read(index, lambda reader: reader.merges_of(numbers.values()))
    with open_writer(index) as writer:
        writer.show(live=(), dead=(sha("4"),))
        writer.commit()
    later = read(index, lambda reader: reader.merges_of([numbers["1"]]))

    retry, again = history[3].commit.message, history[4].commit.message
    assert brought == {numbers[digit]: retry for digit in "123"} | {numbers["4"]: again}
    assert later == {numbers["1"]: again}
    assert read(index, lambda reader: reader.merges_of([])) == {}


def test_how_often_files_and_symbols_change(filled: Index) -> None:
    with open_writer(filled) as writer:
        ids = all_ids(writer)
        hunk = filled.stored_commits().hunks(ids[C])[0].hunk_id
        writer.symbols.touched([TouchedHunk(hunk, (TouchedSymbol("method", "total", "Cart.total"),))])
        writer.commit()

    def asked(reader: Reader) -> object:
        return (
            [at.sha for at in reader.commits_changing(("net/retry.py", "net/again.py"), 10)],
            reader.commits_changing(("shop/cart.py",), 10) == reader.commits_of_hunks((HunkId(hunk),)),
            reader.qualified_names("total"),
            reader.symbols_of_commits((ids[A], ids[C])),
            reader.times_touched(("Cart.total", "nothing")),
            reader.file_lives()["shop/cart.py"],
        )

    assert read(filled, asked) == (
        [B, A],
        True,
        ["Cart.total"],
        {ids[C]: [("shop/cart.py", "Cart.total")]},
        {"Cart.total": 1},
        FileLife(changes=1, now="shop/cart.py", gone=False),
    )
    assert read(filled, lambda reader: reader.commits_changing(("shop/cart.py",), 1)) == [
        CommitAt(ids[C], C, HISTORY[2].commit.committer_time)
    ]

"""Commits are put in the order of the whole log, although most are told by their times alone."""

from __future__ import annotations

import itertools
from contextlib import closing
from typing import TYPE_CHECKING, cast

import apsw
from hypothesis import given
from hypothesis import strategies as st

from ohara.model import Sha
from ohara.store.log_order import LogOrder
from ohara.store.sql import lineage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ohara.store.history import History
    from ohara.store.log_order import ClockSlips
    from ohara.store.sql.session import Session

SHA_BYTES = 20


class Log:
    """A table of commits as an index has it, which counts how often the whole order is asked for."""

    def __init__(self, commits: list[tuple[int, list[int]]]) -> None:
        """Each commit is its time and which of the commits before it are its parents."""
        self._database = apsw.Connection(":memory:")
        self._database.execute("CREATE TABLE commits(sha UNIQUE, committer_time, parents, live DEFAULT 1)")
        self._database.executemany(
            "INSERT INTO commits(sha, committer_time, parents) VALUES(?, ?, ?)",
            [(packed(at), time, b"".join(map(packed, above))) for at, (time, above) in enumerate(commits)],
        )
        self.asked = 0

    def close(self) -> None:
        self._database.close()

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        return list(self._database.execute(statement))

    def remembered(self, _: str, make: Callable[[], object]) -> object:
        return make()

    def log_order(self) -> Mapping[Sha, int] | None:
        self.asked += 1
        return lineage.log_order(cast("Session", self))

    def clock_slips(self) -> ClockSlips:
        return lineage.clock_slips(cast("Session", self))


def packed(number: int) -> bytes:
    return (number + 1).to_bytes(SHA_BYTES, "big")


def sha(number: int) -> Sha:
    return Sha(packed(number).hex())


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[int, list[int]]]:
    """Up to a dozen commits, with up to four parents each, most of them with clocks that go right."""
    commits: list[tuple[int, list[int]]] = []
    for at in range(draw(st.integers(1, 12))):
        above = draw(st.lists(st.integers(0, at - 1), unique=True, max_size=4)) if at else []
        commits.append((10 * at + draw(st.sampled_from([0, 0, 0, 0, 1, -5, -10, -30, 40])), above))
    return commits


@given(histories())
def test_every_two_commits_stand_as_in_the_whole_log(commits: list[tuple[int, list[int]]]) -> None:
    with closing(Log(commits)) as log:
        whole = log.log_order()
        order = LogOrder(cast("History", log))
        places = [order.place(sha(at), time) for at, (time, _) in enumerate(commits)]
        for one, other in itertools.permutations(range(len(commits)), 2):
            if whole is None:  # only commits that do not lead to each other may have one time
                assert (places[one] < places[other]) == (commits[one][0] > commits[other][0])
            else:
                assert (places[one] < places[other]) == (whole[sha(one)] < whole[sha(other)])
        listed = order.newest_first(range(len(commits)), lambda at: (sha(at), commits[at][0]))
        assert listed == sorted(range(len(commits)), key=lambda at: places[at])


@given(histories())
def test_of_one_second_what_leads_to_a_commit_has_a_smaller_place(
    commits: list[tuple[int, list[int]]],
) -> None:
    with closing(Log(commits)) as log:
        places = lineage.places_in_second(cast("Session", log))
        assert all(places.values())
        for at, (time, above) in enumerate(commits):
            before = [places.get(packed(one), 0) for one in above if commits[one][0] == time]
            assert places.get(packed(at), 0) == (max(before) + 1 if before else 0)


def test_times_are_enough_for_commits_outside_a_slip() -> None:
    # 2 was made on a clock that was behind that of its parent.
    with closing(Log([(10, []), (50, [0]), (30, [1]), (60, [2]), (70, [3])])) as log:
        order = LogOrder(cast("History", log))
        assert order.newest_first([0, 3, 4], lambda at: (sha(at), (10, 50, 30, 60, 70)[at])) == [4, 3, 0]
        assert order.place(sha(4), 70) < order.place(sha(1), 50) < order.place(sha(0), 10)
        assert log.asked == 0
        assert order.place(sha(2), 30) < order.place(sha(1), 50)
        assert log.asked == 1

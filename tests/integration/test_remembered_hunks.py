"""What readers remember of hunks and commits between questions: the same answers, without asking again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ohara.model import HunkId
from ohara.store.answers import WordQuery
from ohara.store.sqlite.filters import EVERYTHING, FtsFilter
from ohara.store.sqlite.hunk_sets import HunkSet
from ohara.store.sqlite.reader import Reader
from tests.indexing import WITHOUT_VECTORS, index

if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

    from fixtures.git import Repo

WEIGHTS = (6, 1, 1, 1, 0.2, 0.1)
ASKED = (("fix",), ("retri", "fix"), ("function",), ("test", "add", "file"), ("nowhere",))


@pytest.fixture
def reader(small_project: Repo) -> Iterator[Reader]:
    reader = Reader(index(small_project, WITHOUT_VECTORS).location.database)
    yield reader
    reader.close()


@pytest.mark.parametrize("columns", [(), ("message",), ("added", "removed")])
def test_commits_are_the_same_whether_all_hunks_may_answer_or_each_does(
    reader: Reader, columns: tuple[str, ...]
) -> None:
    each = FtsFilter.of(HunkSet(b"\1" * reader.hunk_count()))
    found = 0
    for words in ASKED:
        for common in ((), ("the", "add")):
            asked = WordQuery(words, common, columns)
            of_all = reader.commits_by_words(asked, WEIGHTS, EVERYTHING, 20)
            assert of_all is not None
            assert of_all == reader.commits_by_words(asked, WEIGHTS, each, 20)
            assert of_all == reader.commits_by_words(asked, WEIGHTS, EVERYTHING, 20)  # now in memory
            found += len(of_all)
    assert found > 20


def test_where_hunks_are_is_asked_for_once(reader: Reader) -> None:
    statements: list[str] = []

    def note(_cursor: apsw.Cursor, statement: str, _: object) -> bool:
        statements.append(statement)
        return True

    gone = HunkId(reader.hunk_count() + 1)
    hunks = [HunkId(number) for number in (3, gone, 1, 2)]
    first = reader.occurrences(hunks)
    assert [at.hunk for at in first] == [3, 1, 2]
    reader.connection.exec_trace = note
    assert reader.occurrences(reversed(hunks[2:])) == [first[2], first[1]]
    assert not [statement for statement in statements if "commits" in statement]
    assert reader.occurrences([HunkId(4), HunkId(3)])[1] == first[0]
    assert len([statement for statement in statements if "commits" in statement]) == 1

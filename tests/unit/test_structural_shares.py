"""Changes are divided among parsers by files, and none runs far ahead of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.retrieve import shares
from ohara.retrieve.shares import Shares
from ohara.retrieve.sought_code import Compared, Side

if TYPE_CHECKING:
    import pytest

PATHS = "aaabacadbbeaaabacadbb"


def waiting() -> list[tuple[Compared, str]]:
    return [
        (Compared(None, Side("python", f"{number:040x}")), f"{path}.py") for number, path in enumerate(PATHS)
    ]


def test_little_is_not_divided() -> None:
    divided = Shares(waiting(), 2)
    assert divided.count == 1
    assert [(each.compared, each.path) for each in divided.next(0)] == waiting()


def test_all_changes_of_a_file_are_in_one_share_the_newest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "_WORTH_SHARING", 10)
    divided = Shares(waiting(), 2)
    parts = [divided.next(share) for share in range(divided.count)]
    paths = [{each.path for each in part} for part in parts]
    assert [sorted(each) for each in paths] == [["a.py", "e.py"], ["b.py", "c.py", "d.py"]]
    assert sorted(each.place for part in parts for each in part) == list(range(len(PATHS)))
    assert all([each.place for each in part] == sorted(each.place for each in part) for part in parts)


def test_a_share_waits_for_one_with_newer_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "_WORTH_SHARING", 10)
    monkeypatch.setattr(shares, "_MOST_AHEAD", 5)
    divided = Shares(waiting(), 2)
    assert not divided.is_ahead(1)
    del divided.next(1)[:3]
    assert (divided.next(1)[0].place, divided.is_ahead(1), divided.is_ahead(0)) == (8, True, False)
    divided.next(0).clear()
    assert not divided.is_ahead(1)

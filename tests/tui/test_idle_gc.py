"""When garbage is looked for: while nobody is there."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

import pytest

from tui.idle_gc import IdleCollector

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def usual_gc() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)
    gc.enable()


@pytest.mark.usefixtures("usual_gc")
def test_garbage_is_looked_for_only_when_nobody_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    collector = IdleCollector()
    gc.disable()
    collector.start()
    assert gc.isenabled()
    monkeypatch.setattr(gc, "get_count", lambda: (40, 7, 0))
    collector.note_input()
    assert not collector.collect_if_idle()
    now += 2
    assert collector.collect_if_idle()
    monkeypatch.setattr(gc, "get_count", lambda: (40, 0, 0))
    assert not collector.collect_if_idle()

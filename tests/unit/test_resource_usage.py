"""How the service frees memory."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import pytest

from ohara.daemon import resource_usage

if TYPE_CHECKING:
    from collections.abc import Iterator


class Cycle:
    """Something that only it itself refers to."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def _thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("_thresholds")
def test_garbage_of_questions_is_left_until_the_service_tidies_up() -> None:
    gc.collect()
    resource_usage.collect_seldom()
    cycles = [weakref.ref(Cycle()) for _ in range(5_000)]  # more than a question makes
    assert all(cycle() is not None for cycle in cycles)
    resource_usage.give_back()
    assert not any(cycle() for cycle in cycles)

"""Whoever waits for a coroutine gets what it returns, and nobody spells it out."""

from __future__ import annotations

import pytest

from ohara import blocking


class Long:
    """What takes long to spell."""

    def __init__(self) -> None:
        self.spelt = 0

    def __repr__(self) -> str:
        self.spelt += 1
        return "long"


def test_what_is_returned_is_handed_over_and_not_spelt() -> None:
    async def answer(what: Long) -> Long:
        return what

    long = Long()
    assert blocking.run(answer, long) is long
    assert long.spelt == 0


def test_a_fault_comes_out_as_it_is() -> None:
    async def fail() -> None:
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        blocking.run(fail)

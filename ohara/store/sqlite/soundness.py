"""Turns what makes no sense in an index into an error that says what to do."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ohara.errors import IndexCorrupt
from ohara.store.locate import REBUILD

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def sound(database: object) -> Iterator[None]:
    """What is read here of words and trigrams makes sense, or the index is damaged."""
    try:
        yield
    except ValueError as error:
        raise IndexCorrupt(f"the index {database} is damaged ({error})", hint=REBUILD) from error

"""Reads what stands in an index for a member of an enumeration: a kind, a reason, how lines ended.

What no version of ohara writes there is damage: an index of a later version is refused before it is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ohara.errors import IndexCorrupt
from ohara.store.locate import REBUILD

if TYPE_CHECKING:
    from enum import Enum

E = TypeVar("E", bound="Enum")


def member(kind: type[E], stored: object) -> E:
    """The member that is stored by its value."""
    try:
        return kind(stored)
    except ValueError as error:
        raise IndexCorrupt(f"the index is damaged: {error}", hint=REBUILD) from error

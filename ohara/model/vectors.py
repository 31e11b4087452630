"""Vectors as an index keeps them, for those who make them and those who store them."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class VectorForm(StrEnum):
    """How an index keeps the vectors of a model: see `embed/quantise.py`."""

    BIT = "bit"
    INT8 = "int8"


class VectorBlock(NamedTuple):
    """Stored vectors side by side: owners (64 bits each), a bit for each slot in use, vectors."""

    rows: bytes
    valid: bytes
    vectors: bytes

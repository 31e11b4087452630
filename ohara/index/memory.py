"""Returns memory to the system: the C library keeps what was freed between what is still in use."""

from __future__ import annotations

import ctypes


def trim() -> None:
    """Return free memory, where the C library does so only when told."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError, TypeError):  # another C library
        return

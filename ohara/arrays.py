"""numpy, loaded without threads of its own.

The library behind it that multiplies matrices starts a thread for each core, and these spin for a while: a
third of what loading numpy takes, on a core that a search needs. No matrix in ohara is so large that two
threads are quicker.
"""

from __future__ import annotations

import os

_THREADS = "OPENBLAS_NUM_THREADS"  # read once, when numpy is loaded

_given = os.environ.get(_THREADS)
os.environ.setdefault(_THREADS, "1")
import numpy as np  # noqa: E402

if _given is None:
    del os.environ[_THREADS]  # not for programs that ohara starts

__all__ = ["np"]

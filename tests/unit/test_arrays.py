"""numpy as ohara loads it lacks nothing that others ask of it later."""

from __future__ import annotations

import subprocess
import sys

_LATER = """
import sys
import ohara.arrays
assert not any(name.startswith("numpy._typing") for name in sys.modules), "types were loaded"
import numpy.typing
import numpy._typing._array_like
assert numpy.typing.NDArray is numpy._typing.NDArray is not list
assert numpy.ndarray.sum.__doc__ is None, "texts were loaded"
import numpy._core._add_newdocs
assert "axis" in numpy.ndarray.sum.__doc__
assert numpy.linalg.eig(numpy.eye(2)).eigenvalues.tolist() == [1, 1]
"""
_BEFORE = """
import numpy.typing
import ohara.arrays
assert ohara.arrays.np is numpy
import sys
assert sys.modules["numpy._typing"].NDArray is numpy.typing.NDArray
"""


def test_types_of_numpy_come_when_they_are_asked_for() -> None:
    for source in (_LATER, _BEFORE):
        subprocess.run([sys.executable, "-c", source], check=True)

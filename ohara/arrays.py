"""numpy, loaded without threads of its own.

The library behind it that multiplies matrices starts a thread for each core, and these spin for a while: a
third of what loading numpy takes, on a core that a search needs. No matrix in ohara is so large that two
threads are quicker.

Nor does it load what numpy keeps for type checkers, an eighth of its time: of that it needs one name, which
says nothing at run time. Whoever imports `numpy.typing` later gets the whole of it. The texts that numpy puts
on what is written in C, a quarter of its time, are for who reads them: their modules can be imported later.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from types import ModuleType

_TYPING = "numpy._typing"
_TEXTS = ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars")
_THREADS = "OPENBLAS_NUM_THREADS"  # read once, when numpy is loaded

_given = os.environ.get(_THREADS)
os.environ.setdefault(_THREADS, "1")

_stand_in = ModuleType(_TYPING)
_stand_in.__getattr__ = lambda _: list  # type: ignore[method-assign]  # whatever can be subscripted
if "numpy" not in sys.modules and (_found := find_spec("numpy")) is not None:
    _stand_in.__path__ = [f"{each}{os.sep}_typing" for each in _found.submodule_search_locations or ()]
    sys.modules[_TYPING] = _stand_in
    sys.modules.update(dict.fromkeys(_TEXTS, _stand_in))
import numpy as np  # noqa: E402

for _name in (_TYPING, *_TEXTS):
    if sys.modules.get(_name) is _stand_in:
        del sys.modules[_name]
if _given is None:
    del os.environ[_THREADS]  # not for programs that ohara starts

__all__ = ["np"]

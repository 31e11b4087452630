"""What is compiled of ohara (the C files here), or None where it was installed without a C compiler.

Nothing depends on it but time: whoever asks for it here does the same without it, and tests compare the two.
`OHARA_SPEEDUPS=off` does without it as well, to measure what it is worth or to rule it out.

In a checkout the Python files may be brought up to date without compiling again. What was compiled of other C
files than these takes other arguments, or means something else by what it gives: it is not used.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

VARIABLE = "OHARA_SPEEDUPS"
SOURCES = "44cf71adda4be87e"  # what the C files go by; whoever changes one learns the new name from a test

compiled: ModuleType | None = None
is_outdated = False
if os.environ.get(VARIABLE) != "off":
    try:
        from ohara.speedups import _compiled

        is_outdated = getattr(_compiled, "SOURCES", "") != SOURCES
        compiled = None if is_outdated else _compiled
    except ImportError:  # installed without a compiler, or for another Python
        pass

"""What is compiled of ohara (the C files here), or None where it was installed without a C compiler.

Nothing depends on it but time: whoever asks for it here does the same without it, and tests compare the two.
`OHARA_SPEEDUPS=off` does without it as well, to measure what it is worth or to rule it out.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

VARIABLE = "OHARA_SPEEDUPS"

compiled: ModuleType | None = None
if os.environ.get(VARIABLE) != "off":
    try:
        from ohara.speedups import _compiled

        compiled = _compiled
    except ImportError:  # installed without a compiler, or for another Python
        pass

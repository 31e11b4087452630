"""How to install what only some of ohara needs: the packages of an extra, into the environment that runs.

Never by the name `ohara`: in package registries another project has it. Versions come from the installed
distribution, as pyproject.toml gave them.
"""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec


def install_command(extra: str) -> str:
    """The command that adds the packages of an extra to this environment."""
    from importlib.metadata import PackageNotFoundError, requires  # slow to load, and seldom needed

    try:
        declared = requires("ohara") or ()
    except PackageNotFoundError:  # ohara runs from its source
        declared = ()
    parts = [line.partition(";") for line in declared]
    packages = [name.strip() for name, _, marker in parts if marker.strip() == f"extra == '{extra}'"]
    if not packages:
        return f"in a checkout of ohara: pip install '.[{extra}]'"
    if find_spec("pip") is None:  # uv installs without
        return shlex.join(["uv", "pip", "install", "--python", sys.executable, *packages])
    return shlex.join([sys.executable, "-m", "pip", "install", *packages])

"""Tells whether the files that this process runs were replaced by others, as by a `git pull` in a checkout.

A service lives longer than an installation. Its version need not change with the files, so clients cannot
tell; and what it has yet to load would be of other files than what it has loaded.
"""

from __future__ import annotations

import os
import sys

_Stamp = tuple[int, int, int]

_PACKAGE = "ohara"


class OwnSource:
    """The files of the modules that are loaded, as they were when they were first looked at."""

    def __init__(self) -> None:
        self._known: dict[str, _Stamp | None] = {}
        self._replaced: dict[str, _Stamp | None] = {}

    def is_replaced(self) -> bool:
        """True when files are others than they were, and have not changed since this was last asked."""
        found = {file: _stamp(file) for file in _files()}
        for file, stamp in found.items():
            self._known.setdefault(file, stamp)
        replaced = {file: stamp for file, stamp in found.items() if stamp != self._known[file]}
        has_settled = bool(replaced) and replaced == self._replaced
        self._replaced = replaced
        return has_settled


def _files() -> list[str]:
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == _PACKAGE]
    return [file for module in modules if (file := getattr(module, "__file__", None))]


def _stamp(file: str) -> _Stamp | None:
    """What tells a file from one that took its place; None where there is none."""
    try:
        found = os.stat(file)  # noqa: PTH116 - several hundred, every few seconds
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino

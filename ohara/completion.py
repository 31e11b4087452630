"""Which of many names a begun one may become: those that begin so, then those that hold it. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def fitting(names: Iterable[str], begun: str) -> list[str]:
    """The names that begin so, then those that hold it elsewhere, in any case; otherwise as they came."""
    wanted = begun.casefold()
    found = [name for name in dict.fromkeys(map(str, names)) if wanted in name.casefold()]
    return sorted(found, key=lambda name: not name.casefold().startswith(wanted))


def fitting_symbols(names: Iterable[str], begun: str) -> list[str]:
    """The symbols of which a part begins so, then those that hold it elsewhere; the shorter names first."""
    wanted = begun.casefold()
    found = [name for name in dict.fromkeys(names) if wanted in name.casefold()]
    begins = re.compile(rf"(?:^|[^\w$]){re.escape(wanted)}")
    return sorted(found, key=lambda name: (begins.search(name.casefold()) is None, len(name), name))


def next_folders(paths: Sequence[str], begun: str) -> list[str]:
    """Files and folders one step further than what was typed, or else files whose name holds it."""
    steps: dict[str, None] = {}
    for path in paths:
        if path.startswith(begun):
            slash = path.find("/", len(begun))
            steps[path if slash < 0 else path[: slash + 1]] = None
    if steps or not begun:
        return list(steps)
    wanted = begun.casefold()
    return [path for path in paths if wanted in path.rpartition("/")[2].casefold()]


def endings(paths: Iterable[str]) -> list[str]:
    """The endings of files, the most frequent first."""
    counts: dict[str, int] = {}
    for path in paths:
        name = path.rpartition("/")[2]
        if "." in name[1:]:
            ending = name.rpartition(".")[2]
            counts[ending] = counts.get(ending, 0) + 1
    return sorted(counts, key=lambda ending: -counts[ending])

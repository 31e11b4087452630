"""What a unit of the soak leaves behind: what it counted, and how to see each failure again."""

from __future__ import annotations

import os
import random
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Outcome:
    """One unit of one part: how often each thing was done, and what fell."""

    part: str
    unit: int
    counts: Mapping[str, int] = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    elapsed_s: float = 0.0


def chance_of(seed: str, part: str, unit: int) -> random.Random:
    """The chance that decides everything in one unit; the same on every machine."""
    return random.Random(f"{seed}/{part}/{unit}")  # noqa: S311 - to repeat a failure, not to keep a secret


def added(counts: Iterator[Mapping[str, int]]) -> Counter[str]:
    """Counts of several units together."""
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return total


@contextmanager
def at_home(folder: Path) -> Iterator[Path]:
    """Let ohara keep everything in a folder for a while, as a user who has configured nothing."""
    before = dict(os.environ)
    for name in before:
        if name.startswith(("OHARA_", "GIT_", "XDG_", "_OHARA_")):
            del os.environ[name]
    os.environ |= {
        "OHARA_HOME": str(folder),
        "HOME": str(folder),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "TZ": "UTC",
        "NO_COLOR": "1",
    }
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield folder
    finally:
        os.environ.clear()
        os.environ.update(before)


def set_settings(home: Path, text: str) -> None:
    """Write the user's settings file of a home."""
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / "config.toml").write_text(text, encoding="utf-8")


def difference(made: list[str], wanted: list[str], most: int = 6) -> str:
    """The first lines that only one of two dumps has, shortened."""
    extra = sorted((Counter(made) - Counter(wanted)).elements())
    missing = sorted((Counter(wanted) - Counter(made)).elements())
    lines = [f"  + {line[:240]}" for line in extra[:most]] + [f"  - {line[:240]}" for line in missing[:most]]
    return f"{len(extra)} facts too many, {len(missing)} missing\n" + "\n".join(lines)

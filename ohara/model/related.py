"""Values of co-change: what changes together with a file, a symbol, some lines or a commit."""

from __future__ import annotations

from ohara.model.browsing import Kin  # noqa: TC001 - the types are read off the wire
from ohara.records import dataclass


@dataclass(frozen=True, slots=True)
class Companion:
    """A file, or a symbol of one, that changed in `together` of the `of` commits that changed `beside`.

    `confidence` is that share with recent commits counting more, `lift` how many times as often as among all
    commits; `commits` are the newest of those that changed both.
    """

    path: str
    symbol: str | None
    beside: str
    together: int
    of: int
    confidence: float
    lift: float
    score: float
    commits: tuple[Kin, ...] = ()


@dataclass(frozen=True, slots=True)
class Related:
    """What changes together with what was asked about, the closest first.

    `subject` is what it was taken for, `commits` how many commits changed it, `swept` how many of those were
    left out because they changed too many files to say anything.
    """

    subject: str
    kind: str
    commits: int
    swept: int
    files: tuple[Companion, ...] = ()
    symbols: tuple[Companion, ...] = ()
    notes: tuple[str, ...] = ()

"""One index of one repository, as the rest of ohara knows it, whatever engine keeps it.

An engine implements `Index`, the readers and the writer that it hands out (`store/writing.py`), and is
named in `store/engines.py`. `tests/conformance` says what every engine must do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ohara.records import dataclass
from ohara.store.facts import KnowsFacts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from ohara.model import Failure, LeftOut, Pass, PassStatus, Sha
    from ohara.store.copying import CopySource
    from ohara.store.derived import StoredCommits
    from ohara.store.fingerprint import Fingerprint
    from ohara.store.lines import LineHistory
    from ohara.store.locate import IndexLocation
    from ohara.store.reading import Readers
    from ohara.store.writing import Verdict, Writer

# Three lanes and one look-up at a time; more readers than this only take memory from one another.
READERS = 4


@dataclass(frozen=True, slots=True)
class Examined:
    """What is wrong with an index ("" when it is whole), and what its passes were made with."""

    damage: str
    made_with: Fingerprint | None


@dataclass(frozen=True, slots=True)
class Exported:
    """What a file with an index says of itself; `roots` are its commits without parents."""

    roots: tuple[Sha, ...]
    commits: int
    made_with: Fingerprint


class Analysis(Protocol):
    """How texts are analysed for words and trigrams."""

    def message(self, message: str) -> str:
        """The words of a message."""
        ...

    def hunk(self, path: str, header: str, body: str) -> tuple[str, str, str, str, str] | None:
        """The words of path, header, added, removed and context lines; None for a hunk without any."""
        ...

    def changed(self, body: str) -> str:
        """The changed lines that trigrams are made of."""
        ...


class Statistics(KnowsFacts, Protocol):
    """What an index says of itself as a whole, exactly counted."""

    def commits(self) -> int:
        """How many live commits there are."""
        ...

    def hunks(self) -> int:
        """How many hunks are stored."""
        ...

    def contents(self) -> int:
        """How many different bodies the hunks have."""
        ...

    def symbols(self) -> int:
        """How many symbols are known."""
        ...

    def passes(self) -> tuple[PassStatus, ...]:
        """How far each pass is with the live commits."""
        ...

    def left_out(self) -> tuple[tuple[LeftOut, int], ...]:
        """How many file changes of live commits are left out of search, or have lines that are, by reason."""
        ...

    def failures(self) -> tuple[Failure, ...]:
        """The commits that could not be wholly read, by sha."""
        ...

    def failed(self) -> list[Sha]:
        """The commits that could not be read at all, and so are not stored, by sha."""
        ...


class MatchCache(Protocol):
    """What matched in contents of files, by the name of a pattern; only a cache, bounded and never needed."""

    def get(self, pattern: str, blobs: Sequence[str]) -> dict[str, bytes]:
        """What is known of some contents."""
        ...

    def put(self, pattern: str, found: Mapping[str, bytes]) -> None:
        """Keep what was found in contents."""
        ...

    def close(self) -> None:
        """Close it."""
        ...


class Index(Protocol):
    """One index; making this object opens nothing, and the index need not exist.

    Whoever writes, sets aside or forgets holds the lock meanwhile. Each call of `statistics` and
    `stored_commits` opens the index as it is then, and raises `IndexMissing` when there is none.
    """

    @property
    def location(self) -> IndexLocation:
        """Whose index it is, and the folder that is its own."""
        ...

    @property
    def shared_by(self) -> str:
        """The name of the server that keeps it; empty for this machine's own."""
        ...

    @property
    def exists(self) -> bool:
        """True when an index was made here."""
        ...

    def size_bytes(self) -> int:
        """What the index takes on disk."""
        ...

    def last_written(self) -> float:
        """When it was last written, in seconds since the epoch; 0 when there is none."""
        ...

    def locked(self, *, wait_s: float) -> AbstractContextManager[None]:
        """Hold the lock of the one writer, waiting at most so long for it; `IndexLocked` after that.

        A holder that dies holds it no more.
        """
        ...

    def locked_by(self) -> tuple[int, int] | None:
        """The process that holds the lock and since when (seconds since the epoch), or None."""
        ...

    def writer(self, *, passes: frozenset[Pass], verdict: Verdict) -> Writer:
        """Open the index for writing, making it first if need be, and bringing an older one up to date.

        `passes` says which of the text and literal passes are done as commits are added; `verdict` judges
        each new path, once.
        """
        ...

    def stored_commits(self) -> StoredCommits:
        """Open the index for the passes that work from stored commits; in any process."""
        ...

    def line_history(self) -> AbstractContextManager[LineHistory]:
        """Open the index to follow lines by what is stored."""
        ...

    def readers(self, *, size: int = READERS) -> Readers:
        """Open the index to be asked questions, by at most so many readers at a time."""
        ...

    def copy_source(self) -> AbstractContextManager[CopySource]:
        """Open the index to be copied into another."""
        ...

    def match_cache(self) -> MatchCache:
        """Open what structural searches keep beside the index."""
        ...

    def statistics(self) -> AbstractContextManager[Statistics]:
        """Open the index to be asked about itself."""
        ...

    def examine(self) -> Examined:
        """Read the index through; an error when it cannot even be opened."""
        ...

    def set_aside(self) -> None:
        """Move the index out of the way without destroying it, so that a new one can be built."""
        ...

    def discard_aside(self) -> None:
        """Delete what was set aside."""
        ...

    def forget(self, *, wait_s: float) -> int:
        """Delete the index, its folder included, waiting for whoever writes it; how many bytes that freed."""
        ...

    def dump(self) -> list[str]:
        """All that the index says, one fact a line, sorted, without numbers: equal dumps, equal indexes.

        For comparing two indexes of one engine.
        """
        ...

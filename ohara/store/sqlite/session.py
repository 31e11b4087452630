"""A reading connection with what is worth remembering between queries: how common words are, the codec.

What is remembered holds for one state of the database and is forgotten when another connection has written.
The statements of the lanes are in `lane_queries`, those of whole hunks in `hydrate`; all take a session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from ohara.model import Pass, PassStatus
from ohara.store.answers import Counts
from ohara.store.facts import THREADS
from ohara.store.reading import Interrupted
from ohara.store.sql import meta
from ohara.store.sql.session import ALL_PASSES, PASS_BITS
from ohara.store.sqlite import word_queries
from ohara.store.sqlite.connected import Connected, spelled
from ohara.store.sqlite.connection import translated
from ohara.store.sqlite.filters import Holding
from ohara.store.sqlite.generations import Generations, generations
from ohara.store.sqlite.hunk_sets import HunkSet
from ohara.store.sqlite.identity import glance, replaced, stamp_of
from ohara.store.sqlite.schema import FORMER_PASSES, open_reader
from ohara.store.sqlite.shared_memory import SharedMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from pathlib import Path

    from ohara.model import Sha
    from ohara.store.facts import Fact
    from ohara.store.sql.codec import Codec
    from ohara.store.sqlite.connection import Connection
    from ohara.store.sqlite.identity import Stamp
    from ohara.store.sqlite.shared_memory import Sized

T = TypeVar("T")
S = TypeVar("S", bound="Sized")

_LAST_HUNK = "SELECT coalesce(max(id), 0) FROM hunk"

# Answered by small indexes alone: counting must not cost more than searching.
_COUNT_COMMITS = "SELECT count(*) FROM commits INDEXED BY commits_by_time"
_COUNT_DEAD = "SELECT count(*) FROM commits INDEXED BY commits_dead WHERE live = 0"
_PENDING = """SELECT passes, count(*) FROM commits {}
  WHERE passes < {} AND id NOT IN (SELECT id FROM commits WHERE live = 0) GROUP BY passes"""


_NEVER_LOOKED = -1
_REMEMBERED_WORDS = 20_000  # some two megabytes
_OPENINGS = 3  # a database that is replaced while it is opened is opened again, so often


def _opened(database: Path) -> tuple[Connection, Stamp]:
    """A connection, and what the database that it holds is known by."""
    for _ in range(_OPENINGS):
        connection = open_reader(database)
        with translated(database):
            stamp = stamp_of(connection, database)
        if stamp is not None:
            return connection, stamp
        connection.close()
    raise replaced(database)


class Session(Connected):
    """One connection that can only read; used by one thread at a time, stopped from any."""

    def __init__(self, database: Path, memory: SharedMemory | None = None) -> None:
        connection, self.stamp = _opened(database)
        super().__init__(database, connection)
        self._stopped = False
        self._state = _NEVER_LOOKED
        self._is_lent = self._has_looked = False
        self._memory = memory or SharedMemory()
        self._notes: dict[str, object] = {}

    # -- stopping --------------------------------------------------------------------------------

    def stop(self) -> None:
        """Interrupt what runs, from another thread, and refuse to run more until `resume`."""
        self._stopped = True
        self.connection.interrupt()

    def resume(self) -> None:
        """Be ready for new work."""
        self._stopped = False
        self._is_lent, self._has_looked = True, False

    def rest(self) -> None:
        """Look for changes again each time, as whoever has a session of their own does."""
        self._is_lent = False

    @property
    def is_usable(self) -> bool:
        """True: an interrupt stops what runs, and nothing after it."""
        return True

    def check(self) -> None:
        """Raise when told to stop; for work that takes long between two statements."""
        if self._stopped:
            raise Interrupted

    def rows(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement; raises instead of beginning when told to stop."""
        self.check()
        asked = [self.flags_of(each) if isinstance(each, Holding) else each for each in parameters]
        found: list[tuple[Any, ...]] = self.connection.execute(spelled(statement), asked).fetchall()
        return found

    def flags_of(self, hunks: object) -> bytes:
        """A byte for each hunk, 1 for those of a set: as it is, or of what words are to be held."""
        if not isinstance(hunks, Holding):
            return cast("bytes", hunks)
        words = hunks.words
        return self.shared(("holding", words), lambda: HunkSet(word_queries.holding_flags(self, words))).hunks

    # -- what is remembered ----------------------------------------------------------------------

    def _forget_if_changed(self) -> None:
        """Forget what was remembered when another connection has written since.

        While it is lent, a reader looks once for what it has not seen yet; later its own statements see it.
        """
        before = glance(self.database) if self._state == _NEVER_LOOKED else None
        if not (self._is_lent and self._has_looked):
            self.connection.pragma("data_version")  # begins to read, and so sees what is there now
            self._has_looked = True
        state = self.connection.data_version()
        if state != self._state:
            # Who looks for the first time sees what others have seen, if nobody wrote to the files meanwhile.
            unwritten = before if before is not None and before == glance(self.database) else None
            self._memory.forget(unwritten)
            self._state = state
            self._notes.clear()

    def noted(self, name: str, make: Callable[[], T]) -> T:
        """What `make` makes of the index, kept by this reader alone until the index changes."""
        self._forget_if_changed()
        if name not in self._notes:
            self._notes[name] = make()
        return cast("T", self._notes[name])

    def remembered(self, name: str, make: Callable[[], T]) -> T:
        """What `make` makes of the index, kept under a name for all readers until the index changes."""
        self._forget_if_changed()
        return self._memory.remembered((name, self.state()), make)

    def shared(self, key: Hashable, make: Callable[[], S]) -> S:
        """What `make` makes of the index, kept for all readers of it until it changes or others need room."""
        self._forget_if_changed()
        return self._memory.found(key, make)

    def kept(self, key: Hashable) -> S | None:
        """What is kept for all readers, if it is."""
        self._forget_if_changed()
        return self._memory.kept(key)

    def keep(self, key: Hashable, made: Sized) -> None:
        """Keep for all readers what holds for every state of the index."""
        self._memory.keep(key, made, self._memory.moment())

    @property
    def codec(self) -> Codec:
        """What opens this index's bodies."""
        return self.noted("codec", lambda: super(Session, self).codec)

    @property
    def has_encoded(self) -> bool:
        """True when contents with encoded text are told apart; asked with every exact search."""
        return self.noted("has encoded", lambda: super(Session, self).has_encoded)

    def similar_words(self, word: str, within: int) -> list[tuple[str, int]]:
        """Words with the same first letter that may be so many edits away, and how many hunks hold each."""
        signs = set(word)
        bounds = (word[0], chr(ord(word[0]) + 1), len(word) - within, len(word) + within)
        return [
            (term, rows)
            for term, rows in word_queries.similar_words(self, *bounds).items()
            # A word that stands only once is as likely a slip itself.
            if rows > 1 and len(signs ^ set(term)) <= 2 * within and term.isalpha()
        ]

    def state(self) -> str:
        """A text that changes whenever an answer might."""
        return self.noted("state", self._read_state)

    def _read_state(self) -> str:
        counts = self.counts()
        done = ".".join(str(each.done) for each in counts.passes)
        threads = self.fact(THREADS)
        return f"{self.stamp.identity[:8]}.{self.hunk_count()}.{counts.commits}.{done}.{threads}"

    def hunk_count(self) -> int:
        """About how many hunks there are: the highest id, found at once."""
        return self.noted("last hunk", lambda: int(self.connection.execute(_LAST_HUNK).get))

    def document_frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """How many hunks hold each word, by the postings of words."""
        self._forget_if_changed()
        known = self._memory.word_rows
        if len(known) > _REMEMBERED_WORDS:
            known.clear()
        wanted = list(words)
        lacking = [word for word in wanted if word not in known]
        if lacking:
            known.update(word_queries.frequencies(self, lacking))
        return {word: known[word] for word in wanted}

    def counts(self) -> Counts:
        """How many commits there are and how far the passes have come."""
        return self.noted("counts", self._counted)

    def _counted(self) -> Counts:
        execute = self.connection.execute
        commits = int(execute(_COUNT_COMMITS).get) - int(execute(_COUNT_DEAD).get)
        newest = self.has_lines
        # Tables that no run has brought up to date have another index of what waits.
        told = ("INDEXED BY commits_pending", ALL_PASSES) if newest else ("", FORMER_PASSES)
        unfinished = _PENDING.format(*told)
        pending = [(int(bits), int(count)) for bits, count in execute(unfinished)]
        if not newest:  # those that are finished otherwise are not counted there
            finished = commits - sum(count for _, count in pending)
            pending.append((FORMER_PASSES, finished))
        return Counts(
            commits,
            tuple(
                PassStatus(
                    stage,
                    done=commits - sum(count for bits, count in pending if not bits & PASS_BITS[stage]),
                    total=commits,
                )
                for stage in Pass
            ),
        )

    def generations(self) -> Generations:
        """The tables of vectors there are, and whose they are."""
        return self.noted("generations", lambda: generations(self))

    def snapshot(self) -> Connection:
        """A transaction: all reads in it see one state."""
        return self.connection

    def fact(self, fact: Fact[T]) -> T:
        """A stored fact, or what holds when it is not stored."""
        return self.noted(f"fact {fact.name}", lambda: meta.read_fact(self, fact))

    def failed(self) -> list[Sha]:
        """The commits that could not be read at all, and so are not in the index."""
        return meta.read_failed(self)

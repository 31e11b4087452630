"""Keeps the postings of words in memory, for all readers of an index, and reads those that are missing.

Rare words are read when they are asked for. Common ones take longer to read than SQLite takes to answer with
them: SQLite answers, and a thread reads them for the next question. A process that asks once reads nothing.
"""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass
from threading import Lock, Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING

import apsw

from ohara.errors import OharaError
from ohara.store.reading import Interrupted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ohara.store.answers import WordQuery
    from ohara.store.sqlite.filters import FtsFilter
    from ohara.store.sqlite.postings import Lengths, Postings
    from ohara.store.sqlite.session import Session
    from ohara.store.sqlite.shared_memory import SharedMemory

FIRST_QUESTIONS = 3  # are answered by SQLite: a command of its own asks no more
READ_AT_ONCE = 12_000  # rows of words that are read while somebody waits: some four milliseconds
_BEHIND_S = 0.5  # the answer that they were wanted for is not to wait for them
_ONE_AT_A_TIME = Lock()  # of all indexes that a question is put to
# Of a million hunks the words of fifty questions take half a gigabyte, and SQLite answers in 50 ms.
MOST_HUNKS = 400_000
_CALM_S = 1.0  # while an index run writes, whatever is read is outdated at once

_LENGTHS = "lengths of hunks"
_POSTINGS = "postings"


@dataclass(frozen=True, slots=True)
class InMemory:
    """The postings of a question's words, and which hunks may answer: a byte for each, None for all."""

    selecting: Sequence[Postings]
    common: Sequence[Postings]
    lengths: Lengths
    among: bytes | None


class WordMemory:
    """What is in memory of the words of one index; for any thread."""

    def __init__(self, memory: SharedMemory, opened: Callable[[], Session]) -> None:
        self._memory = memory
        self._opened = opened
        self._lock = Lock()
        self._questions = 0
        self._wanted: dict[str, None] = {}
        self._thread: Thread | None = None
        self._session: Session | None = None
        self._is_closed = False

    def of(self, session: Session, words: WordQuery, allowed: FtsFilter) -> InMemory | None:
        """What a question needs, if it is in memory or read at once; otherwise it will be, later."""
        self._questions += 1
        asked = (*words.selecting, *words.common)
        if (
            self._questions <= FIRST_QUESTIONS
            or session.hunk_count() > MOST_HUNKS
            or not allowed.is_one_set
            or any(" " in one for one in asked)
        ):
            return None
        state = session.state()
        lengths: Lengths | None = self._memory.kept((_LENGTHS, state))
        missing = [word for word in asked if self._memory.kept((_POSTINGS, state, word)) is None]
        rows = session.document_frequencies(missing)
        if lengths is None or sum(rows.values()) > READ_AT_ONCE:
            self._read_later(missing)
            return None
        # Late: it brings numpy, which a first answer does without.
        from ohara.store.sqlite.postings import read_postings

        found = {
            word: session.shared((_POSTINGS, state, word), lambda: read_postings(session, word))  # noqa: B023 - called at once
            for word in asked
        }
        return InMemory(
            [found[word].within(words.columns) for word in words.selecting],
            [found[word].within(words.columns) for word in words.common],
            lengths,
            allowed.kept.hunks if allowed.kept is not None else None,
        )

    def close(self) -> None:
        """Read no more."""
        with self._lock:
            self._is_closed = True
            if self._session is not None:
                self._session.stop()

    def settled(self, timeout_s: float) -> bool:
        """Wait until what is to be read has been read; True when it has."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)
        return thread is None or not thread.is_alive()

    def _read_later(self, words: Iterable[str]) -> None:
        with self._lock:
            if self._is_closed or monotonic() - self._memory.changed_at < _CALM_S:
                return
            self._wanted.update(dict.fromkeys(words))
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._read, name="ohara words", daemon=True)
                self._thread.start()

    def _read(self) -> None:
        sleep(_BEHIND_S)
        # Whatever happens to the index meanwhile, SQLite goes on to answer, and says it.
        with (
            suppress(OharaError, apsw.Error, Interrupted),
            _ONE_AT_A_TIME,
            closing(self._opened()) as session,
        ):
            with self._lock:
                if self._is_closed:
                    return
                self._session = session
            try:
                while words := self._taken():
                    self._read_words(session, words)
            finally:
                with self._lock:
                    self._session = None

    def _taken(self) -> list[str]:
        with self._lock:
            words = list(self._wanted)
            self._wanted.clear()
            return words if not self._is_closed else []

    def _read_words(self, session: Session, words: Iterable[str]) -> None:
        from ohara.store.sqlite.postings import read_lengths, read_postings

        moment = self._memory.moment()
        with session.snapshot():  # one state for all
            state = session.state()
            if self._memory.kept((_LENGTHS, state)) is None:
                self._memory.keep((_LENGTHS, state), read_lengths(session), moment)
            for word in words:
                self._memory.keep((_POSTINGS, state, word), read_postings(session, word), moment)

"""A reading connection with what is worth remembering between questions.

What is remembered holds for one state of the index: whoever writes counts its states, and whoever lends this
connection, or else each question about what is remembered, reads the count first.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from ohara.model import Pass, PassStatus
from ohara.store.answers import Counts
from ohara.store.bm25 import idf
from ohara.store.postgres import server as servers
from ohara.store.postgres.connected import Connected
from ohara.store.postgres.connection import connect, translated
from ohara.store.postgres.generations import Generations, generations
from ohara.store.postgres.words import HUNKS, holding
from ohara.store.reading import Interrupted
from ohara.store.sql import meta
from ohara.store.sql.session import PASS_BITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from ohara.model import Sha
    from ohara.store.facts import Fact
    from ohara.store.postgres.connection import Server
    from ohara.store.postgres.words import Phrase, Texts
    from ohara.store.sql.codec import Codec

T = TypeVar("T")

_STATE = "SELECT state FROM ohara.repository WHERE id = ?"
_WORDS = "SELECT word, id, hunks FROM word WHERE word = ANY(?::text[])"
# A word that stands only once is as likely a slip itself.
_SIMILAR_WORDS = """SELECT word, hunks FROM word
  WHERE left(word, 1) = ? AND length(word) BETWEEN ? AND ? AND hunks > 1"""
_LAST_HUNK = "SELECT coalesce(max(id), 0) FROM hunk"
_PASSES = "SELECT passes, count(*) FROM commits WHERE live = 1 GROUP BY passes"
_TOTAL = "SELECT sum(texts)::bigint, sum(tokens)::bigint FROM text_total"
_COUNTED = "SELECT count(*), coalesce(sum(cardinality(seq) - {ends}), 0)::bigint FROM {table}"
_COMMITS = "SELECT count(DISTINCT commit_id) FROM hunk JOIN hunk_text ON hunk_text.hunk_id = hunk.id"

_REMEMBERED_WORDS = 20_000  # some two megabytes a session


class TextTotal(NamedTuple):
    """How many texts a table has, and how many words they have together."""

    texts: int
    tokens: int


class Session(Connected):
    """One connection that can only read; used by one thread at a time, stopped from any."""

    def __init__(self, server: Server, name: str) -> None:
        connection = connect(server)
        super().__init__(server, connection)
        try:
            with translated(server):
                self._found = servers.opened(connection, server, name)
        except BaseException:
            connection.close()
            raise
        self._stopped = False
        self._was_stopped = False
        self._state = -1
        self._told: int | None = None
        self._words: dict[str, tuple[int, int] | None] = {}
        self._remembered: dict[str, object] = {}

    @property
    def stamp(self) -> str:
        """What the index is known by."""
        return self._found.identity

    # -- stopping --------------------------------------------------------------------------------

    def stop(self) -> None:
        """Interrupt what runs, from another thread, and refuse to run more until `resume`."""
        self._stopped = self._was_stopped = True
        self.connection.cancel()

    def resume(self) -> None:
        """Be ready for new work."""
        self._stopped = False

    def rest(self) -> None:
        """Nothing changes here between two visits."""

    @property
    def is_usable(self) -> bool:
        """False after an interrupt, which may reach the server late, and while a connection is broken."""
        return not self._was_stopped and not self.connection.broken and not self.connection.closed

    def check(self) -> None:
        """Raise when told to stop; for work that takes long between two statements."""
        if self._stopped:
            raise Interrupted

    def rows(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement; raises instead of beginning when told to stop."""
        self.check()
        return super().rows(statement, parameters)

    # -- what is remembered ----------------------------------------------------------------------

    def told(self, state: int | None) -> None:
        """Take this for the state of the index, read just now, until told again; None: ask each time."""
        self._told = state

    def _forget_if_changed(self) -> None:
        """Forget what was remembered when somebody has written since."""
        state = self._told
        if state is None:
            found = self.rows(_STATE, (self._found.id,))
            state = found[0][0] if found else -2
        if state != self._state:
            self._state = state
            self._words.clear()
            self._remembered.clear()

    def remembered(self, name: str, make: Callable[[], T]) -> T:
        """What `make` makes of the index, kept under a name until the index changes."""
        self._forget_if_changed()
        if name not in self._remembered:
            self._remembered[name] = make()
        return cast("T", self._remembered[name])

    @property
    def codec(self) -> Codec:
        """What opens this index's bodies."""
        return self.remembered("codec", lambda: super(Session, self).codec)

    def counts(self) -> Counts:
        """How many commits there are and how far the passes have come."""
        return self.remembered("counts", self._counted)

    def _counted(self) -> Counts:
        by_passes = self.rows(_PASSES)
        commits = sum(count for _, count in by_passes)
        return Counts(
            commits,
            tuple(
                PassStatus(
                    stage,
                    done=sum(count for bits, count in by_passes if bits & PASS_BITS[stage]),
                    total=commits,
                )
                for stage in Pass
            ),
        )

    # -- words -----------------------------------------------------------------------------------

    def word_numbers(self, words: Iterable[str]) -> dict[str, tuple[int, int]]:
        """The number of each known word, and how many hunks hold it."""
        self._forget_if_changed()
        known = self._words
        if len(known) > _REMEMBERED_WORDS:
            known.clear()
        asked = set(words)
        missing = [word for word in asked if word not in known]
        if missing:
            known.update(dict.fromkeys(missing))
            known.update({word: (number, hunks) for word, number, hunks in self.rows(_WORDS, (missing,))})
        return {word: found for word in asked if (found := known[word]) is not None}

    def document_frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """How many hunks hold each word."""
        asked = tuple(words)
        known = self.word_numbers(asked)
        return {word: known[word][1] if word in known else 0 for word in asked}

    def similar_words(self, word: str, within: int) -> list[tuple[str, int]]:
        """Words with the same first letter that may be so many edits away, and how many hunks hold each."""
        signs = set(word)
        return [
            (term, hunks)
            for term, hunks in self.rows(_SIMILAR_WORDS, (word[0], len(word) - within, len(word) + within))
            if len(signs ^ set(term)) <= 2 * within and term.isalpha()
        ]

    def text_total(self, texts: Texts) -> TextTotal:
        """How many texts a table has, and how many words."""
        statement = (
            _TOTAL if texts is HUNKS else _COUNTED.format(ends=len(texts.columns) - 1, table=texts.sequences)
        )
        return self.remembered(f"total of {texts.postings}", lambda: TextTotal(*self.rows(statement)[0]))

    def commits_with_words(self) -> int:
        """How many commits have a hunk with words."""
        return self.remembered("commits with words", lambda: int(self.rows(_COMMITS)[0][0]))

    def idf(self, texts: Texts, phrase: Phrase) -> float:
        """What a phrase is worth in a table of texts, by how many of them hold it."""
        total = self.text_total(texts).texts
        return self.remembered(
            f"idf {texts.postings} {phrase}", lambda: idf(total, self._holding(texts, phrase))
        )

    def _holding(self, texts: Texts, phrase: Phrase) -> int:
        if phrase.is_plain and texts is HUNKS:
            return phrase.hunks
        asked = holding(texts, phrase)
        statement = f"SELECT count(*) FROM ({asked.sql}) AS held"
        return int(self.rows(statement, asked.parameters)[0][0])

    # -- the rest --------------------------------------------------------------------------------

    def hunk_count(self) -> int:
        """About how many hunks there are: the highest number, found at once."""
        return self.remembered("last hunk", lambda: int(self.rows(_LAST_HUNK)[0][0]))

    def generations(self) -> Generations:
        """The vectors there are, and whose they are."""
        return self.remembered("generations", lambda: generations(self))

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All reads in it see one state."""
        with translated(self.server):
            self.connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                yield
            finally:
                self.connection.execute("ROLLBACK")

    def fact(self, fact: Fact[T]) -> T:
        """A stored fact, or what holds when it is not stored."""
        return self.remembered(f"fact {fact.name}", lambda: meta.read_fact(self, fact))

    def failed(self) -> list[Sha]:
        """The commits that could not be read at all, and so are not in the index."""
        return meta.read_failed(self)

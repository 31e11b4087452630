"""What the shared statements need of an engine, and how they are spelled.

They are SQL that SQLite and PostgreSQL read alike, but for a few words that each engine spells in its own way
(`spelled` in its package) before a statement is run:

    ?, ?1                              a parameter
    numbers(?), texts(?), shas(?)      a list as a table with one column, `value`; see `listed`
    holds(bytes, ?)                    true when bytes contain bytes
    CROSS JOIN … ON                    a join whose order shall be kept where the engine would not find it

A flag is 0 or 1, a time is a number, a sha is bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ohara.model import Pass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ohara.store.facts import Fact
    from ohara.store.sql.codec import Codec
    from ohara.store.writing import Verdict

T = TypeVar("T")

# A finished pass is a bit, in the row of a commit and in that of a content.
PASS_BITS = {Pass.TEXT: 1, Pass.LITERAL: 2, Pass.SYMBOL: 4, Pass.VECTOR: 8, Pass.LINES: 16}
ALL_PASSES = sum(PASS_BITS.values())  # a commit with less waits: the index commits_pending has those

# Why a change is not searched by words and meaning; a path taken back in keeps all but what is unread.
EFFECTIVE_LEFT_OUT = """CASE WHEN path.left_out = 'kept'
  THEN CASE WHEN file.left_out IN ('binary', 'oversized', 'missing') THEN file.left_out END
  ELSE coalesce(file.left_out, path.left_out) END"""

SHA_BYTES = 20


class Asks(Protocol):
    """A connection that statements are asked through."""

    def rows(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement."""
        ...

    def listed(self, values: Iterable[object]) -> object:
        """Values as one parameter, for `numbers`, `texts` and `shas`."""
        ...

    @property
    def codec(self) -> Codec:
        """What opens this index's bodies."""
        ...

    @property
    def has_lines(self) -> bool:
        """True when there are tables of what became of lines; an older index gets them from its next run."""
        ...

    @property
    def has_threads(self) -> bool:
        """True when there is a place for threads."""
        ...

    @property
    def has_encoded(self) -> bool:
        """True when contents with encoded text are told apart; otherwise all their lines have trigrams."""
        ...


class Session(Asks, Protocol):
    """A reading connection with what is worth remembering between questions."""

    def remembered(self, name: str, make: Callable[[], T]) -> T:
        """What `make` makes of the index, kept under a name until the index changes."""
        ...


class Writes(Asks, Protocol):
    """The writing connection, as the parts of a writer use it; all of it belongs to the open batch."""

    hunks_pending: int
    verdict: Verdict

    def begin(self) -> None:
        """Start a batch unless one is open."""
        ...

    def commit(self) -> None:
        """End the batch."""
        ...

    def run(self, statement: str, parameters: Sequence[object] = ()) -> None:
        """Run a statement for what it does."""
        ...

    def run_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement once for each row of parameters."""
        ...

    def path_id(self, path: str) -> int:
        """The number of a path, new or known."""
        ...

    def write_symbol_words(self, rows: Iterable[tuple[int, str, str, str]]) -> None:
        """Make these the words that symbols are searched by: symbol, kind, name, siblings."""
        ...

    def drop_symbol_words(self, symbols: Iterable[int]) -> None:
        """Take the words of symbols away."""
        ...

    def drop_hunk_words(self, hunks: Iterable[int]) -> None:
        """Take the words of hunks away."""
        ...

    def drop_trigrams(self, contents: Iterable[int]) -> None:
        """Take the trigrams of contents away."""
        ...

    def drop_content_vectors(self, contents: Iterable[int]) -> None:
        """Take the vectors of contents away, whatever model made them."""
        ...

    def drop_commit_vectors(self, commits: Iterable[int]) -> None:
        """Take the vectors of commits away, whatever model made them."""
        ...

    def forget_symbols(self) -> None:
        """Forget the numbers of symbols: some are no longer there."""
        ...

    def fact(self, fact: Fact[T]) -> T:
        """A stored fact."""
        ...

    def meta(self, key: str) -> object:
        """The small value that is stored under a name, or None."""
        ...

    def set_meta(self, key: str, value: object) -> None:
        """Store a small JSON value under a name."""
        ...

    def drop_meta(self, key: str) -> None:
        """Forget the value that is stored under a name."""
        ...

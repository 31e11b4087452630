"""What the indexer hands to the store: commits taken apart, analysed and ready to insert.

Plain tuples, because a hundred thousand of them cross a process boundary in a few seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ohara.model import ChangeKind, Commit, LeftOut
    from ohara.store import trigram_codes
    from ohara.store.vocabulary import Packed, Vocabulary


class HunkWords(NamedTuple):
    """A hunk's columns of the text pass, as index words."""

    header: Packed
    added: Packed
    removed: Packed
    context: Packed


class PreparedHunk(NamedTuple):
    """One hunk. No digest: a change without lines. No words: left out of the text pass.

    `body` is as the index keeps it where it is bytes: workers compress what they send once the index has
    learnt how to. `changed` is what its trigrams are made from; where who prepared it has made them, they are
    in `trigrams` and `changed` is empty. `signs` says of what the changed lines with encoded text consist,
    which are not wholly in it; None where there are none.
    """

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    header: str
    digest: bytes
    body: str | bytes
    changed: str
    words: HunkWords | None
    signs: int | None
    trigrams: trigram_codes.Packed | None = None


class PreparedFile(NamedTuple):
    """One changed file with its hunks; `left_out` is about this change, the path's own verdict is apart."""

    kind: ChangeKind
    path: str
    old_path: str | None
    old_blob: str | None
    new_blob: str | None
    additions: int
    deletions: int
    left_out: LeftOut | None
    path_words: Packed
    hunks: tuple[PreparedHunk, ...]


class PreparedCommit(NamedTuple):
    """A commit, or one part of a commit too big to hold at once (`first` and `last` mark the ends).

    `message_only` asks for a row that carries the message alone, so that a commit whose lines are all
    left out (or that has none) is still found by its words. `left_out` says what of the commit is not read
    and never will be. `vocabulary` is that of all words in it; commits that come together share one.
    """

    commit: Commit
    message_words: Packed
    files: tuple[PreparedFile, ...]
    missing: tuple[str, ...]
    message_only: bool
    vocabulary: Vocabulary
    first: bool = True
    last: bool = True
    left_out: str = ""

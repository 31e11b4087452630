"""Whether a hit shows the change itself, where its commit has a file of code that matches the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.retrieve.priors import Priors
from ohara.store.answers import WordQuery
from ohara.store.sqlite.filters import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Hit
    from ohara.store.sqlite.reader import Reader

_COLUMNS = ("path", "header", "added", "removed")
_MOST = 10_000


def shows_code(reader: Reader, hit: Hit, words: Sequence[str]) -> bool | None:
    """True when the hit shows a file of code; None when no such file of its commit holds a word."""
    priors = Priors()
    commits = reader.indexed((hit.commit.sha,)).values()
    own = EVERYTHING.among(at.hunk for at in reader.hunks_of_commits(commits, EVERYTHING))
    matching = reader.changes_with(WordQuery(tuple(words), columns=_COLUMNS), own, _MOST)
    if not any(at.path and priors.path(at.path) == 1.0 for at in matching):
        return None
    return bool(hit.path) and priors.path(hit.path) == 1.0

"""Priors of the ranking: penalties for tests, docs, sweeping changes and bots; a bonus for recent commits.

Pure: decided by paths, author and time alone. A commit is judged by the best path that it touches, so a fix
that comes with its test and its changelog line loses nothing; within a commit the prior decides which hunk is
shown. A commit that touches hundreds of files is seldom what is meant. All penalties are bounded, and dropped
when the query asks for such changes.
"""

from __future__ import annotations

import math
import re
from enum import Enum, auto
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Commit, Query

TESTS = 0.85
DOCS = 0.75
GENERATED = 0.6
BOT = 0.8

# What a commit of a thousand files loses; one of ten loses a third of it, by the logarithm.
WIDE = 0.2
_WIDEST_DIGITS = 3

# After a quarter of a year the bonus is down to 37 %: it favours what a team is working on now.
DECAY_DAYS = 90.0

_DAY_S = 86_400.0

_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|specs?|e2e|testdata|fixtures|mocks?)(?:/|$)"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_tests?|[^/]*[.-](?:test|spec)|conftest)\.\w+$",
    re.IGNORECASE,
)
_DOC = re.compile(
    r"(?:^|/)(?:docs?|documentation|changelogs?|changes|news|newsfragments|\.changeset|\.chloggen|changelog\.d)/"
    r"|(?:^|/)(?:readme|changelog|changes|history|news|authors|contributing|contributors|license|copying|releases?)"
    r"(?:\.\w+)?$|\.(?:md|mdx|rst|adoc|txt|tex)$",
    re.IGNORECASE,
)
_BOT = re.compile(
    r"\[bot\]|\b(?:dependabot|renovate|pre-commit-ci|github-actions|greenkeeper|pyup|bors)\b", re.IGNORECASE
)

_ASKS_TESTS = re.compile(r"\b(?:tests?|testing|tested|spec|fixtures?|mocks?|coverage|flaky)\b", re.IGNORECASE)
_ASKS_DOCS = re.compile(
    r"\b(?:docs?|documents?|documented|documentation|readme|changelog|typos?|release notes?|examples?)\b",
    re.IGNORECASE,
)
_ASKS_BOT = re.compile(
    r"\b(?:bots?|bump(?:s|ed)?|upgrade[sd]?|dependenc(?:y|ies)|dependabot|renovate)\b", re.IGNORECASE
)


_ASKS_WIDE = re.compile(
    r"\b(?:re)?format(?:ted|ting)?\b|\b(?:black|prettier|gofmt|lint(?:ed|ing)?|rename[sd]?|move[sd]?|mov(?:ing)|"
    r"clean-?ups?|licen[cs]es?|copyrights?|headers?|everywhere|all files)\b",
    re.IGNORECASE,
)


class _Kind(Enum):
    """What a path says of a file."""

    CODE = auto()
    TEST = auto()
    DOC = auto()


@lru_cache(maxsize=1 << 15)  # one question meets some hundreds, and the next meets most of them again
def _kind_of(path: str) -> _Kind:
    if _TEST.search(path):
        return _Kind.TEST
    return _Kind.DOC if _DOC.search(path) else _Kind.CODE


class Touched(NamedTuple):
    """What priors go by of a commit: the kinds of files that it changed, how many, and who wrote it."""

    kinds: frozenset[_Kind]
    paths: int
    by_bot: bool

    @classmethod
    def of(cls, commit: Commit, paths: Sequence[str]) -> Touched:
        """What a commit touched that changed these paths."""
        by_bot = _BOT.search(f"{commit.author} <{commit.email}>") is not None
        return cls(frozenset(map(_kind_of, paths)), len(paths), by_bot)


@dataclass(frozen=True, slots=True)
class Priors:
    """The penalties for one query: none for what it asks for."""

    tests: float = TESTS
    docs: float = DOCS
    generated: float = GENERATED
    bot: float = BOT
    wide: float = WIDE

    @classmethod
    def of(cls, query: Query) -> Priors:
        """The penalties, without those for what the query asks for by its words or filters."""
        said = " ".join((query.words, *query.filters.paths))
        filtered = bool(query.filters.paths)
        return cls(
            tests=1.0 if filtered or _ASKS_TESTS.search(said) else TESTS,
            docs=1.0 if filtered or _ASKS_DOCS.search(said) else DOCS,
            generated=1.0 if filtered else GENERATED,
            bot=1.0 if query.filters.authors or _ASKS_BOT.search(said) else BOT,
            wide=0.0 if _ASKS_WIDE.search(said) else WIDE,
        )

    def path(self, path: str, *, left_out: bool = False) -> float:
        """The factor for a change at a path."""
        if left_out:
            return self.generated
        return self._of_kind(_kind_of(path))

    def _of_kind(self, kind: _Kind) -> float:
        if kind is _Kind.TEST:
            return self.tests
        return self.docs if kind is _Kind.DOC else 1.0

    def commit(self, touched: Touched) -> float:
        """The factor for a commit: the best of its paths, less when it has very many or a bot wrote it."""
        best = max(map(self._of_kind, touched.kinds), default=1.0)
        swept = best * (1.0 - self.wide * min(1.0, math.log10(1 + touched.paths) / _WIDEST_DIGITS))
        return swept * self.bot if touched.by_bot else swept


def recency_factor(committer_time: int, *, now: int, weight: float) -> float:
    """The recency factor of a score: 1 + weight for a commit of now, towards 1 as it ages.

    A commit from the future counts as one of now.
    """
    age_days = max(0.0, (now - committer_time) / _DAY_S)
    return 1.0 + weight * math.exp(-age_days / DECAY_DAYS)

"""A history in which some people wrote "fix": messages of every second answer and of other commits replaced.

Real histories are neither well described nor mute: commits that say everything compete with commits that
say nothing. In the lazy copy the answers of every second question lose their message (the **lazy half**); the
other answers keep theirs among commits that lost theirs (the **kept half**). In the lazy half every answer
is silent, so that any bonus for silence wins there and loses in the kept half: the two are only ever shown
side by side, and *mixed* weighs them as lazy commits are weighed in the copy.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

from tests.bench.githistory import commits_of
from tests.bench.reworded import remade, replacing
from tests.bench.workspace import with_messages

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from tests.bench.changelog import ChangelogQuery
    from tests.bench.workspace import Indexed, Subject

_T = TypeVar("_T")

SEED = 7
LAZY_SHARE = 0.3
"""How many of the commits that answer no question lose their message; what the lazy half counts in mixed."""

STOCK = (
    "fix",
    "wip",
    "cleanup",
    "update",
    "typo",
    "more fixes",
    "address review comments",
    "refactor",
    "fix tests",
    "minor changes",
    "work in progress",
    "oops",
    "fixup",
    "misc",
    "fix build",
)

# These look like messages, and say as little: a list of stock phrases does not know them.
ELUSIVE = (
    "fix windows tests",
    "review feedback from the call",
    "make the linter happy again",
    "second attempt at the thing from yesterday",
    "changes requested before the release",
    "get the nightly build green",
    "apply the suggestions from the other branch",
    "follow up on the discussion with the team",
    "move some code around for the next step",
    "forgot to add these files",
    "handle the case that came up in the demo",
    "simplify this a bit after talking it over",
)


def is_lazy(place: int) -> bool:
    """Whether the answers of the question at this place lose their message: every second does."""
    return place % 2 == 0


def lazy_messages(
    queries: Sequence[ChangelogQuery], commits: Iterable[str], *, seed: int = SEED
) -> dict[str, str]:
    """What the commits that lose their message say instead; who loses it depends on nothing but the seed."""
    answers = {sha: place for place, query in enumerate(queries) for sha in query.answers}
    return {
        sha: _phrase(sha, seed)
        for sha in commits
        if (is_lazy(answers[sha]) if sha in answers else _chance("lost", sha, seed) < LAZY_SHARE)
    }


def half(values: Sequence[_T], *, lazy: bool) -> list[_T]:
    """What belongs to the questions of one half."""
    return [value for place, value in enumerate(values) if is_lazy(place) is lazy]


def with_lazy_messages(
    subject: Subject, work: Path, queries: Sequence[ChangelogQuery], patterns: Sequence[str] = ()
) -> Indexed:
    """The same index with the lazy messages; made anew when the history or the questions have changed."""
    known = with_messages(subject, work, patterns)
    said = lazy_messages(queries, commits_of(subject.repo))
    return remade(subject, known, replace(known, home=work / "lazy"), replacing(said), _digest(said))


def _digest(said: Mapping[str, str]) -> str:
    return sha256("\n".join(f"{sha} {text}" for sha, text in sorted(said.items())).encode()).hexdigest()


def _phrase(sha: str, seed: int) -> str:
    phrases = STOCK if _chance("kind", sha, seed) < 0.5 else ELUSIVE
    return phrases[int(_chance("phrase", sha, seed) * len(phrases))]


def _chance(what: str, sha: str, seed: int) -> float:
    """A number from 0 to 1 that the commit's name decides, whatever other commits there are."""
    return int.from_bytes(sha256(f"{seed} {what} {sha}".encode()).digest()[:6], "big") / 2**48

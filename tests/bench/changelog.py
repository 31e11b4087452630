"""Any clone whose changes come with changelog fragments becomes queries with known answers.

A fragment's prose, written for users by the author of the change, is the query; the commits that added it
are the answer. Queries are derived when they are needed and never stored with the project.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ohara.languages import language_of
from tests.bench.fragments import is_question, prose_of
from tests.bench.githistory import files_added, git, paths_touched, read_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

SEED = 7


@dataclass(frozen=True, slots=True)
class Convention:
    """How a changelog tool lays its fragments out: where they are, and what there is no fragment."""

    name: str
    fragments: tuple[str, ...]
    not_fragments: tuple[str, ...] = ()


CONVENTIONS = (
    Convention("towncrier", ("changelog/*", "**/newsfragments/*", "**/topfiles/*", "news/*", "CHANGES/*")),
    Convention("changesets", (".changeset/**/*.md",)),
    Convention("chloggen", (".chloggen/*.yaml", ".chloggen/*.yml")),
    Convention("changelog.d", ("changelog.d/*",)),
)

# Where projects put what the fragments are compiled into: their text is the queries' text, so a search
# that could read them would find releases instead of changes.
COMPILED = (
    "CHANGELOG*", "changelog.*", "CHANGES*", "NEWS*", "HISTORY*", "release-notes*", "RELEASE*", "releases/",
)  # fmt: skip

_NO_FRAGMENTS = frozenset({"readme", "template", "_template", "config", "summary", "news", "pre", "authors"})
_NO_CODE = frozenset(
    {"csv", "diff", "gettext", "git", "ini", "json", "latex", "markdown", "rst", "svg", "text", "toml", "xml"}
    | {"yaml", "gomod"}
)


@dataclass(frozen=True, slots=True)
class ChangelogQuery:
    """A sentence and the commits that would answer it."""

    text: str
    answers: tuple[str, ...]
    fragment: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """The queries of a repository, and how many fragments were looked at to find them."""

    queries: tuple[ChangelogQuery, ...]
    available: int
    commits_with_fragments: int


def draw_queries(
    repo: Path, *, patterns: Sequence[str] = (), limit: int = 500, seed: int = SEED, ref: str = "HEAD"
) -> Drawn:
    """A seeded sample of a history's changelog queries; without patterns, every known convention is tried."""
    globs = tuple(patterns) or known_patterns()
    sole: dict[str, str] = {}
    commits = 0
    for added in files_added(repo, globs, ref):
        fragments = [path for path in added.paths if is_fragment(path)]
        commits += bool(fragments)
        if len(fragments) == 1:
            sole[added.commit] = fragments[0]
    touched = paths_touched(repo, list(sole))
    coded = [commit for commit in sole if touches_code(touched[commit])]
    texts = read_files(repo, [f"{commit}:{sole[commit]}" for commit in coded])
    queries = distinct(
        (commit, sole[commit], prose_of(sole[commit], text))
        for commit, text in zip(coded, texts, strict=True)
    )
    return Drawn(sample(queries, limit, seed), len(queries), commits)


def distinct(found: Iterable[tuple[str, str, str]]) -> list[ChangelogQuery]:
    """One query for each sentence; a sentence that several commits added may be answered by any of them."""
    by_text: dict[str, ChangelogQuery] = {}
    for commit, path, prose in found:
        if not is_question(prose):
            continue
        key = prose.casefold().rstrip(".")
        known = by_text.get(key)
        answers = (*known.answers, commit) if known else (commit,)
        by_text[key] = ChangelogQuery(prose, answers, path)
    return list(by_text.values())


def sample(queries: Sequence[ChangelogQuery], limit: int, seed: int = SEED) -> tuple[ChangelogQuery, ...]:
    """A seeded choice that does not depend on the order of the queries."""
    ordered = sorted(queries, key=lambda query: query.text)
    random.Random(seed).shuffle(ordered)  # noqa: S311 a repeatable draw, not a secret
    return tuple(ordered[:limit])


def known_patterns() -> tuple[str, ...]:
    """Where any known convention keeps its fragments."""
    return tuple(pattern for convention in CONVENTIONS for pattern in convention.fragments)


def ignore_patterns(patterns: Sequence[str] = ()) -> tuple[str, ...]:
    """What the index must not read, as gitignore patterns: the fragments and what they are compiled into."""
    return (*(f"/{pattern}" for pattern in (patterns or known_patterns())), *COMPILED)


def excluded_pathspecs(patterns: Sequence[str] = ()) -> tuple[str, ...]:
    """The same for git, so that it cannot find the question itself either."""
    compiled = (f"**/{name}**" if name.endswith("/") else f"**/{name}" for name in COMPILED)
    globs = (*(patterns or known_patterns()), *compiled)
    return (":(top)", *(f":(exclude,glob){pattern}" for pattern in globs))


def is_fragment(path: str) -> bool:
    """Whether a file under a fragment pattern is one, and not the tool's own."""
    name = path.rpartition("/")[2]
    return (
        not name.startswith(".")
        and name.split(".")[0].lower() not in _NO_FRAGMENTS
        and not name.endswith(".json")
    )


def touches_code(paths: Iterable[str]) -> bool:
    """Whether a commit changed a program and not only words about it."""
    return any((language := language_of(path)) is not None and language not in _NO_CODE for path in paths)


def default_branch_tip(repo: Path, ref: str = "HEAD") -> str:
    """The full sha the benchmark ran on."""
    return git(repo, "rev-parse", f"{ref}^{{commit}}").decode().strip()

"""A parsed query: words that rank, patterns that are required, filters that restrict."""

from __future__ import annotations

from enum import StrEnum

from ohara.model.fate import FateFilter  # noqa: TC001
from ohara.model.history import ChangeKind  # noqa: TC001 - who reads values off the wire asks for the types
from ohara.records import dataclass


class Mode(StrEnum):
    """Which lanes answer a query."""

    AUTO = "auto"
    HYBRID = "hybrid"
    TEXT = "text"
    SEMANTIC = "semantic"
    SYMBOL = "symbol"
    LITERAL = "literal"
    REGEX = "regex"
    STRUCTURAL = "structural"


class QueryClass(StrEnum):
    """What a query looks like; it chooses the lane weights and is shown with the results."""

    SHA = "sha"
    ISSUE = "issue"
    PATH = "path"
    SYMBOL = "symbol"
    LITERAL = "literal"
    REGEX = "regex"
    PROSE = "prose"
    SNIPPET = "snippet"
    LINES = "lines"
    STRUCTURAL = "structural"


class Polarity(StrEnum):
    """Which side of a change must contain a term."""

    ANY = "any"
    ADDED = "added"
    REMOVED = "removed"


class Intent(StrEnum):
    """What a question wants to know about a thing; decides which side and age of changes are preferred."""

    NONE = "none"
    BEGINNING = "beginning"
    ENDING = "ending"
    CAUSE = "cause"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A term that every hit must contain on one changed line: a literal, or a regular expression.

    `flags` is a subset of "ism" in that order; literals carry none and match case-sensitively.
    """

    text: str
    is_regex: bool = False
    flags: str = ""
    polarity: Polarity = Polarity.ANY


@dataclass(frozen=True, slots=True)
class Filters:
    """Restricts commits and files. The values of one filter are alternatives; filters combine.

    `repos` and `not_repos` choose among repositories, and restrict nothing within one.
    What a `not_` filter names is left out, each of its values by itself.
    """

    authors: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    not_paths: tuple[str, ...] = ()
    langs: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    kinds: tuple[ChangeKind, ...] = ()
    refs: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    exts: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    fates: tuple[FateFilter, ...] = ()
    not_fates: tuple[FateFilter, ...] = ()
    repos: tuple[str, ...] = ()
    not_repos: tuple[str, ...] = ()
    not_authors: tuple[str, ...] = ()
    not_langs: tuple[str, ...] = ()
    not_exts: tuple[str, ...] = ()
    not_kinds: tuple[ChangeKind, ...] = ()
    not_refs: tuple[str, ...] = ()
    not_commits: tuple[str, ...] = ()
    not_messages: tuple[str, ...] = ()
    not_symbols: tuple[str, ...] = ()

    @property
    def excluded(self) -> tuple[Filters, ...]:
        """A filter for each kind of value that is left out, which lets through exactly that.

        Paths and fates are not among them: what they leave out is not the opposite of what they let through.
        """
        opposites = (
            Filters(authors=self.not_authors),
            Filters(langs=self.not_langs),
            Filters(exts=self.not_exts),
            Filters(kinds=self.not_kinds),
            Filters(refs=self.not_refs),
            Filters(commits=self.not_commits),
            Filters(messages=self.not_messages),
            Filters(symbols=self.not_symbols),
        )
        return tuple(each for each in opposites if each != Filters())


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: words that rank, patterns that are required, filters that restrict.

    `polarity` is that of a bare `added:` or `removed:`, for the whole query; `notes` describe where the query
    was not read literally. `structure` is the text between the filters when it may be a pattern of syntax.
    `excluded` are terms that no hit may contain.
    """

    source: str
    words: str
    patterns: tuple[Pattern, ...]
    filters: Filters
    mode: Mode
    query_class: QueryClass
    polarity: Polarity = Polarity.ANY
    notes: tuple[str, ...] = ()
    intent: Intent = Intent.NONE
    structure: str = ""
    excluded: tuple[Pattern, ...] = ()

    @property
    def is_filtered(self) -> bool:
        """True when not everything may answer."""
        return self.filters != Filters() or bool(self.excluded)

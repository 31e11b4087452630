"""Writes a query down as text again, so that filters can be shown as chips and edited.

What `parse` made, `to_source` writes such that parsing it again in the same mode gives the same query but
for `source` and `notes`. Spacing and order are not kept: polarity first, then words, required terms, filters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ohara.dates import render_date
from ohara.errors import QueryError
from ohara.model import Polarity
from ohara.query.lex import Word, next_token

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import tzinfo

    from ohara.model import Filters, Pattern, Query

_BARE = re.compile(r'(?!"|:|/)\S+')
_SLASH_OR_PAIR = re.compile(r"\\.|/", re.DOTALL)


def to_source(query: Query, *, tz: tzinfo | None = None) -> str:
    """The text that asks for this query."""
    side = () if query.polarity is Polarity.ANY else (f"{query.polarity}:",)
    required = (
        *map(pattern_source, query.patterns),
        *(f"-{pattern_source(pattern)}" for pattern in query.excluded),
    )
    bounds = filter_sources(query.filters, tz=tz)
    if query.structure:
        return " ".join((*side, query.structure, *bounds))
    if "\n" in query.words:
        # A snippet stands alone; what bounds it goes on a line above, which must not begin as a removed line.
        above = " ".join((*side, *bounds, *required))
        return f"{above}\n{query.words}" if above else query.words
    tail = " ".join((*required, *bounds))
    for word in reversed(query.words.split()):
        tail = f"{_word(word, tail)} {tail}".rstrip()
    return " ".join((*side, tail)).strip()


def filter_sources(filters: Filters, *, tz: tzinfo | None = None) -> tuple[str, ...]:
    """Each value of each filter as it would be typed."""
    written = [
        *_named("author", filters.authors),
        *_named("path", filters.paths),
        *_named("-path", filters.not_paths),
        *_named("lang", filters.langs),
        *_named("ext", filters.exts),
        *_named("kind", filters.kinds),
        *_named("ref", filters.refs),
        *_named("commit", filters.commits),
        *_named("message", filters.messages),
        *_named("symbol", filters.symbols),
        *_named("is", filters.fates),
        *_named("-is", filters.not_fates),
        *_named("repo", filters.repos),
        *_named("-repo", filters.not_repos),
    ]
    if filters.since is not None:
        written.append(f"since:{render_date(filters.since, tz=tz)}")
    if filters.until is not None:
        written.append(f"until:{render_date(filters.until, tz=tz, end=True)}")
    return (
        *written,
        *_named("-author", filters.not_authors),
        *_named("-lang", filters.not_langs),
        *_named("-ext", filters.not_exts),
        *_named("-kind", filters.not_kinds),
        *_named("-ref", filters.not_refs),
        *_named("-commit", filters.not_commits),
        *_named("-message", filters.not_messages),
        *_named("-symbol", filters.not_symbols),
    )


def _named(name: str, values: Iterable[str]) -> list[str]:
    return [f"{name}:{value if _BARE.fullmatch(value) else _quoted(value)}" for value in values]


def pattern_source(pattern: Pattern) -> str:
    """A required term as it would be typed."""
    bound = "" if pattern.polarity is Polarity.ANY else f"{pattern.polarity}:"
    if pattern.is_regex:
        body = _SLASH_OR_PAIR.sub(lambda found: r"\/" if found[0] == "/" else found[0], pattern.text)
        return f"{bound}/{body}/{pattern.flags}"
    if bound and _BARE.fullmatch(pattern.text):
        return bound + pattern.text
    return bound + _quoted(pattern.text)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _word(word: str, tail: str) -> str:
    """The word, behind a backslash where it would otherwise be read as syntax in front of the tail."""
    try:
        read = next_token(f"{word} {tail}", 0)
    except QueryError:
        return f"\\{word}"
    return word if read == (Word(word), len(word)) else f"\\{word}"

"""Tells what of a query is still being typed: an open quote, an expression without its end, a bare `lang:`.

The grammar takes some of these for words, because a command line is finished when it is read. While somebody
types it is not: searching for what stands there so far would answer another question.
"""

from __future__ import annotations

import re

from ohara.errors import QueryError
from ohara.query.lex import Filter, Word, next_token, skip_space
from ohara.query.values import ALL_NAMES, POLARITIES, SYNONYMS
from ohara.records import dataclass

_NAME = re.compile(r"-?([A-Za-z]+):\Z")
_OPEN_VALUE = re.compile(r"-?[A-Za-z]+:\"")
_METACHARACTERS = frozenset("\\^$|()[]{}+?*")


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What is missing; `certain` unless the text as it stands may be meant, too."""

    missing: str
    certain: bool = True


def unfinished(source: str) -> Unfinished | None:
    """What the end of a query lacks; None when it can be read as it is, or is wrong in another way."""
    text = source.rstrip()
    if "\n" in text:  # code, whose quotes and colons are its own
        return None
    at = skip_space(text, 0)
    while at < len(text):
        if found := _open(text, at):
            return found
        try:
            token, end = next_token(text, at)
        except QueryError:
            return None
        if isinstance(token, Filter) and not token.value:
            return Unfinished(f"{token.name}: has no value yet")
        if isinstance(token, Word) and (named := _NAME.fullmatch(token.text)) and end == len(text):
            return _without_value(named[1])
        at = skip_space(text, end)
    return None


def _open(text: str, at: int) -> Unfinished | None:
    """The quote or expression that begins here and has no end."""
    quote = at if text[at] == '"' else None
    if value := _OPEN_VALUE.match(text, at):
        quote = value.end() - 1
    if quote is not None and not _is_closed(text, quote):
        return Unfinished('the quote is not closed yet: end it with "')
    rest = text[at + 1 :]
    if text[at] == "/" and rest and not rest[0].isspace() and not _has_slash(rest):
        return Unfinished(
            "the expression is not closed yet: end it with /",
            certain=bool(_METACHARACTERS.intersection(rest)),
        )
    return None


def _is_closed(text: str, quote: int) -> bool:
    at = quote + 1
    while at < len(text):
        if text[at] == '"':
            return True
        at += 2 if text[at] == "\\" else 1
    return False


def _has_slash(rest: str) -> bool:
    """Whether a slash follows that no backslash escapes."""
    return re.search(r"(?<!\\)(?:\\\\)*/", rest) is not None


def _without_value(name: str) -> Unfinished | None:
    if name not in ALL_NAMES or SYNONYMS.get(name, name) in POLARITIES:
        return None
    return Unfinished(f"{name}: has no value yet")

"""Cuts a query into tokens: words, required terms, filters and polarities.

Only what is unmistakable is syntax. A filter is a known name with its value attached; `fix: x`, `a::b` and
urls are words. `/…/` is a regular expression only as a whole token; `/usr/lib` is a word. What nearly is
syntax (`auther:bob`, an open quote) is an error, because searching for it as words would be a wider search
than was asked for; but a stray quote behind words that rank is text, unless the caller is strict. A backslash
before what would be syntax makes it a word, a quote makes it a literal.

Regular expressions are not compiled here. Their dialect is the literal lane's, which reports what it cannot
read; only emptiness, a lone backslash at the end and flags are looked at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from ohara.errors import QueryError
from ohara.model import Pattern, Polarity
from ohara.query.values import ALL_NAMES, GUESSED_NAMES, POLARITIES, SYNONYMS
from ohara.records import dataclass
from ohara.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Word:
    """Text that ranks; `unclosed` says that it begins with a quote which nothing closes."""

    text: str
    unclosed: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """A literal or regular expression that is required, or behind a minus sign, that no hit may contain."""

    pattern: Pattern
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter's name and its value as written, quotes removed."""

    name: str
    value: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """A bare `added:` or `removed:`, which holds for the whole query."""

    polarity: Polarity


Token: TypeAlias = Word | Term | Filter | Side

FLAGS = "ism"

_SPACE = re.compile(r"\s*")
_RUN = re.compile(r"\S+")
_HEAD = re.compile(r"(-?)([A-Za-z]+):(?!:|//)")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_REGEX = re.compile(r"/(?!\*)((?:[^/\\\n]|\\[^\n])+)/([A-Za-z]*)(?=\s|\Z)")
_ESCAPED_SLASH = re.compile(r"\\(.)", re.DOTALL)

_LONGEST_NEAR_MISS = 1 + max(map(len, GUESSED_NAMES))

# Flags of other tools, refused after what can only be a regular expression and not a path.
_FOREIGN_FLAGS = frozenset("dgimsuvxy")
_METACHARACTERS = frozenset("\\^$|()[]{}+?*")


def tokens(source: str, *, strict: bool = False) -> Iterator[Token]:
    """The tokens of a query from left to right.

    A quote behind words that nothing closes begins a word like any other; `strict` refuses it. One that
    opens the query was to be required, and is refused in any case.
    """
    at = skip_space(source, 0)
    ranks = False
    while at < len(source):
        if ranks and not strict and source[at] == '"' and not _QUOTED.match(source, at):
            word, end = _word(source, at)
            token: Token = Word(word.text, unclosed=True)
        else:
            token, end = next_token(source, at)
        ranks = ranks or isinstance(token, Word)
        yield token
        at = skip_space(source, end)


def skip_space(source: str, at: int) -> int:
    """Where the next token begins."""
    found = _SPACE.match(source, at)
    return found.end() if found else at


def next_token(source: str, at: int) -> tuple[Token, int]:
    """The token that begins at a position which is no space, and where it ends."""
    if source[at] == '"':
        literal, end = _quoted(source, at)
        return (Term(Pattern(literal)) if literal else Word('""')), end
    if source[at] == "/" and (found := regex_at(source, at)):
        return Term(found[0]), found[1]
    if named := named_at(source, at):
        return named
    if excluded := _excluded_term(source, at):
        return excluded
    escaped = source[at] == "\\" and _would_be_syntax(source, at + 1)
    return _word(source, at + 1 if escaped else at)


def named_at(source: str, at: int) -> tuple[Term | Filter | Side, int] | None:
    """The `name:value` or bare polarity that begins here, if one does."""
    if not (head := _HEAD.match(source, at)):
        return None
    negated, written, after = bool(head[1]), head[2], head.end()
    attached = after < len(source) and not source[after].isspace()
    if written not in ALL_NAMES:
        if attached:
            _refuse_near_miss(_word(source, at)[0].text, written)
        return None
    name = SYNONYMS.get(written, written)
    if not attached:
        return (Side(POLARITIES[name]), after) if name in POLARITIES and not negated else None
    if name in POLARITIES:
        pattern, end = _bound_pattern(source, after, POLARITIES[name])
        return Term(pattern, negated), end
    value, end = _value(source, after)
    return Filter(name, value, negated), end


def _excluded_term(source: str, at: int) -> tuple[Term, int] | None:
    """The `-"text"` or `-/…/` that begins here, if one does; a quote that is not closed is an error."""
    if source[at] != "-" or source[at + 1 : at + 2] not in {'"', "/"}:
        return None
    if source[at + 1] == "/":
        found = regex_at(source, at + 1)
        return (Term(found[0], negated=True), found[1]) if found else None
    text, end = _quoted(source, at + 1)
    return (Term(Pattern(text), negated=True), end) if text else None


def regex_at(source: str, at: int, *, may_begin_with_space: bool = False) -> tuple[Pattern, int] | None:
    """The `/…/flags` that begins here, if one does; free text may put spaces around a lone slash."""
    found = _REGEX.match(source, at)
    if not found or (found[1][0].isspace() and not may_begin_with_space):
        return None
    text, flags = found.groups()
    if not set(flags) <= set(FLAGS):
        if _METACHARACTERS.intersection(text) and _FOREIGN_FLAGS.issuperset(flags):
            raise QueryError(
                f"{found[0]} has a flag that ohara does not know",
                hint="the flags are i (any case), s (. matches newlines) and m (^ and $ at every line)",
            )
        return None
    return regex(text, flags), found.end()


def regex(text: str, flags: str = "") -> Pattern:
    """A regular expression in normal form: slashes unescaped, each flag once and in order."""
    if not text:
        raise QueryError(
            "the regular expression is empty", hint="write one between the slashes, as in /foo.*bar/"
        )
    if "\n" in text:
        raise QueryError(
            "a regular expression is matched within one line", hint=r"write \s for what separates two words"
        )
    plain = _ESCAPED_SLASH.sub(lambda pair: "/" if pair[1] == "/" else pair[0], text)
    if (len(plain) - len(plain.rstrip("\\"))) % 2:
        raise QueryError(
            f"the regular expression {text!r} ends in a lone backslash", hint=r"write \\ to match a backslash"
        )
    if plain.startswith("*"):
        raise QueryError(
            f"the regular expression {text!r} has nothing before its first *",
            hint=r"write \* to match a star",
        )
    return Pattern(plain, is_regex=True, flags="".join(flag for flag in FLAGS if flag in flags))


def literal(text: str, polarity: Polarity = Polarity.ANY) -> Pattern:
    """A required literal, which must fit on one line."""
    if "\n" in text:
        raise QueryError("a literal is matched within one line", hint="quote each line on its own")
    return Pattern(text, polarity=polarity)


def _bound_pattern(source: str, at: int, polarity: Polarity) -> tuple[Pattern, int]:
    if source[at] == "/" and (found := regex_at(source, at, may_begin_with_space=True)):
        pattern, end = found
        return Pattern(pattern.text, is_regex=True, flags=pattern.flags, polarity=polarity), end
    value, end = _value(source, at)
    if not value:
        raise QueryError(f"{polarity}: has an empty value", hint=f'write {polarity}:"text"')
    return literal(value, polarity), end


def _value(source: str, at: int) -> tuple[str, int]:
    if source[at] == '"':
        return _quoted(source, at)
    word, end = _word(source, at)
    return word.text, end


def _quoted(source: str, at: int) -> tuple[str, int]:
    found = _QUOTED.match(source, at)
    if not found:
        raise QueryError(
            f"the quote in {source[at : at + 20]!r} is not closed",
            hint=r"close it, or write \" for a quote that is text",
        )
    text = re.sub(r'\\(["\\])', r"\1", found[1])
    return literal(text).text, found.end()


def _word(source: str, at: int) -> tuple[Word, int]:
    found = _RUN.match(source, at)
    return (Word(found[0]), found.end()) if found else (Word(source[at:]), len(source))


def _would_be_syntax(source: str, at: int) -> bool:
    if source[at : at + 1] in {'"', "/"} or source[at : at + 2] in {'-"', "-/"}:
        return True
    try:
        return named_at(source, at) is not None
    except QueryError:
        return True


def _refuse_near_miss(written: str, name: str) -> None:
    if len(name) > _LONGEST_NEAR_MISS:
        return
    near = name.lower() if name.lower() in ALL_NAMES else nearest(name.lower(), GUESSED_NAMES, within=1)
    if near:
        raise QueryError(
            f"there is no filter {name}:",
            hint=f'did you mean {near}:? To search for it as text, quote it: "{written}"',
        )

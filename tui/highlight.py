"""Syntax highlighting: which span of a line is a keyword, a string, a comment and so on. Pure.

Pygments is loaded when the first line is coloured, and one lexer at a time. Work is bounded: long lines and
long texts are left plain, and a lexer that fails colours nothing. What the classes look like is the
widget's to decide; nothing is guessed from the text itself, only from the path.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pygments.lexer import Lexer

# A lexer reads about a megabyte a second: a screen of lines well within one frame.
_MOST_CHARACTERS = 40_000
_LONGEST_LINE = 1_000
_MOST_LEAD = 250_000  # characters before a hunk, read in a thread


class Syntax(StrEnum):
    """The syntax classes that have their own colours."""

    KEYWORD = "keyword"
    NAME = "name"
    BUILTIN = "builtin"
    STRING = "string"
    NUMBER = "number"
    COMMENT = "comment"
    TAG = "tag"
    HEADING = "heading"


class Span(NamedTuple):
    """A span of a line, in characters, and its class."""

    start: int
    end: int
    syntax: Syntax


_BY_TOKEN = {
    "Keyword": Syntax.KEYWORD,
    "Keyword.Constant": Syntax.BUILTIN,
    "Keyword.Type": Syntax.BUILTIN,
    "Name.Function": Syntax.NAME,
    "Name.Class": Syntax.NAME,
    "Name.Namespace": Syntax.NAME,
    "Name.Decorator": Syntax.TAG,
    "Name.Builtin": Syntax.BUILTIN,
    "Name.Exception": Syntax.BUILTIN,
    "Name.Constant": Syntax.BUILTIN,
    "Name.Tag": Syntax.TAG,
    "Name.Attribute": Syntax.NAME,
    "Literal.String": Syntax.STRING,
    "Literal.String.Interpol": Syntax.BUILTIN,
    "Literal.String.Escape": Syntax.BUILTIN,
    "Literal.Number": Syntax.NUMBER,
    "Literal.Date": Syntax.NUMBER,
    "Comment": Syntax.COMMENT,
    "Comment.Preproc": Syntax.TAG,
    "Operator.Word": Syntax.KEYWORD,
    "Generic.Heading": Syntax.HEADING,
    "Generic.Subheading": Syntax.HEADING,
    "Generic.Strong": Syntax.HEADING,
}


def spans(path: str, lines: Sequence[str]) -> tuple[tuple[Span, ...], ...]:
    """The highlighted spans of each line; empty where the language is unknown."""
    return _spans(path, tuple(lines))


def spans_after(path: str, lead: Sequence[str], lines: Sequence[str]) -> tuple[tuple[Span, ...], ...]:
    """The highlighted spans of lines that follow others in a file; too slow for the UI's loop.

    What stands before a stretch decides what it is: the inside of a string looks like code.
    """
    if sum(map(len, lead)) > _MOST_LEAD:
        return spans(path, lines)
    return _read(path, (*lead, *lines), _MOST_LEAD + _MOST_CHARACTERS)[len(lead) :]


def prepare(paths: Iterable[str]) -> None:
    """Load the lexers for these paths; too slow for the UI's loop, so this is for a thread."""
    for name in {path.rpartition("/")[2] for path in paths}:
        spans(name, (name,))


@lru_cache(maxsize=128)  # what was just looked at is looked at again: a hit left and come back to
def _spans(path: str, lines: tuple[str, ...]) -> tuple[tuple[Span, ...], ...]:
    return _read(path, lines, _MOST_CHARACTERS)


def _read(path: str, lines: tuple[str, ...], most: int) -> tuple[tuple[Span, ...], ...]:
    plain: tuple[tuple[Span, ...], ...] = ((),) * len(lines)
    if not path or sum(map(len, lines)) > most:
        return plain
    lexer = _lexer(path.rpartition("/")[2])
    if lexer is None:
        return plain
    # One line here is one line there: lexers end lines at characters that a diff does not.
    text = "\n".join(
        line.translate(_LINE_ENDS) if len(line) <= _LONGEST_LINE else " " * len(line) for line in lines
    )
    try:
        return _by_line(lexer, text + "\n", len(lines))
    except Exception:  # noqa: BLE001 - somebody else's lexer on a stranger's text: colour is not worth a fault
        return plain


_LINE_ENDS = {ord(character): " " for character in "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"}


def _by_line(lexer: Lexer, text: str, count: int) -> tuple[tuple[Span, ...], ...]:
    found: list[list[Span]] = [[] for _ in range(count)]
    line = column = 0
    for token, value in lexer.get_tokens(text):
        syntax = _class_of(token)
        for number, part in enumerate(value.split("\n")):
            if number:
                line, column = line + 1, 0
            if part:
                if syntax is not None and line < count and not part.isspace():
                    found[line].append(Span(column, column + len(part), syntax))
                column += len(part)
    return tuple(map(tuple, found))


@cache
def _class_of(token: tuple[str, ...]) -> Syntax | None:
    """The nearest class: that of the token's own name, or of what it is a kind of."""
    for length in range(len(token), 0, -1):
        known = _BY_TOKEN.get(".".join(token[:length]))
        if known is not None:
            return known
    return None


@lru_cache(maxsize=64)
def _lexer(name: str) -> Lexer | None:
    """What reads files of this name."""
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        return get_lexer_for_filename(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None

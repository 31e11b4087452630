"""Guesses what kind of thing a query is, from its shape alone.

The guess chooses lane weights, is shown with the answer and can be overridden by a mode. It never looks
anything up: seven hex digits are taken for a commit whether or not there is one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ohara.languages import language_of
from ohara.model import QueryClass
from ohara.query.names import CommitName, IssueName, LinesName, PathName, read_name

if TYPE_CHECKING:
    from ohara.model import Pattern

# Git abbreviates to seven digits at least. A word needs a letter and a digit to pass for an object name:
# "defaced" is a word and 20240501 a number; at full length no doubt is left.
_SHA = re.compile(r"(?=.*[0-9])(?=.*[a-f])[0-9a-f]{7,39}|[0-9a-f]{40}", re.IGNORECASE)

_NAME = r"[^\W\d][\w$]*"
_QUALIFIED = re.compile(rf"[$@]?{_NAME}(?:(?:::|\.|#|->){_NAME})+(?:\(\)?)?")
_CALL = re.compile(rf"[$@]?{_NAME}\(\)?")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z](?!$)")
_SINGLE = re.compile(rf"[$@]?{_NAME}")

_PATH = re.compile(r"""[^\s"'<>|=;,:]+""")
_FILE_NAMES = re.compile(r"\.\w[\w.-]*|[A-Z]\w*file|README|LICENSE|CHANGELOG|CODEOWNERS")
# Endings of files that are as often the names of members: console.log, this.props, math.exp.
_MEMBERS = frozenset(
    {"atom", "comp", "conf", "desktop", "exp", "for", "just", "log", "make", "plain", "properties", "props"}
    | {"rest", "star", "st", "targets", "test", "text", "d", "m", "r", "s", "t", "v"}
)

_DIFF = re.compile(r"^(?:diff --git |@@ -\d+(?:,\d+)? \+\d+)|^--- .*\n\+\+\+ ", re.MULTILINE)
_CODE_LINE = re.compile(
    r"""
    [{}(\[;]\s*$                                  # ends like code
    | ^\s+.*,\s*$                                 # an argument on a line of its own
    | ^\s+(?:\#|\*)\s                             # an indented comment
    | \w=["'\w] | "{3} | '{3}                     # keyword arguments, docstrings
    | \w\(.*\)\s*[:;{,]?\s*$                      # ends in a call
    | ^\s*(?:\)|\]|\}|//|/\*|\*/|<!--|</?\w|@\w|\#(?:include|define|if|endif)\b)
    | \s(?:=|[-+*/|&]=|==|!=|=>|->|:=|&&|\|\|)(?:\s|$)
    | ^\s*(?:def|class|func|fn|function|struct|impl|enum|interface|namespace|package)\s+\w
    | ^\s*(?:import|export|return|const|let|var|elif|raise|throw|async|await|public|private|static)\b
    | ^\s*from\s+\S+\s+import\b
    | ^\s*(?:if|elif|else|for|while|with|try|except|finally|case|switch)\b.*[:{]\s*$
    | ^\s*(?:File\ "|at\ [\w$.<>]+\(|Traceback\ \()  # stack traces are code's own prose
    | ^\s+[\w.]+\(
    """,
    re.VERBOSE,
)
_CODE_TOKEN = re.compile(r"[(){}\[\];=]|=>|->|&&|\|\|")


def classify(words: str, patterns: tuple[Pattern, ...]) -> QueryClass:
    """What the words look like, or where there are none, the required terms."""
    if not words:
        if not patterns:
            return QueryClass.PROSE
        return QueryClass.REGEX if any(each.is_regex for each in patterns) else QueryClass.LITERAL
    if "\n" in words:
        return QueryClass.SNIPPET
    if named := _class_of_name(words):
        return named
    parts = words.split()
    if len(parts) == 1:
        return _class_of_one(parts[0])
    code = sum(bool(_CODE_TOKEN.search(part)) for part in parts)
    return QueryClass.SNIPPET if code > 1 and code * 2 > len(parts) else QueryClass.PROSE


def is_snippet(text: str) -> bool:
    """Whether several lines are a diff or code, and not prose that was wrapped."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2:
        return False
    if _DIFF.search(text):
        return True
    code = sum(bool(_CODE_LINE.search(line[1:] if line[0] in "+-" else line)) for line in lines)
    # Docstrings and comments are prose: a third is enough. On added lines and on paragraphs of messages of
    # four repositories this takes 94-99 % of code for code and 1-6 % of prose, most of that quoted code.
    return code * 3 >= len(lines)


def _class_of_name(words: str) -> QueryClass | None:
    match read_name(words):
        case CommitName(sure=True):
            return QueryClass.SHA
        case IssueName():
            return QueryClass.ISSUE
        case PathName():
            return QueryClass.PATH
        case LinesName():
            return QueryClass.LINES
    return None  # too short a name of a commit is a word until the index has one that begins so


def _class_of_one(word: str) -> QueryClass:
    if _SHA.fullmatch(word):
        return QueryClass.SHA
    if _is_path(word):
        return QueryClass.PATH
    if _QUALIFIED.fullmatch(word) or _CALL.fullmatch(word):
        return QueryClass.SYMBOL
    # An underscore or a hump inside: the names that only code has.
    if _SINGLE.fullmatch(word) and word.strip("_") and ("_" in word or _HUMP.search(word)):
        return QueryClass.SYMBOL
    return QueryClass.PROSE


def _is_path(word: str) -> bool:
    if not _PATH.fullmatch(word):
        return False
    if "/" in word:
        return not word.startswith("//") and any(char.isalnum() for char in word)
    if _FILE_NAMES.fullmatch(word):
        return True
    stem, dot, ending = word.rpartition(".")
    if not (dot and stem and language_of(word)):
        return False
    return ending.lower() not in _MEMBERS

"""Required terms in any case, or as whole words: what -i and -w make of every term of a query. Pure."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ohara.model import Pattern

_METACHARACTERS = re.compile(r"[\\.+*?()|\[\]{}^$]")
_WORD_CHARACTER = re.compile(r"[A-Za-z0-9_]")  # as RE2 has it


def loosened(pattern: Pattern, *, ignore_case: bool, whole_words: bool) -> Pattern:
    """The term in any case, or only between the edges of words; as it is when neither is asked for."""
    if whole_words:
        pattern = replace(pattern, text=_between_words(pattern), is_regex=True)
    if ignore_case:
        text = pattern.text if pattern.is_regex else _escaped(pattern.text)
        flags = "i" + pattern.flags.replace("i", "")
        pattern = replace(pattern, text=text, is_regex=True, flags=flags)
    return pattern


def _between_words(pattern: Pattern) -> str:
    """An expression for the term with no letter, digit or underscore right before or after it."""
    if pattern.is_regex:
        return rf"\b(?:{pattern.text})\b"
    return f"{_edge(pattern.text[:1])}{_escaped(pattern.text)}{_edge(pattern.text[-1:])}"


def _edge(character: str) -> str:
    """What must stand beside a character so that no word goes on there: beside a sign, another sign."""
    return r"\b" if _WORD_CHARACTER.match(character) else r"\B"


def _escaped(text: str) -> str:
    return _METACHARACTERS.sub(lambda found: f"\\{found[0]}", text)

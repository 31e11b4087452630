"""The names in a pattern of syntax that stand for nodes of a tree, and the words that stand for themselves.

Whoever parses is started for it: nothing else of the query language is loaded with this.
"""

from __future__ import annotations

import re

METAVARIABLE = re.compile(r"\$\$\$(?:[A-Z_][A-Z0-9_]*)?|\$\$?[A-Z_][A-Z0-9_]*\b")

_ATOM = re.compile(r"[^\W\d]\w*|\d[\w.]*\w|\d")


def atoms(pattern: str) -> tuple[str, ...]:
    """The words that whatever matches must hold, each once: names, numbers, words inside of texts."""
    return tuple(dict.fromkeys(_ATOM.findall(METAVARIABLE.sub(" ", pattern))))


def as_plain_code(pattern: str) -> tuple[str, ...]:
    """The pattern with plain code in place of its metavariables, in the ways in which it may parse.

    One node is a name; any number of them may be names, statements, or none at all.
    """
    return tuple(dict.fromkeys(_filled(pattern, several) for several in ("x", "x;", "")))


def _filled(pattern: str, several: str) -> str:
    return METAVARIABLE.sub(lambda found: several if found[0].startswith("$$$") else "x", pattern)

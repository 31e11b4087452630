"""Patterns of syntax: `requests.get($URL, verify=False)`, in which `$NAME` stands for any one node of a tree.

A `$NAME` in capitals stands for one node, the same wherever it is repeated; `$_` for any; `$$$` and `$$$NAME`
for any number of nodes. What else a pattern holds must stand in the code as it is written. Pure: whether a
pattern can be parsed, and in which language, is decided by who searches.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING

from ohara.errors import QueryError
from ohara.metavariables import METAVARIABLE
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

# Signs that prose does not have around a word in capitals behind a dollar: "$HOME not set" has none.
_SYNTAX = re.compile(r"[(){}\[\]=;]|->|&&|\|\||::|\.\$?\w")
_RULE = re.compile(r"^rule:[ \t]*(?:\{.*)?$", re.MULTILINE)
_WHERE = re.compile(r"\s+where\s+([A-Z_][A-Z0-9_]*)\s*=\s*/((?:[^/\\\n]|\\.)+)/\s*\Z")


@dataclass(frozen=True, slots=True)
class Structure:
    """A pattern of syntax, with what the nodes behind its names must match; or a rule, written in YAML."""

    text: str
    where: Mapping[str, str] = field(default_factory=dict)
    is_rule: bool = False


def looks_structural(text: str) -> bool:
    """Whether a text has metavariables, and syntax besides them."""
    return bool(METAVARIABLE.search(text)) and bool(_SYNTAX.search(METAVARIABLE.sub("X", text)))


def is_rule(text: str) -> bool:
    """Whether a text is a rule in YAML: it has a `rule:` of its own."""
    return bool(_RULE.search(text))


def read_structure(text: str) -> Structure:
    """The pattern that a text is, its trailing `where NAME=/regex/` taken off."""
    if is_rule(text):
        return Structure(text, is_rule=True)
    where: dict[str, str] = {}
    while found := _WHERE.search(text):
        where[found[1]] = found[2].replace("\\/", "/")
        text = text[: found.start()]
    pattern = text.strip()
    if not pattern:
        raise QueryError(
            "there is no pattern to look for", hint="write some code, as in: foo($X, timeout=$T)"
        )
    if METAVARIABLE.fullmatch(pattern):
        raise QueryError(
            "a name by itself stands for every piece of code",
            hint=f"write some code around it, as in: foo({pattern})",
        )
    unknown = [name for name in where if f"${name}" not in pattern]
    if unknown:
        raise QueryError(
            f"where speaks of {unknown[0]}, which is not in the pattern",
            hint=f"write ${unknown[0]} where it stands",
        )
    return Structure(pattern, where)

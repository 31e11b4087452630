"""Reads a rule of ast-grep's own, written in YAML, as far as it says what to look for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ohara.errors import QueryError
from ohara.languages import canonical_language
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

_HINT = "a rule is YAML with rule: and what it consists of, such as pattern: foo($X)"
_USED = ("rule", "constraints", "utils", "transform")


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule asks for, in which language if it says so, and patterns that every match must be."""

    config: Mapping[str, Any]
    language: str | None
    patterns: tuple[str, ...]


def read_rule(text: str) -> Rule:
    """The rule that a text is."""
    import yaml  # only who has ast-grep has it

    try:
        read = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise QueryError(f"the rule is no YAML ({str(error).partition(chr(10))[0]})", hint=_HINT) from error
    if not isinstance(read, dict) or not isinstance(read.get("rule"), dict):
        raise QueryError("the rule does not say what to look for", hint=_HINT)
    named = read.get("language")
    language = canonical_language(str(named)) if named is not None else None
    if named is not None and language is None:
        raise QueryError(f"the rule is for {named}, which is no language here", hint="leave language: out")
    config = {key: read[key] for key in _USED if key in read}
    return Rule(config, language, _patterns(read["rule"]))


def _patterns(rule: Mapping[str, Any]) -> tuple[str, ...]:
    """The patterns that whatever a rule finds must match, as far as that is plain to see."""
    found: list[str] = []
    if isinstance(rule.get("pattern"), str):
        found.append(rule["pattern"])
    for each in rule.get("all") or ():
        if isinstance(each, dict):
            found += _patterns(each)
    return tuple(found)

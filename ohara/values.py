"""The kinds of value a setting takes, and how each is checked, parsed from text and written as TOML.

Pure. Text with control characters is refused: settings are printed, and some of them come from repositories
that are not trusted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

from ohara.sanitize import sanitize

Value: TypeAlias = bool | int | float | str | tuple[str, ...] | Mapping[str, str]

_FLAG_WORDS = dict.fromkeys(("true", "1", "yes", "on"), True) | dict.fromkeys(
    ("false", "0", "no", "off"), False
)

# What must be escaped in TOML's basic strings: control characters were refused before, these two remain.
_TOML_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"'})


class Kind(StrEnum):
    """The kind of value that a setting takes, by its name in messages."""

    FLAG = "true or false"
    INTEGER = "a whole number"
    NUMBER = "a number"
    TEXT = "text"
    LIST = "a list of texts"
    TABLE = "a table of texts"


def kind_of(default: Value) -> Kind:
    """The kind of a default value."""
    match default:
        case bool():
            return Kind.FLAG
        case int():
            return Kind.INTEGER
        case float():
            return Kind.NUMBER
        case str():
            return Kind.TEXT
        case tuple():
            return Kind.LIST
        case Mapping():
            return Kind.TABLE


def as_kind(raw: object, kind: Kind) -> Value | None:
    """The value converted to its kind, or None when it is of another kind."""
    match kind, raw:
        case Kind.FLAG, bool():
            return raw
        case ((Kind.INTEGER | Kind.NUMBER), bool()):
            return None
        case Kind.INTEGER, int():
            return raw
        case Kind.NUMBER, int() | float():
            return _finite(raw)
        case Kind.TEXT, str() if _plain(raw):
            return raw
        case Kind.LIST, list() | tuple() if all(
            isinstance(item, str) and item and _plain(item) for item in raw
        ):
            return tuple(raw)
        case Kind.TABLE, Mapping() if all(
            isinstance(item, str) and _plain(item) for pair in raw.items() for item in pair
        ):
            return MappingProxyType(dict(raw))
    return None


def from_text(text: str, kind: Kind) -> object:
    """Parse text from the environment; what does not parse is returned unchanged, to be refused later."""
    try:
        match kind:
            case Kind.FLAG:
                return _FLAG_WORDS.get(text.strip().lower(), text)
            case Kind.INTEGER:
                return int(text)
            case Kind.NUMBER:
                return float(text)
            case Kind.LIST:
                return [item.strip() for item in text.split(",") if item.strip()]
            case Kind.TABLE:
                pairs = (item.split("=", 1) for item in text.split(",") if item.strip())
                return {name.strip(): value.strip() for name, value in pairs}
    except ValueError:
        return text
    return text


def written(value: Value) -> str:
    """The value as it would be written in a settings file."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return '"' + value.translate(_TOML_ESCAPES) + '"'
        case tuple():
            return f"[{', '.join(written(item) for item in value)}]"
        case Mapping():
            pairs = (f"{written(name)} = {written(item)}" for name, item in value.items())
            return f"{{{', '.join(pairs)}}}"
    return repr(value)


def _finite(number: float) -> float | None:
    try:
        return float(number) if math.isfinite(number) else None
    except OverflowError:  # a whole number beyond what a float can hold
        return None


def _plain(text: str) -> bool:
    return sanitize(text) == text

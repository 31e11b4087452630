"""Completes filters: their names, and values; those that an index knows are asked of it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ohara.completion import fitting
from ohara.model import NameKind

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 24
_LEAST_NAME = 2  # letters after which a word may become a filter
_BEGUN = re.compile(
    r'(?:^|(?<=\s))(?P<sign>-?)(?:(?P<name>[A-Za-z]+):(?P<value>"[^"]*|\S*)|(?P<word>[A-Za-z]+))\Z'
)
_DATES = ("today", "yesterday", "1w", "1mo", "6mo", "1y", "2y")
_SIDES = ("added", "removed")


class NamesWanted(NamedTuple):
    """The names that the end of a text may be completed to, as an index is asked for them."""

    kind: NameKind
    begun: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What the end of a text can be completed to: the text before it, and the choices."""

    before: str
    choices: tuple[str, ...]

    def text(self, number: int) -> str:
        """The text with one of the choices."""
        return self.before + self.choices[number % len(self.choices)]


def names_wanted(text: str) -> NamesWanted | None:
    """What is to be asked of the index to complete the end of a text; None when that is not needed."""
    begun = _BEGUN.search(text)
    if begun is None or begun["name"] is None:
        return None
    filter_name = _filter_of(begun["name"])
    kind = "ref" if filter_name == "commit" else filter_name
    if kind not in list(NameKind):
        return None
    return NamesWanted(NameKind(kind), begun["value"].removeprefix('"'))


def complete(text: str, names: Sequence[str] = ()) -> Completion | None:
    """What the last word of a text may be completed to; `names` are those that it wants, None for nothing."""
    begun = _BEGUN.search(text)
    if begun is None:
        return None
    if begun["word"] is not None:
        choices = _filters(begun["word"]) if len(begun["word"]) >= _LEAST_NAME else []
    else:
        value = begun["value"].removeprefix('"')
        values = names if names_wanted(text) is not None else _values(_filter_of(begun["name"]), value)
        choices = [f"{begun['name']}:{_quoted(each)}" for each in values]
    written = begun[0].removeprefix(begun["sign"])
    choices = [choice for choice in choices if choice != written]
    return Completion(text[: begun.start()] + begun["sign"], tuple(choices[:MOST])) if choices else None


def _filter_of(written: str) -> str:
    from ohara.query import SYNONYMS

    return SYNONYMS.get(written, written)


def _filters(word: str) -> list[str]:
    from ohara.query import FILTER_NAMES

    return [f"{name}:" for name in FILTER_NAMES if name.startswith(word.lower())]


def _values(name: str, begun: str) -> list[str]:
    """The values of a filter that are the same everywhere."""
    from ohara.model import ChangeKind, FateFilter

    match name:
        case "kind":
            return fitting(ChangeKind, begun)
        case "is":
            return fitting(FateFilter, begun)
        case "side":
            return fitting(_SIDES, begun)
        case "since" | "until":
            return fitting(_DATES, begun)
    return []


def _quoted(value: str) -> str:
    return f'"{value}"' if re.search(r"\s", value) else value

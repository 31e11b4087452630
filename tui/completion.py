"""Completes filters in the query bar: their names, and values that there are in this repository. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST = 24
_LEAST_NAME = 2  # letters after which a word may become a filter
_BEGUN = re.compile(
    r'(?:^|(?<=\s))(?P<sign>-?)(?:(?P<name>[A-Za-z]+):(?P<value>"[^"]*|\S*)|(?P<word>[A-Za-z]+))\Z'
)
_DATES = ("today", "yesterday", "1w", "1mo", "6mo", "1y", "2y")


@dataclass(frozen=True, slots=True)
class Known:
    """What filters can be completed from in one repository; all of it the most likely first."""

    authors: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """What the end of a text can be completed to: the text before it, and the choices."""

    before: str
    choices: tuple[str, ...]

    def text(self, number: int) -> str:
        """The text with one of the choices."""
        return self.before + self.choices[number % len(self.choices)]


def complete(text: str, known: Known) -> Completion | None:
    """What the last word of a text may be completed to; None when it is no filter."""
    begun = _BEGUN.search(text)
    if begun is None:
        return None
    if begun["word"] is not None:
        choices = _names(begun["word"]) if len(begun["word"]) >= _LEAST_NAME else []
    else:
        choices = [
            f"{begun['name']}:{_quoted(value)}" for value in _values(begun["name"], begun["value"], known)
        ]
    written = begun[0].removeprefix(begun["sign"])
    choices = [choice for choice in choices if choice != written]
    return Completion(text[: begun.start()] + begun["sign"], tuple(choices[:_MOST])) if choices else None


def _names(word: str) -> list[str]:
    from ohara.query import FILTER_NAMES

    return [f"{name}:" for name in FILTER_NAMES if name.startswith(word.lower())]


def _values(written: str, value: str, known: Known) -> Sequence[str]:
    from ohara.languages import LANGUAGES
    from ohara.model import ChangeKind, FateFilter
    from ohara.query import SYNONYMS

    begun = value.removeprefix('"')
    match SYNONYMS.get(written, written):
        case "author":
            return _holding(known.authors, begun)
        case "path":
            return _next_folders(known.paths, begun)
        case "ext":
            return _holding(_endings(known.paths), begun)
        case "ref" | "commit":
            return _holding(known.refs, begun)
        case "symbol":
            return _holding(known.symbols, begun)
        case "lang":
            return _holding(LANGUAGES, begun)
        case "kind":
            return _holding(ChangeKind, begun)
        case "is":
            return _holding(FateFilter, begun)
        case "since" | "until":
            return _holding(_DATES, begun)
    return ()


def _holding(names: Iterable[str], begun: str) -> list[str]:
    """The names that begin so, then those that hold it elsewhere, in any case."""
    wanted = begun.casefold()
    fitting = [name for name in dict.fromkeys(map(str, names)) if wanted in name.casefold()]
    return sorted(fitting, key=lambda name: not name.casefold().startswith(wanted))


def _next_folders(paths: Sequence[str], begun: str) -> list[str]:
    """Files and folders one step further than what was typed, or else files whose name holds it."""
    steps: dict[str, None] = {}
    for path in paths:
        if path.startswith(begun):
            slash = path.find("/", len(begun))
            steps[path if slash < 0 else path[: slash + 1]] = None
    if steps or not begun:
        return list(steps)
    wanted = begun.casefold()
    return [path for path in paths if wanted in path.rpartition("/")[2].casefold()]


def _endings(paths: Sequence[str]) -> list[str]:
    counts: dict[str, int] = {}
    for path in paths:
        name = path.rpartition("/")[2]
        if "." in name[1:]:
            ending = name.rpartition(".")[2]
            counts[ending] = counts.get(ending, 0) + 1
    return sorted(counts, key=lambda ending: -counts[ending])


def _quoted(value: str) -> str:
    return f'"{value}"' if re.search(r"\s", value) else value

"""Recognises what a question names (`tmp_path`, `--lf`, "python 2") in lines, messages and paths. Pure.

Plain words are compared by their stem, what is written like code as it stands. A number behind a word belongs
to it, as the beginning of a version: "python 2" is in "Python 2.7" and not in "python 3.2".
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from ohara.languages import language_of
from ohara.records import dataclass
from ohara.words import index_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.query.intent import Aim

_PLAIN = re.compile(r"[^\W\d_]+")
_ALONE = re.compile(r"(?<![\w-])[^\W\d_]+(?![\w-])")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_SEPARATORS = re.compile(r"[\W_]+")
_JOINED = re.compile(r"(?<=\w)(?:_|\\-)(?=\w)")  # in an escaped pattern: report_log, report-log, report log

# A name that a line defines: by a keyword in front, as a function of C at the margin, or as a constant.
_DEFINES = re.compile(
    r"\b(?:def|class|func|fn|function|struct|enum|interface|trait|type|module|define|const|let|var|package)"
    r"\s+\*?([A-Za-z_][\w.]*)"
    r"|^[A-Za-z_][\w\s*&:<>]*?[\s*&](\w+)\s*\([^;]*$"
    r"|^([A-Za-z_]\w*)\s*(?::[^=]*)?=(?!=)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Thing:
    """What tells a thing from others: stems of plain words, patterns of all else, and the names it may have.

    Hunks that may hold it are looked up by `words`, the index's own, and by `literals`, the parts of its name
    that are written like code.
    """

    stems: frozenset[str]
    patterns: tuple[re.Pattern[str], ...]
    names: frozenset[str]
    options: tuple[str, ...]
    files: tuple[str, ...]
    words: tuple[str, ...]
    literals: tuple[str, ...]

    @classmethod
    def of(cls, aim: Aim) -> Thing:
        """The thing that a question is about."""
        plain, spelt = [], []
        for word, number in _with_numbers(aim.thing):
            if number:
                spelt.append(rf"{re.escape(word)}\W{{0,4}}{re.escape(number)}(?:\.[\dx]+)*")
            elif _PLAIN.fullmatch(word) and word.islower():
                plain.append(word)
            else:
                spelt.append(_JOINED.sub(lambda _: r"[\s_-]?", re.escape(word.lstrip("-"))))
        stems = [stem for word in plain for stem in index_text(word).split()]
        return cls(
            stems=frozenset(stems),
            patterns=tuple(re.compile(rf"(?<!\w){each}(?!\w)", re.IGNORECASE) for each in spelt),
            names=frozenset(_names(aim)),
            options=tuple(word for word in aim.thing if word.startswith("-")),
            files=tuple(word.casefold().strip("/") for word in aim.thing),
            words=tuple(dict.fromkeys(_looked_up(aim.thing))),
            literals=tuple(word for word in aim.thing if not _PLAIN.fullmatch(word) and len(word) > 2),
        )

    def where(self, text: str) -> list[tuple[int, int]]:
        """Where a text speaks of any part of it."""
        found = [match.span() for pattern in self.patterns for match in pattern.finditer(text)]
        if self.stems:
            found += [match.span() for match in _ALONE.finditer(text) if index_words(match[0]) & self.stems]
        return sorted(found)

    def held(self, text: str) -> bool:
        """True when a text speaks of the whole thing."""
        if not all(pattern.search(text) for pattern in self.patterns):
            return False
        return not self.stems or self.stems <= index_words(text)

    def held_by_lines(self, lines: str) -> bool:
        """True when lines of code hold the whole thing: an option as it is written there, with its dashes."""
        if not all(re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", lines) for option in self.options):
            return False
        return self.held(lines)

    def defined(self, text: str) -> bool:
        """True when lines define it: a function, class or constant of its name, or an option as a string."""
        if any(f"{quote}{option}{quote}" in text for option in self.options for quote in "\"'`"):
            return True
        return any(
            _plainly(name) in self.names or _plainly(name.rpartition(".")[2]) in self.names
            for found in _DEFINES.findall(text)
            for name in found
            if name
        )

    def named_by(self, path: str) -> bool:
        """True when a file is called so, with or without its ending and folders."""
        folded = path.casefold()
        stem = folded.rpartition(".")[0] or folded
        if any(f"/{each}".endswith(f"/{file}") for file in self.files for each in (folded, stem)):
            return True
        return _plainly(stem.rpartition("/")[2]) in self.names


def index_words(text: str) -> frozenset[str]:
    """The index's words of a text."""
    return frozenset(index_text(text).split())


def _with_numbers(words: tuple[str, ...]) -> list[tuple[str, str]]:
    """Words, each with the number that follows it, if one does."""
    pairs = list(pairwise((*words, "")))
    return [
        (word, after if _NUMBER.fullmatch(after) and _PLAIN.fullmatch(word) else "")
        for at, (word, after) in enumerate(pairs)
        if not (_NUMBER.fullmatch(word) and at and _PLAIN.fullmatch(words[at - 1]))
    ]


def _names(aim: Aim) -> Iterable[str]:
    """What it may be called where it is defined, without case and separators."""
    yield _plainly("".join(aim.thing))
    yield _plainly("".join(aim.subject))
    if len(aim.thing) == 1:
        yield _plainly(aim.thing[0].rpartition(".")[2])


def _plainly(name: str) -> str:
    return _SEPARATORS.sub("", name).casefold()


def _looked_up(words: tuple[str, ...]) -> Iterable[str]:
    """The index words that any hunk which holds the thing must hold; of a name its whole, not its parts."""
    for word in words:
        tail = word if _NUMBER.fullmatch(word) or is_file(word) else word.rpartition(".")[2] or word
        indexed = index_text(tail).split()
        if is_file(word) or (_PLAIN.fullmatch(tail) and tail.islower()):
            yield from indexed
        else:
            # Of a name its whole, not its parts; a name with other signs in it has no whole.
            yield from indexed[:1] if tail.isidentifier() else indexed


def is_file(word: str) -> bool:
    """True of a word that is a path, or the name of a file."""
    return word.startswith(".") or "/" in word or (language_of(word) is not None and "." in word)

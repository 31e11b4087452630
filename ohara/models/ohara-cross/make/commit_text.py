"""What a cross-encoder could read of a whole commit, for a query: a digest of what the commit does.

Pure, and frozen with the weights that are trained on it. A message may say nothing, and one hunk tells a part. The digest has the subject, where the change was
made, the names of its tests, which are prose more often than not, and from the hunks that share most words
with the query the lines that share most.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ohara.embed.model_text import prepared

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Of a commit's hunks so many are looked at, and so many are told.
HUNKS_LOOKED_AT = 16
HUNKS_TOLD = 3

# What fits into the tokens that the model reads beside a query, a subject and paths.
LINES_CHARS = 420
LINE_CHARS = 140
NAME_CHARS = 60
TESTS_TOLD = 3

# Words of a question that code is full of as well, or that say nothing of a change.
_COMMON = """
    the and for with that this from when are was not now has have its can will into use used using which where
    does did how why all any also but been than then they there their were would should could you your our may
    other more only such some them these those what who new one two via
"""
_SAY_NOTHING = frozenset(_COMMON.split())

_TEST_NAME = re.compile(
    r"^\+.*?(?:\b(?:def|func|fn|function|void)\s+(?:\([^)]*\)\s*)?(test\w+)|\b(?:it|test|describe|context)\(\s*['\"`]([^'\"`\n]+))",
    re.IGNORECASE | re.MULTILINE,
)
_PROSE = re.compile(r"^[+-]\s*(?:#|//|/\*|\*|<!--|--|\"\"\"|'''|r?\"\"\")?\s*(?:[A-Za-z'`]+[ ,]+){4,}")


def commit_text(query: str, subject: str, hunks: Sequence[tuple[str, str, str]]) -> str:
    """Returns the digest of a commit with these (path, symbol, body) hunks: those that were found come first.

    An empty subject gives the message-blind form.
    """
    wanted = _wanted(query)
    looked_at = hunks[:HUNKS_LOOKED_AT]
    told = _best_hunks(wanted, looked_at)
    paths = dict.fromkeys(path for path, _, _ in told if path)
    names = dict.fromkeys(symbol.strip()[:NAME_CHARS] for _, symbol, _ in told if symbol.strip())
    tests = _test_names(wanted, (body for _, _, body in looked_at))
    head = [part for part in (subject.strip(), " ".join(paths), " ".join(names), " ".join(tests)) if part]
    return "\n".join(head + _best_lines(wanted, [body for _, _, body in told]))


def _wanted(query: str) -> tuple[str, ...]:
    """The query's words to look for, cut short so that forms of a word match."""
    parts = dict.fromkeys(prepared(query).split())
    return tuple(
        dict.fromkeys(
            part[: max(4, len(part) - 2)] for part in parts if len(part) > 2 and part not in _SAY_NOTHING
        )
    )


def _shared(wanted: Iterable[str], text: str) -> int:
    lowered = text.lower()
    return sum(word in lowered for word in wanted)


def _best_hunks(wanted: Sequence[str], hunks: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    if len(hunks) == 1:
        return list(hunks)
    shared = [_shared(wanted, "\n".join(hunk)) for hunk in hunks]
    best = sorted(range(len(hunks)), key=lambda place: -shared[place])[:HUNKS_TOLD]
    return [hunks[place] for place in best]


def _test_names(wanted: Sequence[str], bodies: Iterable[str]) -> list[str]:
    names = list(
        dict.fromkeys(
            (one or other)[:NAME_CHARS] for body in bodies for one, other in _TEST_NAME.findall(body)
        )
    )
    return sorted(names, key=lambda name: -_shared(wanted, name))[:TESTS_TOLD]


def _best_lines(wanted: Sequence[str], bodies: Sequence[str]) -> list[str]:
    """The changed lines that share most words with the query, in their order; of equal ones, prose first."""
    lines = [
        f"{line[0]} {line[1:].strip()[:LINE_CHARS]}"
        for body in bodies
        for line in body.split("\n")
        if line[:1] in ("+", "-") and len(line) > 2
    ]
    lines = [line for line in lines if len(line) > 3]
    if sum(map(len, lines)) <= LINES_CHARS:
        return lines
    worth = [2 * _shared(wanted, line) + (_PROSE.match(line) is not None) for line in lines]
    kept: list[int] = []
    told: set[str] = set()
    room = LINES_CHARS
    for place in sorted(range(len(lines)), key=lambda place: -worth[place]):
        if room <= 0:
            break
        if lines[place][2:] not in told:
            told.add(lines[place][2:])
            kept.append(place)
            room -= len(lines[place])
    return [lines[place] for place in sorted(kept)]

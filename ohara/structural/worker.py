"""A process that parses: it reads patterns and texts from its input and writes what matched to its output.

Texts come from repositories and may break a parser. This process has bounds on its memory, knows nothing but
what it is sent, and may be killed at any time; whoever started it starts another.

Each message is a line of JSON, and behind a request the bytes of its texts. A request names a language, a
pattern (or a rule), the sizes of the texts and how much processor time each may take; it is answered by one
line for the pattern (an error, or nothing) and one for each text.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, BinaryIO

from ohara.query.structure import atoms
from ohara.structural.found import Listed
from ohara.structural.matcher import Unparsable, check_rule, compile_pattern, matches, names_in
from ohara.structural.pieces import PieceMatcher

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ohara.structural.found import Found

_MEMORY_BYTES = 2 * 2**30
_LONGEST_CAPTURE = 200  # of what a name stands for, to be shown
_KEPT_PATTERNS = 8
_MOST_MATCHES = 20_000  # in one text: a generated table


def main() -> int:
    """Answer requests until the input ends."""
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    prepared = lru_cache(maxsize=_KEPT_PATTERNS)(_prepared)
    while line := source.readline():
        request = json.loads(line)
        texts = [source.read(size) for size in request["sizes"]]
        where, rule = json.dumps(request["where"]), json.dumps(request["rule"])
        try:
            find = prepared(request["language"], request["pattern"], where, rule)
        except Unparsable as error:
            _say(sink, {"error": str(error)})
            continue
        _say(sink, {"error": ""})
        for text in texts:
            # Whoever takes more than its share of processor time is ended by the system, wherever it is.
            signal.setitimer(signal.ITIMER_PROF, request["cpu_s"])
            found = find(text.decode("utf-8", "replace"))[:_MOST_MATCHES]
            _write(sink, Listed.of(list(map(_shortened, found))).line)
        signal.setitimer(signal.ITIMER_PROF, 0)
    return 0


def _prepared(language: str, pattern: str, where: str, rule: str) -> Callable[[str], Sequence[Found]]:
    """What finds the matches of a pattern, or of a rule, in a text."""
    names = names_in(pattern)
    given = json.loads(rule)
    if given is not None:
        check_rule(given, language)
        return lambda text: matches(text, given, language, names)  # it may ask what stands around
    compiled = compile_pattern(pattern, json.loads(where), language)
    return PieceMatcher(compiled, language, names, atoms(pattern)).matches


def _shortened(match: Found) -> Found:
    if all(len(each.text) <= _LONGEST_CAPTURE for each in match.captures):
        return match
    captures = (each._replace(text=each.text[:_LONGEST_CAPTURE]) for each in match.captures)
    return match._replace(captures=tuple(captures))


def _say(sink: BinaryIO, message: object) -> None:
    _write(sink, json.dumps(message, separators=(",", ":")).encode())


def _write(sink: BinaryIO, line: bytes) -> None:
    sink.write(line + b"\n")
    sink.flush()


if __name__ == "__main__":
    sys.exit(main())

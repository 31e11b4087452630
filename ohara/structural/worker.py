"""A process that parses: it reads patterns and texts from its input and writes what matched to its output.

Texts come from repositories and may break a parser. This process has bounds on its memory, knows nothing but
what it is sent, and may be killed at any time; whoever started it starts another.

A request is a line of JSON: a pattern (or a rule), its languages, the texts (language, content's name, that
of a text which is like it), pairs of texts that are compared, and how much processor time each text may take.
It is answered by a line that says what is wrong with the pattern in each language, and which texts are
wanted: those that are not known from before. Their sizes and bytes are sent then. A line for each text (how
many matches it holds) and one for each pair (a `Difference`) follow.
"""

from __future__ import annotations

import gc
import json
import resource
import signal
import sys
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, BinaryIO

from ohara.metavariables import atoms
from ohara.structural.found import Difference
from ohara.structural.matcher import Unparsable, check_rule, compile_pattern, names_in
from ohara.structural.outline import NOTHING, Outline, difference
from ohara.structural.versions import VersionMatcher

if TYPE_CHECKING:
    from ohara.structural.found import Found

_MEMORY_BYTES = 2 * 2**30
_LONGEST_CAPTURE = 200  # of what a name stands for, to be shown
_KEPT_PATTERNS = 8
_SELDOM = (100_000, 20, 50)  # outlines are many small objects without cycles: they are looked for seldom
_KEPT_CHARACTERS = 48 * 2**20  # of versions that others may be like
_MOST_MATCHES = 20_000  # that came or went in one text: a generated table


def main() -> int:
    """Answer requests until the input ends."""
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.set_threshold(*_SELDOM)
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    prepared = lru_cache(maxsize=_KEPT_PATTERNS)(_prepared)
    while line := source.readline():
        request = json.loads(line)
        where, rule = json.dumps(request["where"]), json.dumps(request["rule"])
        finders: dict[str, Versions] = {}
        errors: dict[str, str] = {}
        for language in request["languages"]:
            try:
                finders[language] = prepared(language, request["pattern"], where, rule)
            except Unparsable as error:
                errors[language] = str(error)
            except (RecursionError, MemoryError):
                errors[language] = "it is nested too deep"
        outlines = [finders[language].known(name) for language, name, _ in request["texts"]]
        wanted = [number for number, outline in enumerate(outlines) if outline is None]
        _write(sink, json.dumps({"errors": errors, "wanted": wanted}).encode())
        for number, (language, name, near) in enumerate(request["texts"]):
            outline = outlines[number]
            if outline is None:
                text = source.read(int(source.readline()))
                # Whoever takes more than its share of processor time is ended by the system.
                signal.setitimer(signal.ITIMER_PROF, request["cpu_s"])
                outlines[number] = outline = finders[language].outline(name, near, text)
                signal.setitimer(signal.ITIMER_PROF, 0)
            _write(sink, b"%d" % outline.count)
        for pair in request["pairs"]:
            old, new = (NOTHING if at is None else outlines[at] or NOTHING for at in pair)
            came, went = (
                [_shortened(each) for each in side[:_MOST_MATCHES]] for side in difference(old, new)
            )
            _write(sink, Difference.of(old.count, new.count, came, went).line)
    return 0


class Versions:
    """What was read of versions of files, the last ones, by their names."""

    def __init__(self, matcher: VersionMatcher) -> None:
        self._matcher = matcher
        self._known: dict[str, tuple[Outline, int]] = {}
        self._characters = 0

    def known(self, name: str) -> Outline | None:
        """What a version consists of, if that is known."""
        known = self._known.get(name)
        return known[0] if known else None

    def outline(self, name: str, near: str, data: bytes) -> Outline:
        """What a version consists of, told from one that is like it if that is known."""
        text = data.decode("utf-8", "replace")
        like = self._known.get(near)
        outline = self._matcher.outline(text, like[0] if like else None)
        self._known[name] = (outline, len(text))
        self._characters += len(text)
        while self._characters > _KEPT_CHARACTERS:
            _, size = self._known.pop(next(iter(self._known)))
            self._characters -= size
        return outline


def _prepared(language: str, pattern: str, where: str, rule: str) -> Versions:
    """What finds the matches of a pattern, or of a rule, in versions of files."""
    names = names_in(pattern)
    given = json.loads(rule)
    if given is not None:
        check_rule(given, language)
        return Versions(VersionMatcher(given, language, names, ()))
    compiled = compile_pattern(pattern, json.loads(where), language)
    return Versions(VersionMatcher(compiled, language, names, atoms(pattern)))


def _shortened(match: Found) -> Found:
    if all(len(each.text) <= _LONGEST_CAPTURE for each in match.captures):
        return match
    captures = (each._replace(text=each.text[:_LONGEST_CAPTURE]) for each in match.captures)
    return match._replace(captures=tuple(captures))


def _write(sink: BinaryIO, line: bytes) -> None:
    sink.write(line + b"\n")
    sink.flush()  # at once: what was answered is known if the next text ends this process


if __name__ == "__main__":
    sys.exit(main())

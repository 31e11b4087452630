"""A process that parses: it reads patterns and texts from its input and writes what matched to its output.

Texts come from repositories and may break a parser. This process has bounds on its memory, knows nothing but
what it is sent, and may be killed at any time; whoever started it starts another.

Each message is a line of JSON, and behind a request the bytes of its texts. A request names a language, a
pattern (or a rule) and the sizes of the texts; it is answered by one line for the pattern (an error, or
nothing) and one for each text.
"""

from __future__ import annotations

import json
import resource
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO

from ohara.structural.matcher import Unparsable, check_rule, compile_pattern, matches, names_in

if TYPE_CHECKING:
    from collections.abc import Mapping

_MEMORY_BYTES = 2 * 2**30
_LONGEST_CAPTURE = 200  # of what a name stands for, to be shown
_MOST_MATCHES = 20_000  # in one text: a generated table


def main() -> int:
    """Answer requests until the input ends."""
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while line := source.readline():
        _answer(json.loads(line), source, sink)
    return 0


def _answer(request: Mapping[str, Any], source: BinaryIO, sink: BinaryIO) -> None:
    texts = [source.read(size) for size in request["sizes"]]
    language, pattern = request["language"], request["pattern"]
    names = names_in(pattern)
    try:
        if request["rule"] is not None:
            rule = dict(request["rule"])
            check_rule(rule, language)
        else:
            rule = compile_pattern(pattern, request["where"], language)
    except Unparsable as error:
        _say(sink, {"error": str(error)})
        return
    _say(sink, {"error": ""})
    for text in texts:
        found = matches(text.decode("utf-8", "replace"), rule, language, names)
        _say(
            sink,
            [
                [*match[:4], match.text, {name: held[:_LONGEST_CAPTURE] for name, held in match.captures}]
                for match in found[:_MOST_MATCHES]
            ],
        )


def _say(sink: BinaryIO, message: object) -> None:
    sink.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
    sink.flush()


if __name__ == "__main__":
    sys.exit(main())

"""Answers many queries in one warm process: JSON lines in, JSON lines out, in order.

A line that fails is answered by its error, and the batch continues. Nothing is kept between lines except
what the searcher itself caches.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.cli.output import say, total_of
from ohara.cli.report import as_ohara_error
from ohara.cli.search import ALL, read_query
from ohara.errors import UsageError
from ohara.model import MOST_HITS, Mode
from ohara.present.json import error_object, results_object, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.model import SearchOptions
    from ohara.searcher import Searcher

_KEYS = frozenset({"id", "query", "k", "mode"})
_EXAMPLE = 'write lines such as {"id": 1, "query": "retry with backoff"}'


def answer_batch(
    searcher: Searcher, options: SearchOptions, lines: Iterable[str], *, notes: Sequence[str] = ()
) -> None:
    """Answer each line on stdout, one at a time, as soon as it is read."""
    say(notes)
    for line in lines:
        if line.strip():
            sys.stdout.write(_answer(searcher, options, line) + "\n")
            sys.stdout.flush()


def _answer(searcher: Searcher, options: SearchOptions, line: str) -> str:
    name: object = None
    try:
        asked = _read(line)
        name = asked.get("id")
        source, chosen = _question(asked, options)
        results = searcher.find_pattern(read_query(source, chosen), chosen)
        if chosen.k == 0:
            total_of(results, ALL)
    except Exception as fault:  # noqa: BLE001 - whatever it was, the other lines must be answered
        return written(error_object(as_ohara_error(fault), name=name))
    return written(results_object(results, name=name))


def _read(line: str) -> dict[str, object]:
    try:
        asked = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"a line of the batch is not JSON: {error}", hint=_EXAMPLE) from None
    if not isinstance(asked, dict):
        raise UsageError("a line of the batch is not a JSON object", hint=_EXAMPLE)
    return asked


def _no_constant(name: str) -> object:
    """Refuse NaN and infinities, which Python accepts but JSON does not have."""
    raise ValueError(f"there is no {name}")


def _question(asked: dict[str, object], options: SearchOptions) -> tuple[str, SearchOptions]:
    """The query of a line and its options: those of the line override those of the command line."""
    unknown = sorted(set(asked) - _KEYS)
    if unknown:
        raise UsageError(
            f"a line of the batch has an unknown key {unknown[0]!r}",
            hint=f"the keys are {', '.join(sorted(_KEYS))}",
        )
    source, count, mode = asked.get("query"), asked.get("k", options.k), asked.get("mode", options.mode.value)
    if not isinstance(source, str):
        raise UsageError("a line of the batch has no query", hint=_EXAMPLE)
    if count is not None and (
        not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= MOST_HITS
    ):
        raise UsageError(f"k must be a whole number from 0 to {MOST_HITS}, not {count!r}", hint=_EXAMPLE)
    if not isinstance(mode, str) or mode not in set(Mode):
        raise UsageError(f"there is no mode {mode!r}", hint=f"the modes are {', '.join(Mode)}")
    return source, replace(options, k=count, mode=Mode(mode))

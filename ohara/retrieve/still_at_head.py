"""Says that a name whose end is asked for still stands at HEAD, by what the index keeps of HEAD's lines.

Lines with a name may go and the name stay: it was moved, or defined anew. Names alone are looked for, written
as in the question: an identifier, an option or a file; plain words stand everywhere. Nothing is read of git,
and where HEAD's lines are not all known, or the words are too many hunks', nothing is said.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ohara.languages import language_of
from ohara.model import Filters, Intent
from ohara.plural import counted
from ohara.query.intent import read_intent
from ohara.retrieve.intent_target import Thing, is_file
from ohara.retrieve.priors import Priors
from ohara.store.answers import lines_of_side
from ohara.store.facts import HEAD_LINES

if TYPE_CHECKING:
    from ohara.model import Query, Sha
    from ohara.store.lines import HeadLines
    from ohara.store.reading import Reader

# Looked up in one or two milliseconds: words of no more hunks, and the newest of those that added them.
MOST_HUNKS, HUNKS_READ = 10_000, 250

_IDENTIFIER = re.compile(r"(?=.*_|.+[A-Z].*[a-z]|.*[a-z][A-Z])[A-Za-z_][\w.:]*")  # as code writes names
_OPTION = re.compile(r"--?[A-Za-z][\w-]+")
_COMMENT = re.compile(r"\s*(?:#\s|#$|//|/?\*)")
_NO_CODE = frozenset({"csv", "ini", "json", "markdown", "rst", "text", "toml", "xml", "yaml"})


def still_at_head(reader: Reader, query: Query, head: Sha | None) -> tuple[str, ...]:
    """A note where the end of a name is asked for that HEAD's code, or its files, still have."""
    aim = read_intent(query.words, query.intent)
    if aim.intent is not Intent.ENDING or len(aim.thing) != 1 or reader.fact(HEAD_LINES) != head:
        return ()
    (name,) = aim.thing
    file = is_file(name)
    if not (file or _IDENTIFIER.fullmatch(name) or _OPTION.fullmatch(name)):
        return ()
    words = Thing.of(aim).words
    if not words or min(reader.document_frequencies(words).values()) > MOST_HUNKS:
        return ()
    column = "path" if file else "added"
    found = reader.holding_all(words, (column,), reader.allow(Filters()), oldest=False, limit=HUNKS_READ)
    standing = reader.at_head(at.hunk for at in found)
    if file:
        is_there = any(f"/{run.path}".endswith(f"/{name.strip('/')}") for run in standing)
        return (f"{name} is still a file of HEAD: {_TOOK}",) if is_there else ()
    lines = _lines_with(name, reader, [run for run in standing if _is_code(run.path)])
    more = " or more" if len(found) == HUNKS_READ else ""
    return (
        (f"{name} still stands at HEAD ({counted(lines, 'line')}{more} of code): {_TOOK}",) if lines else ()
    )


_TOOK = "these changes took lines with it away, but not all"


def _lines_with(name: str, reader: Reader, runs: list[HeadLines]) -> int:
    """How many lines of code hold the name as it is written."""
    beside = r"[\w-]" if name.startswith("-") else r"\w"
    written = re.compile(rf"(?<!{beside}){re.escape(name)}(?!{beside})")
    bodies = reader.added_lines({run.hunk for run in runs})
    added = {hunk: lines_of_side(body, "+").split("\n") for hunk, body in bodies.items() if name in body}
    return sum(
        bool(written.search(line)) and not _COMMENT.match(line)
        for run in runs
        for line in added.get(run.hunk, ())[run.first : run.first + run.lines]
    )


def _is_code(path: str) -> bool:
    return language_of(path) not in {None, *_NO_CODE} and Priors().path(path) == 1.0

"""Where a symbol is defined in a file, and where one was that is gone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ohara.browse.lineage import Position
from ohara.browse.span import Span, joined
from ohara.languages import language_of
from ohara.model import Filters, Sha
from ohara.parse.symbols import symbols_in
from ohara.retrieve.order_by_age import newest_first
from ohara.store.answers import ResolvedCommits

if TYPE_CHECKING:
    from collections.abc import Collection

    from ohara.browse.versions import Library
    from ohara.git.repo import Repository
    from ohara.model import HunkId
    from ohara.store.answers import PathVersion
    from ohara.store.reading import Reader

_JOINTS = re.compile(r"::|->|[.#]")
_LOOKED_AT = 50  # of the newest hunks that touch a symbol


class GoneSymbol(NamedTuple):
    """A symbol that is not defined any more: where it last was, and what removed or last touched it."""

    start: Position
    change: PathVersion
    change_sha: Sha
    is_end: bool


def defined_in(source: bytes, path: str, name: str | None) -> list[tuple[str, Span]]:
    """The symbols of a name that a file defines, with their lines; all of them without a name."""
    language = language_of(path)
    if language is None or not source:
        return []
    return [
        (symbol.qualified, Span(symbol.first_line, symbol.last_line))
        for symbol in symbols_in(source, language)
        if name is None or _is_called(symbol.qualified, name)
    ]


def qualified_names(name: str, found: Collection[str]) -> frozenset[str]:
    """Of whole names those that are meant: the very one that was written, if it is there, or else all."""
    dotted = _dotted(name)
    return frozenset([dotted] if dotted in found else found)


def hunks_with(reader: Reader, name: str, within: Collection[int] | None = None) -> list[HunkId]:
    """The hunks that touch a symbol, newest first; of these commits alone, if there are any."""
    filters = Filters() if within is None else Filters(refs=("REV",))
    numbers = reader.symbols_named((name,))
    touched = reader.touching(numbers, reader.allow(filters, ResolvedCommits.of(within))) if numbers else []
    newest = newest_first(reader, [each.at for each in touched])
    return list(dict.fromkeys(at.hunk for at in newest))


def gone_symbol(
    repository: Repository,
    reader: Reader,
    library: Library,
    name: str,
    path: str | None,
    *,
    within: Collection[int] | None = None,
) -> GoneSymbol | None:
    """Where a symbol was that is not defined any more; None when these commits, or any, knew none."""
    hunks = hunks_with(reader, name, within)[:_LOOKED_AT]
    rows = reader.hydrate(hunks)
    paths = (path, *library.other_names(path)) if path else None
    for hunk in hunks:
        row = rows.get(hunk)
        if row is None or not row.path or (paths is not None and row.path not in paths):
            continue
        at = library.graph.position[bytes.fromhex(row.commit.sha)]
        change = library.of(row.path).changes.get(at)
        if change is None:
            continue
        found = _lines(repository, change.new_blob, change.path, name)
        if found:
            start = Position(row.commit.sha, change.path, joined(found))
            return GoneSymbol(start, change, row.commit.sha, is_end=False)
        old_path = change.old_path or change.path
        found = _lines(repository, change.old_blob, old_path, name)
        parent = next((each for each in library.graph.parents[at] if each >= 0), None)
        if found and parent is not None:
            start = Position(Sha(library.graph.shas[parent].hex()), old_path, joined(found))
            return GoneSymbol(start, change, row.commit.sha, is_end=True)
    return None


def _lines(repository: Repository, blob: str | None, path: str, name: str) -> list[Span]:
    data = repository.read_blob(blob) if blob else None
    return [span for _, span in defined_in(data or b"", path, name)]


def _is_called(qualified: str, name: str) -> bool:
    dotted = _dotted(name)
    return qualified == dotted or qualified.endswith(f".{dotted}")


def _dotted(name: str) -> str:
    return ".".join(part for part in _JOINTS.split(name) if part)

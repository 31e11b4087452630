"""Changes one table of a TOML file that people write, and leaves every other character of it alone.

As with single settings (`cli/config_edit`), the text is edited and then parsed: unless exactly that table has
changed, there is no result. A table that has no header of its own, as an inline table, is not touched.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

from ohara.values import written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ohara.values import Value

_HEADER = re.compile(r"^[ \t]*\[(?!\[)(?P<name>[^\[\]]+)\][ \t]*(?:#.*)?$")
_ANY_HEADER = re.compile(r"^[ \t]*\[")

Table = dict[str, object]


def read(text: str) -> Table:
    """The tables that a text holds."""
    return tomllib.loads(text)


def with_table(text: str, outer: str, name: str, values: Mapping[str, Value]) -> str | None:
    """The text with the values of `[outer.name]` set; None when no edit gives exactly that."""
    before = read(text)
    tables = before.get(outer, {})
    if not isinstance(tables, dict):
        return None
    there = tables.get(name, {})
    if not isinstance(there, dict):
        return None
    wanted = before | {outer: tables | {name: there | {key: _plain(value) for key, value in values.items()}}}
    if wanted == before:
        return text
    end = "\r\n" if "\r\n" in text else "\n"
    lines = [f"{key} = {written(value)}{end}" for key, value in values.items()]
    found = _span(text, outer, name)
    if found is None:
        gap = "" if not text else end if text.endswith("\n") else end * 2
        return _proven(f"{text}{gap}[{outer}.{name}]{end}{''.join(lines)}", wanted)
    all_lines = text.splitlines(keepends=True)
    first, last = found
    body = [line for line in all_lines[first + 1 : last] if not _sets(line, values)]
    edited = "".join([*all_lines[: first + 1], *lines, *body, *all_lines[last:]])
    return _proven(edited, wanted)


def without_table(text: str, outer: str, name: str) -> str | None:
    """The text without `[outer.name]` and the tables below it; None as above."""
    before = read(text)
    tables = before.get(outer)
    if not isinstance(tables, dict) or name not in tables:
        return text
    rest = {key: value for key, value in tables.items() if key != name}
    wanted = {key: value for key, value in before.items() if key != outer} | ({outer: rest} if rest else {})
    lines = text.splitlines(keepends=True)
    while (found := _span("".join(lines), outer, name, below=True)) is not None:
        first, last = found
        while first and not lines[first - 1].strip() and (last == len(lines) or not lines[last - 1].strip()):
            first -= 1
        del lines[first:last]
    return _proven("".join(lines), wanted)


def _proven(edited: str, wanted: Table) -> str | None:
    try:
        after = read(edited)
    except ValueError:
        return None
    return edited if _bare(after) == _bare(wanted) else None


def _bare(table: Table) -> Table:
    """A table without empty ones in it, which only name what is not there."""
    return {key: value for key, value in table.items() if value != {}}


def _span(text: str, outer: str, name: str, *, below: bool = False) -> tuple[int, int] | None:
    """The lines of the first table of that name, from its header to the comments above the next."""
    lines = text.splitlines()
    wanted = [outer, name]
    for first, line in enumerate(lines):
        header = _HEADER.match(line)
        parts = [part.strip().strip("\"'") for part in header["name"].split(".")] if header else []
        if parts == wanted or (below and parts[: len(wanted)] == wanted):
            last = next(
                (number for number in range(first + 1, len(lines)) if _ANY_HEADER.match(lines[number])),
                len(lines),
            )
            while last < len(lines) and lines[last - 1].lstrip().startswith("#"):
                last -= 1
            return first, last
    return None


def _sets(line: str, values: Mapping[str, object]) -> bool:
    """True for a line that sets one of these values."""
    key, equals, _ = line.partition("=")
    return bool(equals) and key.strip().strip("\"'") in values


def _plain(value: Value) -> object:
    """A value as the parser gives it."""
    return tomllib.loads(f"it = {written(value)}")["it"]

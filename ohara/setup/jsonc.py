"""Changes one member of a JSON file that people write, and leaves every other character of it alone.

Comments and trailing commas are read as editors allow them in their settings. The text is edited, and then
read again to check the result: unless exactly that member has changed, there is no result.
"""

from __future__ import annotations

import json
import re
from dataclasses import field
from typing import TypeAlias

from ohara.records import dataclass

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_DEEPEST = 100
_INDENT = "  "


class Unreadable(ValueError):
    """The text is not JSON, with or without comments."""


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object: its name, where that begins, its value, and where the comma behind it ends."""

    name: str
    start: int
    value: _Node
    comma: int | None


@dataclass(frozen=True, slots=True)
class _Node:
    """A value and where it stands; the members of an object in order."""

    value: Json
    start: int
    end: int
    members: tuple[_Member, ...] = field(default=())

    def member(self, name: str) -> _Member | None:
        return next((member for member in self.members if member.name == name), None)


def read(text: str) -> Json:
    """The value that a text holds; nothing at all is an empty object."""
    return _root(text).value if text.strip("\ufeff \t\r\n") else {}


def with_member(text: str, outer: str, name: str, value: dict[str, Json]) -> str | None:
    """The text with `outer.name` set to a value; None when no edit gives exactly that."""
    before = read(text)
    if not isinstance(before, dict) or not isinstance(inner := before.get(outer, {}), dict):
        return None
    wanted = before | {outer: inner | {name: value}}
    if wanted == before:
        return text
    return _proven(_set(text, outer, name, value), wanted)


def without_member(text: str, outer: str, name: str) -> str | None:
    """The text without `outer.name`, and without `outer` when nothing is left in it; None as above."""
    before = read(text)
    if not isinstance(before, dict) or not isinstance(inner := before.get(outer), dict) or name not in inner:
        return text
    root = _root(text)
    container = root.member(outer)
    member = container.value.member(name) if container else None
    if container is None or member is None:
        return None
    rest = {key: each for key, each in inner.items() if key != name}
    if rest:
        return _proven(_cut(text, container.value, member), before | {outer: rest})
    wanted = {key: each for key, each in before.items() if key != outer}
    return _proven(_cut(text, root, container), wanted)


def _proven(edited: str, wanted: Json) -> str | None:
    try:
        return edited if read(edited) == wanted else None
    except Unreadable:
        return None


# -- editing -------------------------------------------------------------------------------------


def _set(text: str, outer: str, name: str, value: dict[str, Json]) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    if not text.strip("\ufeff \t\r\n"):
        return text + json.dumps({outer: {name: value}}, indent=_INDENT, ensure_ascii=False) + "\n"
    root = _root(text)
    container = root.member(outer)
    if container is None:
        return _added(text, root, outer, {name: value}, end)
    member = container.value.member(name)
    if member is None:
        return _added(text, container.value, name, value, end)
    written = _written(value, _indent_at(text, member.start), end)
    return text[: member.value.start] + written + text[member.value.end :]


def _added(text: str, within: _Node, name: str, value: dict[str, Json], end: str) -> str:
    """The text with a member added at the end of an object."""
    close = within.end - 1
    if not within.members:
        outside = _indent_at(text, within.start)
        indent = outside + _INDENT
        member = f"{json.dumps(name)}: {_written(value, indent, end)}"
        inside = text[within.start + 1 : close].rstrip()
        return f"{text[: within.start + 1]}{inside}{end}{indent}{member}{end}{outside}{text[close:]}"
    last = within.members[-1]
    own_line = "\n" in text[within.start : last.start]
    indent = _indent_at(text, last.start)
    member = f"{json.dumps(name)}: " + (_written(value, indent, end) if own_line else json.dumps(value))
    at = len(text[:close].rstrip()) if own_line else last.comma or last.value.end
    separator = f"{end}{indent}" if own_line else " "
    if last.comma is not None:
        return f"{text[:at]}{separator}{member},{text[at:]}"
    value_end = last.value.end
    return f"{text[:value_end]},{text[value_end:at]}{separator}{member}{text[at:]}"


def _cut(text: str, within: _Node, member: _Member) -> str:
    """The text without a member, its comma, and the space in front of it."""
    number = within.members.index(member)
    start = len(text[: member.start].rstrip())
    end = member.comma or member.value.end
    if len(within.members) == 1:
        inside = text[within.start + 1 : start] + text[end : within.end - 1]
        return text[: within.start + 1] + inside.strip() + text[within.end - 1 :]
    if number == len(within.members) - 1 and member.comma is None:
        before = within.members[number - 1]
        comma = (before.comma or before.value.end) - 1
        return text[:comma] + text[comma + 1 : start] + text[end:]
    return text[:start] + text[end:]


def _written(value: dict[str, Json], indent: str, end: str) -> str:
    lines = json.dumps(value, indent=_INDENT, ensure_ascii=False).split("\n")
    return f"{end}{indent}".join(lines)


def _indent_at(text: str, position: int) -> str:
    """What stands in front of the first character of the line of a position."""
    line = text[text.rfind("\n", 0, position) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


# -- reading -------------------------------------------------------------------------------------


def _root(text: str) -> _Node:
    node = _node(text, _past(text, 0), 0)
    if _past(text, node.end) != len(text):
        raise Unreadable("more follows behind the first value")
    return node


def _past(text: str, position: int) -> int:
    """Behind the space and the comments at a position."""
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _node(text: str, position: int, depth: int) -> _Node:
    if depth > _DEEPEST:
        raise Unreadable("nested too deep")
    if text[position : position + 1] == "{":
        return _object(text, position, depth)
    if text[position : position + 1] == "[":
        return _array(text, position, depth)
    return _scalar(text, position)


def _scalar(text: str, position: int) -> _Node:
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text, position)
    except (ValueError, RecursionError) as error:
        raise Unreadable(str(error)) from error
    return _Node(value, position, end)


def _array(text: str, position: int, depth: int) -> _Node:
    values: list[Json] = []
    at = _past(text, position + 1)
    while text[at : at + 1] != "]":
        item = _node(text, at, depth + 1)
        values.append(item.value)
        at = _past(text, item.end)
        if text[at : at + 1] == ",":
            at = _past(text, at + 1)
        elif text[at : at + 1] != "]":
            raise Unreadable("a comma is missing in a list")
    return _Node(values, position, at + 1)


def _object(text: str, position: int, depth: int) -> _Node:
    members: list[_Member] = []
    at = _past(text, position + 1)
    while text[at : at + 1] != "}":
        name = _scalar(text, at)
        if not isinstance(name.value, str) or any(member.name == name.value for member in members):
            raise Unreadable("a name is no text, or stands twice")
        at = _past(text, name.end)
        if text[at : at + 1] != ":":
            raise Unreadable("a colon is missing")
        value = _node(text, _past(text, at + 1), depth + 1)
        at = _past(text, value.end)
        comma = at + 1 if text[at : at + 1] == "," else None
        members.append(_Member(name.value, name.start, value, comma))
        if comma is not None:
            at = _past(text, comma)
        elif text[at : at + 1] != "}":
            raise Unreadable("a comma is missing in an object")
    whole = {member.name: member.value.value for member in members}
    return _Node(whole, position, at + 1, tuple(members))

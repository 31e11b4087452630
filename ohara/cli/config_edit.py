"""Changes one setting in the user's settings file and leaves every other character of it alone.

Comments, blank lines, order and line endings stay. The text is edited and then parsed as TOML to check the
result: unless exactly that one setting has changed, nothing is written and the error says what to write.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ohara import paths
from ohara.errors import ConfigError
from ohara.setup.rewrite import replace_file
from ohara.values import written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ohara.values import Value

_HEADER = re.compile(r"^[ \t]*\[(?P<name>[^\[\]]*)\][ \t]*(?:#.*)?$")
_ANY_HEADER = re.compile(r"^[ \t]*\[")
# A value on one line, and what follows it: a comment or nothing. What is read wrongly fails the check.
_VALUE = r"""(?P<value>"(?:[^"\\]|\\.)*"|'[^']*'|\[.*\]|\{.*\}|[^\s#"'\[{]+)(?P<rest>[ \t]*(?:#.*)?)$"""


def set_value(section: str, name: str, value: Value) -> Path:
    """Write a setting of a section and return the file; a symlink is followed."""
    by_hand = f"write there by hand, in [{section}]: {name} = {written(value)}"
    return _edit(lambda text: changed(text, section, name, value), by_hand)


def unset_value(section: str, name: str) -> Path:
    """Take a setting out of a section and return the file."""
    return _edit(lambda text: removed(text, section, name), f"take out there by hand, in [{section}]: {name}")


def _edit(edit: Callable[[str], str | None], by_hand: str) -> Path:
    file = paths.config_file()
    try:
        text = file.read_bytes().decode("utf-8") if file.exists() else ""
        amended = edit(text)
        if amended is None:
            raise ConfigError(f"{file} is written in a way that ohara does not dare to change", hint=by_hand)
        if amended != text:
            replace_file(file.resolve(), amended)
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise ConfigError(f"{file}: cannot be changed: {said}", hint=f"check {file}") from error
    return file


def changed(text: str, section: str, name: str, value: Value) -> str | None:
    """The text with one setting changed or added, or None when no edit gives exactly that result."""
    before = _parsed(text)
    here = before.get(section, {}) if before is not None else None
    if before is None or not isinstance(here, dict):
        return None
    wanted = before | {section: here | {name: _as_toml(value)}}
    if before == wanted:
        return text
    attempts = _attempts(text, section, name, written(value))
    return next((attempt for attempt in attempts if _parsed(attempt) == wanted), None)


def removed(text: str, section: str, name: str) -> str | None:
    """The text without one setting, or None when no edit gives exactly that result."""
    before = _parsed(text)
    here = before.get(section) if before is not None else None
    if before is None or not isinstance(here, dict) or name not in here:
        return text if before is not None else None
    left = {key: each for key, each in here.items() if key != name}
    wanted = before | {section: left}
    emptied = wanted if left else {key: each for key, each in before.items() if key != section}
    lines = text.splitlines(keepends=True)
    for number, _ in _found(lines, section, name):
        attempt = "".join([*lines[:number], *lines[number + 1 :]])
        if _parsed(attempt) in (wanted, emptied):
            return attempt
    return None


def _parsed(text: str) -> dict[str, object] | None:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return None


def _as_toml(value: Value) -> object:
    """The value as a parser of TOML returns it."""
    match value:
        case tuple():
            return list(value)
        case Mapping():
            return dict(value)
    return value


def _found(lines: list[str], section: str, name: str) -> Iterator[tuple[int, re.Match[str]]]:
    """The lines that give the setting a value: under its section, or dotted before any section."""
    inside = re.compile(rf"^(?P<key>[ \t]*[\"']?{re.escape(name)}[\"']?[ \t]*=[ \t]*){_VALUE}")
    dotted = re.compile(
        rf"^(?P<key>[ \t]*{re.escape(section)}[ \t]*\.[ \t]*{re.escape(name)}[ \t]*=[ \t]*){_VALUE}"
    )
    for number, (current, bare) in enumerate(_sections(lines)):
        found = inside.match(bare) if current == section else dotted.match(bare) if not current else None
        if found:
            yield number, found


def _sections(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line without its end, with the section that it stands in."""
    current = ""
    for line in lines:
        bare = line.rstrip("\r\n")
        if _ANY_HEADER.match(bare):
            header = _HEADER.match(bare)
            current = header["name"].strip().strip("\"'") if header else "?"
        yield current, bare


def _attempts(text: str, section: str, name: str, value: str) -> Iterator[str]:
    """Candidate edits, most natural first; the caller takes the first that parses to the wanted result."""
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    for number, found in _found(lines, section, name):
        ending = lines[number][len(lines[number].rstrip("\r\n")) :]
        amended = f"{found['key']}{value}{found['rest']}{ending}"
        yield "".join([*lines[:number], amended, *lines[number + 1 :]])
    own = [
        number
        for number, (current, bare) in enumerate(_sections(lines))
        if current == section and bare.strip() and not bare.lstrip().startswith("#")
    ]
    added = f"{name} = {value}{end}"
    if own:
        last = own[-1]
        closed = lines[last] if lines[last].endswith("\n") else lines[last] + end
        yield "".join([*lines[:last], closed, added, *lines[last + 1 :]])
    gap = "" if not text else end if text.endswith("\n") else end * 2
    yield f"{text}{gap}[{section}]{end}{added}"
    yield f"{section}.{added}{text}"

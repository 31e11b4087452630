"""Changes one setting in the user's settings file and leaves every other character of it alone.

Comments, blank lines, order and line endings stay. The text is edited and then parsed as TOML to check the
result: unless exactly that one setting has changed, nothing is written and the error says what to write.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ohara import paths
from ohara.errors import ConfigError
from ohara.setup.rewrite import replace_file
from ohara.values import written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_HEADER = re.compile(r"^[ \t]*\[(?P<name>[^\[\]]*)\][ \t]*(?:#.*)?$")
_ANY_HEADER = re.compile(r"^[ \t]*\[")
# A value on one line, and what follows it: a comment or nothing.
_VALUE = r"""(?P<value>"(?:[^"\\]|\\.)*"|'[^']*'|[^\s#"'\[{]+)(?P<rest>[ \t]*(?:#.*)?)$"""


def set_text(section: str, name: str, value: str) -> Path:
    """Write `value` as a setting of a section and return the file; a symlink is followed."""
    file = paths.config_file()
    try:
        text = file.read_bytes().decode("utf-8") if file.exists() else ""
        amended = changed(text, section, name, value)
        if amended is None:
            raise ConfigError(
                f"{file} is written in a way that ohara does not dare to change",
                hint=f"write there by hand, in [{section}]: {name} = {written(value)}",
            )
        if amended != text:
            replace_file(file.resolve(), amended)
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise ConfigError(f"{file}: cannot be changed: {said}", hint=f"check {file}") from error
    return file


def changed(text: str, section: str, name: str, value: str) -> str | None:
    """The text with one setting changed or added, or None when no edit gives exactly that result."""
    import tomllib

    try:
        before = tomllib.loads(text)
    except ValueError:
        return None
    here = before.get(section, {})
    if not isinstance(here, dict):
        return None
    wanted = before | {section: here | {name: value}}
    if before == wanted:
        return text
    for attempt in _attempts(text, section, name, written(value)):
        try:
            if tomllib.loads(attempt) == wanted:
                return attempt
        except ValueError:
            continue
    return None


def _attempts(text: str, section: str, name: str, value: str) -> Iterator[str]:
    """Candidate edits, most natural first; the caller takes the first that parses to the wanted result."""
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    inside = re.compile(rf"^(?P<key>[ \t]*[\"']?{re.escape(name)}[\"']?[ \t]*=[ \t]*){_VALUE}")
    dotted = re.compile(
        rf"^(?P<key>[ \t]*{re.escape(section)}[ \t]*\.[ \t]*{re.escape(name)}[ \t]*=[ \t]*){_VALUE}"
    )
    current, last = "", -1
    for number, line in enumerate(lines):
        bare = line.rstrip("\r\n")
        if _ANY_HEADER.match(bare):
            header = _HEADER.match(bare)
            current = header["name"].strip().strip("\"'") if header else "?"
        if current == section and bare.strip() and not bare.lstrip().startswith("#"):
            last = number
        found = inside.match(bare) if current == section else dotted.match(bare) if not current else None
        if found:
            ending = line[len(bare) :]
            amended = f"{found['key']}{value}{found['rest']}{ending}"
            yield "".join([*lines[:number], amended, *lines[number + 1 :]])
    added = f"{name} = {value}{end}"
    if last >= 0:
        closed = lines[last] if lines[last].endswith("\n") else lines[last] + end
        yield "".join([*lines[:last], closed, added, *lines[last + 1 :]])
    gap = "" if not text else end if text.endswith("\n") else end * 2
    yield f"{text}{gap}[{section}]{end}{added}"
    yield f"{section}.{added}{text}"

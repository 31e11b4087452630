"""Parses commit objects, also malformed ones.

git accepts commits that its own tools would not write: no author, times outside the calendar, any bytes
in names and messages. All are read; what cannot be made sense of becomes empty or zero, and what is longer
than anybody writes is cut and says so by an ellipsis.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ohara.git import decode
from ohara.model import Commit, Sha

# The last second of the year 9999: later times cannot be shown as dates.
LATEST_TIME: Final = 253_402_300_799

# A message stands in the words of every hunk of its commit; the longest of the Linux kernel has 50 kB.
MOST_MESSAGE_CHARS: Final = 65_536
MOST_NAME_CHARS: Final = 256
_ELLIPSIS: Final = "…"

_PERSON = re.compile(rb"(.*?) ?<([^<>]*)>[^0-9-]*(-?\d{1,20})?(?: ([+-]\d{4})(?!\d))?", re.DOTALL)
_LINKS = re.compile(rb"tree ([0-9a-fA-F]{40})\n((?:parent [0-9a-fA-F]{40}\n)*)")
_COMMITTER = re.compile(rb"^committer ([^\n]*)", re.MULTILINE)
_AUTHOR = re.compile(rb"^author ([^\n]*)", re.MULTILINE)
_ENCODING = re.compile(rb"^encoding ([^\n]*)", re.MULTILINE)


class Links(NamedTuple):
    """The tree and the parents of a commit, by raw id."""

    tree: bytes
    parents: tuple[bytes, ...]


class _Person(NamedTuple):
    name: bytes
    email: bytes
    time: int
    offset: int


def links(data: bytes) -> Links | None:
    """Reads where a commit points; None if it is not formed like a commit."""
    matched = _LINKS.match(data)
    if not matched:
        return None
    parents = matched[2].decode().split()[1::2]
    return Links(bytes.fromhex(matched[1].decode()), tuple(map(bytes.fromhex, parents)))


def committer_time(data: bytes) -> int:
    """Reads when a commit was made."""
    return _person(_COMMITTER.search(_headers(data))).time


def committer(data: bytes) -> tuple[str, str]:
    """Reads the committer's name and email, who may not be the author."""
    headers = _headers(data)
    person = _person(_COMMITTER.search(headers))
    encoding = _ENCODING.search(headers)
    named = encoding[1] if encoding else None
    return _name(person.name, named), _name(person.email, named)


def parse(sha: Sha, parents: tuple[bytes, ...], data: bytes) -> Commit:
    """Parses a commit; its parents are passed in, since grafts may change them."""
    headers = _headers(data)
    author = _person(_AUTHOR.search(headers))
    committer = _person(_COMMITTER.search(headers))
    encoding = _ENCODING.search(headers)
    named = encoding[1] if encoding else None
    return Commit(
        sha=sha,
        parents=tuple(Sha(parent.hex()) for parent in parents),
        author=_name(author.name, named),
        email=_name(author.email, named),
        author_time=author.time,
        author_offset=author.offset,
        committer_time=committer.time,
        committer_offset=committer.offset,
        message=_cut(decode.declared(data[len(headers) + 1 :], named), MOST_MESSAGE_CHARS),
    )


def _name(written: bytes, encoding: bytes | None) -> str:
    return _cut(decode.declared(written, encoding), MOST_NAME_CHARS)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + _ELLIPSIS


def _headers(data: bytes) -> bytes:
    """Returns everything before the blank line that ends the headers."""
    end = data.find(b"\n\n")
    return data if end < 0 else data[: end + 1]


def clamp_time(seconds: int) -> int:
    """Brings a time into the calendar, so that every reader can show it as a date."""
    return min(max(seconds, 0), LATEST_TIME)


def _person(line: re.Match[bytes] | None) -> _Person:
    """Reads `Name <email> seconds +zone`; the offset is in minutes east of UTC."""
    matched = _PERSON.match(line[1]) if line else None
    if not matched:
        return _Person(line[1].strip() if line else b"", b"", 0, 0)
    name, email, seconds, zone = matched.groups()
    offset = int(zone[1:3]) * 60 + int(zone[3:]) if zone else 0
    return _Person(
        name.strip(),
        email.strip(),
        clamp_time(int(seconds)) if seconds else 0,
        -offset if zone and zone.startswith(b"-") else offset,
    )

"""Reads the place that is to be explained: lines of a file, a file, a symbol, a symbol of a file.

Pure: the shape decides what it may be, whoever answers finds out whether there is such a thing. The address
of lines of a file on a forge is a place, too.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.errors import UsageError
from ohara.query.names import LinesName, PathName, read_name, settled
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_LINE = 10_000_000  # no file that is read has more
LONGEST_PLACE = 4096

HINT = "a place is path:10, path:10-20, path#L10-L20, path, symbol or path:symbol"

_FRAGMENT = re.compile(r"(?P<path>.+)#L?(?P<first>\d+)(?:C\d+)?(?:-L?(?P<last>\d+)(?:C\d+)?)?")
_LINES = re.compile(r"(?P<path>.+?):(?P<first>\d+)(?:[-,](?P<last>\d+)|:\d+)?:?")
_OF_FILE = re.compile(r"(?P<path>[^:]+):(?P<symbol>[^\s:/\\](?:[^\s/\\]*[^\s:/\\])?)")
_JOINED_OF_FILE = re.compile(r"(?P<path>[^:]*[./][^:]*):(?P<symbol>[^\s:]+(?:::[^\s:]+)+)")
_SYMBOL = re.compile(r"[^\s:/\\#]+(?:(?:::|->|#|\.)[^\s:/\\#]+)*")
_CALL = re.compile(r"\(\s*\)$")
_ADDRESS = re.compile(r"<?https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be explained: a file, lines of a file, or a symbol, of a file if there is a path.

    Lines are 1-based and inclusive, 0 without any, and numbered as in `revision`, where the place names one.
    With both a path and a symbol of the same text it may be either. `address` is what of a forge's address
    stands for a branch and a path, until a repository tells which is which. `typed` is the whole text, where
    the path is only a part of it: it may be the name of a file nevertheless, such as `a:12`.
    """

    source: str
    path: str = ""
    first: int = 0
    last: int = 0
    symbol: str = ""
    revision: str = ""
    address: str = ""
    typed: str = ""

    @property
    def may_be_either(self) -> bool:
        """True when the text may be a path or a symbol."""
        return bool(self.path) and self.path == self.symbol

    @property
    def has_lines(self) -> bool:
        """True when the place names lines."""
        return self.first > 0


def read_place(text: str) -> Target:
    """What a text names; an error that says how places are written for one that names nothing."""
    found = _read(text.strip())
    return found if text == found.path else replace(found, typed=text)


def _read(written: str) -> Target:
    if not written:
        raise UsageError("no place was given", hint=HINT)
    if len(written) > LONGEST_PLACE or "\0" in written or "\n" in written:
        raise UsageError("this is too long or holds characters that no place has", hint=HINT)
    if _ADDRESS.match(written):
        return _of_address(written)
    for form in (_FRAGMENT, _LINES):
        if found := form.fullmatch(written):
            return _lines(written, found)
    of_file = _OF_FILE if "::" not in written else _JOINED_OF_FILE
    if found := of_file.fullmatch(written):
        return Target(written, path=_path(found["path"]), symbol=_CALL.sub("", found["symbol"]))
    return _file_or_symbol(written)


def _file_or_symbol(written: str) -> Target:
    bare = _CALL.sub("", written)
    if ("::" in bare or "->" in bare) and _SYMBOL.fullmatch(bare):
        return Target(written, symbol=bare)
    if ":" in written or written.endswith("#"):
        raise UsageError(f"{written!r} is no place", hint=HINT)
    path = _path(written)
    if "/" in written or not _SYMBOL.fullmatch(bare):
        return Target(written, path=path)
    return Target(written, path=bare, symbol=bare) if bare == path else Target(written, symbol=bare)


def _lines(written: str, found: re.Match[str]) -> Target:
    first = int(found["first"])
    last = int(found["last"]) if found["last"] else first
    if first < 1:
        raise UsageError("lines are numbered from 1", hint=HINT)
    if last < first:
        raise UsageError(f"lines {first} to {last} are none", hint="give the first line first")
    if last > MOST_LINE:
        raise UsageError(f"no file has {last:,} lines", hint=HINT)
    return Target(written, path=_path(found["path"]), first=first, last=last)


def _of_address(written: str) -> Target:
    match read_name(written):
        case LinesName(path, first, last, revision, address):
            counted_in = "" if revision == "HEAD" else revision
            return Target(written, path, first, last, revision=counted_in, address=address)
        case PathName(path, address):
            return Target(written, path, address=address)
    raise UsageError(f"{written!r} is not the address of a file", hint=HINT)


def settled_target(target: Target, known: Callable[[str], str | None]) -> Target:
    """The target with its branch and its path told apart, as `settled` does for names."""
    if not target.address:
        return target
    name = settled(LinesName(target.path, target.first, target.last, address=target.address), known)
    if not isinstance(name, LinesName):
        return target
    revision = target.revision if name.revision == "HEAD" else name.revision
    return replace(target, path=name.path, revision=revision, address="")


def _path(written: str) -> str:
    """A path as a person may write it, without what does not count."""
    path = written
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path.rstrip("/") or "."

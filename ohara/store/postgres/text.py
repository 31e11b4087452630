"""Text as PostgreSQL takes it, and back, without a loss.

A path may hold bytes that are no text (lone surrogates, as Python reads them), a line a NUL: PostgreSQL takes
neither. They are kept as characters of a private plane that nobody uses; should somebody, those are marked.
"""

from __future__ import annotations

import re
from struct import pack
from typing import TYPE_CHECKING, Any

from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types.string import StrBinaryDumper, StrDumperUnknown, TextBinaryLoader, TextLoader

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.abc import Buffer

_NUL = "\U0010d7ff"
_MARK = "\U0010d7fe"  # what follows it stands for itself
_SHIFT = 0x100000  # from a surrogate to its stand-in
_FOREIGN = re.compile("[\0\ud800-\udfff\U0010d7fe-\U0010dfff]")
_KEPT = re.compile("\U0010d7fe(.)|([\U0010d7ff-\U0010dfff])", re.DOTALL)

VARBIT_OID = 1562


def kept(text: str) -> str:
    """A text as it is stored."""
    return _FOREIGN.sub(_stand_in, text) if _FOREIGN.search(text) else text


def _stand_in(found: re.Match[str]) -> str:
    char = found.group()
    if char == "\0":
        return _NUL
    return chr(ord(char) + _SHIFT) if ord(char) < 0x10000 else _MARK + char


def given_back(text: str) -> str:
    """A stored text as it was."""
    return _KEPT.sub(_original, text) if _KEPT.search(text) else text


def _original(found: re.Match[str]) -> str:
    itself, stand_in = found.groups()
    if itself:
        return str(itself)
    return "\0" if stand_in == _NUL else chr(ord(stand_in) - _SHIFT)


class Bits:
    """Packed bits on their way to a column of bits."""

    __slots__ = ("packed",)

    def __init__(self, packed: bytes) -> None:
        self.packed = packed


class _TextDumper(StrDumperUnknown):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(kept(obj))


class _TextBinaryDumper(StrBinaryDumper):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(kept(obj))


class _TextLoader(TextLoader):
    def load(self, data: Buffer) -> str:
        return given_back(str(super().load(data)))


class _TextBinaryLoader(TextBinaryLoader):
    def load(self, data: Buffer) -> str:
        return given_back(str(super().load(data)))


class _BitsDumper(Dumper):
    format = Format.BINARY
    oid = VARBIT_OID

    def dump(self, obj: Bits) -> Buffer | None:
        return pack("!i", len(obj.packed) * 8) + obj.packed


class _BitsLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> bytes:
        return bytes(data)[4:]


def adapt(context: Connection[Any]) -> None:
    """Let a connection take and give text and bits so."""
    adapters = context.adapters
    adapters.register_dumper(str, _TextBinaryDumper)
    adapters.register_dumper(str, _TextDumper)  # the last one is taken where either would do
    adapters.register_dumper(Bits, _BitsDumper)
    adapters.register_loader("text", _TextLoader)
    adapters.register_loader("text", _TextBinaryLoader)
    adapters.register_loader("varbit", _BitsLoader)

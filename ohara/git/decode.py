"""Turns git's bytes into text, once, so that every line can be shown, stored and searched.

Nothing fails, and lines stay lines: where UTF-8 fails, each line is read by itself, as UTF-8 or else as
Windows-1252 (the usual culprit; Latin-1 where it leaves gaps). The text carries no lone surrogates, so
it can be stored and sent, and bytes that were not UTF-8 need not round-trip. Line ends are kept.
"""

from __future__ import annotations

import codecs
import re
from hashlib import blake2b
from typing import Final

MOST_PATH_CHARS: Final = 4_096  # PATH_MAX

# Where Windows-1252 has no character, Latin-1's control character stands in: all 256 bytes decode.
_LEGACY = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256))

_TO_LEGACY = {ord(char): byte for byte, char in enumerate(_LEGACY)}

# Encodings that a commit may name. Others that Python knows are transforms or escapes ("unicode_escape",
# "idna", "utf-7"), which a stranger's commit must not choose.
_TEXT_ENCODINGS = re.compile(
    r"(?:ascii|utf-8|iso8859-\d+|iso2022_\w+|cp\d+|koi8-\w|mac-\w+|gb\w+|big5\w*|euc_\w+|shift_\w+|johab|tis-620)"
)


def text(data: bytes) -> str:
    """Decodes as UTF-8, or line by line where that fails somewhere."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "\n".join(_line(line) for line in data.split(b"\n"))


def utf8(data: bytes) -> bytes:
    """What `text` makes of bytes, as UTF-8: most are that already."""
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return text(data).encode()
    return data


def patch(data: bytes) -> str:
    """Decodes a unified diff as `text` does; git may have cut the function in a hunk's header off."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        lines = data.split(b"\n")
        return "\n".join(cut(line) if line.startswith(b"@@ ") else _line(line) for line in lines)


def _line(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return codecs.charmap_decode(data, "strict", _LEGACY)[0]


def cut(data: bytes) -> str:
    """Decodes a line that may have been cut inside a character: that character's rest is dropped."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        if error.end == len(data) and error.reason == "unexpected end of data":
            return data[: error.start].decode()
        return _line(data)


def path(data: bytes) -> str:
    """Decodes a path; one too long for any system is known by its beginning and a digest of it all."""
    decoded = text(data)
    if len(decoded) <= MOST_PATH_CHARS:
        return decoded
    digest = blake2b(data, digest_size=8).hexdigest()
    return f"{decoded[: MOST_PATH_CHARS - len(digest) - 1]}…{digest}"


def encodings(decoded: str) -> tuple[bytes, ...]:
    """The bytes that a decoded path may have been: UTF-8, or else what reads so as Windows-1252.

    A path is decoded as a whole: above a name that is not UTF-8, a folder that is reads as Windows-1252, too.
    """
    plain = decoded.encode("utf-8", "surrogatepass")
    if decoded.isascii():
        return (plain,)
    try:
        legacy = codecs.charmap_encode(decoded, "strict", _TO_LEGACY)[0]
    except UnicodeEncodeError:
        return (plain,)
    return (plain, legacy) if path(legacy) == decoded else (plain,)


def declared(data: bytes, encoding: bytes | None) -> str:
    """Decodes with the encoding a commit names for itself, if that is one for text and fits."""
    if encoding:
        try:
            codec = codecs.lookup(encoding.decode("ascii").strip())
            if _TEXT_ENCODINGS.fullmatch(codec.name):
                return data.decode(codec.name)
        except (LookupError, ValueError):
            pass  # unknown or untrue: what the bytes look like decides
    return text(data)

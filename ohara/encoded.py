"""Tells text that a program encoded (base64, base85, uuencode, raw bytes) from text that people wrote. Pure.

Encoded text is all new: no word of it repeats and every trigram is another one, so a megabyte of it fills an
index as ten of code do, and nobody asks for its words. It is left out of words, vectors and trigrams; exact
search reads the lines themselves.

The verdict on a line depends on that line alone, so the same text gets the same verdict in every hunk and in
every run. What is left out of a line are its encoded runs: a data URI goes, the code around it stays. In
doubt a run is text: that costs time and loses nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

# Encoders break lines at 60 characters or later (uuencode 61, PEM 64, git 66, MIME 76). What people write
# without a blank is seldom as long, and the shorter a run, the less its characters prove.
SHORTEST_RUN = 60

# A run is judged by stretches as long as a line of base64: the longer a stretch, the more distinct characters
# text has as well. A long run is noise when three of four stretches, spread over it, are.
_STRETCH = 76
_STRETCHES = 8

_BASE64 = re.compile(rf"[A-Za-z0-9+/_-]{{{SHORTEST_RUN},}}={{0,2}}")
_PRINTED = re.compile(rf"[!-~]{{{SHORTEST_RUN},}}")
_UUENCODED = re.compile(r"M[ -`]{60}")

# The class of each character: noise changes class nearly every character, names every few.
_CLASS = bytes(
    1 + chr(byte).islower() + 2 * chr(byte).isupper() + 3 * chr(byte).isdigit() for byte in range(128)
) + bytes(128)

# Bytes without meaning as text hold a control character in nine; text holds a tab, a form feed, an escape
# sequence or an overstrike. One in twenty-five tells them apart; a single one is a slip of somebody's hand.
_CONTROLS = "".join(map(chr, (*range(8), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F)))
_WITHOUT_CONTROLS = dict.fromkeys(map(ord, _CONTROLS))
_CONTROL_EVERY = 25
_FEWEST_CONTROLS = 2

# The shape of a text: whether it may hold a long run or control characters is then one search in C.
_SHAPE = bytes(
    ord("c") if chr(byte) in _CONTROLS else ord("x") if ord(" ") < byte < 0x7F else ord(" ")
    for byte in range(256)
)
_SHAPE_64 = bytes(
    ord("x") if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "+/_-") else ord(" ")
    for byte in range(256)
)
# A hunk is cut in one way or another by what these lines of it are.
_SAMPLED_LINES = 100

_LONG = b"x" * SHORTEST_RUN
_UU_LINES = (b"\n+M", b"\n-M", b"\n M")

# What an exact search can tell of encoded lines without reading them: which signs occur. Letters and digits
# always may. The last bit stands for everything beyond printable ASCII.
_SIGNS = {sign: 1 << at for at, sign in enumerate(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")}
_OTHER_SIGN = 1 << len(_SIGNS)


class _Noise(NamedTuple):
    """What a stretch must have to be noise: changes of class, distinct characters by its length, no name.

    What ninety-nine of a hundred lines of random bytes have at least, in base64, base85 and uuencode: changes
    of class in a hundred characters 50, 59, 48; distinct characters 34, 37, 33 of 60 and 39, 44, 39 of 76.
    The highest of hand-written runs in the histories of pytest, redis, requests and sqlite-utils: 47 and 30
    in the alphabet of base64, 52 and 36 in that of base85. A name is so many letters of lower case that one
    line of noise in thirty has as many in a row.
    """

    changes: float
    distinct_base: float
    distinct_a_char: float
    name: re.Pattern[str]

    def fits(self, stretch: str) -> bool:
        length = len(stretch)
        return (
            len(set(stretch)) >= self.distinct_base + self.distinct_a_char * length
            and _changes(stretch) >= self.changes * length
            and self.name.search(stretch) is None
        )


_NOISE_64 = _Noise(0.48, 9.5, 0.375, re.compile("[a-z]{8}"))
_NOISE_85 = _Noise(0.58, 15.0, 0.36, re.compile("[a-z]{6}"))


def _changes(stretch: str) -> int:
    """How often the class of characters changes: as numbers, for that is done in C without a loop here."""
    classes = int.from_bytes(stretch.encode("ascii").translate(_CLASS), "big")
    return len(stretch) - (classes ^ classes >> 8).to_bytes(len(stretch), "big").count(0)


class Kept(NamedTuple):
    """A hunk's body without its encoded text, line for line.

    `signs` says of what the changed lines with encoded text consist (see `may_hold`), None where there are
    none. `left_out` counts the characters left out. `is_bare`: no word is left on any changed line.
    """

    body: str
    signs: int | None = None
    left_out: int = 0
    is_bare: bool = False


def leave_out(body: str) -> Kept:
    """Leave the encoded text out of a hunk's body; most bodies have none and come back as they are."""
    data = body.encode("utf-8", "surrogatepass")
    if not _may_hold_encoded(data):
        return Kept(body)
    may_be_base64 = _LONG in data.translate(_SHAPE_64)
    kept: list[str] = []
    touched: list[str] = []
    left_out = 0
    for line in body.split("\n"):
        text = _plain(line[1:], may_be_base64=may_be_base64)
        if len(text) + 1 >= len(line):
            kept.append(line)
            continue
        kept.append(line[0] + text)
        left_out += len(line) - len(kept[-1])
        if line[0] != " ":
            touched.append(line[1:])
    if not left_out:
        return Kept(body)
    if not touched:
        return Kept("\n".join(kept), left_out=left_out)
    is_bare = not any(any(map(str.isalnum, line)) for line in kept if line[:1] in ("+", "-"))
    return Kept("\n".join(kept), _signs("".join(touched)), left_out, is_bare)


def is_mostly_encoded(body: str) -> bool:
    """True when most lines of a hunk's body are encoded, by a sample spread over it."""
    if not _may_hold_encoded(body.encode("utf-8", "surrogatepass")):
        return False
    lines = body.split("\n")
    sample = "\n".join(lines[:: 1 + len(lines) // _SAMPLED_LINES])
    return 2 * leave_out(sample).left_out > len(sample)


def may_hold(text: str) -> int:
    """The signs that encoded lines must have (`Kept.signs`, all of these bits) if they hold this text."""
    return _signs("".join(char for char in text if not _is_letter_of_ascii(char)))


def _may_hold_encoded(data: bytes) -> bool:
    """False when no line of a body has what encoded text has, by a search of the whole."""
    shape = data.translate(_SHAPE)
    return _LONG in shape or b"c" in shape or _may_be_uuencoded(data)


def _may_be_uuencoded(data: bytes) -> bool:
    added, removed, kept = _UU_LINES
    return added in data or removed in data or kept in data or data[1:2] == b"M"


def _plain(line: str, *, may_be_base64: bool = True) -> str:
    """The line without its encoded runs, shorter if it has any."""
    if _is_binary(line):
        return ""
    if len(line) < SHORTEST_RUN:
        return line
    if len(line) == 61 and _UUENCODED.fullmatch(line) and _NOISE_64.fits(line):
        return ""
    if may_be_base64:
        line = _BASE64.sub(_unless_base64, line)
    return _PRINTED.sub(_unless_base85, line)


def _is_binary(line: str) -> bool:
    if line.isprintable():
        return False
    controls = len(line) - len(line.translate(_WITHOUT_CONTROLS))
    return controls >= _FEWEST_CONTROLS and controls * _CONTROL_EVERY >= len(line)


def _unless_base64(run: re.Match[str]) -> str:
    return _unless(_NOISE_64, run[0])


def _unless_base85(run: re.Match[str]) -> str:
    return _unless(_NOISE_85, run[0])


def _unless(noise: _Noise, run: str) -> str:
    """The run itself, or a blank where it is noise."""
    if len(run) <= _STRETCH:
        return " " if noise.fits(run) else run
    stretches = list(_stretches(run))
    return " " if 4 * sum(map(noise.fits, stretches)) >= 3 * len(stretches) else run


def _stretches(run: str) -> Iterator[str]:
    """Some stretches of a longer run, from its beginning to its end."""
    count = min(_STRETCHES, -(-len(run) // _STRETCH))
    for number in range(count):
        start = number * (len(run) - _STRETCH) // (count - 1)
        yield run[start : start + _STRETCH]


def _signs(text: str) -> int:
    found = 0
    for char in set(text):
        if not (char.isascii() and char.isalnum()):
            found |= _SIGNS.get(char, _OTHER_SIGN)
    return found


def _is_letter_of_ascii(char: str) -> bool:
    """True for the long s, the Kelvin sign and their like: a letter of ASCII in another case."""
    return not char.isascii() and any(map(str.isascii, char.casefold() + char.upper()))

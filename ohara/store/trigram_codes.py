"""The trigrams of texts as numbers, which is how they cross a process boundary and are kept. Pure.

A trigram here is three bytes of UTF-8 within one line, letters of ASCII lowered. Whatever holds three
characters in a row holds all trigrams of their bytes; and so does what differs from them by the case of ASCII
letters, or by the two other characters that a search in any case takes for such letters.
"""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ohara.arrays import np

    Bytes = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
    Codes = np.ndarray[tuple[int, ...], np.dtype[np.uint32]]

Packed = bytes
"""The trigrams of a text, each once and in order: four bytes for each, the lowest first."""

BYTES_OF_A_TRIGRAM = 4
CODES = 1 << 24  # how many trigrams there can be
_CODE_BITS = 24
_LINE_END = ord("\n")
_LEAST_BYTES = 3
_TOGETHER = 1 << 16  # bytes of texts
_AT_ONCE = 1 << 20  # bytes of one text: some twenty times as much memory while they are looked at
_TEXTS_AT_ONCE = 1 << (32 - _CODE_BITS)
_ODD = {"\u212a": "k", "\u017f": "s"}  # Kelvin's sign and the long s are letters of ASCII in another case


def folded(text: str) -> bytes:
    """A text as its trigrams see it."""
    if not text.isascii():
        for odd, plain in _ODD.items():
            text = text.replace(odd, plain)
    return text.encode("utf-8", "surrogatepass").lower()


def codes_of(text: str) -> list[int]:
    """The numbers of the trigrams of one line, each once."""
    raw = folded(text)
    return sorted({raw[at] << 16 | raw[at + 1] << 8 | raw[at + 2] for at in range(len(raw) - 2)})


def packed_trigrams(texts: Sequence[str]) -> list[Packed]:
    """The trigrams of each text; of many at once in a twentieth of the time."""
    from ohara.arrays import np  # late: who only searches need not load it

    made: list[Packed] = []
    for some in _portions([folded(text) for text in texts]):
        if len(some) == 1:
            made.append(_of_one(some[0]))
            continue
        # Each trigram with the number of its text before it, in four bytes: sorted in a third of the time
        # that eight take.
        owners = np.arange(len(some), dtype=np.uint32) << np.uint32(_CODE_BITS)
        read = np.frombuffer(b"\n".join(chain(some, [b""])), np.uint8)
        keys = np.repeat(owners, np.fromiter(map(len, some), np.int64, len(some)) + 1)[:-2]
        keys |= _codes(read)
        keys = _each_once(keys[_within_lines(read)])
        bounds = [*(np.searchsorted(keys, owners) * BYTES_OF_A_TRIGRAM).tolist(), keys.nbytes]
        packed = (keys & np.uint32(CODES - 1)).astype("<u4").tobytes()
        made += [packed[start:end] for start, end in pairwise(bounds)]
    return made


def _portions(raws: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """Texts that are looked at together: few enough to be told apart by a byte, and to stay in the cache."""
    begin = size = 0
    for at, raw in enumerate(raws):
        if at > begin and (size + len(raw) > _TOGETHER or at - begin == _TEXTS_AT_ONCE):
            yield raws[begin:at]
            begin, size = at, 0
        size += len(raw)
    if begin < len(raws):
        yield raws[begin:]


def _codes(read: Bytes) -> Codes:
    """What three bytes in a row are as a number, wherever they begin."""
    from ohara.arrays import np

    wide = read.astype(np.uint32)
    codes: Codes = wide[:-2] << np.uint32(16)
    codes |= wide[1:-1] << np.uint32(8)
    codes |= wide[2:]
    return codes


def _within_lines(read: Bytes) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Where three bytes in a row are of one line."""
    is_end = read == _LINE_END
    within: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = ~(is_end[:-2] | is_end[1:-1] | is_end[2:])
    return within


def _each_once(keys: Codes) -> Codes:
    """Numbers in order, without those that come again."""
    from ohara.arrays import np

    keys.sort()
    is_first = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    once: Codes = keys[is_first]
    return once


def _of_one(raw: bytes) -> Packed:
    """The trigrams of one text; it may be too long to be looked at as a whole."""
    from ohara.arrays import np

    if len(raw) < _LEAST_BYTES:
        return b""
    if len(raw) <= _AT_ONCE:
        read = np.frombuffer(raw, np.uint8)
        return _each_once(_codes(read)[_within_lines(read)]).astype("<u4").tobytes()
    there = np.zeros(CODES, np.bool_)
    for begin in range(0, len(raw), _AT_ONCE):
        read = np.frombuffer(raw[begin : begin + _AT_ONCE + 2], np.uint8)
        if len(read) >= _LEAST_BYTES:
            there[_codes(read)[_within_lines(read)]] = True
    return np.flatnonzero(there).astype("<u4").tobytes()

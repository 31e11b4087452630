"""The trigrams of texts as numbers, which is how they cross a process boundary and are kept. Pure.

A trigram here is three bytes of UTF-8 within one line, letters of ASCII lowered. Whatever holds three
characters in a row holds all trigrams of their bytes; and so does what differs from them by the case of ASCII
letters, or by the two other characters that a search in any case takes for such letters.
"""

from __future__ import annotations

from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ohara.arrays import np

    Codes = np.ndarray[tuple[int, ...], np.dtype[np.uint32]]
    Places = np.ndarray[tuple[int, ...], np.dtype[np.intp]]

Packed = bytes
"""The trigrams of a text, each once and in order: four bytes for each, the lowest first."""

BYTES_OF_A_TRIGRAM = 4
CODES = 1 << 24  # how many trigrams there can be
_CODE_BITS = 24
_LINE_END = ord("\n")
_AT_ONCE = 1 << 20  # bytes of texts: some thirty times as much memory while they are looked at
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
    """The trigrams of each text; of many at once in a tenth of the time."""
    from ohara.arrays import np  # late: who only searches need not load it

    made: list[Packed] = []
    raws = [folded(text) for text in texts]
    for some in _portions(raws):
        if len(some) == 1 and len(some[0]) > _AT_ONCE:
            made.append(_of_long(some[0]))
            continue
        codes, places = _codes(b"\n".join(chain(some, [b""])))
        ends = list(accumulate(len(raw) + 1 for raw in some))
        owners = np.repeat(np.arange(len(some), dtype=np.uint64), np.diff(ends, prepend=0))[places]
        keys = owners << np.uint64(_CODE_BITS) | codes
        keys.sort()
        keys = keys[np.diff(keys, prepend=np.uint64(2**63)) != 0]
        bounds = np.searchsorted(keys, np.arange(len(some) + 1, dtype=np.uint64) << np.uint64(_CODE_BITS))
        packed = (keys & np.uint64(CODES - 1)).astype("<u4").tobytes()
        made += [packed[start:end] for start, end in pairwise((bounds * BYTES_OF_A_TRIGRAM).tolist())]
    return made


def _portions(raws: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """As many texts at once as memory allows."""
    begin = size = 0
    for at, raw in enumerate(raws):
        if at > begin and size + len(raw) > _AT_ONCE:
            yield raws[begin:at]
            begin, size = at, 0
        size += len(raw)
    if begin < len(raws):
        yield raws[begin:]


def _codes(raw: bytes) -> tuple[Codes, Places]:
    """The trigrams of lines in their order, and where each begins."""
    from ohara.arrays import np

    read = np.frombuffer(raw, np.uint8)
    is_end = read == _LINE_END
    places = np.flatnonzero(~(is_end[:-2] | is_end[1:-1] | is_end[2:]))
    wide = read.astype(np.uint32)
    codes: Codes = wide[:-2] << np.uint32(16) | wide[1:-1] << np.uint32(8) | wide[2:]
    return codes[places], places


def _of_long(raw: bytes) -> Packed:
    """The trigrams of a text that is too long to be looked at as a whole."""
    from ohara.arrays import np

    there = np.zeros(CODES, bool)
    for begin in range(0, len(raw), _AT_ONCE):
        there[_codes(raw[begin : begin + _AT_ONCE + 2])[0]] = True
    return np.flatnonzero(there).astype("<u4").tobytes()

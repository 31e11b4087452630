"""Packs vectors for the index, and says how alike a query is to what was packed.

Two forms. As bits: a quick model that knows the centre of its documents keeps only on which side of it each
component lies, 32 bytes for 256, and a query stays whole: on pytest's history that loses a fiftieth of
the lane's MRR, where comparing bits with bits loses a quarter; the few hunks that come first are embedded
again to be compared exactly. As int8, each vector scaled by its own largest component, for models that are
slow or know no centre; cosine distance does not notice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.arrays import np
from ohara.model import VectorForm
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ohara.embed.encoder import Kept, Matrix
    from ohara.model import VectorBlock

_LEVELS = 127
_PLACES = 3  # binary places of the lengths of a query's components, where many vectors are sifted
_LENGTHS = (1 << _PLACES) - 1
_SIFTED = 16_384  # vectors from which on sifting them is sooner than comparing all
_BLOCK = 32_768  # of them at a time: what a processor holds near


def pack(matrix: Matrix, model: Kept) -> list[bytes]:
    """What is stored of each row; nothing of a row of zeros, which is like nothing."""
    packed = _bits(matrix - model.centre) if model.form is VectorForm.BIT else _int8(matrix)
    return [
        row.tobytes() if is_something else b""
        for row, is_something in zip(packed, np.any(matrix, axis=1).tolist(), strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Probe:
    """A query's vector, ready to be compared with stored ones of the same model."""

    form: VectorForm
    packed: bytes
    _vector: Matrix
    _centre: Matrix

    @classmethod
    def of(cls, vector: Matrix, model: Kept) -> Probe | None:
        """The probe of one vector; None for zeros."""
        packed = pack(vector[None, :], model)[0]
        return cls(model.form, packed, vector, model.centre) if packed else None

    def cosines(self, vectors: Sequence[Matrix]) -> list[float]:
        """The cosine to each whole vector."""
        if not vectors:
            return []
        found: list[float] = (np.stack(vectors) @ self._vector).tolist()
        return found

    def likeness(self, stored: Sequence[bytes]) -> list[float]:
        """The cosine to each stored vector; to bits, what they promise of it."""
        if not stored:
            return []
        if self.form is VectorForm.BIT:
            rows = np.frombuffer(b"".join(stored), dtype=np.uint8).reshape(len(stored), -1)
            return [float(score) for score in self._promised(np.ascontiguousarray(rows.T))]
        whole = np.frombuffer(b"".join(stored), dtype=np.int8).reshape(len(stored), -1).astype(np.float32)
        return [float(score) for score in whole @ self._vector / np.linalg.norm(whole, axis=1)]

    def gather(self, blocks: Sequence[VectorBlock]) -> Bits:
        """Stored bits, ready to be searched."""
        return Bits.of(blocks)

    def nearest(self, gathered: Bits, limit: int, among: bytes | None) -> list[tuple[int, float]]:
        """The owners of the bits that promise the highest cosines, with these, best first.

        `among` has a byte for each owner from number 1 on: 1 for those that may be named.
        """
        if among is not None:
            gathered = gathered.among(among)
        if len(gathered.rows) > max(_SIFTED, 4 * limit):
            gathered = gathered.at(self._sifted(gathered.words, limit))
        rows = gathered.rows
        scores = self._promised(gathered.columns())
        places = np.arange(len(scores))
        if len(places) > limit:  # all that tie with the last one, so that their order does not decide
            least = np.partition(scores, -limit)[-limit]
            places = np.flatnonzero(scores >= least)
        first = places[np.lexsort((rows[places], -scores[places]))[:limit]]
        return list(zip(rows[first].tolist(), scores[first].tolist(), strict=True))

    def likeness_of(self, gathered: Bits, owners: Iterable[int]) -> dict[int, float]:
        """What the bits of some owners promise, of those that have any."""
        asked = np.fromiter(owners, dtype=np.int64)
        places = np.searchsorted(gathered.rows, asked)
        places[places == len(gathered.rows)] = 0
        there = gathered.rows[places] == asked if len(gathered.rows) else np.zeros(len(asked), dtype=bool)
        scores = self._promised(gathered.at(places[there]).columns())
        return dict(zip(asked[there].tolist(), scores.tolist(), strict=True))

    def _sifted(self, words: NDArray[np.uint64], limit: int) -> NDArray[np.intp]:
        """The places of bits that may be among the first so many: a few in a hundred.

        The query's components are rounded to eight lengths, whose sums the processor counts bit by bit. What
        is left out would have to be further off than eight times what rounding is off on average.
        """
        lengths = np.abs(self._vector)
        step = float(lengths.max()) / _LENGTHS
        levels = np.rint(lengths / step).astype(np.uint8)
        below = _words(np.packbits(self._vector < 0)[None, :])
        of_level = [_words(np.packbits(levels >> place & 1)[None, :]) for place in range(_PLACES)]
        sums = _counted(words, below, of_level)
        off = float(np.linalg.norm(lengths - levels * step))
        least = _largest(sums, limit) - 8 * off / (2 * step)
        return np.flatnonzero(sums >= least)

    def _promised(self, columns: NDArray[np.uint8]) -> Matrix:
        """The cosines that bits promise, byte by byte.

        Eight components are a byte, and what a byte adds is looked up.
        The sides that components lie on agree with the query's as much less than their lengths do as they
        would were the components spread as chance spreads them.
        """
        scores = np.zeros(columns.shape[1], dtype=np.float32)
        if not columns.size:
            return scores
        added = np.ascontiguousarray((_SIDES @ self._vector.reshape(-1, 8).T).T)
        adds = np.empty_like(scores)
        for at, column in enumerate(columns):
            scores += added[at].take(column, out=adds, mode="clip")  # a byte is never out of bounds
        made_up = np.sqrt(np.pi / 2 * (1 - self._centre @ self._centre) / len(self._centre))
        promised: Matrix = scores * np.float32(made_up) + self._centre @ self._vector
        return promised


@dataclass(frozen=True, slots=True)
class Bits:
    """Bits of an index, ready to be compared: whose they are, in order, and the vectors by words of 64."""

    rows: NDArray[np.int64]
    words: NDArray[np.uint64]
    width: int  # of a vector, in bytes

    @property
    def size(self) -> int:
        """How many bytes they take."""
        return self.rows.nbytes + self.words.nbytes

    @classmethod
    def of(cls, blocks: Sequence[VectorBlock]) -> Bits:
        """The bits of the places that are taken."""
        if not any(block.rows for block in blocks):
            return cls(np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=np.uint64), 0)
        rows = np.concatenate([np.frombuffer(block.rows, dtype=np.int64) for block in blocks])
        valid = np.frombuffer(b"".join(block.valid for block in blocks), dtype=np.uint8)
        taken = np.unpackbits(valid, bitorder="little").astype(bool).nonzero()[0]
        raw = np.frombuffer(b"".join(block.vectors for block in blocks), dtype=np.uint8)
        raw = raw.reshape(len(rows), -1)
        first_to_last = taken[np.argsort(rows[taken], kind="stable")]
        return cls(rows[first_to_last], _words(raw[first_to_last]), raw.shape[1])

    def at(self, places: NDArray[np.intp]) -> Bits:
        """Those at some places."""
        return Bits(self.rows[places], self.words[:, places], self.width)

    def among(self, allowed: bytes) -> Bits:
        """Those of owners that may be named, a byte for each from number 1 on."""
        flags = np.frombuffer(allowed, dtype=np.uint8)
        places = np.flatnonzero(self.rows <= len(flags))
        return self.at(places[flags[self.rows[places] - 1] == 1])

    def columns(self) -> NDArray[np.uint8]:
        """The vectors byte by byte."""
        whole = np.ascontiguousarray(self.words.T).view(np.uint8)
        return np.ascontiguousarray(whole[:, : self.width].T)


def _words(rows: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Bits by words of 64, the last filled up with zeros: all first words, all second ones."""
    if rows.shape[1] % 8:
        rows = np.pad(rows, ((0, 0), (0, -rows.shape[1] % 8)))
    return np.ascontiguousarray(np.ascontiguousarray(rows).view(np.uint64).T)


def _counted(
    words: NDArray[np.uint64], below: NDArray[np.uint64], of_level: Sequence[NDArray[np.uint64]]
) -> NDArray[np.uint16]:
    """The sum of the lengths of components in which each vector agrees with a query.

    Bits are counted place by place, in a byte as long as no place has more of them than that holds.
    """
    sums = np.empty(words.shape[1], dtype=np.uint16)
    most = max(int(np.bitwise_count(level).sum()) for level in of_level)
    counts = np.empty((_PLACES, _BLOCK), dtype=np.uint8 if most < 256 else np.uint16)
    agreeing, kept = np.empty((2, _BLOCK), dtype=np.uint64)
    counted = np.empty(_BLOCK, dtype=np.uint8)
    for first in range(0, len(sums), _BLOCK):
        some = sums[first : first + _BLOCK]
        size = len(some)
        counts[:] = 0
        for at, word in enumerate(words):
            np.bitwise_xor(word[first : first + size], below[at], out=agreeing[:size])
            for place in range(_PLACES):
                np.bitwise_and(agreeing[:size], of_level[place][at], out=kept[:size])
                counts[place, :size] += np.bitwise_count(kept[:size], out=counted[:size])
        some[:] = counts[_PLACES - 1, :size]
        for place in reversed(range(_PLACES - 1)):
            some <<= 1
            some += counts[place, :size]
    return sums


def _largest(sums: NDArray[np.uint16], place: int) -> int:
    """The number at a place when the largest come first, from 1; there are few different ones."""
    at_least = np.bincount(sums)[::-1].cumsum()
    return len(at_least) - 1 - int(np.searchsorted(at_least, place))


# What each of the eight bits of a byte says: above the centre or below it.
_SIDES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32) * 2 - 1


def _bits(matrix: Matrix) -> NDArray[np.uint8]:
    return np.packbits(matrix >= 0, axis=1)


def _int8(matrix: Matrix) -> NDArray[np.int8]:
    largest = np.abs(matrix).max(axis=1, keepdims=True) if matrix.size else np.zeros((len(matrix), 1))
    return np.rint(matrix * (_LEVELS / np.where(largest > 0, largest, 1))).astype(np.int8)

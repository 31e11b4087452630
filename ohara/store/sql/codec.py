"""Compresses the bodies of hunks, with dictionaries learnt from the repository's own hunks.

Measured on pytest (101,010 distinct hunks, 94 MB): 24 % of the size without a dictionary, 16 % with
one of 110 KiB, at about 200,000 hunks a second either way. Each frame names the dictionary it needs,
so bodies written before a dictionary existed stay readable, and so do those of former dictionaries.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import zstandard

from ohara.errors import IndexCorrupt
from ohara.store.locate import REBUILD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

DICTIONARY_BYTES = 110 * 1024  # past this the gain is below one percent
TRAINING_SAMPLES = 4_000  # enough for a dictionary of that size; from 500 it is half as good
# Of a frame's descriptor, its fifth byte: whether a byte is left out before the dictionary's name, and how
# long that is.
_ONE_SEGMENT = 0b100000
_HAS_DICTIONARY = 0b11
_NAME_BYTES = (0, 1, 2, 4)

# How zstd learns, found once by trying; left to itself it tries several each time, which takes four times as
# long and makes the bodies of pytest half a percent larger.
_LEARNT_BYTES = 200  # at once
_MATCHED_BYTES = 8

SAMPLE_EVERY = 4  # bodies a sample, once there is a dictionary: a wider stretch of history
LEARNT_AGAIN = 40_000  # bodies: by then a history has changed so that a new dictionary saves a seventh
_LEVEL = 3  # a hundredth of an index more than level 9 makes, for a fifth of its time


def train_dictionary(bodies: Sequence[str], name: int = 0) -> bytes | None:
    """Learn a dictionary from bodies, or None when there are too few to learn from.

    Frames name it by this number, in one byte if it is small; 0 gives it a random one of four bytes.
    """
    samples: list[bytes | bytearray | memoryview] = [
        body.encode("utf-8", "surrogatepass") for body in bodies[:TRAINING_SAMPLES] if len(body) > 64
    ]
    if sum(map(len, samples)) < 4 * DICTIONARY_BYTES:
        return None
    try:
        learnt = zstandard.train_dictionary(
            DICTIONARY_BYTES, samples, level=_LEVEL, dict_id=name, k=_LEARNT_BYTES, d=_MATCHED_BYTES
        )
        return learnt.as_bytes()
    except zstandard.ZstdError:  # a corpus too uniform to learn from; bodies are then stored without one
        return None


# What comes of bytes that are no frame: one that is too short, of another kind, or says that it is huge.
_DAMAGED = (zstandard.ZstdError, IndexError, TypeError, MemoryError)


def _damaged(error: Exception) -> IndexCorrupt:
    return IndexCorrupt(f"the index is damaged: a stored hunk cannot be opened ({error})", hint=REBUILD)


class Codec:
    """Turns bodies into bytes and back; safe to share between threads."""

    def __init__(self, dictionary: bytes | None = None, former: Iterable[bytes] = ()) -> None:
        """Compress with a dictionary; open what was compressed with it, with a former one or with none."""
        self._dictionary = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        known = [zstandard.ZstdCompressionDict(each) for each in former]
        known += [self._dictionary] if self._dictionary else []
        self._known = {each.dict_id(): each for each in known}
        self._local = threading.local()

    @property
    def has_learnt(self) -> bool:
        """True when there is a dictionary."""
        return self._dictionary is not None

    def pack(self, body: str | bytes) -> bytes:
        """Compress a body, which may be UTF-8 already."""
        compressor = getattr(self._local, "compressor", None)
        if compressor is None:
            compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=self._dictionary)
            self._local.compressor = compressor
        data = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
        packed: bytes = compressor.compress(data)
        return packed

    def pack_all(self, bodies: Sequence[bytes]) -> list[bytes]:
        """Compress many bodies, to the same bytes, on all cores."""
        if not bodies:
            return []
        compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=self._dictionary)
        made = compressor.multi_compress_to_buffer(list(bodies), threads=-1)
        return [made[at].tobytes() for at in range(len(made))]

    def unpack(self, packed: bytes) -> str:
        """Restore a body."""
        (body,) = self.unpack_bytes([packed])
        try:
            return body.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise _damaged(error) from error

    def unpack_bytes(self, packed: Iterable[bytes]) -> list[bytes]:
        """Restore bodies without decoding them."""
        decompressors: _Decompressors | None = getattr(self._local, "decompressors", None)
        if decompressors is None:
            decompressors = self._local.decompressors = _Decompressors(self._known)
        try:
            return [decompressors[_dictionary_of(frame)](frame) for frame in packed]
        except _DAMAGED as error:
            raise _damaged(error) from error


class _Decompressors(dict[int, "Callable[[bytes], bytes]"]):
    """What opens frames, by the name of their dictionary; 0 for none."""

    def __init__(self, known: Mapping[int, zstandard.ZstdCompressionDict]) -> None:
        super().__init__()
        self._known = known

    def __missing__(self, name: int) -> Callable[[bytes], bytes]:
        decompress = zstandard.ZstdDecompressor(dict_data=self._known.get(name)).decompress
        self[name] = decompress
        return decompress


def _dictionary_of(frame: bytes) -> int:
    """The dictionary that a frame names, or 0."""
    descriptor = frame[4]
    length = _NAME_BYTES[descriptor & _HAS_DICTIONARY]
    begin = 5 if descriptor & _ONE_SEGMENT else 6
    return frame[begin] if length == 1 else int.from_bytes(frame[begin : begin + length], "little")

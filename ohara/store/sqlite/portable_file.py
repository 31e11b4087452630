"""The file that an index travels in: a line that names the format, compressed messages, a digest at the end.

Messages are small and their sizes bounded, so that reading a file never takes more memory than one of them,
whatever it says. The digest is that of all bytes before it: what was cut off or changed is noticed before
anything is read.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

import msgspec
import zstandard

from ohara.errors import StoreError
from ohara.store.sqlite.portable import FORMAT, End, Header, Rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_MAGIC = b"ohara-index "
_LEVEL = 9  # level 3 makes a file a tenth larger, level 19 takes ten times as long for a twentieth less
_WINDOW_LOG = 24  # 16 MiB: what stands beside each other in a file is of one kind
_DIGEST_BYTES = 32
_LONGEST_MESSAGE = 2**27
_MESSAGE_BYTES = 2**20  # about; a message ends with the row that passes it
_PIECE = 2**20

_message = msgspec.msgpack.Decoder(Header | Rows | End)
_encode = msgspec.msgpack.Encoder().encode


class Sender:
    """Writes messages; rows are gathered to messages of some size."""

    def __init__(self, compressor: zstandard.ZstdCompressionWriter) -> None:
        self._out = compressor
        self.rows = 0

    def header(self, header: Header) -> None:
        """Write what the file says of itself."""
        self._write(_encode(header))

    def table(self, name: str, rows: Iterator[Sequence[object]]) -> None:
        """Write the rows of a table."""
        gathered: list[bytes] = []
        size = 0
        for row in rows:
            packed = _encode(row)
            gathered.append(packed)
            size += len(packed)
            if size >= _MESSAGE_BYTES:
                self._rows(name, gathered)
                gathered, size = [], 0
        if gathered:
            self._rows(name, gathered)

    def end(self) -> None:
        """Write that this was all."""
        self._write(_encode(End(self.rows)))

    def _rows(self, name: str, gathered: list[bytes]) -> None:
        self.rows += len(gathered)
        array = b"\xdd" + len(gathered).to_bytes(4, "big") + b"".join(gathered)
        self._write(_encode(Rows(name, msgspec.Raw(array))))

    def _write(self, message: bytes) -> None:
        self._out.write(len(message).to_bytes(4, "big"))
        self._out.write(message)


@contextmanager
def written(file: Path) -> Iterator[Sender]:
    """Write a file; it is there when all of it is, and before that not at all."""
    part = file.with_name(f"{file.name}.part")
    try:
        with part.open("wb") as raw:
            raw.write(_MAGIC + b"%d\n" % FORMAT)
            settings = zstandard.ZstdCompressionParameters.from_level(
                _LEVEL, window_log=_WINDOW_LOG, write_checksum=True
            )
            compressor = zstandard.ZstdCompressor(compression_params=settings)
            with compressor.stream_writer(raw, closefd=False) as out:
                yield Sender(out)
            raw.flush()
            raw.close()
            digest = _digest_of(part, part.stat().st_size)
        with part.open("ab") as raw:
            raw.write(digest)
            raw.flush()
            os.fsync(raw.fileno())
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise StoreError(
            f"{file} cannot be written: {error.strerror or error}",
            hint="name a file in a folder that you may write to, on a disk with room",
        ) from error
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def check(file: Path) -> str:
    """Read a file through: its digest in hexadecimal, or an error when it is none, or not whole."""
    try:
        size = file.stat().st_size
        with file.open("rb") as raw:
            _read_magic(raw, file)
            raw.seek(max(0, size - _DIGEST_BYTES))
            said = raw.read(_DIGEST_BYTES)
        if size < _DIGEST_BYTES or _digest_of(file, size - _DIGEST_BYTES) != said:
            raise _damaged(file, "its digest is another one: it was changed, or cut off")
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror or error}") from error
    return said.hex()


def messages(file: Path) -> Iterator[Header | Rows | End]:
    """Every message of a file that was checked; an error for anything else."""
    try:
        with file.open("rb") as raw:
            _read_magic(raw, file)
            stream = zstandard.ZstdDecompressor(max_window_size=2**_WINDOW_LOG).stream_reader(raw)
            while True:
                length = int.from_bytes(_exactly(stream, 4), "big")
                if length > _LONGEST_MESSAGE:
                    raise _damaged(file, "a message is too long")
                message = _message.decode(_exactly(stream, length))
                yield message
                if isinstance(message, End):
                    return
    except (zstandard.ZstdError, msgspec.MsgspecError, ValueError, EOFError, MemoryError) as error:
        raise _damaged(file, str(error) or type(error).__name__) from error
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror or error}") from error


def _exactly(stream: zstandard.ZstdDecompressionReader, count: int) -> bytes:
    pieces = bytearray()
    while len(pieces) < count:
        piece = stream.read(min(_PIECE, count - len(pieces)))
        if not piece:
            raise EOFError("it ends in the middle")
        pieces += piece
    return bytes(pieces)


def _read_magic(raw: BinaryIO, file: Path) -> None:
    line = raw.readline(64)
    if not line.startswith(_MAGIC) or not line.endswith(b"\n"):
        raise StoreError(f"{file} is no index that ohara exported", hint="make one with: ohara export FILE")
    version = line.removeprefix(_MAGIC).strip()
    if version != b"%d" % FORMAT:
        raise StoreError(
            f"{file} has format {version.decode('ascii', 'replace')}; this ohara knows format {FORMAT}",
            hint="export it with the same version of ohara",
        )


def _digest_of(file: Path, count: int) -> bytes:
    digest = hashlib.sha256()
    left = count
    with file.open("rb") as raw:
        while left > 0 and (piece := raw.read(min(_PIECE, left))):
            digest.update(piece)
            left -= len(piece)
    return digest.digest()


def _damaged(file: Path, why: str) -> StoreError:
    return StoreError(f"{file} is damaged ({why})", hint="copy it again, or export it again")

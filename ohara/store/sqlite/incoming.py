"""The rows of an exported file, ready to be inserted: decoded, checked, and bodies packed, a little ahead.

That is done in a thread of its own while the one before is inserted: most of it (unpacking, packing, learning
a dictionary) lets the interpreter go, so that two cores take half of the time.
"""

from __future__ import annotations

import hashlib
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ohara.errors import StoreError
from ohara.store.sql.codec import SAMPLE_EVERY, TRAINING_SAMPLES, Codec, train_dictionary
from ohara.store.sql.session import ALL_PASSES
from ohara.store.sqlite import former_trigrams, former_words
from ohara.store.sqlite.portable import (
    COMMIT_VECTORS,
    POSTINGS,
    SYMBOL_NAMES,
    TABLES,
    TRIGRAMS,
    UNDERIVED,
    VECTORS,
    End,
    Header,
    Rows,
    parts_of,
)
from ohara.store.sqlite.portable_file import messages

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    Row = tuple[object, ...]

_AHEAD = 4  # messages of about a megabyte
_DIGEST_BYTES = 16

BY_NAME = {
    table.name: table
    for table in (
        *TABLES,
        VECTORS,
        COMMIT_VECTORS,
        *POSTINGS,
        *TRIGRAMS,
        *(
            part
            for name in (SYMBOL_NAMES, former_words.TABLE, former_trigrams.TABLE)
            for part in parts_of(name)
        ),
    )
}


class Batch(NamedTuple):
    """Rows of a table, by the number of their message; `dictionary` is one that was learnt just before."""

    number: int
    table: str
    rows: Sequence[Row]
    dictionary: bytes | None = None


class Incoming:
    """The messages of one file; what an earlier copy has taken is only counted."""

    def __init__(self, file: Path, done: int, dictionary: bytes | None) -> None:
        self._file = file
        self._done = done
        self._codec = Codec(dictionary)
        self._is_trained = dictionary is not None
        self._samples: list[str] = []

    def read(self) -> Generator[Header | Batch, None, None]:
        """The header, then every batch that is not copied yet; an error for whatever else there is."""
        with ThreadPoolExecutor(1, "incoming") as reader:
            made = self._made()
            waiting = deque(reader.submit(next, made, None) for _ in range(_AHEAD))
            while (each := waiting.popleft().result()) is not None:
                waiting.append(reader.submit(next, made, None))
                yield each

    def _made(self) -> Iterator[Header | Batch]:
        header: Header | None = None
        rows = 0
        for number, message in enumerate(messages(self._file)):
            match message:
                case Header() if header is None and number == 0:
                    header = message
                    yield header
                case Rows() if header is not None:
                    decoded = self._decoded(message)
                    rows += len(decoded)
                    if number > self._done:
                        yield self._batch(header, number, message.table, decoded)
                case End() if header is not None:
                    if message.rows != rows:
                        raise bad_file(self._file, "rows are missing")
                case _:
                    raise bad_file(self._file, "its messages are out of order")
        if header is None:
            raise bad_file(self._file, "it is empty")

    def _decoded(self, message: Rows) -> list[Row]:
        if message.table not in BY_NAME:
            raise bad_file(self._file, "it holds a table that ohara does not have")
        try:
            return _decoder(message.table).decode(message.rows)
        except (msgspec.MsgspecError, ValueError, RecursionError, MemoryError) as error:
            raise bad_file(self._file, f"in {message.table}: {error}") from error

    def _batch(self, header: Header, number: int, table: str, rows: list[Row]) -> Batch:
        keep = ALL_PASSES if header.whole else UNDERIVED
        if table == "content":
            bodies = self._checked(rows)
            learnt = None if self._is_trained else self._learnt(bodies)
            packed = self._codec.pack_all(bodies)
            made = [
                (each, digest, int(str(passes)) & keep, body)
                for (each, digest, passes, _), body in zip(rows, packed, strict=True)
            ]
            return Batch(number, table, made, learnt)
        if table == "commits" and not header.whole:
            return Batch(number, table, [(*row[:-1], int(str(row[-1])) & keep) for row in rows])
        return Batch(number, table, rows)

    def _checked(self, rows: Sequence[Row]) -> list[bytes]:
        """The bodies of contents, each compared with its digest."""
        bodies: list[bytes] = []
        for _, digest, _, body in rows:
            if (
                not isinstance(body, bytes)
                or hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest() != digest
            ):
                raise bad_file(self._file, "a text is not the one that its digest says")
            try:
                body.decode("utf-8", "surrogatepass")
            except UnicodeDecodeError as error:
                raise bad_file(self._file, "a text is not UTF-8") from error
            bodies.append(body)
        return bodies

    def _learnt(self, bodies: Sequence[bytes]) -> bytes | None:
        """Learn a dictionary from the first bodies, as an index run does."""
        self._samples += [body.decode("utf-8", "surrogatepass") for body in bodies[::SAMPLE_EVERY]]
        if len(self._samples) < TRAINING_SAMPLES:
            return None
        learnt = train_dictionary(self._samples)
        if learnt:
            self._codec = Codec(learnt)
            self._is_trained, self._samples = True, []
        return learnt


@cache
def _decoder(table: str) -> msgspec.msgpack.Decoder[list[Row]]:
    row = BY_NAME[table].row
    decoder: msgspec.msgpack.Decoder[list[Row]] = msgspec.msgpack.Decoder(list[row])  # type: ignore[valid-type]
    return decoder


def bad_file(file: Path, why: str) -> StoreError:
    """The error of a file that is not what it should be."""
    return StoreError(
        f"{file} is no index that ohara exported ({why})", hint="export it again: ohara export FILE"
    )

"""From the pieces of a file's hunks to what is indexed of them: numbered words, trigrams of changed lines.

In Python (`PythonTexts`), where much is done for many hunks at once, or compiled (`CompiledTexts`), hunk by
hunk: the same rows either way.
"""

from __future__ import annotations

from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ohara.encoded import leave_out
from ohara.index.lines import sides, with_trigrams
from ohara.index.numbered import CompiledWords, PythonWords, with_vocabulary
from ohara.speedups import compiled
from ohara.store.prepared import HunkWords, PreparedHunk
from ohara.store.trigram_codes import packed_trigrams

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ohara.model import Hunk
    from ohara.store.prepared import PreparedCommit
    from ohara.store.vocabulary import Packed

    Compress = Callable[[bytes], bytes]


class HunkTexts(Protocol):
    """Takes hunks apart and numbers their words, which mean something with the vocabulary of `finished`."""

    def pack(self, text: str) -> Packed:
        """The words of a text."""

    def prepared(
        self, path: str, pieces: Sequence[Hunk], *, searchable: bool, compress: Compress | None
    ) -> tuple[Packed, tuple[PreparedHunk, ...]]:
        """The words of a path and the hunks of its file, which have none where not `searchable`."""

    def finished(self, ready: Sequence[PreparedCommit]) -> tuple[PreparedCommit, ...]:
        """Commits with what is made of many at once."""


def hunk_texts() -> HunkTexts:
    """What takes hunks apart fastest here."""
    return PythonTexts() if compiled is None else CompiledTexts(CompiledWords(compiled.Words))


class CompiledTexts:
    """Takes hunks apart by what is compiled; Python has a look at those that may hold encoded text."""

    def __init__(self, words: CompiledWords) -> None:
        self._words = words
        self.pack = words.pack

    def prepared(
        self, path: str, pieces: Sequence[Hunk], *, searchable: bool, compress: Compress | None
    ) -> tuple[Packed, tuple[PreparedHunk, ...]]:
        """The words of a path and the hunks of its file."""
        return self.pack(path), tuple([self._hunk(piece, searchable, compress) for piece in pieces])

    def finished(self, ready: Sequence[PreparedCommit]) -> tuple[PreparedCommit, ...]:
        """Commits with their vocabulary."""
        return with_vocabulary(ready, self._words)

    def _hunk(self, hunk: Hunk, has_words: bool, compress: Compress | None) -> PreparedHunk:
        data = hunk.body.encode("utf-8", "surrogatepass")
        signs = None
        apart = self._words.take_apart(hunk.body, has_words, False)
        if apart is None:
            kept = leave_out(hunk.body, data)
            signs, has_words = kept.signs, has_words and not kept.is_bare
            apart = self._words.take_apart(kept.body, has_words, True)
        added, removed, context, trigrams = apart
        words = HunkWords(self.pack(hunk.header), added, removed, context) if has_words else None
        return PreparedHunk(*_stored(hunk, data, compress), "", words, signs, trigrams)


class _Cut(NamedTuple):
    """A piece of a hunk taken apart: its body as bytes, its changed lines, its columns that have words.

    Encoded text is in its body alone; where it is nothing else, no column has words.
    """

    hunk: Hunk
    data: bytes
    changed: str
    signs: int | None
    texts: tuple[str, ...]

    @classmethod
    def of(cls, hunk: Hunk) -> _Cut:
        """Take a piece apart."""
        data = hunk.body.encode("utf-8", "surrogatepass")
        kept = leave_out(hunk.body, data)
        added, removed, context, changed = sides(kept.body)
        texts = () if kept.is_bare else (hunk.header, added, removed, context)
        return cls(hunk, data, with_trigrams(changed), kept.signs, texts)


class PythonTexts:
    """Takes hunks apart in Python."""

    def __init__(self) -> None:
        self._words = PythonWords()
        self.pack = self._words.pack

    def prepared(
        self, path: str, pieces: Sequence[Hunk], *, searchable: bool, compress: Compress | None
    ) -> tuple[Packed, tuple[PreparedHunk, ...]]:
        """The words of a path and the hunks of its file; their trigrams come when they are finished."""
        cut = list(map(_Cut.of, pieces))
        texts = [text for each in cut if searchable for text in each.texts]
        path_words, *columns = self._words.pack_all([path, *texts])
        words = iter(columns)
        return path_words, tuple(
            [
                PreparedHunk(
                    *_stored(each.hunk, each.data, compress),
                    each.changed,
                    HunkWords(*islice(words, len(each.texts))) if searchable and each.texts else None,
                    each.signs,
                )
                for each in cut
            ]
        )

    def finished(self, ready: Sequence[PreparedCommit]) -> tuple[PreparedCommit, ...]:
        """Commits with the trigrams of their changed lines in place of these, and with their vocabulary."""
        hunks = [hunk for commit in ready for file in commit.files for hunk in file.hunks]
        packed = packed_trigrams([hunk.changed for hunk in hunks])
        made = iter(
            [
                hunk._replace(changed="", trigrams=trigrams)
                for hunk, trigrams in zip(hunks, packed, strict=True)
            ]
        )
        with_trigrams = [
            commit._replace(
                files=tuple(
                    [file._replace(hunks=tuple(islice(made, len(file.hunks)))) for file in commit.files]
                )
            )
            for commit in ready
        ]
        return with_vocabulary(with_trigrams, self._words)


def _stored(
    hunk: Hunk, data: bytes, compress: Compress | None
) -> tuple[int, int, int, int, str, bytes, str | bytes]:
    """Where a hunk is, its header, its digest, and its body as it is sent."""
    return (
        hunk.old_start,
        hunk.old_lines,
        hunk.new_start,
        hunk.new_lines,
        hunk.header,
        blake2b(data, digest_size=16).digest() if data else b"",
        compress(data) if compress is not None and data else hunk.body,
    )

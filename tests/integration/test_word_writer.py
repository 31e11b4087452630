"""Words that come by the numbers of several processes are those that were said."""

from __future__ import annotations

import pickle
import random
from typing import TYPE_CHECKING, cast

import pytest

from ohara.store.sqlite import word_writer
from ohara.store.sqlite.hunk_words import TextRow
from ohara.store.sqlite.posting_codec import decode
from ohara.store.sqlite.word_pieces import read_pieces, read_texts
from ohara.store.sqlite.writer import Writer
from ohara.store.vocabulary import Numbering

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.store.vocabulary import Vocabulary

_POSTINGS = "SELECT word, change FROM posting WHERE piece = ? AND change IS NOT NULL"


def said(writer: Writer) -> dict[int, set[str]]:
    """The words of each hunk's change, as its postings have them."""
    found: dict[int, set[str]] = {}
    for piece, _, _ in read_pieces(writer.connection):
        hunks = read_texts(writer.connection, piece).hunks
        rows = cast("list[tuple[str, bytes]]", writer.connection.execute(_POSTINGS, (piece,)).fetchall())
        for word, string in rows:
            for text in decode([string], is_message=False).texts.tolist():
                found.setdefault(int(hunks[text]), set()).add(word)
    return found


@pytest.mark.parametrize(("numbered", "remembered"), [(250_000, 16), (40, 16), (250_000, 1)])
def test_numbers_of_several_numberings_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, numbered: int, remembered: int
) -> None:
    monkeypatch.setattr(word_writer, "_NUMBERED_WORDS", numbered)
    monkeypatch.setattr(word_writer, "_NUMBERINGS", remembered)
    chance = random.Random(7)  # noqa: S311 - the same every time
    words = [f"w{number}" for number in range(100)]
    numberings = [Numbering() for _ in range(3)]
    wanted: dict[int, set[str]] = {}
    with Writer(tmp_path / "index.db", passes=frozenset()) as writer:
        for hunk in range(1, 61):
            numbering = chance.choice(numberings)
            if hunk % 17 == 0:
                numbering.clear()  # a worker begins anew
            text = chance.sample(words, chance.randrange(1, 9))
            packed = numbering.pack(" ".join(text))
            # As it comes from another process: a copy, which says no more than this text needs.
            vocabulary: Vocabulary = pickle.loads(pickle.dumps(numbering.vocabulary([packed])))  # noqa: S301
            assert sorted(vocabulary.words) == sorted(text)
            writer.begin()
            writer.words.add([TextRow(vocabulary, hunk, hunk, b"", added=packed)])
            wanted[hunk] = set(text)
            if hunk % 10 == 0:
                writer.commit()
        writer.commit()
        assert said(writer) == wanted

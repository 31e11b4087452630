"""Postings find what an FTS5 table with the same rows finds, with the same scores."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohara.store.answers import WordQuery
from ohara.store.sqlite import former_words, posting_codec, varints, word_merge
from ohara.store.sqlite.connected import Connected
from ohara.store.sqlite.filters import EVERYTHING, FtsFilter
from ohara.store.sqlite.hunk_sets import HunkSet, flags
from ohara.store.sqlite.hunk_words import TextRow
from ohara.store.sqlite.posting_codec import COLUMNS, Postings, codes_of
from ohara.store.sqlite.reader import Reader
from ohara.store.sqlite.schema import FTS_HUNK_TEXT
from ohara.store.sqlite.word_search import WordSearch
from ohara.store.sqlite.writer import Writer
from ohara.store.vocabulary import Numbering

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALL = ("message", *COLUMNS)
_WORDS = ("fix", "leak", "cache", "tmp_path", "tmp", "path", "#12", "12", "été", "東京")
_WEIGHTINGS = (
    ((3.0, 1.0, 1.0, 1.0, 0.4, 0.3), 1.0),
    ((0.0, 0.5, 1.0, 1.0, 0.7, 0.0), 0.6),
    ((1.0, 0.0, 0.0, 0.0, 0.0, 0.0), 0.3),
)

_text = st.lists(st.sampled_from(_WORDS), max_size=7).map(" ".join)
_long = st.sampled_from(_WORDS).map(lambda word: " ".join([word] * 40))
_columns = st.tuples(_text, _text, st.one_of(_text, _text, _long), _text, _text)
_commit = st.tuples(_text, st.lists(_columns, min_size=1, max_size=4))
_phrase = st.one_of(
    st.sampled_from(_WORDS), st.lists(st.sampled_from(_WORDS), min_size=2, max_size=3).map(" ".join)
)
_query = st.builds(
    WordQuery,
    st.lists(_phrase, min_size=1, max_size=3).map(tuple),
    st.lists(_phrase, max_size=2).map(tuple),
    st.lists(st.sampled_from(_ALL), max_size=3, unique=True).map(tuple),
)


@st.composite
def _histories(draw: st.DrawFn) -> list[tuple[str, object]]:
    """Batches of commits; between them hunks are dropped or written anew, or pieces merged."""
    steps: list[tuple[str, object]] = []
    for _ in range(draw(st.integers(1, 4))):
        steps.append(("add", draw(st.lists(_commit, min_size=1, max_size=4))))
        what = draw(st.sampled_from(("nothing", "drop", "renew", "merge", "drop")))
        steps.append((what, draw(st.lists(st.integers(1, 20), max_size=6, unique=True))))
    return steps


def _write(writer: Writer, former: apsw.Connection, steps: Sequence[tuple[str, object]]) -> None:
    rows: dict[int, TextRow] = {}
    hunk = commit = 0

    def add(new: list[TextRow]) -> None:
        writer.words.add(new)
        texts = [(row.hunk, *map(row.vocabulary.text, row[3:])) for row in new]
        former.executemany(former_words.INSERT, texts)
        rows.update({row.hunk: row for row in new})

    def drop(gone: Sequence[int]) -> None:
        writer.words.drop(gone)
        former.executemany(former_words.DELETE, [(each,) for each in gone])

    for what, of in steps:
        writer.begin()
        if what == "add":
            for message, hunks in of:  # type: ignore[attr-defined]
                commit += 1
                numbering = Numbering()
                packed = [list(map(numbering.pack, (message, *columns))) for columns in hunks]
                vocabulary = numbering.vocabulary(text for texts in packed for text in texts)
                for texts in packed:
                    hunk += 1
                    add([TextRow(vocabulary, hunk, commit, *texts)])
        elif what in {"drop", "renew"}:
            gone = [each for each in of if each in rows]  # type: ignore[attr-defined]
            drop(gone)
            again = [rows.pop(each) for each in gone]
            if what == "renew":
                add([row._replace(added=row.removed, removed=row.added) for row in again])
        elif what == "merge":
            writer.words.finish()
            word_merge.merge_all(writer.connection)
        writer.commit()


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    posting_codec.counts_by_code()  # so that no example is the slow first one


@settings(max_examples=40, deadline=None)
@given(_histories(), st.lists(_query, min_size=1, max_size=4), st.sets(st.integers(1, 30)))
def test_like_fts5(steps: list[tuple[str, object]], queries: list[WordQuery], let_through: set[int]) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(apsw.Connection(":memory:")) as memory:
        memory.execute(FTS_HUNK_TEXT)
        path = Path(folder) / "index.db"
        with Writer(path, passes=frozenset()) as writer:
            writer.words.is_merged_late = len(steps) % 4 == 0
            _write(writer, memory, steps)
        former = former_words.FormerWords(Connected(path, memory))  # type: ignore[arg-type]
        some = FtsFilter.of(HunkSet(flags(let_through)))
        with closing(Reader(path)) as reader:
            kept = WordSearch(reader)
            for query in queries:
                for allowed in (EVERYTHING, some):
                    for limit in (3, 100):
                        _assert_alike(former, kept, query, allowed, limit)
                for phrases in (query.selecting, query.selecting + query.common):
                    wanted = former.holding_any(phrases, query.columns)
                    assert sorted(kept.holding_any(phrases, query.columns)) == wanted
                    wanted = former.holding_all(phrases, query.columns)
                    assert sorted(kept.holding_all(phrases, query.columns)) == wanted
            for word in _WORDS:
                assert kept.frequency(word) == former.frequency(word)


def _assert_alike(
    former: former_words.FormerWords, kept: WordSearch, query: WordQuery, allowed: FtsFilter, limit: int
) -> None:
    wanted = former.scored(query, _WEIGHTINGS, allowed, limit)
    found = kept.scored(query, _WEIGHTINGS, allowed, limit)
    assert len(found) == len(wanted)
    scores = dict(former.scored(query, _WEIGHTINGS, allowed, 1000))
    for (hunk, mine), (other, theirs) in zip(found, wanted, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-9)
        assert mine == pytest.approx(scores[hunk], abs=1e-9)
        # Of two whose scores differ by less than a rounding, either may come first.
        assert hunk == other or scores[hunk] == pytest.approx(scores[other], abs=1e-12)


_numbers = st.lists(st.integers(0, 2**50), max_size=60)


@given(_numbers)
def test_numbers_come_back(numbers: list[int]) -> None:
    packed, ends = varints.pack(np.array(numbers, np.int64))
    assert varints.unpack(packed).tolist() == numbers
    assert varints.ends_of(packed).tolist() == ends.tolist()


_held = st.dictionaries(
    st.integers(0, 5_000),
    st.tuples(*[st.integers(0, 9)] * len(COLUMNS)).filter(any),
    min_size=1,
    max_size=12,
)


@settings(max_examples=40, deadline=None)
@given(st.lists(_held, min_size=1, max_size=5))
def test_postings_come_back(words: list[dict[int, tuple[int, ...]]]) -> None:
    entries = [(row, text, held[text]) for row, held in enumerate(words) for text in sorted(held)]
    counts = np.array([each for _, _, each in entries], np.int64)
    codes, far = codes_of(counts)
    places = np.concatenate([np.arange(times) * 3 for times in counts.reshape(-1)])
    rows, texts = (np.array([each[at] for each in entries], np.int64) for at in (0, 1))
    written = Postings(rows, texts, codes, far, places)
    strings, stands = (
        make(written, len(words), is_message=False)
        for make in (posting_codec.encode, posting_codec.encode_places)
    )
    read = posting_codec.decode(
        [each for each in strings if each], is_message=False, places=[each for each in stands if each]
    )
    assert read.rows.tolist() == rows.tolist()
    assert read.texts.tolist() == texts.tolist()
    assert read.counts().tolist() == counts.tolist()
    assert read.places is not None
    assert read.places.tolist() == places.tolist()


@pytest.mark.parametrize(
    "string", [b"\x80", b"\x05\x01", b"\x00nonsense", b"\x01\x01\x00", b"\x01\x01\xff\xff\x7f"]
)
def test_what_is_no_posting_is_refused(string: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        posting_codec.decode([string], is_message=False)

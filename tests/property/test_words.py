from __future__ import annotations

import re

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ohara.index import numbered
from ohara.index.numbered import PythonWords
from ohara.words import LONGEST_WORD, _parts, index_text, query_terms

anything = st.text(max_size=200)
# Text of the kind that is indexed, so that the interesting shapes come up often.
code = st.lists(
    st.sampled_from(
        ["get", "User", "HTTP", "s", "_", "#", "2", "0", "ab", " ", "-", ".", "é", "東", "京", "क्", "ﬁ"]
    ),
    max_size=40,
).map("".join)
texts = st.one_of(anything, code)


@given(texts)
@example("\ud800")
@example("İ ǰ ŉ ﷺ")
@example("#" * 50 + "1" * 100)
def test_tokens_are_folded_and_hold_no_separator(text: str) -> None:
    indexed = index_text(text)
    for token in indexed.split(" ") if indexed else []:
        assert token
        assert token == token.casefold()
        assert all(char == "_" or not char.isascii() or char.isalnum() for char in token.removeprefix("#"))
        assert not any(char.isspace() for char in token)
        token.encode("utf-8")


@given(texts)
def test_every_query_term_is_among_the_indexed_words(text: str) -> None:
    terms = query_terms(text)
    assert set(terms) <= set(index_text(text).split(" "))
    assert len(set(terms)) == len(terms)
    assert bool(terms) == bool(index_text(text))


@given(texts, texts)
def test_words_do_not_depend_on_their_neighbours(left: str, right: str) -> None:
    together = index_text(f"{left} {right}")
    assert together == f"{index_text(left)} {index_text(right)}".strip()


@given(st.lists(st.lists(texts, max_size=4), max_size=4), st.sampled_from((2, 1_000)))
def test_numbers_stand_for_the_same_words(groups: list[list[str]], most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbered, "_MOST_WORDS", most)
        words = PythonWords()
        for group in groups:
            packed = [words.pack(text) for text in group]
            vocabulary = words.vocabulary(packed)
            assert [vocabulary.text(text) for text in packed] == [index_text(text) for text in group]
            assert set(vocabulary.words) == {word for text in group for word in index_text(text).split()}


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=300))
def test_size_is_bounded_for_ascii(text: str) -> None:
    # The worst is a letter and a digit in turn: the whole, and each character with a space.
    assert len(index_text(text)) <= 4 * len(text)


@given(texts)
def test_tokens_and_size_are_bounded(text: str) -> None:
    # One ligature stands for up to eighteen letters, and folding may triple a letter.
    indexed = index_text(text)
    assert len(indexed) <= 64 * len(text)
    assert all(len(token) <= 3 * LONGEST_WORD for token in indexed.split(" "))


@given(st.from_regex(re.compile(r"[a-z]{1,8}(_[a-z]{1,8}){0,4}", re.ASCII), fullmatch=True))
def test_snake_case_parts_make_the_name_again(name: str) -> None:
    assert "_".join(_parts(name)) == name


@given(st.lists(st.from_regex(r"[A-Z][a-z]{1,8}", fullmatch=True), min_size=1, max_size=5))
def test_camel_case_parts_are_its_humps(humps: list[str]) -> None:
    assert _parts("".join(humps)) == humps


@given(texts)
def test_the_stores_tokenizer_keeps_every_word_in_one_piece(text: str) -> None:
    with apsw.Connection(":memory:") as database:
        database.execute("CREATE VIRTUAL TABLE t USING fts5(body, tokenize=\"ascii tokenchars '_#'\")")
        database.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, row)")
        database.execute("INSERT INTO t VALUES (?)", (index_text(text),))
        stored = {term for (term,) in database.execute("SELECT term FROM v")}
    assert stored == set(index_text(text).split())

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara import words
from ohara.words import APART, LONGEST_WORD, STOP_WORDS, _parts, index_text, query_terms, runs, runs_apart
from tests.process import python


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getHTTPResponse2", "gethttpresponse2 get http respons 2"),
        ("get_user", "get_user get user"),
        ("_private", "_private privat"),
        ("__init__", "__init__ init"),
        ("MAX_RETRIES", "max_retries max retri"),
        ("test_getUser", "test_getuser test get user"),
        ("XMLHttpRequest", "xmlhttprequest xml http request"),
        ("IOError", "ioerror io error"),
        ("utf8", "utf8 utf 8"),
        ("kebab-case", "kebab case"),
        ("os.path.join", "os path join"),
        ("std::vector", "std vector"),
        ("_ __ ___", ""),
    ],
)
def test_identifiers_are_kept_whole_and_in_parts(text: str, expected: str) -> None:
    assert index_text(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fixtures are FIXTURE scoped", "fixtur are fixtur scope"),
        ("running, runs; run!", "run run run"),
        ("URLs", "url"),
        ("don't", "don t"),
    ],
)
def test_plain_words_are_stemmed_whatever_their_case(text: str, expected: str) -> None:
    assert index_text(text) == expected


def test_identifiers_of_letters_also_answer_to_their_lower_case_spelling() -> None:
    assert index_text("useState") == "usestate usest use state"
    assert set(query_terms("usestate")) <= set(index_text("useState").split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#123", "#123 123"),
        ("Fixes #12, #34", "fix #12 12 #34 34"),
        ("GH#7", "gh #7 7"),
        ("#include", "includ"),
        ("#12ab", "12ab 12 ab"),
        ("## # #", ""),
        ("2024-05-01", "2024 05 01"),
        ("v1.25", "v1_25 v 1 25"),
        ("Python 2.7.", "python 2_7 2 7"),
    ],
)
def test_numbers_and_issue_numbers_are_kept(text: str, expected: str) -> None:
    assert index_text(text) == expected


def test_digests_are_kept_whole_and_in_no_parts() -> None:
    sha = "3f2a91c0de" * 4
    assert index_text(f"3f2a91c {sha} {sha.upper()} 0x7fFF") == f"3f2a91c {sha} {sha} 0x7fff"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京都", "東京 京都"),
        ("東", "東"),
        ("カタカナ", "カタ タカ カナ"),
        ("한국어 문서", "한국 국어 문서"),
        ("使用getUser方法", "使用 getuser getus get user 方法"),
    ],
)
def test_scripts_without_spaces_become_overlapping_pairs(text: str, expected: str) -> None:
    assert index_text(text) == expected


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("café", "cafe"),
        ("cafe\u0301", "cafe"),
        ("ﬁle", "file"),
        ("\uff46\uff55\uff4c\uff4c", "full"),
        ("STRASSE", "straße"),
        ("ПРИВЕТ", "привет"),
        ("co\u00adoperate", "cooperate"),
        ("“quoted”", "quoted"),
        ("ｶﾞ", "ガ"),
    ],
)
def test_spellings_that_mean_the_same_are_the_same(text: str, same_as: str) -> None:
    assert index_text(text) == index_text(same_as) != ""


def test_humps_of_other_alphabets_are_parts_too() -> None:
    assert index_text("ПриветМир") == "приветмир привет мир"


def test_vowel_signs_do_not_break_words() -> None:
    assert index_text("नमस्ते") == "नमस्ते"


def test_encoded_data_leaves_no_words_but_a_sentence_in_snake_case_leaves_its_parts() -> None:
    encoded = "aGVsbG8gd29ybGQ" * 6
    sentence = "test_" + "_".join(["refuses", "paths", "outside", "of", "root"] * 4)
    assert len(sentence) > LONGEST_WORD
    assert index_text(f"{encoded} {'x' * 100}") == ""
    assert index_text(sentence) == " ".join(["test"] + ["refus", "path", "outsid", "of", "root"] * 4)


def test_queries_drop_stop_words_and_repeats_but_not_order() -> None:
    assert query_terms("how is the cache invalidated in the Cache class") == ("cach", "invalid", "class")


def test_a_query_of_stop_words_alone_keeps_them() -> None:
    assert query_terms("to be or not to be") == ("to", "be", "or", "not")


def test_stop_words_stay_in_the_index() -> None:
    assert index_text("the") == "the"
    assert "the" in STOP_WORDS


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("getHTTPResponse2", ("get", "http", "response", "2")),
        ("snake_case_name", ("snake", "case", "name")),
        ("listURLs", ("list", "urls")),
        ("plain", ("plain",)),
        ("__", ()),
    ],
)
def test_an_identifier_has_its_parts(name: str, parts: tuple[str, ...]) -> None:
    assert tuple(part.casefold() for part in _parts(name)) == parts


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = words._Words()
    monkeypatch.setattr(words, "_CACHE", fresh)
    monkeypatch.setattr(words, "CACHED_RUNS", 10)
    for number in range(100):
        assert index_text(f"word{number}") == f"word{number} word {number}"
        assert len(fresh) <= 10
    index_text("y" * 1000)
    assert "y" * 1000 not in fresh


def test_importing_words_loads_no_stemmer() -> None:
    check = "import sys, ohara.words; print('py_rust_stemmers' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_patterns_of_scripts_without_spaces_wait_for_a_word_that_is_not_ascii() -> None:
    check = (
        "from ohara import words; words.index_text('getHTTPResponse2 #12 2.7 a_b');"
        "print(words._scripts.cache_info().currsize);"
        "print(words.index_text('\\u6771\\u4eac\\u90fd caf\\u00e9s'), words._scripts.cache_info().currsize)"
    )
    done = python("-c", check, env={"PYTHONUTF8": "1"})
    assert done.stdout == "0\n\u6771\u4eac \u4eac\u90fd cafe 1\n"


@given(st.lists(st.text(alphabet=st.sampled_from("ab_#1.2é東 \n\0"), max_size=12), min_size=1, max_size=6))
def test_texts_asked_for_together_have_the_runs_that_each_has_alone(texts: list[str]) -> None:
    together = " ".join(runs_apart(texts)).split(APART)
    assert [text.split() for text in together] == [runs(text) for text in texts]

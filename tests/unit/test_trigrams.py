"""What patterns require of a text, case by case: enough to help, never too much."""

from __future__ import annotations

import pytest

from ohara.model import Pattern
from ohara.retrieve.expression import Unreadable, read_expression
from ohara.retrieve.trigrams import required_trigrams
from ohara.store.sqlite.fts_query import trigram_expression
from ohara.store.trigram_query import ANYTHING, All, Either, Formula, count_trigrams


def regex(source: str, flags: str = "") -> Formula:
    return required_trigrams(Pattern(source, is_regex=True, flags=flags))


def test_a_literal_requires_its_trigrams_in_the_index_s_case() -> None:
    assert required_trigrams(Pattern("aBcD")) == All(("abc", "bcd"))
    assert required_trigrams(Pattern("abc")) == "abc"
    assert required_trigrams(Pattern("上传进度")) == All(("上传进", "传进度"))


@pytest.mark.parametrize("text", ["", "a", "ab", "ab\0c"])
def test_a_short_literal_requires_nothing(text: str) -> None:
    assert required_trigrams(Pattern(text)) == ANYTHING


def test_a_long_literal_requires_its_ends_and_some_between() -> None:
    formula = required_trigrams(Pattern("".join(chr(ord("a") + i % 26) for i in range(300))))
    assert isinstance(formula, All)
    assert count_trigrams(formula) <= 12
    assert formula.parts[0] == "abc"


@pytest.mark.parametrize(
    ("source", "needs"),
    [
        ("abcd", All(("abc", "bcd"))),
        (r"a\.bc", All(("a.b", ".bc"))),
        ("^abc$", "abc"),
        ("abc.*def", All(("abc", "def"))),
        ("(abc)(def)", All(("abc", "bcd", "cde", "def"))),
        ("abc|def", Either(("abc", "def"))),
        ("ab(c|d)", Either(("abc", "abd"))),
        ("abc(de)?f", Either((All(("abc", "bcd", "cde", "def")), All(("abc", "bcf"))))),
        ("(abc)+", "abc"),
        ("(abc){2}", All(("abc", "bca", "cab"))),
        ("a{3}", "aaa"),
        ("a{5}", "aaa"),
        ("a{2,}bc", All(("aab", "abc"))),
        ("x+abc", All(("xab", "abc"))),
        ("abc[xy]", Either((All(("abc", "bcx")), All(("abc", "bcy"))))),
        (r"\Qa.b*\E", All(("a.b", ".b*"))),
        (r"\x41\x{42}\103", "abc"),
        ("(?i)ABC", "abc"),
        ("(?i:中文字)", "中文字"),
        ("a{,2}b", All(("a{,", "{,2", ",2}", "2}b"))),
    ],
)
def test_an_expression_requires(source: str, needs: Formula) -> None:
    assert regex(source) == needs


@pytest.mark.parametrize(
    "source",
    [
        "",
        ".",
        ".*",
        "ab",
        "(abc)*",
        "(abc)?",
        "abc|",
        "abc|de",
        "[a-z]+",
        r"\w\w\w",
        "a.b.c",
        "[^a]bc",
        r"(?i)été",
        "é{0}",
    ],
)
def test_an_expression_that_requires_nothing(source: str) -> None:
    assert regex(source) == ANYTHING


def test_case_is_no_requirement() -> None:
    assert regex("FooBar", "i") == regex("foobar") == required_trigrams(Pattern("FOOBAR"))


def test_very_many_alternatives_are_given_up() -> None:
    words = [f"w{number}ord{number}" for number in range(200)]
    assert regex("|".join(words)) == ANYTHING
    assert regex(f"prefix.*({'|'.join(words)})") == All(("pre", "ref", "efi", "fix"))


@pytest.mark.parametrize("source", [r"\E", "(?=x)", r"(?P>x)", "(((", "[a", "a)"])
def test_what_the_reader_does_not_know_it_gives_up_on(source: str) -> None:
    with pytest.raises(Unreadable):
        read_expression(source)


def test_a_deeply_nested_expression_is_given_up_and_not_a_crash() -> None:
    assert regex("(" * 900 + "abc" + ")" * 900) == ANYTHING


def test_every_trigram_is_quoted_for_the_index() -> None:
    assert trigram_expression('a"b') == '"a""b"'
    assert trigram_expression(All(("abc", Either(("x y", "OR "))))) == '("abc" AND ("x y" OR "OR "))'
    with pytest.raises(ValueError, match="nothing to ask for"):
        trigram_expression(ANYTHING)

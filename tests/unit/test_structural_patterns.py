"""Patterns of syntax: what looks like one, what its words are, and in which languages it is code."""

from __future__ import annotations

import pytest

from ohara.errors import QueryError
from ohara.metavariables import atoms
from ohara.model import Filters, Mode, Polarity, QueryClass
from ohara.query import parse, to_source
from ohara.query.structure import looks_structural, read_structure
from ohara.structural.found import Capture
from ohara.structural.matcher import Unparsable, compile_pattern, matches, names_in

NOW = 1_718_000_000


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("requests.get($URL, verify=False)", True),
        ("if $A == None", True),
        ("$X.unwrap()", True),
        ("foo($$$)", True),
        ("$HOME not set", False),
        ("price in $USD", False),
        ("echo $home (x)", False),
        ("foo(bar)", False),
        ("$100 (net)", False),
    ],
)
def test_what_looks_like_a_pattern(text: str, is_one: bool) -> None:
    assert looks_structural(text) is is_one


def test_a_pattern_between_filters() -> None:
    query = parse('removed: lang:python requests.get($URL, verify="x") author:bob', now=NOW)
    assert query.structure == 'requests.get($URL, verify="x")'
    assert (query.filters.langs, query.filters.authors) == (("python",), ("bob",))
    assert query.polarity is Polarity.REMOVED
    assert parse(to_source(query), now=NOW).structure == query.structure


def test_quoted_text_is_no_pattern() -> None:
    assert parse('"foo($X)"', now=NOW).structure == ""
    assert parse("/foo($X)/", now=NOW).structure == ""
    assert parse("foo($X)\nbar($Y)\n", now=NOW).structure == ""


def test_the_mode_takes_the_whole_text() -> None:
    query = parse("path:src/ class $A:\n    pass", now=NOW, mode=Mode.STRUCTURAL)
    assert (query.structure, query.words, query.query_class) == (
        "class $A:\n    pass",
        "",
        QueryClass.STRUCTURAL,
    )
    assert query.filters == Filters(paths=("src/",))
    with pytest.raises(QueryError, match="no pattern"):
        parse("lang:python", now=NOW, mode=Mode.STRUCTURAL)
    with pytest.raises(QueryError, match="stands alone"):
        parse('removed:"x" foo($A)', now=NOW, mode=Mode.STRUCTURAL)


def test_an_open_quote_is_the_codes_own() -> None:
    assert parse("f($X, \"it's", now=NOW).structure == "f($X, \"it's"


def test_conditions_on_names() -> None:
    structure = read_structure(r"open($F, $M) where M=/^'w/ where F=/a\/b/")
    assert structure.text == "open($F, $M)"
    assert dict(structure.where) == {"M": "^'w", "F": "a/b"}
    with pytest.raises(QueryError, match="speaks of Z"):
        read_structure("open($F) where Z=/x/")


def test_words_that_must_be_there() -> None:
    assert atoms("requests.get($URL, verify=False, timeout=10, **$$$REST)") == (
        "requests", "get", "verify", "False", "timeout", "10",
    )  # fmt: skip
    assert atoms("$A == $A") == ()


@pytest.mark.parametrize(
    ("language", "pattern", "code", "found"),
    [
        (
            "python",
            "requests.get($URL, verify=False)",
            "x = requests.get(u,\n  verify=False)\n",
            [{"URL": "u"}],
        ),
        ("python", "$F($X, $X)", "f(1, 1)\nf(1, 2)\n", [{"F": "f", "X": "1"}]),
        ("python", "except $E: pass", "try:\n  a()\nexcept X: pass\n", [{"E": "X"}]),
        (
            "python",
            "@pytest.fixture($$$A)",
            "@pytest.fixture(scope='x')\ndef f(): pass\n",
            [{"A": "scope='x'"}],
        ),
        ("python", "print($X)", "print(1)\nprint((2))\n'print(3)'\n# print(4)\n", [{"X": "1"}, {"X": "(2)"}]),
        ("c", "malloc($N)", "int f() { char *p = malloc(3); }\n", [{"N": "3"}]),
        ("c", "if ($A) { $$$B }", "int f() { if (p) { return 1; } }\n", [{"A": "p", "B": "return 1;"}]),
        ("c", "char *$P = malloc($N)", "int f() { char *p = malloc(3); }\n", [{"P": "p", "N": "3"}]),
        ("go", "fmt.Errorf($$$A)", 'package p\nfunc f() { fmt.Errorf("a", b) }\n', [{"A": '"a" , b'}]),
        ("rust", "$A.unwrap()", "fn f() { x.unwrap(); }\n", [{"A": "x"}]),
        ("java", "$X.close()", "class A { void f() { x.close(); } }\n", [{"X": "x"}]),
        (
            "typescript",
            "constructor($$$A) { $$$B }",
            "class A { constructor(x) { y } }\n",
            [{"A": "x", "B": "y"}],
        ),
        ("tsx", "<$T $$$A />", "const a = <Foo b='1' />\n", [{"T": "Foo", "A": "b='1'"}]),
        ("javascript", "$A == $A", "a == a; a == b\n", [{"A": "a"}]),
    ],
)
def test_what_matches(language: str, pattern: str, code: str, found: list[dict[str, str]]) -> None:
    rule = compile_pattern(pattern, {}, language)
    told = matches(code, rule, language, names_in(pattern))
    assert [{each.name: each.text for each in match.captures} for match in told] == found


@pytest.mark.parametrize(
    ("language", "pattern"),
    [
        ("python", "foo("),
        ("python", "foo($X"),
        ("python", "$X not set"),
        ("python", "x y z"),
        ("c", "foo("),
        ("go", ")"),
    ],
)
def test_what_is_no_code_is_refused(language: str, pattern: str) -> None:
    with pytest.raises(Unparsable, match=f"parse as {language}"):
        compile_pattern(pattern, {}, language)


def test_a_condition_that_is_no_expression_is_refused() -> None:
    with pytest.raises(Unparsable, match="unclosed"):
        compile_pattern("print($X)", {"X": "("}, "python")


def test_a_condition_narrows() -> None:
    rule = compile_pattern("print($X)", {"X": "^2"}, "python")
    assert [match.text for match in matches("print(1); print(22)", rule, "python", ())] == ["print(22)"]


def test_positions_count_characters() -> None:
    rule = compile_pattern("a($X)", {}, "python")
    (match,) = matches("ü = 1\nb(ü, a(2))", rule, "python", ("X",))
    assert match[:4] == (1, 5, 1, 9)
    assert match.captures == (Capture("X", "2", 1, 7, 1, 8),)


def test_several_nodes_are_one_place() -> None:
    rule = compile_pattern("a($$$X)", {}, "python")
    (match,) = matches("a(1,\n  bb)", rule, "python", names_in("a($$$X)"))
    assert match.captures == (Capture("X", "1 , bb", 0, 2, 1, 4),)

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import UTC

import pytest

from ohara.errors import QueryError
from ohara.model import ChangeKind, Filters, Mode, Pattern, Polarity, Query, QueryClass
from ohara.query import LONGEST_QUERY, parse, required_patterns, to_source

NOW = 1_718_000_000

DIFF = """\
diff --git a/src/cache.py b/src/cache.py
@@ -1,3 +1,3 @@ def load(path: str):
-    author:"nobody" path:here
+    return {"key": /x/}
"""

TRACEBACK = """\
Traceback (most recent call last):
  File "app.py", line 3, in main
    load("x")
ValueError: bad path:x
"""


def read(source: str, mode: Mode = Mode.AUTO, **others: Filters | Polarity) -> Query:
    flags = others.get("flags", Filters())
    polarity = others.get("polarity", Polarity.ANY)
    assert isinstance(flags, Filters)
    assert isinstance(polarity, Polarity)
    return parse(source, now=NOW, mode=mode, flags=flags, polarity=polarity, tz=UTC)


def test_all_parts_of_a_query_together() -> None:
    query = read('retry removed:sleep author:bob "two words" /a+/i path:src/ -path:docs/ kind:added loop')
    assert query == Query(
        source='retry removed:sleep author:bob "two words" /a+/i path:src/ -path:docs/ kind:added loop',
        words="retry loop",
        patterns=(
            Pattern("sleep", polarity=Polarity.REMOVED),
            Pattern("two words"),
            Pattern("a+", is_regex=True, flags="i"),
        ),
        filters=Filters(authors=("bob",), paths=("src/",), not_paths=("docs/",), kinds=(ChangeKind.ADDED,)),
        mode=Mode.AUTO,
        query_class=QueryClass.PROSE,
    )


def test_a_stray_quote_behind_words_is_text_and_said() -> None:
    query = read('retry "max_attempts = 3 author:bob')
    assert (query.words, query.patterns) == ('retry "max_attempts = 3', ())
    assert query.filters == Filters(authors=("bob",))
    assert query.notes == ("the quote in '\"max_attempts' is not closed: it was taken as text",)
    assert read(to_source(query, tz=UTC)).words == query.words


@pytest.mark.parametrize(
    "source", ['"max', 'author:bob "max', '"a" "max', 'retry author:"max', 'x added:"max']
)
def test_a_quote_that_was_to_bound_or_require_is_refused(source: str) -> None:
    with pytest.raises(QueryError, match="is not closed"):
        read(source)


def test_where_nothing_may_be_widened_every_open_quote_is_refused() -> None:
    with pytest.raises(QueryError, match="is not closed"):
        parse('retry "max', now=NOW, tz=UTC, strict=True)


@pytest.mark.parametrize("pasted", [DIFF, TRACEBACK, "x = 1\ny = 'a \"b'\n", "\tfoo(a,\n\t    b);\n"])
def test_pasted_code_is_taken_whole(pasted: str) -> None:
    query = read(pasted)
    assert query.query_class is QueryClass.SNIPPET
    assert query.words == pasted.rstrip()
    assert query.patterns == ()
    assert query.filters == Filters()


def test_filters_stand_above_and_below_pasted_code() -> None:
    query = read(f"removed: path:src/\n\n{DIFF}\nauthor:bob\r\n")
    assert query.words == DIFF.rstrip()
    assert query.filters == Filters(paths=("src/",), authors=("bob",))
    assert query.polarity is Polarity.REMOVED


def test_a_bad_value_above_pasted_code_is_still_an_error() -> None:
    with pytest.raises(QueryError, match="'soon' is not a date"):
        read(f"since:soon\n{DIFF}")


def test_wrapped_prose_is_read_like_one_line() -> None:
    query = read("The parser loses\nthe last line author:bob\nwhen a file is empty.")
    assert query.words == "The parser loses the last line when a file is empty."
    assert query.filters.authors == ("bob",)
    assert query.query_class is QueryClass.PROSE


def test_flags_and_inline_filters_add_up() -> None:
    flags = Filters(authors=("alice", "bob"), since=10, until=NOW, kinds=(ChangeKind.DELETED,))
    query = read("author:bob since:2020 until:2021 x", flags=flags)
    assert query.filters.authors == ("bob", "alice")
    assert (query.filters.since, query.filters.until) == (10, NOW)
    assert query.filters.kinds == (ChangeKind.DELETED,)


def test_flags_alone_are_a_query() -> None:
    assert read("", flags=Filters(authors=("bob",))).words == ""


@pytest.mark.parametrize("source", ["", "  \n ", "removed:"])
def test_nothing_is_an_error(source: str) -> None:
    with pytest.raises(QueryError, match="nothing to search for"):
        read(source)


def test_polarity_as_a_flag_agrees_with_the_text_or_is_an_error() -> None:
    assert read("removed: x", polarity=Polarity.REMOVED).polarity is Polarity.REMOVED
    assert read("x", polarity=Polarity.ADDED).polarity is Polarity.ADDED
    with pytest.raises(QueryError, match="cannot both hold"):
        read("removed: x", polarity=Polarity.ADDED)


def test_the_whole_querys_side_holds_for_terms_without_their_own() -> None:
    query = read('removed: "a" added:b')
    assert required_patterns(query) == (
        Pattern("a", polarity=Polarity.REMOVED),
        Pattern("b", polarity=Polarity.ADDED),
    )


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.TEXT, Mode.SEMANTIC])
@pytest.mark.parametrize("source", ["deadbeef1", '"literal"', "/regex/"])
def test_ranking_modes_rank_what_auto_would_look_up(mode: Mode, source: str) -> None:
    assert read(source).query_class is not QueryClass.PROSE
    assert read(source, mode).query_class is QueryClass.PROSE


def test_ranking_modes_keep_the_other_classes() -> None:
    assert read("get_user", Mode.TEXT).query_class is QueryClass.SYMBOL
    assert read("user", Mode.SYMBOL).query_class is QueryClass.SYMBOL


@pytest.mark.parametrize(
    ("source", "flags", "text"),
    [("/x/i", "i", "x"), ("/x/mi", "im", "x"), ("/x/ssi", "is", "x"), (r"/a\/b\d/", "", r"a/b\d")],
)
def test_regular_expressions_come_in_normal_form(source: str, flags: str, text: str) -> None:
    assert read(source).patterns == (Pattern(text, is_regex=True, flags=flags),)


@pytest.mark.parametrize("source", ["/*  comment */", "//", "/x", "/usr/lib x/", "/ x/", "/etc/rc", "a/x/"])
def test_slashes_that_are_text(source: str) -> None:
    query = read(source)
    assert query.patterns == ()
    assert query.words == " ".join(source.split())


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("a\nb", "within one line"),
        ("x\\", "lone backslash"),
        ("*x", "nothing before"),
        ("/a+/g", "a flag that ohara does not know"),
    ],
)
def test_what_cannot_be_a_regular_expression(source: str, message: str) -> None:
    if message.startswith("a flag"):
        with pytest.raises(QueryError, match=message):
            read(source)
    else:
        with pytest.raises(QueryError, match=message):
            read(source, Mode.REGEX)


def test_a_literal_of_two_lines_is_an_error() -> None:
    with pytest.raises(QueryError, match="within one line"):
        read("first\nsecond", Mode.LITERAL)
    with pytest.raises(QueryError, match="within one line"):
        read('some "words that\nwrap" here')


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (r"\author:bob x", "author:bob x"),
        (r"\removed: x", "removed: x"),
        (r"\"x", '"x'),
        (r"\/re/", "/re/"),
        (r"\d+ \\server", r"\d+ \\server"),
        (r"\auther:bob", "auther:bob"),
    ],
)
def test_a_backslash_makes_syntax_a_word(source: str, words: str) -> None:
    query = read(source)
    assert query.words == words
    assert replace(read(to_source(query)), source="") == replace(query, source="")


def test_writing_down_keeps_a_slash_from_closing_over_other_words() -> None:
    query = read("/foo author:x/y bar/")
    assert query.words == "/foo bar/"
    assert to_source(query) == r"\/foo bar/ author:x/y"


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ('author:"Bob Smith" x', 'x author:"Bob Smith"'),
        ("removed: x", "removed: x"),
        ('until:2023 "a \\"b\\""', '"a \\"b\\"" until:2023'),
        ("since:2024-05-01T12:00:01+02:00 x", "x since:2024-05-01T10:00:01Z"),
        ("/usr/local/bin x", "/usr/local/bin x"),
    ],
)
def test_writing_down(query: str, source: str) -> None:
    assert to_source(read(query), tz=UTC) == source


def test_a_query_of_any_length_is_answered_quickly_or_refused() -> None:
    hostile = "path:a " * (LONGEST_QUERY // 7 - 1) + "x"
    assert read(hostile, Mode.LITERAL).patterns == (Pattern("x"),)
    read("/a " * (LONGEST_QUERY // 3))
    read("a" * (LONGEST_QUERY - 2) + ":x")
    with pytest.raises(QueryError, match="more than 65,536"):
        read("x" * (LONGEST_QUERY + 1))


def test_importing_the_grammar_is_cheap() -> None:
    heavy = ["apsw", "msgspec", "numpy", "py_rust_stemmers", "pygit2", "re2", "tree_sitter", "textual"]
    check = f"import sys, ohara.query; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

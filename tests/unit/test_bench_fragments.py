"""What the benchmark asks: prose without the changelog's machinery, and nothing else lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bench.changelog import (
    ChangelogQuery,
    distinct,
    ignore_patterns,
    is_fragment,
    sample,
    touches_code,
)
from tests.bench.fragments import is_question, plain, prose_of

CHLOGGEN = """\
# One of 'breaking', 'deprecation', 'new_component', 'enhancement', 'bug_fix'
change_type: bug_fix

# The name of the component
component: exporterhelper

# A brief description of the change.
note: {note}

# One or more tracking issues
issues: [7384]
subtext:
"""


@pytest.mark.parametrize(
    ("path", "text", "prose"),
    [
        (
            "changelog/12849.bugfix.rst",
            "ANSI codes now handled correctly in :func:`pytest.fail` with ``pytrace=False``.\n",
            "ANSI codes now handled correctly in pytest.fail with pytrace=False.",
        ),
        (
            "changelog/1.feature.rst",
            ":func:`parser.addini <pytest.Parser.addini>` accepts types -- by :user:`someone`.",
            "parser.addini accepts types",
        ),
        (
            "changelog/2.rst",
            "Fixed `#1234 <https://x.org/1234>`__: a crash in `the plugin <https://x.org>`_ (#12, GH-7).",
            "a crash in the plugin.",
        ),
        (
            "news/3.bugfix",
            "Fix L{twisted.web.server.Site} and C{None} handling.",
            "Fix twisted.web.server.Site and None handling.",
        ),
        ("news/4.rst", "Allow ``a`` or ``b()``. See :issue:`12` and :pull:`13`.", "Allow a or b()."),
        (
            "news/5.rst",
            "Created ``.cache`` folders are private now. Patch by Jane Doe.",
            "Created .cache folders are private now.",
        ),
        ("news/6.rst", "Thing works again. Thanks to `Jane Doe`_ for the PR.", "Thing works again."),
        (
            "news/7.rst",
            "Add an option. Example:\n\n.. code-block:: python\n\n    def f():\n        pass\n\nMore words.",
            "Add an option. Example: More words.",
        ),
        (
            "news/8.rst",
            "Use it like this::\n\n    pytest --x\n    pytest --y\n\nand be happy.",
            "Use it like this: and be happy.",
        ),
        (
            ".changeset/tall-goats-warn.md",
            "---\n'@x/kit': patch\n'y': minor\n---\n\nfix: set `a.b` from the version ([#9](https://x.org/9))\n",
            "set a.b from the version",
        ),
        (
            ".changeset/a.md",
            '---\n"x": patch\n---\n\n[fix] forward cookie headers on etag response\n',
            "forward cookie headers on etag response",
        ),
        (
            ".changeset/b.md",
            "---\n'x': patch\n---\n\nfeat(vite)!: **drop** old\n```js\nexport const a = 1;\n```\n",
            "drop old",
        ),
        (".chloggen/a.yaml", CHLOGGEN.format(note="Fix a bug in `Offer` # not said"), "Fix a bug in Offer"),
        (
            ".chloggen/b.yaml",
            CHLOGGEN.format(note='"add `service.x` gate: on by default"'),
            "add service.x gate: on by default",
        ),
        (".chloggen/c.yaml", CHLOGGEN.format(note="|\n  Two lines\n  of note"), "Two lines of note"),
        (".chloggen/d.yaml", CHLOGGEN.format(note="wrapped over\n  two lines"), "wrapped over two lines"),
        (".chloggen/e.yaml", "change_type: breaking\n", ""),
        (
            "changelog.d/a.fix.md",
            "The `kafka` source no longer deadlocks.\n\nauthors: jane joe\n",
            "The kafka source no longer deadlocks.",
        ),
        (
            "changelog.d/b.md",
            "Supports [chunking](https://x.org/a_(b)#c) now, see https://x.org.",
            "Supports chunking now",
        ),
        ("changelog.d/c.md", "- first thing\n- second *thing*\n", "first thing second thing"),
    ],
)
def test_only_what_the_author_wrote_for_users_stays(path: str, text: str, prose: str) -> None:
    assert prose_of(path, text) == prose


@pytest.mark.parametrize(
    "text",
    [
        "Version 3.12 and PEP 563 stay, as do a[0] and **kwargs",
        "Use --no-header, -V and /etc/passwd; x == y and rwx------ too",
        "By default nothing changes, thanks to caching of results",
        "Handle C# and issue tracker urls",
    ],
)
def test_words_of_the_sentence_stay(text: str) -> None:
    assert plain(text) == text


@given(st.text())
def test_no_query_asks_for_an_exact_match_or_spans_lines(text: str) -> None:
    prose = plain(text)
    assert '"' not in prose
    assert "`" not in prose
    assert prose == " ".join(prose.split())


@pytest.mark.parametrize(("count", "asked"), [(4, False), (5, True), (60, True), (61, False)])
def test_a_question_has_a_length(count: int, asked: bool) -> None:
    assert is_question("word " * count) is asked


def test_one_sentence_is_one_query_whoever_added_it() -> None:
    words = "the same five words again"
    found = distinct(
        [("aaa", "news/1", f"{words}."), ("bbb", "news/2", words.upper()), ("ccc", "news/3", "too few words")]
    )
    assert [(query.answers, query.fragment) for query in found] == [(("aaa", "bbb"), "news/2")]


@given(st.permutations(range(30)), st.integers(0, 40))
def test_the_sample_depends_on_the_seed_alone(order: list[int], limit: int) -> None:
    queries = [ChangelogQuery(f"query {number}", (str(number),), "f") for number in range(30)]
    shuffled = [queries[number] for number in order]
    assert sample(shuffled, limit) == sample(queries, limit)
    assert len(sample(queries, limit)) == min(limit, 30)
    assert len(set(sample(queries, limit))) == min(limit, 30)


def test_another_seed_is_another_sample() -> None:
    queries = [ChangelogQuery(f"query {number}", (str(number),), "f") for number in range(30)]
    assert sample(queries, 10, seed=1) != sample(queries, 10, seed=2)


def test_code_is_told_from_words_about_it() -> None:
    assert touches_code(["docs/a.rst", "src/a.py"])
    assert not touches_code(["docs/a.rst", "README", "CHANGELOG.md", "package.json", "unknown.xyz"])


def test_the_tools_own_files_are_no_fragments() -> None:
    assert is_fragment("changelog/123.bugfix.rst")
    assert is_fragment("src/twisted/newsfragments/9374.bugfix")
    for path in (
        "changelog/README.rst",
        "changelog/_template.rst",
        ".changeset/config.json",
        "news/.gitignore",
    ):
        assert not is_fragment(path)


def test_the_index_reads_neither_fragments_nor_what_they_become() -> None:
    ignored = ignore_patterns(["changelog/*"])
    assert "/changelog/*" in ignored
    assert "CHANGELOG*" in ignored

"""What a person sees: complete, aligned at any width, coloured only when asked, harmless always."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.model import (
    AtHead,
    ChangeKind,
    Commit,
    Filters,
    Hit,
    HunkId,
    IndexStatus,
    LaneReport,
    LaneStatus,
    LiteralSpan,
    Match,
    Mode,
    Pass,
    PassStatus,
    Query,
    QueryClass,
    Results,
    Sha,
    SpanScope,
)
from ohara.present.columns import pieces, width_of, words
from ohara.present.commit import commit_lines
from ohara.present.style import Style, style_for
from ohara.present.text import (
    Page,
    hit_lines,
    span_lines,
    summary,
    warnings,
)
from ohara.present.times import DATE_STYLES, ago, rfc3339, written_date
from ohara.sanitize import sanitize

NOW = 1_700_000_000
DAY = 86_400
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def commit(**changes: object) -> Commit:
    values: dict[str, object] = {
        "sha": Sha("0123456789abcdef0123456789abcdef01234567"),
        "parents": (),
        "author": "Ada Lovelace",
        "email": "ada@example.invalid",
        "author_time": NOW - 3 * DAY,
        "author_offset": 60,
        "committer_time": NOW - 3 * DAY,
        "committer_offset": 60,
        "message": "Retry with backoff\n\nBody.",
    }
    return Commit(**(values | changes))  # type: ignore[arg-type]


def hit(**changes: object) -> Hit:
    values: dict[str, object] = {
        "rank": 1,
        "score": 0.9,
        "hunk": HunkId(7),
        "commit": commit(),
        "path": "src/client.py",
        "old_path": None,
        "kind": ChangeKind.MODIFIED,
        "line": 42,
        "old_line": 40,
        "header": "def send(self):",
        "symbol": "Client.send",
        "excerpt": " def send(self):\n-    post()\n+    retry(post)",
        "matches": (Match(2, 4, 9),),
        "lanes": {"text": 3, "vector": 1},
        "lane_scores": {"text": 12.5},
        "fused": 0.0312,
        "recency": 1.02,
    }
    return Hit(**(values | changes))  # type: ignore[arg-type]


def shown(found: Hit, **page: object) -> list[str]:
    return hit_lines(found, Page(now=NOW, **page))  # type: ignore[arg-type]


def test_hits_of_several_repositories_name_theirs() -> None:
    found = hit(repository="/home/me/par\x1bcel")
    assert "/home/me/par␛cel" in shown(found, several=True)[2]
    assert not any("/home/me" in line for line in shown(found))


def test_a_hit_in_a_pipe() -> None:
    assert shown(hit()) == [
        "1. 0123456789 · 3 days ago · Ada Lovelace",
        "   Retry with backoff",
        "   src/client.py:42 · Client.send",
        "     def send(self):",
        "   -     post()",
        "   +     retry(post)",
    ]


def test_what_else_is_known_is_told() -> None:
    found = hit(
        rank=12,
        kind=ChangeKind.RENAMED,
        old_path="src/old.py",
        symbol=None,
        more_in_commit=3,
        also_in=(Sha("a" * 40), Sha("b" * 40)),
    )
    lines = shown(found, explain=True)
    assert lines[0].startswith("12. 0123456789")
    assert lines[2] == "    src/old.py → src/client.py:42 (renamed)"
    assert lines[-2] == "    3 more hunks in this commit · also in aaaaaaaaaa, bbbbbbbbbb"
    assert lines[-1] == (
        "    text #3 (12.5) · vector #1 · fused 0.0312 · not reranked · recency 1.020 · score 0.9000"
    )
    assert "rerank 0.750" in shown(hit(rerank=0.75), explain=True)[-1]
    listed = hit(lanes={"literal": 4}, lane_scores={}, score=0.0, fused=0.0)
    assert shown(listed, explain=True)[-1] == "   literal #4"


def test_a_change_without_lines_or_words() -> None:
    bare = hit(commit=commit(message="\n"), excerpt="", matches=(), symbol=None, line=0, old_line=0)
    assert shown(bare)[1:] == ["   (no message)", "   src/client.py (modified)"]
    message_only = hit(path="", excerpt="", matches=(), symbol=None)
    assert shown(message_only) == ["1. 0123456789 · 3 days ago · Ada Lovelace", "   Retry with backoff"]


def test_colours_follow_the_diff_and_matches_are_emphasised() -> None:
    lines = shown(hit(), style=Style(coloured=True))
    assert [ESCAPES.sub("", line) for line in lines] == shown(hit())
    assert lines[-1] == "   \x1b[32m+\x1b[0m \x1b[32m    \x1b[0m\x1b[32;1;4mretry\x1b[0m\x1b[32m(post)\x1b[0m"
    assert lines[-2] == "   \x1b[31m-\x1b[0m \x1b[31m    post()\x1b[0m"
    assert lines[-3] == "     def send(self):"


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("coloured", [False, True])
def test_no_line_is_wider_than_the_terminal_and_nothing_is_lost(width: int, coloured: bool) -> None:
    long = "x = call(" + ", ".join(f"argument_{number}" for number in range(40)) + ")"
    found = hit(
        commit=commit(message="A subject that goes on and on " * 6, author="Ada " * 20),
        path="a/very/deep/folder/" * 6 + "file.py",
        excerpt=f"+{long}\n 上传进度上传进度上传进度上传进度上传进度上传进度上传进度上传进度 end\n-\ttab",
        matches=(Match(0, 4, 8), Match(1, 0, 4)),
        more_in_commit=2,
    )
    lines = [
        ESCAPES.sub("", line)
        for line in shown(found, width=width, style=Style(coloured=coloured), explain=True)
    ]
    assert max(map(width_of, lines)) <= width
    text = re.sub(r"\s+", "", "".join(lines))
    for whole in (long, found.path, found.commit.subject, "上传进度" * 8 + "end"):
        assert re.sub(r"\s+", "", whole) in text


def test_emphasis_survives_a_line_that_is_cut() -> None:
    found = hit(excerpt="+" + "a" * 30 + "match" + "b" * 30, matches=(Match(0, 30, 35),))
    lines = shown(found, width=40, style=Style(coloured=True))
    emphasised = "".join(re.findall(r"\x1b\[32;1;4m(.*?)\x1b\[0m", "".join(lines)))
    assert emphasised == "match"


HOSTILE = "\x1b]0;owned\x07 \x1b[2J\x9b31m \u202eevil\u2066 \x00\x08\r\u2028\x7f"


def test_nothing_hostile_reaches_the_terminal() -> None:
    found = hit(
        commit=commit(author=f"Mallory{HOSTILE}", message=f"Fix{HOSTILE}\nmore"),
        path=f"src/{HOSTILE}.py",
        old_path=f"old/{HOSTILE}.py",
        symbol=f"evil{HOSTILE}",
        excerpt=f"+{HOSTILE}code\n-{HOSTILE}",
        matches=(Match(0, 3, 9),),
    )
    for style in (Style(coloured=False), Style(coloured=True)):
        for width in (None, 40):
            for line in shown(found, width=width, style=style, explain=True):
                bare = ESCAPES.sub("", line)
                assert bare == sanitize(bare)
    assert "␛[2J" in "".join(shown(found))


@given(st.text(max_size=60), st.integers(0, 40))
def test_any_text_is_shown_inert_and_within_the_width(text: str, start: int) -> None:
    found = hit(
        commit=commit(message=text, author=text),
        excerpt="+" + text.replace("\n", " "),
        matches=(Match(0, start, start + 3),),
    )
    for line in shown(found, width=40, style=Style(coloured=True)):
        bare = ESCAPES.sub("", line)
        assert bare == sanitize(bare)
        assert width_of(bare) <= 40


@given(st.text("ab 中é\u0301🙂", max_size=60), st.integers(1, 30), st.integers(1, 30))
def test_pieces_are_the_text(text: str, first: int, later: int) -> None:
    cuts = list(pieces(text, first, later))
    assert "".join(text[start:end] for start, end in cuts) == text
    for number, (start, end) in enumerate(cuts):
        assert width_of(text[start:end]) <= max(2, later if number else first)
    assert "".join(words(text, first, later)).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (7_200, "2 hours ago"),
        (DAY, "1 day ago"),
        (13 * DAY, "1 week ago"),
        (70 * DAY, "2 months ago"),
        (365 * DAY, "11 months ago"),
        (800 * DAY, "2 years ago"),
        (-30, "just now"),
        (-DAY, "on 2023-11-15"),
    ],
)
def test_how_long_ago(seconds: int, said: str) -> None:
    assert ago(NOW - seconds, now=NOW) == said


def test_dates_are_rfc3339_whatever_a_commit_claims() -> None:
    assert rfc3339(NOW, 0) == "2023-11-14T22:13:20Z"
    assert rfc3339(NOW, -330) == "2023-11-14T16:43:20-05:30"
    assert rfc3339(NOW, 5_999) == "2023-11-14T22:13:20Z"
    assert rfc3339(10**18, 0) == "9999-12-31T23:59:59Z"
    assert rfc3339(-(10**18), 60).startswith("0001-01-01")


@pytest.mark.parametrize(
    ("choice", "terminal", "environment", "coloured"),
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", True, {"TERM": "dumb"}, False),
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {}, False),
    ],
)
def test_when_to_colour(choice: str, terminal: bool, environment: dict[str, str], coloured: bool) -> None:
    assert style_for(choice, terminal=terminal, environment=environment).coloured is coloured


# -- the answer as a whole -----------------------------------------------------------------------


def results(**changes: object) -> Results:
    index = IndexStatus(
        repository="/r", commits=120, indexed=100, behind=20, hunks=0, contents=0, symbols=0, size_bytes=0,
        passes=(), left_out=(), failures=(), refs=(), last_run=None,
    )  # fmt: skip
    values: dict[str, object] = {
        "query": Query("retry", "retry", (), Filters(), Mode.AUTO, QueryClass.PROSE),
        "hits": (hit(),),
        "lanes": (
            LaneReport("text", LaneStatus.OK, 40, 3.4),
            LaneReport("vector", LaneStatus.FAILED, 0, 1.0, "no \x1b[31mmodel"),
            LaneReport("symbol", LaneStatus.TIMEOUT, 0, 2000.0),
        ),
        "took_ms": 12.6,
        "fusion": "rrf",
        "index": index,
        "notes": ("only mentions are shown",),
    }
    return Results(**(values | changes))  # type: ignore[arg-type]


def test_the_summary_says_how_much_was_searched_and_how() -> None:
    assert summary(results()) == "1 hit in 100 of 120 commits · read as prose · 13 ms"
    assert summary(results(), explain=True) == (
        "1 hit in 100 of 120 commits · read as prose · "
        "text 40 in 3 ms · vector failed · symbol timeout · 13 ms"
    )


def test_a_lane_that_had_to_read_everything_says_so() -> None:
    lanes = (LaneReport("literal", LaneStatus.OK, 3, 900.0, "everything was read"),)
    assert "literal 3 in 900 ms (everything was read)" in summary(results(lanes=lanes), explain=True)


def test_a_commit_as_git_heads_it() -> None:
    found = commit(message="Subject \x1b[31m\n\nA body\twith a tab\nand \u202emore\n")
    lines = commit_lines(found, Page(now=NOW, date=""), refs=("main", "v1"), tag="v1")
    assert lines == [
        "commit 0123456789abcdef0123456789abcdef01234567 (main, v1)",
        "Author: Ada Lovelace <ada@example.invalid>",
        "Date:   2023-11-11T23:13:20+01:00 (3 days ago)",
        "First in: v1",
        "",
        "    Subject ␛[31m",
        "",
        "    A body    with a tab",
        "    and \N{REPLACEMENT CHARACTER}more",
    ]
    merge = commit(parents=(Sha("a" * 40), Sha("b" * 40)), message="")
    assert commit_lines(merge, Page(now=NOW, date="short"))[1:] == [
        "Merge: aaaaaaaaaa bbbbbbbbbb",
        "Author: Ada Lovelace <ada@example.invalid>",
        "Date:   2023-11-11",
        "",
        "    (no message)",
    ]


def test_what_an_excerpt_leaves_out_is_told() -> None:
    lines = shown(hit(above=2, below=1))
    assert lines[3:] == ["   …", "     def send(self):", "   -     post()", "   +     retry(post)", "   …"]
    assert not any(line.strip() == "…" for line in shown(hit()))


def test_names_of_other_commits_are_few_and_the_rest_is_counted() -> None:
    others = tuple(Sha(f"{number:040x}"[::-1]) for number in range(1, 10))
    assert shown(hit(also_in=others))[-1] == (
        "   also in " + ", ".join(sha[:10] for sha in others[:6]) + ", 3 more"
    )


@pytest.mark.parametrize(
    ("style", "written"),
    [
        ("relative", "3 days ago"),
        ("iso", "2023-11-11 23:13:20 +0100"),
        ("iso-strict", "2023-11-11T23:13:20+01:00"),
        ("short", "2023-11-11"),
        ("rfc", "Sat, 11 Nov 2023 23:13:20 +0100"),
        ("default", "Sat Nov 11 23:13:20 2023 +0100"),
        ("raw", "1699740800 +0100"),
        ("unix", "1699740800"),
        ("format:%d.%m.%Y %%Y", "11.11.2023 %Y"),
    ],
)
def test_dates_are_written_as_git_writes_them(style: str, written: str) -> None:
    assert shown(hit(), date=style)[0] == f"1. 0123456789 · {written} · Ada Lovelace"


@pytest.mark.parametrize("style", [*DATE_STYLES, "format:%c"])
@pytest.mark.parametrize("moment", [0, -(10**15), 10**15, 253402300799])
def test_any_moment_can_be_written(style: str, moment: int) -> None:
    assert written_date(moment, 5000, style, now=NOW)


def test_what_is_missing_is_told() -> None:
    assert warnings(results()) == [
        "the vector lane failed: no ␛[31mmodel",
        "the symbol lane ran out of time",
        "searched 100 of 120 commits",
        "only mentions are shown",
    ]


def test_a_lane_whose_pass_is_far_from_its_end_is_told() -> None:
    lanes = tuple(LaneReport(name, LaneStatus.OK, 1, 1.0) for name in ("text", "vector", "literal"))
    parts = [
        PassStatus(stage, done, 100)
        for stage, done in ((Pass.TEXT, 95), (Pass.LITERAL, 0), (Pass.SYMBOL, 0), (Pass.VECTOR, 30))
    ]
    index = replace(results().index, behind=0, passes=tuple(parts))
    assert warnings(results(lanes=lanes, index=index, notes=())) == [
        "the vector lane knows 30 of 100 commits (ohara index)"
    ]


def test_when_a_literal_came_and_went() -> None:
    first, last, head = Sha("a" * 40), Sha("b" * 40), Sha("c" * 40)
    page = Page(now=NOW)
    came = {"introduced": first, "introduced_time": NOW - 800 * DAY}
    span = LiteralSpan(first, NOW - 800 * DAY, last, NOW - 2 * DAY, ((2021, 3), (2023, 1)), **came)  # type: ignore[arg-type]
    changed = "introduced in aaaaaaaaaa (2 years ago), last changed in bbbbbbbbbb (2 days ago)"

    def said(**facts: object) -> str:
        (line,) = span_lines(replace(span, **facts), page, "line")  # type: ignore[arg-type]
        return line

    assert said() == f"{changed}; HEAD not checked"
    assert said(head=AtHead(head, 4, 2)) == f"{changed}; still on 4 lines at HEAD"
    assert said(head=AtHead(head, 1, 1, exact=False)) == f"{changed}; still on at least 1 line at HEAD"
    assert said(head=AtHead(head, 0, 0, exact=False)) == f"{changed}; HEAD not checked"
    assert said(head=AtHead(head, 0, 0)) == f"{changed}; not at HEAD"
    assert said(head=AtHead(head, 0, 0), gone=last, gone_time=NOW - 2 * DAY) == (
        "introduced in aaaaaaaaaa (2 years ago), gone since bbbbbbbbbb (2 days ago)"
    )
    assert said(last=first, head=AtHead(head, 1, 1)) == (
        "introduced in aaaaaaaaaa (2 years ago), not changed since; still on 1 line at HEAD"
    )
    assert said(introduced=None) == "first in aaaaaaaaaa (2 years ago), last in bbbbbbbbbb (2 days ago)"
    assert said(introduced=None, scope=SpanScope.INDEXED) == (
        "in the commits that are indexed, first in aaaaaaaaaa (2 years ago), last in bbbbbbbbbb (2 days ago);"
        " HEAD not checked"
    )
    assert said(introduced=None, scope=SpanScope.FILTERED, last=first) == (
        "within the filters, only in aaaaaaaaaa (2 years ago); HEAD not checked"
    )
    assert span_lines(span, Page(now=NOW, explain=True), "line")[1] == "commits by year: 2021: 3, 2023: 1"

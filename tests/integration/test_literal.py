"""Exact search over the scripted project: the commits of `git log -G` and `-S`, no more and no fewer."""

from __future__ import annotations

import math
import random
import re
import time
from typing import TYPE_CHECKING

import anyio
import pytest

from fixtures import golden
from fixtures.script import History
from ohara.errors import QueryError
from ohara.index.job import IndexOptions
from ohara.model import ChangeKind, Filters, Pass, Pattern, Polarity, Sha
from ohara.retrieve import scan
from ohara.retrieve.lanes import literal
from ohara.retrieve.lanes.literal import Hunt, LiteralAnswer, Verified
from ohara.retrieve.matching import Matcher
from ohara.store.reading import Interrupted
from ohara.store.sql.literal import bodies
from ohara.store.sqlite.filters import EVERYTHING, FtsFilter, compile_filters
from ohara.store.sqlite.pool import ReaderPool
from ohara.store.sqlite.reader import Reader
from ohara.store.sqlite.trigram_pieces import contents_with_trigrams
from tests.indexing import index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo
    from fixtures.golden import GoldenQuery
    from ohara.engine import Engine

EXACT = (Pass.TEXT, Pass.LITERAL)


@pytest.fixture(scope="module")
def indexed(shared_project: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(tmp_path_factory.mktemp("literal")))
        yield index(shared_project, IndexOptions(passes=frozenset(EXACT)))


@pytest.fixture(scope="module")
def database(indexed: Engine) -> Iterator[Reader]:
    reader = Reader(indexed.location.database)
    yield reader
    reader.close()


def answer(
    database: Reader,
    *patterns: Pattern,
    allowed: FtsFilter = EVERYTHING,
    limit: int | None = None,
    deadline_s: float = 60.0,
) -> LiteralAnswer:
    *_, last = literal.steps(database, patterns, allowed, limit=limit, deadline_s=deadline_s)
    assert isinstance(last, LiteralAnswer)
    return last


def git_finds(repo: Repo, *arguments: str) -> set[str]:
    return set(repo.git("log", "--no-merges", "--format=%H", *arguments, "HEAD").split())


def merges(repo: Repo) -> set[str]:
    return set(repo.git("rev-list", "--merges", "HEAD").split())


@pytest.mark.parametrize("query", [*golden.LITERALS, *golden.REGEXES], ids=lambda query: query.query)
def test_the_golden_patterns_find_exactly_their_commits(
    query: GoldenQuery, shared_project: Repo, database: Reader
) -> None:
    assert query.pattern is not None
    allowed = EVERYTHING
    if query.pathspecs:
        allowed = compile_filters(database, Filters(not_paths=("vendor/**",)))
    found = answer(database, query.pattern, allowed=allowed)
    assert {shared_project.key_of(sha) for sha in found.commits} == set(query.finds)
    assert found.complete


# Words that POSIX and RE2 read alike, with and without usable trigrams.
SHAPES = (
    "{a}", "^{a}", "{a}$", "{a}.*{b}", "({a}|{b})", "{a}[a-z_]*", "[{a}]{{3}}", "{a}?{b}", "{c}", "{c}+$",
    "^.{{1,3}}$", "{a}{{2}}|^{b}", "[^{c}]{a}", "{a}( |\\.|\\()", "^(from|import) ", "[0-9]+", "\\$",
    "[.]{a}",
)  # fmt: skip


def drawn_expressions(repo: Repo) -> list[str]:
    """Expressions made of words that the history changed, the same at every run."""
    chance = random.Random(20240601)  # noqa: S311 - a repeatable draw
    words = sorted(set(re.findall(r"[A-Za-z_]{2,12}", repo.git("log", "-p", "--format=", "HEAD"))))
    letters = "aeinrst_(:"
    return [
        shape.format(a=chance.choice(words), b=chance.choice(words), c=re.escape(chance.choice(letters)))
        for shape in SHAPES
        for _ in range(4)
    ]


def test_drawn_expressions_find_what_git_finds(shared_project: Repo, database: Reader) -> None:
    merged = merges(shared_project)
    differing = {}
    for source in drawn_expressions(shared_project):
        found = set(answer(database, Pattern(source, is_regex=True)).commits) - merged
        git = git_finds(shared_project, "-E", f"-G{source}")
        if found != git:
            differing[source] = [shared_project.key_of(sha) for sha in found ^ git]
    assert differing == {}


def test_case_is_ignored_as_git_ignores_it(shared_project: Repo, database: Reader) -> None:
    for source in ("UPLOAD", "Retr(y|ies)", "^IMPORT ", "max_attempts", "[A-Z]{4}_"):
        found = answer(database, Pattern(source, is_regex=True, flags="i"))
        git = git_finds(shared_project, "-E", "-i", f"-G{source}")
        assert set(found.commits) - merges(shared_project) == git, source
    beyond = answer(database, Pattern("TÉLÉ", is_regex=True, flags="i"))
    assert "latin1" in {shared_project.key_of(sha) for sha in beyond.commits}


def test_a_line_is_what_stands_before_its_end(shared_project: Repo, database: Reader) -> None:
    """Where git sees more: it also looks behind a line's end, so that ^$ matches every line there."""
    blank = set(answer(database, Pattern("^$", is_regex=True)).commits)
    spaced = set(answer(database, Pattern(r"\S\s+$", is_regex=True)).commits)
    git = git_finds(shared_project, "-E", "-G^$")
    assert blank - merges(shared_project) < git
    assert spaced - merges(shared_project) < git_finds(shared_project, "-E", "-G[^[:space:]][[:space:]]+$")
    assert shared_project.sha["crlf"] in spaced, "a carriage return is space"
    lengths = {line for sha in blank for line in shared_project.git("show", "--format=", sha).split("\n")}
    assert "+" in lengths


def test_every_commit_that_changes_the_number_of_a_literal_is_found(
    shared_project: Repo, database: Reader
) -> None:
    words = sorted(set(re.findall(r"[\w.]+\(", shared_project.git("log", "-p", "--format=", "HEAD"))))
    for text in random.Random(7).sample(words, 25):  # noqa: S311 - a repeatable draw
        found = set(answer(database, Pattern(text)).commits)
        assert git_finds(shared_project, f"-S{text}") <= found, text
        assert git_finds(shared_project, "-E", f"-G{re.escape(text)}") == found - merges(shared_project), text


def test_the_answer_is_newest_first_and_limited(shared_project: Repo, database: Reader) -> None:
    everything = answer(database, Pattern("upload"))
    assert everything.total == len(everything.hunks) > 10
    times = [found.time for found in everything.hunks]
    assert times == sorted(times, reverse=True)
    assert list(dict.fromkeys(found.sha.hex() for found in everything.hunks)) == list(everything.commits)
    order = shared_project.git("log", "--format=%H", "--date-order", "HEAD").split()
    assert everything.commits[0] == next(sha for sha in order if sha in everything.commits)
    limited = answer(database, Pattern("upload"), limit=3)
    assert limited.hunks == everything.hunks[:3]
    assert (limited.total, limited.commits) == (everything.total, everything.commits)


@pytest.mark.anyio
async def test_the_lane_answers_through_the_pool(indexed: Engine, database: Reader) -> None:
    with ReaderPool(indexed.location.database) as pool:
        found = await literal.search(pool, [Pattern("upload")], EVERYTHING, limit=2, deadline_s=60)
    assert found == answer(database, Pattern("upload"), limit=2)


@pytest.mark.anyio
async def test_a_scan_tells_how_far_it_is(indexed: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(literal, "_TURN_S", 0.0)
    send, receive = anyio.create_memory_object_stream[Verified](1_000)
    with ReaderPool(indexed.location.database) as pool:
        async with send, receive:
            found = await literal.search(
                pool, [Pattern("e")], EVERYTHING, limit=0, deadline_s=60, moments=send
            )
            told = [receive.receive_nowait() for _ in range(receive.statistics().current_buffer_used)]
    assert found.scanned
    assert found.complete
    assert 0 < told[-1].done < told[-1].total == found.candidates
    assert [moment.done for moment in told] == sorted({moment.done for moment in told})


def test_several_patterns_must_match_in_one_hunk(shared_project: Repo, database: Reader) -> None:
    both = answer(
        database,
        Pattern("hashlib.md5", polarity=Polarity.REMOVED),
        Pattern("hashlib.sha256", polarity=Polarity.ADDED),
    )
    assert [shared_project.key_of(sha) for sha in both.commits] == ["sha256"]
    assert answer(database, Pattern("hashlib.md5"), Pattern("urllib2")).total == 0


def test_filters_bound_the_answer(shared_project: Repo, database: Reader) -> None:
    deleted = compile_filters(database, Filters(kinds=(ChangeKind.DELETED,)))
    found = answer(database, Pattern("ftplib"), allowed=deleted)
    assert {shared_project.key_of(sha) for sha in found.commits} == {"remove-ftp"}
    scanned = answer(
        database,
        Pattern("{", polarity=Polarity.ADDED),
        allowed=compile_filters(database, Filters(langs=("go",))),
    )
    assert scanned.scanned
    expected = git_finds(shared_project, "-E", "-G[{]", "--", "*.go")
    assert expected
    assert set(scanned.commits) - merges(shared_project) <= expected


def test_a_pattern_without_trigrams_reads_everything_and_says_so(
    shared_project: Repo, database: Reader
) -> None:
    last = answer(database, Pattern(r"\?\?", is_regex=True))
    assert (last.scanned, last.complete) == (True, True)
    assert [shared_project.key_of(sha) for sha in last.commits] == ["resume-client"]
    contents = database.connection.execute("SELECT count(DISTINCT content_id) FROM hunk").get
    assert last.searched == last.candidates == contents


def test_a_deadline_ends_a_search_with_the_newest_searched(
    database: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = answer(database, Pattern("e"), deadline_s=0)
    assert (late.complete, late.commits) == (False, ())
    monkeypatch.setattr(literal, "_TURN_S", 0.0)
    hunt = Hunt([Pattern("e")], EVERYTHING, limit=None, ends=math.inf)
    first = hunt.advance(database)
    monkeypatch.setattr(hunt, "_ends", 0.0)
    some = hunt.advance(database)
    assert isinstance(first, Verified)
    assert isinstance(some, LiteralAnswer)
    assert (some.complete, some.searched, some.candidates) == (False, first.done, first.total)
    everything = answer(database, Pattern("e"))
    assert some.commits
    newest = {found.sha.hex() for found in everything.hunks[: len(some.hunks)]}
    assert set(some.commits) <= newest | {everything.commits[0]}


def test_commits_that_no_ref_reaches_do_not_answer(small_project: Repo) -> None:
    engine = index(small_project, IndexOptions(passes=frozenset(EXACT)))
    reader = Reader(engine.location.database)
    assert answer(reader, Pattern("UploadReceipt")).commits == (small_project.sha["attributes"],)
    small_project.git("reset", "--quiet", "--hard", f"{small_project.sha['attributes']}^")
    list(engine.index(IndexOptions(passes=frozenset(EXACT))))
    assert answer(reader, Pattern("UploadReceipt")).commits == ()
    reader.close()


def test_commits_that_the_literal_pass_has_not_reached_answer_too(three_commits: Repo) -> None:
    engine = index(three_commits, IndexOptions(passes=frozenset({Pass.TEXT})))
    reader = Reader(engine.location.database)
    assert contents_with_trigrams(reader.connection) == []
    found = answer(reader, Pattern("hello, world"))
    assert found.commits == (Sha(three_commits.sha["two"]),)
    assert not found.scanned
    reader.close()


@pytest.mark.parametrize(
    ("source", "said", "hint"),
    [
        ("a(b", "/a(b/ cannot be read: a parenthesis is not closed at character 2", "RE2"),
        (r"\(a))", "a closing parenthesis has no opening one at character 4", "RE2"),
        ("[(]x[a", "a bracket is not closed at character 5 ([a)", "RE2"),
        ("x(?=y)", "there is no such group at character 2", "looking ahead cannot be searched"),
        (r"(a)\1", "there is no such escape at character 4", "references to groups"),
        ("a{2000}", "a repeat counts too far, or backwards at character 2", "RE2"),
        ("ab\\", "it ends in a backslash at character 3", "RE2"),
    ],
)
def test_an_expression_that_cannot_be_read_says_what_and_where(source: str, said: str, hint: str) -> None:
    with pytest.raises(QueryError) as refused:
        Matcher(Pattern(source, is_regex=True))
    assert said in refused.value.message
    assert hint in refused.value.hint


@pytest.mark.parametrize("text", ["two\nlines", "lone \udcff surrogate"])
def test_a_text_that_cannot_be_on_a_line_is_refused(text: str) -> None:
    with pytest.raises(QueryError):
        Matcher(Pattern(text))


def test_an_expression_that_is_too_large_is_refused_in_one_short_line() -> None:
    with pytest.raises(QueryError) as refused:
        Matcher(Pattern(r"\pL{1,900}" * 2, is_regex=True))
    assert "it is too large: compiled, it takes more than 16 MiB" in refused.value.message
    assert len(refused.value.message) < 200
    assert "count less" in refused.value.hint


WORDS = "|".join(["retry", "resume", *(f"w{number}o{number}rd" for number in range(1_000))])


@pytest.mark.parametrize(
    ("source", "for_git"),
    [
        (WORDS, WORDS),
        ("((re){1,3}(t|s)?){1,20}ry", "((re){1,3}(t|s)?){1,20}ry"),
        (".{0,1000}retry.{0,1000}", "retry"),
        ("^.{0,200}retry.{0,200}$", "retry"),
        (".{3,1000}retry.{2,}", ".{3}retry.{2}"),
        ("(x*)*(retry)+", "retry"),
        ("(?s).*", None),
        ("x*", None),
        ("(?:)|retry", None),
    ],
    ids=lambda source: (source or "all")[:20],
)
def test_expressions_that_are_a_lot_to_search_for_find_what_git_finds(
    source: str, for_git: str | None, shared_project: Repo, database: Reader
) -> None:
    found = answer(database, Pattern(source, is_regex=True))
    assert found.complete
    everything = Pattern(".|^$", is_regex=True)
    if for_git is None:
        assert found.commits == answer(database, everything).commits
    else:
        assert found.commits
        assert set(found.commits) - merges(shared_project) == git_finds(shared_project, "-E", f"-G{for_git}")


@pytest.mark.parametrize("size", [1, 7, 64, 1_000])
def test_a_search_in_pieces_finds_what_a_search_at_once_does(
    size: int, database: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "_FIRST_BYTES", size)
    monkeypatch.setattr(scan, "_MOST_BYTES", size)
    contents = [int(str(row[0])) for row in database.connection.execute("SELECT id FROM content")]
    texts = list(bodies(database, contents).values())
    for source in ("retry", "^import", r"\bself\b.*$", "(^|x)def", r"\A\s+return", "x*"):
        for polarity in Polarity:
            matcher = Matcher(Pattern(source, True, "", polarity))
            piecemeal = scan.Scan(matcher, math.inf, lambda: None)
            assert piecemeal.sides(texts) == matcher.sides(texts)


def test_a_line_that_would_outlast_the_deadline_is_not_begun() -> None:
    matcher = Matcher(Pattern("a.{0,999}h.{0,999}9", is_regex=True))
    ends = time.monotonic() + 5
    piecemeal = scan.Scan(matcher, ends, lambda: None)
    with pytest.raises(scan.OutOfTime):
        piecemeal.sides([b"+" + b"abcdefgh" * 2_000_000])
    assert time.monotonic() < ends


def test_who_no_longer_waits_stops_a_search_between_two_pieces() -> None:
    def gone() -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        scan.Scan(Matcher(Pattern("x")), math.inf, gone).sides([b"+x"])


def test_an_expression_that_would_blow_up_elsewhere_answers(database: Reader) -> None:
    found = answer(database, Pattern("(a*)*(a|aa)+$(x|y)?" * 5, is_regex=True))
    assert found.complete


def test_curious_letters_fold_as_the_required_trigrams_assume(tmp_path: Path) -> None:
    with History(tmp_path / "odd") as history:
        history.commit("Odd", {"odd.txt": "\u212aelvin and \u017felf\n"}, key="odd")
    engine = index(history.repo, IndexOptions(passes=frozenset(EXACT)))
    reader = Reader(engine.location.database)
    for source in ("kelvin", "SELF", "and [s]elf"):
        found = answer(reader, Pattern(source, is_regex=True, flags="i"))
        assert (len(found.commits), found.scanned) == (1, False), source
    assert answer(reader, Pattern("kelvin")).commits == ()
    reader.close()

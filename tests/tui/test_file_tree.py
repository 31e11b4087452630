"""Files become a tree that loses none of them, and histories are asked about what is meant."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ohara.model import ChangedFile, ChangeKind, IndexStatus, Match, Pass, PassStatus, Progress, Sha
from ohara.wire import JobState, Registered
from tests.tui.hits import COMMIT, hit
from tui.diff.context import marked_like
from tui.file_tree import tree_of
from tui.repositories import RepositoryInfo, bar, details, freshness, is_about, list_repositories, with_job
from tui.trace import Trace, trace_of_hit, trace_of_line
from tui.widgets.cursor_view import SelectedLine


def file(path: str, added: int = 1, removed: int = 0) -> ChangedFile:
    return ChangedFile(ChangeKind.MODIFIED, path, None, added, removed, hunks=1)


def test_a_folder_with_a_single_way_down_is_one_row_with_it() -> None:
    files = [
        file("src/net/io/b.py", 2, 1),
        file("src/net/io/a.py"),
        file("README"),
        file("src/net/x.py", 0, 5),
    ]
    assert [(row.depth, row.name, row.file, row.additions, row.deletions) for row in tree_of(files)] == [
        (0, "README", 2, 1, 0),
        (0, "src/net/", None, 3, 6),
        (1, "io/", None, 3, 1),
        (2, "a.py", 1, 1, 0),
        (2, "b.py", 0, 2, 1),
        (1, "x.py", 3, 0, 5),
    ]


@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=5).map("/".join), unique=True, max_size=30)
)
def test_every_file_has_one_row_in_the_order_of_the_diff_and_the_way_to_it_is_its_path(
    paths: list[str],
) -> None:
    rows = tree_of([file(path) for path in paths])
    assert [paths[row.file] for row in rows if row.file is not None] == sorted(paths)
    way: dict[int, str] = {}
    for row in rows:
        above = "".join(way[depth] for depth in range(row.depth))
        way[row.depth] = row.name
        if row.file is not None:
            assert above + row.name == paths[row.file]


def test_folders_may_be_deeper_than_calls_nest() -> None:
    deep = "/".join(["d", "x"] * 3_000)
    assert [row.file for row in tree_of([file(deep), file("d/y")])][-1] == 1


# -- what is traced ----------------------------------------------------------------------------------


def test_a_hit_asks_for_the_lines_it_changed_and_those_that_matched_first() -> None:
    body = " a\n-b\n+c\n+d\n e"
    assert trace_of_hit(hit(body)) == Trace(COMMIT.sha, "net/client.py", 11, 12)
    marked = hit(body, matches=(Match(3, 0, 1),), symbol="serve")
    assert trace_of_hit(marked) == Trace(COMMIT.sha, "net/client.py", 12, 12, "serve")
    assert trace_of_hit(marked).label == "serve in net/client.py"  # type: ignore[union-attr]
    assert trace_of_hit(hit("")) is None


def test_what_was_only_removed_is_looked_for_in_the_parent() -> None:
    gone = hit(" a\n-b\n-c", path="new.py", old_path="old.py", old_top=7)
    assert trace_of_hit(gone) == Trace("2e" * 20, "old.py", 8, 9)
    assert trace_of_hit(replace(gone, commit=replace(COMMIT, parents=()))) is None
    assert trace_of_line(SelectedLine(gone, True, 8, "b")) == Trace("2e" * 20, "old.py", 8, 8)
    assert trace_of_line(SelectedLine(gone, False, 10, "a")) == Trace(COMMIT.sha, "new.py", 10, 10)


def test_marks_of_an_excerpt_stand_in_the_whole_hunk() -> None:
    whole = hit(" a\n b\n+c\n d")
    assert marked_like(whole, hit("+c\n d", matches=(Match(0, 0, 1),))).matches == (Match(2, 0, 1),)
    assert marked_like(whole, hit("+other", matches=(Match(0, 0, 1),))).matches == ()


# -- repositories ------------------------------------------------------------------------------------


def status(path: str, *, behind: int = 0, symbols: int = 10) -> IndexStatus:
    passes = (PassStatus(Pass.TEXT, 10, 10), PassStatus(Pass.SYMBOL, symbols, 10))
    return IndexStatus(
        path, 10 + behind, 10, behind, 30, 20, 5, 4096, passes, (), (), (("HEAD", Sha("a" * 40)),), None
    )


def test_repositories_say_how_they_stand() -> None:
    found = [
        Registered("/src/zebra", "f", 1, status("/src/zebra")),
        Registered("/src/Ant", "f", 1, status("/src/Ant", behind=3)),
        Registered("/gone", "f", 1, None, "the repository is gone", "ohara forget /gone"),
        Registered("/src/new", "f", 1, status("/src/new", symbols=5)),
    ]
    known = list_repositories(found, None)
    assert [(each.name, freshness(each)) for each in known] == [
        ("Ant", ("3 behind", "warning")),
        ("gone", ("the repository is gone", "bad")),
        ("new", ("symbol ━━━━━╌╌╌╌╌  50%", "accent")),
        ("zebra", ("up to date", "good")),
    ]
    assert details(known[1], now=0.0)[1:] == [
        ("fault", "the repository is gone"),
        ("hint", "ohara forget /gone"),
    ]
    assert ("commits", "10 of 13 indexed") in details(known[0], now=0.0)


def test_news_are_about_one_repository() -> None:
    known = (RepositoryInfo("/src/a", 1, None), RepositoryInfo("/src/b.git", 1, None))
    job = JobState("/src/a/.git", "progress", "asked", Progress(Pass.TEXT, 25, 100, 40, 5.0))
    assert is_about(job, "/src/a")
    assert not is_about(job, "/src")
    after = with_job(known, job)
    assert freshness(after[0]) == ("text ━━╌╌╌╌╌╌╌╌  25% 15 s left", "accent")
    assert (after[0].is_busy, after[1].job) == (True, None)
    assert is_about(JobState("/src/b.git", "running", ""), "/src/b.git")
    assert freshness(with_job(known, JobState("/src/b.git", "failed", "", detail="disk full"))[1]) == (
        "disk full",
        "warning",
    )


def test_a_bar_is_full_only_at_the_end() -> None:
    assert (bar(0, 0), bar(999, 1000), bar(0, 9)) == ("━━━━━━━━━━ 100%", "━━━━━━━━━╌ 100%", "╌╌╌╌╌╌╌╌╌╌   0%")

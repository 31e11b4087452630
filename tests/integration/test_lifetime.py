"""When a text came, changed and went is told of the whole history and of HEAD, as git has it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import anyio
import pytest

from fixtures.clones import linked_worktree, shallow_clone
from fixtures.script import History
from ohara.engine import Engine
from ohara.index.job import IndexOptions
from ohara.index.plan import Limits
from ohara.model import Pass, SearchOptions, SpanScope
from ohara.query import parse
from tests.indexing import index
from tests.process import ohara

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.model import LiteralSpan

EXACT = frozenset({Pass.TEXT, Pass.LITERAL})
WORDS = ["import", "hashlib.md5", "urllib2", "retry", "def ", "ftplib", "parcel", "return", "chunk", "Upload"]
FILTERS = [
    "",
    "removed:",
    "added:",
    "since:2022",
    "until:2021",
    "path:server/",
    "author:ada",
    "kind:modified",
]


def span_of(repo: Repo | Path, source: str, **options: object) -> LiteralSpan | None:
    engine = Engine.open(repo if not hasattr(repo, "path") else repo.path)
    now = int(time.time())
    plan = engine.search.plan(SearchOptions(now=now, k=1, **options))  # type: ignore[arg-type]
    return anyio.run(engine.search.find, parse(source, now=now), plan).literal


def found(repo: Repo | Path, source: str) -> LiteralSpan:
    span = span_of(repo, source)
    assert span is not None, source
    return span


def lines_at_head(repo: Repo, text: str) -> int:
    try:
        counts = repo.git("grep", "-I", "-c", "-F", "-e", text, "HEAD")
    except Exception:  # noqa: BLE001 - git says so when nothing matches
        return 0
    return sum(int(line.rpartition(":")[2]) for line in counts.splitlines())


@pytest.fixture
def indexed(ohara_home: Path) -> Callable[[Repo], Repo]:
    del ohara_home

    def make(repo: Repo) -> Repo:
        index(repo, IndexOptions(passes=EXACT, lock_wait_s=10))
        return repo

    return make


def test_it_agrees_with_git_under_every_filter(shared_project: Repo, indexed: Callable[[Repo], Repo]) -> None:
    repo = indexed(shared_project)
    asked = 0
    for word in WORDS:
        # By time, as ohara orders a history without a wrong clock; git's -S looks at no merges.
        first = repo.git("log", "-S", word, "--format=%H", "--reverse", "--no-merges").split("\n", 1)[0]
        standing = lines_at_head(repo, word)
        for bound in FILTERS:
            source = f'{bound}"{word}"' if bound in {"removed:", "added:"} else f'{bound} "{word}"'
            span = span_of(repo, source)
            if span is None:
                continue
            asked += 1
            assert span.scope is SpanScope.HISTORY
            assert span.introduced == first, source
            assert span.head is not None
            assert (span.head.lines, span.head.exact) == (standing, True), source
            assert (span.gone is not None) <= (standing == 0), source
    assert asked > 40


def test_what_is_gone_is_gone_since_the_commit_that_took_it(
    shared_project: Repo, indexed: Callable[[Repo], Repo]
) -> None:
    repo = indexed(shared_project)
    span = found(repo, '"urllib2"')
    assert span.gone == repo.sha["drop-python2"]
    assert found(repo, 'added:"urllib2"').gone == span.gone
    assert found(repo, 'until:2021 "urllib2"') == span
    said = ohara("find", "--repo", str(repo.path), "-k", "1", 'since:2022 "import"').stdout
    assert " at HEAD\n" in said
    assert "last removed" not in said


def test_a_removal_in_one_place_is_not_the_end_of_it(tmp_path: Path, indexed: Callable[[Repo], Repo]) -> None:
    with History(tmp_path / "moved") as history:
        history.commit("a", {"a.txt": "needle one\nx\n", "b.txt": "needle two\n"}, key="both")
        history.commit("b", {"a.txt": "x\n"}, key="less")
    span = found(indexed(history.repo), 'removed:"needle"')
    assert span.introduced == history.repo.sha["both"]
    assert (span.last, span.gone) == (history.repo.sha["less"], None)
    assert span.head is not None
    assert (span.head.commit, span.head.lines, span.head.files) == (history.repo.sha["less"], 1, 1)


def test_a_renamed_file_is_followed_to_head(tmp_path: Path, indexed: Callable[[Repo], Repo]) -> None:
    text = "".join(f"line {number}\n" for number in range(20))
    with History(tmp_path / "renamed") as history:
        history.commit("a", {"old.txt": text + "needle\nneedle again\n"}, key="made")
        history.commit("b", {"old.txt": None, "new/place.txt": text + "needle\nneedle again\n"}, key="moved")
        history.commit("c", {"new/place.txt": None, "far.txt": text + "needle\nneedle again\n"}, key="again")
    span = found(indexed(history.repo), '"needle"')
    assert span.introduced == history.repo.sha["made"]
    assert span.head is not None
    assert (span.head.lines, span.head.files) == (2, 1)


def test_commits_of_one_second_are_told_apart_by_their_parents(
    tmp_path: Path, indexed: Callable[[Repo], Repo]
) -> None:
    repo = History(tmp_path / "instant").repo
    for number in range(12):  # plain git, all in the second that the fixture's clock stands at
        (repo.path / "a.txt").write_text("".join(f"needle {each}\n" for each in range(number + 1)))
        repo.git("add", "-A")
        repo.git("commit", "-q", "-m", f"commit {number}")
    shas = repo.git("log", "--format=%H", "--reverse").split()
    span = found(indexed(repo), '"needle"')
    assert (span.introduced, span.last) == (shas[0], shas[-1])


def test_an_index_that_lacks_commits_claims_no_introduction(
    shared_project: Repo, tmp_path: Path, ohara_home: Path
) -> None:
    del ohara_home
    index(shared_project, IndexOptions(passes=EXACT, limits=Limits(max_commits=20), lock_wait_s=10))
    partial = found(shared_project, '"import"')
    assert (partial.scope, partial.introduced, partial.gone) == (SpanScope.INDEXED, None, None)
    assert partial.head is None or not partial.head.exact
    shallow = shallow_clone(shared_project, tmp_path / "shallow")
    index(shallow, IndexOptions(passes=EXACT, lock_wait_s=10))
    assert found(shallow, '"import"').scope is SpanScope.INDEXED


def test_head_is_that_of_the_work_tree_one_is_in(
    small_project: Repo, tmp_path: Path, ohara_home: Path
) -> None:
    del ohara_home
    linked = linked_worktree(small_project, tmp_path / "linked")
    (linked.path / "added.txt").write_text("only in the linked tree\n")
    linked.git("add", "-A")
    linked.git("commit", "-q", "-m", "linked")
    index(linked.path, IndexOptions(passes=EXACT, lock_wait_s=10))
    here = found(linked.path, '"only in the linked tree"')
    assert here.head is not None
    assert (here.head.commit, here.head.lines) == (linked.git("rev-parse", "HEAD").strip(), 1)
    there = found(small_project, '"only in the linked tree"')
    assert there.gone is None
    assert there.head is None or there.head.lines == 0


def test_terms_that_must_come_together_have_no_place_at_head(
    shared_project: Repo, indexed: Callable[[Repo], Repo]
) -> None:
    span = found(indexed(shared_project), 'removed:"hashlib.md5" added:"hashlib.sha256"')
    assert span.first == span.last == shared_project.sha["sha256"]
    assert (span.introduced, span.gone, span.head) == (None, None, None)

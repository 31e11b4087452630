"""What browsing asks of the service: commits with their kin, the history of lines and symbols, blame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixtures.large import many_commits
from fixtures.script import History
from fixtures.tree import Edit, MovedFrom
from ohara import client, wire
from ohara.errors import IndexMissing, RepositoryError, UsageError
from ohara.model import ChangedFile, ChangeKind, LeftOut, NameKind, Place
from tests.daemon import service, wait_until
from tests.indexing import index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.client import Client

START = """\
import socket


def connect(host):
    return socket.create_connection((host, 80))


def close(link):
    link.close()
"""


def story(path: Path) -> Repo:
    """A function that grows, moves with its file, and is changed on both sides of a merge."""
    with History(path) as history:
        history.commit("Start", {"net.py": START, "README": "net\n"}, key="start")
        history.commit("Use https", {"net.py": Edit("80))", "443))")}, key="https")
        history.commit("Say more", {"README": "net, a client\n"}, key="readme")
        history.commit("Move", {"lib/net.py": MovedFrom("net.py"), "logo.png": b"\x89PNG\0\0"}, key="move")
        history.branch("side")
        history.commit(
            "Close twice",
            {"lib/net.py": Edit("    link.close()", "    link.close()\n    link.close()")},
            key="twice",
        )
        history.switch("main")
        history.commit("Time out", {"lib/net.py": Edit("443))", "443), timeout=5)")}, key="timeout")
        both = START.replace("80))", "443), timeout=5)").replace(
            "    link.close()", "    link.close()\n    link.close()"
        )
        history.merge("Merge side", "side", changes={"lib/net.py": both}, key="merge")
        history.commit(
            "Head it", {"lib/net.py": Edit("import socket", '"""Net."""\n\nimport socket')}, key="doc"
        )
        history.commit("Wait longer", {"lib/net.py": Edit("timeout=5", "timeout=9")}, key="longer")
    return history.repo


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("browse")


@pytest.fixture(scope="module")
def repo(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repo]:
    """The story, indexed and served by one service for all tests here."""
    repo = story(tmp_path_factory.mktemp("story") / "net")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(home))
        index(repo)
        with service(home, patch):
            yield repo


@pytest.fixture
def ohara(repo: Repo, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:  # noqa: ARG001 - served
    monkeypatch.setenv("OHARA_HOME", str(home))
    with client.connect() as connection:
        yield connection


def test_a_commit_is_told_with_its_kin_files_and_names(repo: Repo, ohara: Client) -> None:
    repo.git("tag", "v1", repo.sha["move"])
    told = ohara.send(wire.Describe(repo=str(repo.path), commit=repo.sha["move"][:8])).details
    assert (told.commit.sha, told.commit.subject, told.refs) == (repo.sha["move"], "Move", ("v1",))
    assert (told.committer, told.committer_email) == (told.commit.author, told.commit.email)
    assert [(each.sha, each.subject) for each in told.parents] == [(repo.sha["readme"], "Say more")]
    assert [each.subject for each in told.children] == ["Close twice", "Time out"]
    assert told.files == (
        ChangedFile(ChangeKind.RENAMED, "lib/net.py", "net.py", 0, 0, hunks=0),
        ChangedFile(ChangeKind.ADDED, "logo.png", None, 0, 0, hunks=0, left_out=LeftOut.BINARY),
    )
    https = ohara.send(wire.Describe(repo=str(repo.path), commit=repo.sha["https"])).details.files
    assert [(file.additions, file.deletions, file.hunks) for file in https] == [(1, 1, 1)]
    merge = ohara.send(wire.Describe(repo=str(repo.path), commit="HEAD~2")).details
    assert [each.subject for each in merge.parents] == ["Time out", "Close twice"]
    assert merge.files == ()
    with pytest.raises(RepositoryError, match="named nowhere"):
        ohara.send(wire.Describe(repo=str(repo.path), commit="nowhere"))


def test_the_history_of_lines_goes_through_renames_and_merges(repo: Repo, ohara: Client) -> None:
    head = repo.sha["longer"]
    (line,) = [
        number
        for number, text in enumerate(
            ohara.send(
                wire.Lines(repo=str(repo.path), commit=head, path="lib/net.py", first=1, last=99)
            ).lines,
            1,
        )
        if "create_connection" in text
    ]
    told = ohara.send(
        wire.HistoryRequest(repo=str(repo.path), commit=head, path="lib/net.py", first=line, last=line)
    ).history
    assert [repo.key_of(hit.commit.sha) for hit in told.hits] == ["longer", "timeout", "https", "start"]
    assert (told.paths, told.note) == (("lib/net.py", "net.py"), "")
    newest = told.hits[0]
    marked = [newest.excerpt.split("\n")[match.line] for match in newest.matches]
    assert [text.strip("+- ") for text in marked] == [
        "return socket.create_connection((host, 443), timeout=5)",
        "return socket.create_connection((host, 443), timeout=9)",
    ]
    closing = ohara.send(
        wire.HistoryRequest(
            repo=str(repo.path), commit=head, path="lib/net.py", first=line + 4, last=line + 5
        )
    ).history
    assert [repo.key_of(hit.commit.sha) for hit in closing.hits] == ["twice", "start"]
    short = ohara.send(
        wire.HistoryRequest(repo=str(repo.path), commit=head, path="lib/net.py", first=line, last=line, k=2)
    ).history
    assert (len(short.hits), short.note) == (2, "only the newest 2 are shown")
    assert (
        ohara.send(
            wire.HistoryRequest(repo=str(repo.path), commit=head, path="gone.py", first=1, last=1)
        ).history.note
        == f"there is no file gone.py in {head[:10]}"
    )


def test_the_history_of_a_symbol_follows_its_file(repo: Repo, ohara: Client) -> None:
    told = ohara.send(
        wire.HistoryRequest(repo=str(repo.path), commit="HEAD", path="lib/net.py", symbol="connect")
    ).history
    assert [repo.key_of(hit.commit.sha) for hit in told.hits] == ["longer", "timeout", "https", "start"]
    assert (told.paths, told.note) == (("lib/net.py", "net.py"), "")
    (*_, first) = told.hits
    marked = [
        first.excerpt.split("\n")[match.line][match.start + 1 : match.end + 1] for match in first.matches
    ]
    assert set(marked) == {"connect"}
    assert (
        ohara.send(
            wire.HistoryRequest(repo=str(repo.path), commit="HEAD", path="README", symbol="connect")
        ).history.hits
        == ()
    )
    everywhere = ohara.send(
        wire.HistoryRequest(repo=str(repo.path), commit="HEAD", path="", symbol="close")
    ).history
    assert [repo.key_of(hit.commit.sha) for hit in everywhere.hits] == ["twice", "start"]


def test_blame_walks_from_parent_to_parent(repo: Repo, ohara: Client) -> None:
    at = Place(repo.sha["longer"], "lib/net.py", 7)
    walked: list[tuple[str, str, int]] = []
    while True:
        origin = ohara.send(wire.Blame(repo=str(repo.path), commit=at.sha, path=at.path, line=at.line)).origin
        walked.append((repo.key_of(origin.commit.sha), origin.place.path, origin.place.line))
        if origin.before is None:
            break
        assert origin.was_there
        at = origin.before
    assert walked == [
        ("longer", "lib/net.py", 7),
        ("timeout", "lib/net.py", 5),
        ("https", "net.py", 5),
        ("start", "net.py", 5),
    ]
    born = ohara.send(wire.Blame(repo=str(repo.path), commit="HEAD", path="lib/net.py", line=1)).origin
    assert (repo.key_of(born.commit.sha), born.was_there) == ("doc", False)
    assert born.before == Place(repo.sha["merge"], "lib/net.py", 1)
    said = repo.git("blame", "-L", "7,7", "--porcelain", "HEAD", "--", "lib/net.py").split()[0]
    assert said == repo.sha["longer"]
    with pytest.raises(RepositoryError, match="cannot be traced"):
        ohara.send(wire.Blame(repo=str(repo.path), commit="HEAD", path="lib/net.py", line=999))


def test_lines_come_as_the_file_has_them(repo: Repo, ohara: Client) -> None:
    assert ohara.send(
        wire.Lines(repo=str(repo.path), commit=repo.sha["https"], path="net.py", first=4, last=5)
    ).lines == (
        "def connect(host):",
        "    return socket.create_connection((host, 443))",
    )
    assert ohara.send(
        wire.Lines(repo=str(repo.path), commit="HEAD", path="README", first=1, last=50)
    ).lines == ("net, a client",)
    with pytest.raises(RepositoryError, match=r"no file net\.py"):
        ohara.send(wire.Lines(repo=str(repo.path), commit="HEAD", path="net.py", first=1, last=2))
    with pytest.raises(UsageError, match="lines 5 to 2 are none"):
        ohara.send(wire.Lines(repo=str(repo.path), commit="HEAD", path="README", first=5, last=2))


def test_the_remote_is_told_if_there_is_one(repo: Repo, ohara: Client) -> None:
    assert ohara.send(wire.Remote(repo=str(repo.path))).url is None
    repo.git("remote", "add", "origin", "git@github.com:me/net.git")
    assert ohara.send(wire.Remote(repo=str(repo.path))).url == "git@github.com:me/net.git"


def test_only_indexed_repositories_are_browsed(repo: Repo, ohara: Client, tmp_path: Path) -> None:
    other = repo.copy_to(tmp_path / "other")
    for ask in (
        lambda: ohara.send(wire.Describe(repo=str(other.path), commit="HEAD")).details,
        lambda: ohara.send(wire.Lines(repo=str(other.path), commit="HEAD", path="README", first=1, last=1)),
        lambda: ohara.send(wire.HistoryRequest(repo=str(other.path), commit="HEAD", path="README")).history,
        lambda: ohara.send(wire.Blame(repo=str(other.path), commit="HEAD", path="README", line=1)).origin,
        lambda: ohara.send(wire.Remote(repo=str(other.path))).url,
        lambda: ohara.send(wire.Stop(repo=str(other.path))),
    ):
        with pytest.raises(IndexMissing):
            ask()


def test_a_repository_that_waits_to_be_indexed_is_taken_off_the_list(
    repo: Repo, ohara: Client, tmp_path: Path
) -> None:
    waiting = repo.copy_to(tmp_path / "waiting")  # not indexed yet: nothing but a request queues it
    queued = str(waiting.path / ".git")
    ohara.send(wire.Pause())
    try:
        ohara.send(wire.Index(repo=str(waiting.path)))
        assert queued in ohara.send(wire.HealthCheck()).queued
        ohara.send(wire.Stop(repo=str(waiting.path)))
        assert queued not in ohara.send(wire.HealthCheck()).queued
    finally:
        ohara.send(wire.Resume())
    ohara.send(wire.Index(repo=str(waiting.path)))
    assert wait_until(
        lambda: not (health := ohara.send(wire.HealthCheck())).queued and health.running is None
    )
    assert ohara.send(wire.Status(repo=str(waiting.path))).status.behind == 0


def test_every_line_is_blamed_as_git_blames_it(repo: Repo, ohara: Client) -> None:
    said = repo.git("blame", "-l", "-s", "--root", "HEAD", "--", "lib/net.py").splitlines()
    by_git = [line.split()[0] for line in said]
    assert len(set(by_git)) == 4
    for line, sha in enumerate(by_git, 1):
        assert (
            ohara.send(
                wire.Blame(repo=str(repo.path), commit="HEAD", path="lib/net.py", line=line)
            ).origin.commit.sha
            == sha
        ), line


def test_a_repository_is_indexed_no_further_once_it_is_stopped(
    repo: Repo, ohara: Client, tmp_path: Path
) -> None:
    large = many_commits(tmp_path / "large", 5_000)
    assert repo.path != large.path
    with client.connect() as listening:
        happening = listening.events()
        ohara.send(wire.Index(repo=str(large.path)))
        for job in happening:
            if job.repository == str(large.path) and job.state == "progress":
                break
        ohara.send(wire.Stop(repo=str(large.path)))
        last = next(
            job for job in happening if job.repository == str(large.path) and job.state in {"failed", "done"}
        )
    assert (last.state, last.detail) == ("failed", "stopped; what was read stays searchable")
    assert wait_until(lambda: ohara.send(wire.HealthCheck()).running is None)
    watched = str(large.git_dir)
    assert wait_until(lambda: watched in ohara.send(wire.HealthCheck()).watched)
    for _ in range(50):  # the service found its index, and goes on with other things
        health = ohara.send(wire.HealthCheck())
        assert (health.running, health.queued) == (None, ())
    assert ohara.send(wire.Status(repo=str(large.path))).status.behind > 0
    ohara.send(wire.Pause())  # the service would go on with it by and by; nobody waits for that here


def test_a_whole_file_is_annotated_as_git_blames_it(repo: Repo, ohara: Client) -> None:
    for commit, path in (("longer", "lib/net.py"), ("merge", "lib/net.py"), ("https", "net.py")):
        sha = repo.sha[commit]
        told = ohara.send(wire.AnnotateRequest(repo=str(repo.path), commit=sha, path=path)).annotation
        mine = [told.commits[run.commit].sha for run in told.lines for _ in range(run.lines)]
        blamed = repo.git("blame", "-l", "-s", "--root", sha, "--", path).splitlines()
        assert mine == [line.split()[0].lstrip("^") for line in blamed]
        assert [run.first for run in told.lines][:1] == [1]
    assert {commit.message for commit in told.commits} == {"Start", "Use https"}
    with pytest.raises(RepositoryError, match=r"there is no file nowhere.py"):
        ohara.send(wire.AnnotateRequest(repo=str(repo.path), commit="HEAD", path="nowhere.py"))


@pytest.mark.parametrize(("before", "after"), [("start", "longer"), ("readme", "timeout"), ("doc", "https")])
def test_two_commits_are_compared_as_git_diffs_them(
    repo: Repo, ohara: Client, before: str, after: str
) -> None:
    old, new = repo.sha[before], repo.sha[after]
    told = ohara.send(wire.CompareRequest(repo=str(repo.path), old=old[:10], new=new)).comparison
    counted = [line.split("\t") for line in repo.git("diff", "-M", "--numstat", old, new).splitlines()]
    assert (told.old.sha, told.new.sha, told.total, told.next) == (old, new, len(counted), None)
    lines = [(f"{file.additions}", f"{file.deletions}") for file in told.files]
    assert lines == [(added.replace("-", "0"), removed.replace("-", "0")) for added, removed, _ in counted]
    diff = repo.git("diff", "-M", old, new)
    for hit in told.hits:
        assert hit.excerpt in diff
        assert hit.commit.parents == (old,)  # a removed line is a line of the older one
    assert len({hit.hunk for hit in told.hits}) == len(told.hits) == diff.count("\n@@ ")
    rest = ohara.send(wire.CompareRequest(repo=str(repo.path), old=old, new=new, first=1)).comparison
    assert rest.files == told.files[1:]
    same = ohara.send(wire.CompareRequest(repo=str(repo.path), old=new, new=new)).comparison
    assert (same.files, same.total) == ((), 0)


def test_names_are_completed_from_the_index(repo: Repo, ohara: Client) -> None:
    def named(kind: NameKind, begun: str = "", k: int = 24) -> tuple[str, ...]:
        return ohara.send(wire.NamesRequest(repo=str(repo.path), kind=kind, begun=begun, k=k)).names

    author = repo.git("log", "-1", "--format=%an").strip()
    assert named(NameKind.AUTHOR, author[1:3].upper()) == (author,)
    assert named(NameKind.PATH) == ("README", "lib/", "logo.png", "net.py")  # what is gone comes last
    assert named(NameKind.PATH, "lib/") == ("lib/net.py",)
    assert named(NameKind.EXT) == ("py", "png")
    assert named(NameKind.LANG, "py") == ("python",)
    assert named(NameKind.SYMBOL, "c") == ("close", "connect")
    assert named(NameKind.SYMBOL, "nect") == ("connect",)
    assert named(NameKind.SYMBOL, "c", k=1) == ("close",)
    assert named(NameKind.REF)[:2] == ("HEAD", "main")
    assert named(NameKind.REF, "sid") == ("side",)

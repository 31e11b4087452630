from __future__ import annotations

import pytest

from ohara.model import QueryClass
from ohara.query import parse
from ohara.query.names import CommitName, IssueName, LinesName, Name, PathName, read_name, settled
from ohara.query.project import of_another_project

SHA = "6155da72c1e2b3a4958677f0a1b2c3d4e5f60718"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("#362", IssueName((362,))),
        ("GH-362", IssueName((362,))),
        ("gh-362", IssueName((362,))),
        ("!7", IssueName((7,))),
        ("simonw/sqlite-utils#362", IssueName((362,))),
        ("PR 362", IssueName((362,))),
        ("pull request #362", IssueName((362,))),
        ("issue 362", IssueName((362,))),
        ("#1 #2 #1", IssueName((1, 2))),
        ("https://github.com/pytest-dev/pytest/pull/2721", IssueName((2721,))),
        ("https://github.com/pytest-dev/pytest/pull/2721/files#diff-1", IssueName((2721,))),
        ("https://github.com/a/b/issues/5#issuecomment-9", IssueName((5,))),
        ("https://gitlab.example/group/sub/b/-/merge_requests/12", IssueName((12,))),
        ("https://bitbucket.example/a/b/pull-requests/4/diff", IssueName((4,))),
        (f"https://github.com/a/b/commit/{SHA}", CommitName(SHA)),
        (f"https://github.com/a/b/pull/9/commits/{SHA}", CommitName(SHA)),
        (f"https://gitlab.example/a/b/-/commit/{SHA[:8]}", CommitName(SHA[:8])),
        ("HEAD~3", CommitName("HEAD~3")),
        ("HEAD^^", CommitName("HEAD^^")),
        ("origin/main~2", CommitName("origin/main~2")),
        ("v1.0^2", CommitName("v1.0^2")),
        ("ef946d", CommitName("ef946d", sure=False)),
        ("8BCE", CommitName("8bce", sure=False)),
        ("362786", CommitName("362786", sure=False)),
        ("db.py:3557", LinesName("db.py", 3557, 3557)),
        ("./src/db.py:10-12", LinesName("src/db.py", 10, 12)),
        ("src/db.py:10:4", LinesName("src/db.py", 10, 10)),
        ("src/db.py#L3557", LinesName("src/db.py", 3557, 3557)),
        ("src/db.py#L10-L12", LinesName("src/db.py", 10, 12)),
        ("Makefile:12", LinesName("Makefile", 12, 12)),
        ("https://github.com/a/b/blob/main/src/db.py#L60", LinesName("src/db.py", 60, 60)),
        (
            f"https://github.com/a/b/blob/{SHA}/src/db.py#L7-L9",
            LinesName("src/db.py", 7, 9, SHA),
        ),
        ("https://gitlab.example/a/b/-/blob/main/src/db.py#L7-9", LinesName("src/db.py", 7, 9)),
        ("https://github.com/a/b/blob/main/src/db.py", PathName("src/db.py")),
        ("https://github.com/a/b/blob/main/my%20file.py?plain=1#L3", LinesName("my file.py", 3, 3)),
        ("https://github.com/a/b/commits/main/src/db.py", PathName("src/db.py")),
        ("https://github.com/a/b/releases/tag/v1.0", CommitName("v1.0")),
        ("https://github.com/a/b/tree/v1.0", CommitName("v1.0")),
        (f"https://bitbucket.org/a/b/src/{SHA}/db.py#lines-10:20", LinesName("db.py", 10, 20, SHA)),
        (f"https://bitbucket.org/a/b/src/{SHA}/db.py#lines-7", LinesName("db.py", 7, 7, SHA)),
        (f"https://codeberg.org/a/b/src/commit/{SHA}/db.py#L3-L4", LinesName("db.py", 3, 4, SHA)),
        (f"https://github.com/a/src/commit/{SHA}", CommitName(SHA)),
        (f"https://git.kernel.org/pub/scm/git/git.git/commit/?id={SHA}", CommitName(SHA)),
        (f"github.com/a/b/commit/{SHA}", CommitName(SHA)),
        ("github.com/a/b/pull/12", IssueName((12,))),
    ],
)
def test_what_names_one_thing_is_read(text: str, name: Name) -> None:
    assert read_name(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "dead",
        "2024",
        "added",
        "HEAD",
        "utf8",
        "12:30",
        "text:3",
        "10.0",
        "retry #12 please",
        "see https://github.com/a/b/pull/3",
        "https://github.com/a/b",
        "http://example.com/x",
        "std::path",
        "pr",
        "issue tracker",
        "db.py:0",
        "",
    ],
)
def test_what_may_be_a_word_is_no_name(text: str) -> None:
    assert read_name(text) is None


@pytest.mark.parametrize(
    ("text", "query_class"),
    [
        ("GH-362", QueryClass.ISSUE),
        ("HEAD~3", QueryClass.SHA),
        ("db.py:3557", QueryClass.LINES),
        ("ef946d", QueryClass.PROSE),  # until the index knows a commit that begins so
        ("https://github.com/a/b/blob/main/src/db.py", QueryClass.PATH),
    ],
)
def test_a_name_has_its_class(text: str, query_class: QueryClass) -> None:
    assert parse(text, now=0).query_class is query_class


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("blob/feature/x/src/db.py#L3", LinesName("src/db.py", 3, 3, SHA)),
        ("blob/feature/x/src/db.py", PathName("src/db.py")),
        ("-/blob/theirs/y/src/db.py#L3-4", LinesName("src/db.py", 3, 4, SHA)),
        ("blob/unread/z/src/db.py#L3", LinesName("src/db.py", 3, 3)),
        ("blob/gone/branch/src/db.py#L3", LinesName("branch/src/db.py", 3, 3)),
        ("blob/v1.0/src/db.py#L3", LinesName("src/db.py", 3, 3, SHA)),
        ("tree/feature/x", CommitName(SHA)),
        ("commits/feature/x/src", PathName("src")),
        ("commit/feature", None),
    ],
)
def test_a_branch_with_a_slash_is_told_from_the_path_by_what_there_is(
    address: str, name: Name | None
) -> None:
    refs = {"feature/x": SHA, "origin/theirs/y": SHA, "unread/z": "", "v1.0": SHA}
    read = read_name(f"https://github.com/a/b/{address}")
    assert (settled(read, refs.get) if read else None) == name
    if isinstance(name, LinesName):
        assert isinstance(found := settled(read, refs.get) if read else None, LinesName)
        assert found.revision == name.revision


@pytest.mark.parametrize(
    "other",
    [
        "pallets/werkzeug#4682",
        "https://github.com/pallets/werkzeug/pull/4682",
        "https://www.github.com/pallets/flask-login/issues/3",
        "github.com/pallets/werkzeug/pull/4682",
        "https://github.com/other/thing/blob/main/src/flask/app.py#L123",
        "https://github.com/other/thing/releases/tag/v1.0",
    ],
)
def test_a_name_of_another_project_is_told(other: str) -> None:
    note = f"this is pallets/flask; {other} names another repository"
    for remote in ("https://github.com/pallets/flask", "git@github.com:pallets/flask.git"):
        assert of_another_project(other, [remote]) == note
    assert of_another_project(other, ["git@github.com:me/flask", "https://github.com/pallets/flask"]) == (
        note.replace("pallets/flask;", "me/flask;")
    )
    assert of_another_project(other, []) == ""
    assert of_another_project(other, ["/srv/flask.git"]) == ""


@pytest.mark.parametrize(
    ("named", "remotes"),
    [
        ("#12", ["https://github.com/pallets/flask"]),
        ("retry pallets/werkzeug#12", ["https://github.com/pallets/flask"]),
        ("Pallets/Flask#12", ["https://github.com/pallets/flask"]),
        ("https://github.com/Pallets/Flask/pull/12", ["https://github.com/pallets/flask.git"]),
        (
            "https://github.com/pallets/flask/pull/12",
            ["https://github.com/me/flask", "git@github.com:pallets/flask"],
        ),
        ("https://gitlab.example/pallets/flask/-/issues/12", ["https://github.com/me/flask"]),
        ("https://gitlab.example/forge/group/sub/net/-/issues/12", ["git@gitlab.example:group/sub/net.git"]),
        ("sub/net#12", ["git@gitlab.example:group/sub/net.git"]),
        (
            "https://git.example/projects/KEY/repos/net/pull-requests/4",
            ["https://git.example/scm/key/net.git"],
        ),
        (f"https://github.com/other/thing/commit/{SHA}", ["https://github.com/pallets/flask"]),
    ],
)
def test_what_may_be_of_this_project_is_not(named: str, remotes: list[str]) -> None:
    assert of_another_project(named, remotes) == ""


@pytest.mark.parametrize(
    ("query", "notes"),
    [
        ("app.py:0", ("lines are numbered from 1: app.py:0 is searched by its words",)),
        ("src/app.py#L0", ("lines are numbered from 1: src/app.py#L0 is searched by its words",)),
        ("src/app.py:20-10 author:bob", ("lines 20 to 10 are none: lines 10 to 20 are taken",)),
        ("https://github.com/a/b/blob/main/x.py#L7-L3", ("lines 7 to 3 are none: lines 3 to 7 are taken",)),
        ("app.py:10-20", ()),
        ("app.py:10:0", ()),
        ("a:0", ()),
        ("12:20-10", ()),
        ('app.py:0 "x"', ()),
        ("see app.py:0 there", ()),
    ],
)
def test_lines_that_no_file_has_are_told(query: str, notes: tuple[str, ...]) -> None:
    assert parse(query, now=0).notes == notes

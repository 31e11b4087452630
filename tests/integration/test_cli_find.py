"""`ohara find` and `ohara show` as a person, a pipe and a script meet them, over the scripted project."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from fixtures import golden
from ohara.cli.main import main
from ohara.cli.search import joined
from ohara.engine import Engine
from ohara.errors import StoreError
from ohara.index.job import IndexOptions
from ohara.index.plan import Limits
from ohara.model import Pass
from ohara.present.budget import tokens as counted
from ohara.present.columns import width_of
from ohara.sanitize import sanitize
from ohara.store.writer_lock import writer_lock
from tests.indexing import WITHOUT_VECTORS, index
from tests.process import ROOT, ohara, on_a_terminal

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo
    from fixtures.golden import GoldenQuery

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def home(shared_project: Repo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the shared project is indexed, without vectors: ranking is not what is tested here."""
    place = tmp_path_factory.mktemp("find")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(place))
        index(shared_project, WITHOUT_VECTORS)
    return place


class Cli:
    """Runs ohara in this process, over the shared project."""

    def __init__(self, repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
        self.repo = repo
        self._capsys = capsys
        self.out = self.err = ""
        self.code = -1

    def __call__(self, *arguments: str) -> str:
        """Run one command; what it printed is returned."""
        name, *rest = arguments
        self.code = main([name, "--repo", str(self.repo.path), *rest])
        self.out, self.err = self._capsys.readouterr()
        return self.out

    def answer(self, *arguments: str) -> dict[str, object]:
        """Find something as JSON."""
        said: dict[str, object] = json.loads(self("find", "--json", *arguments))
        return said

    def hits(self, *arguments: str) -> list[dict[str, object]]:
        """The hits of a search, as JSON."""
        found: list[dict[str, object]] = [
            json.loads(line) for line in self("find", "--jsonl", *arguments).splitlines()
        ]
        return found

    def keys(self, *arguments: str) -> list[str]:
        """The keys of the commits found."""
        return [self.repo.key_of(str(hit["commit"])) for hit in self.hits(*arguments)]


@pytest.fixture
def cli(
    shared_project: Repo, home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Cli:
    monkeypatch.setenv("OHARA_HOME", str(home))
    return Cli(shared_project, capsys)


# -- what is found ---------------------------------------------------------------------------------


@pytest.mark.parametrize("query", [*golden.LITERALS, *golden.REGEXES], ids=lambda query: query.query)
def test_exact_queries_list_exactly_their_commits(query: GoldenQuery, cli: Cli) -> None:
    found = cli.hits("-k", "0", "--", query.query)
    also = {str(sha) for hit in found for sha in hit["also_in"]}  # type: ignore[attr-defined]
    commits = {str(hit["commit"]) for hit in found} | also
    assert {cli.repo.key_of(sha) for sha in commits} == set(query.finds)
    assert cli.code == (0 if query.finds else 1)


def test_modes_take_patterns_as_they_are(cli: Cli) -> None:
    assert cli.keys("--mode", "literal", "uploadFile(") == cli.keys('"uploadFile("')
    assert cli.keys("--mode", "regex", "-k", "0", r"hashlib\.(md5|sha256)\(") == cli.keys(
        "-k", "0", r"/hashlib\.(md5|sha256)\(/"
    )


def test_words_of_one_query_may_come_as_several_arguments(cli: Cli) -> None:
    assert (
        cli.keys("--no-rerank", "retry", "with", "backoff")[:3]
        == cli.keys("--no-rerank", "retry with backoff")[:3]
    )
    assert "retry" in cli.keys("--no-rerank", "-k", "3", "--", "retry with backoff")


@pytest.mark.parametrize(
    ("arguments", "query"),
    [
        (["author:Bob Smith", "retry"], 'author:"Bob Smith" retry'),
        (["flaky", "since:2 weeks ago"], 'flaky since:"2 weeks ago"'),
        (["x", "message:a \\ b\\"], 'x message:"a \\\\ b\\\\"'),
        (["author:bob retry loop"], "author:bob retry loop"),
        (
            ['author:"Bob Smith"', "removed:/a b/", "fix: this now"],
            'author:"Bob Smith" removed:/a b/ fix: this now',
        ),
    ],
)
def test_a_filter_among_several_arguments_keeps_its_value_together(arguments: list[str], query: str) -> None:
    assert joined(arguments) == query


def test_filters_are_options_too(cli: Cli) -> None:
    assert cli.keys("--removed", '"hashlib.md5"') == ["sha256"]
    assert cli.keys("--added", '"hashlib.md5"') == ["checksum"]
    assert cli.keys('"hashlib.md5"', "--since", "2022") == ["sha256"]
    assert cli.keys('"hashlib.md5"', "--until", "2021-12-31") == ["checksum"]
    assert cli.keys("-k", "0", r"/^func [A-Z]/", "-path:vendor/**") == cli.keys(
        "-k", "0", "--not-path", "vendor/**", r"/^func [A-Z]/"
    )
    assert set(cli.keys("-k", "0", "--kind", "deleted", '"ftplib"')) == {"remove-ftp"}
    assert set(cli.keys("-k", "0", "--author", "renovate", '"typescript-4.5.4.tgz"')) == {
        "lock",
        "lock-again",
    }


def test_what_other_tools_call_a_filter_bounds_too(cli: Cli) -> None:
    def found(*arguments: str) -> list[str]:
        return cli.keys("-k", "0", '"import"', *arguments)

    assert 0 < len(found("before:2022")) < len(found())
    assert found("before:2022") == found("--until", "2022")
    assert found("after:2023") == found("--since", "2023")
    assert found("file:server/")
    assert found("file:server/") == found("filename:server/") == found("--path", "server/")
    assert found("-file:server/") == found("--not-path", "server/")
    assert found("language:python") == found("--lang", "python")
    assert found("tag:HEAD~3") == found("branch:HEAD~3") == found("--ref", "HEAD~3")
    assert (
        found("--since", "2023", "--since", "2022")
        == found("since:2023", "since:2022")
        == found("after:2022")
    )


def test_an_ending_bounds_beside_paths(cli: Cli) -> None:
    hits = cli.hits("-k", "0", "--all-hunks", '"import"', "ext:.py", "path:server/")
    assert hits
    assert all(str(hit["path"]).endswith(".py") and str(hit["path"]).startswith("server/") for hit in hits)
    assert cli.hits("-k", "0", "--all-hunks", '"import"', "--ext", "py", "--path", "server/") == hits
    assert cli.hits("-k", "0", '"import"', "ext:nothing") == []


def test_a_commit_bounds_by_anything_that_git_resolves(cli: Cli) -> None:
    sha = cli.repo.git("rev-parse", "HEAD~3").strip()
    listed = cli.hits("-k", "100", f"commit:{sha}")
    assert {hit["commit"] for hit in listed} == {sha}
    assert [hit["hunk"] for hit in listed] == [hit["hunk"] for hit in cli.hits("-k", "0", sha)]
    for name in ("commit:HEAD~3", f"commit:{sha[:9]}"):
        assert [hit["hunk"] for hit in cli.hits("-k", "100", name)] == [hit["hunk"] for hit in listed]
    both = cli.hits("-k", "100", "--commit", "HEAD~3", "--commit", "HEAD~4")
    assert len({hit["commit"] for hit in both}) == 2
    cli("find", "commit:nosuchname", "x")
    assert cli.code == 2
    assert "nosuchname" in cli.err


def test_a_stray_quote_is_text_but_never_widens_a_gate(cli: Cli) -> None:
    said = cli.answer("--no-rerank", 'retry "with backoff')
    assert said["hits"]
    assert said["notes"] == ["the quote in '\"with' is not closed: it was taken as text"]
    cli("find", "-q", 'retry "with backoff')
    assert cli.code == 2
    cli("find", '"with backoff')
    assert cli.code == 2


def test_a_required_phrase_that_nothing_holds_is_named(cli: Cli) -> None:
    said = cli.answer("--no-rerank", 'retry "no such phrase"')
    found = cli.answer("--no-rerank", "retry")["hits"]
    assert isinstance(found, list)
    plainly = found[0]
    assert (said["hits"], said["notes"]) == (
        [],
        [
            'nothing holds "no such phrase"; it is required',
            f"without it, {plainly['commit'][:10]} ({plainly['subject'][:60]}) answers best: ask for retry",
        ],
    )
    cli("find", 'retry "import" "no such phrase" author:ada')
    assert cli.code == 1
    assert cli.err.startswith('nothing holds "no such phrase" within the filters; it is required\n')


def test_a_commit_is_found_by_its_name(cli: Cli) -> None:
    assert set(cli.keys("-k", "0", cli.repo.sha["retry"][:10])) == {"retry"}


def test_nothing_found_is_said_with_what_to_try(cli: Cli) -> None:
    assert cli("find", '"Nine tenths of nothing"', "--author", "renovate") == ""
    assert cli.code == 1
    assert cli.err.splitlines() == [
        "nothing found",
        "  try: the filters may exclude it: leave one out",
        "  try: case counts: -i, or /…/i, ignores it",
    ]
    assert cli.answer('"Nine tenths of nothing"', "--author", "renovate")["unmatched"] == []
    assert cli("find", "--no-rerank", "zzyzx qwertzuiop", "--mode", "text", "--author", "renovate") == ""
    assert cli.code == 1
    assert cli.err.splitlines() == [
        'nothing relevant was found: try other words, fewer filters, or "quoted text" for an exact search',
        "  try: the filters may exclude it: leave one out",
    ]
    assert cli("find", "--author", "nobody at all") == ""
    assert cli.err.splitlines() == ["nothing found", '  nothing passes author:"nobody at all"']
    assert cli("find", '"import"', "ext:nothing", "path:server/", "since:today") == ""
    assert cli.err.splitlines() == [
        "nothing found",
        "  nothing passes ext:nothing",
        f"  nothing passes since:{datetime.now(tz=UTC):%Y-%m-%d}",
        "  try: case counts: -i, or /…/i, ignores it",
    ]
    assert cli.answer("author:renovate", "path:server/")["unmatched"] == ["author:renovate and path:server/"]


def test_quiet_answers_by_exit_code(cli: Cli) -> None:
    assert (cli("find", "-q", '"hashlib.md5"'), cli.err, cli.code) == ("", "", 0)
    assert (cli("find", "-q", '"Nine tenths of nothing"'), cli.err, cli.code) == ("", "", 1)


# -- what is printed -------------------------------------------------------------------------------


def test_a_literal_in_a_pipe(cli: Cli) -> None:
    lines = cli("find", "-k", "0", "-C", "1", "--explain", '"hashlib.md5"').splitlines()
    newest, oldest = cli.repo.sha["sha256"][:10], cli.repo.sha["checksum"][:10]
    assert lines[0].startswith(f"1. {newest} · ")
    assert lines[1] == "   " + cli.repo.git("show", "-s", "--format=%s", newest).strip()
    assert any(line.startswith("   - ") and "hashlib.md5" in line for line in lines)
    assert any(line.startswith(f"2. {oldest} · ") for line in lines)
    assert re.fullmatch(rf"introduced in {oldest} \(.+ ago\), gone since {newest} \(.+ ago\)", lines[-2])
    assert lines[-1] == "commits by year: 2021: 1, 2022: 1"
    assert "\x1b" not in cli.out
    assert cli.err == ""


def test_context_is_as_many_lines_as_asked_for(cli: Cli) -> None:
    sizes = [
        len(str(cli.hits("-C", wanted, '"delay *= 2"')[0]["excerpt"]).split("\n"))
        for wanted in ("0", "1", "4")
    ]
    assert sizes[0] == 1
    assert sizes == sorted(sizes)
    assert sizes[2] > sizes[1] > 1


def test_matches_are_where_they_are_said_to_be(cli: Cli) -> None:
    for hit in cli.hits("-k", "0", r"/upload\w*/i"):
        lines = str(hit["excerpt"]).split("\n")
        assert hit["matches"]
        for line, start, end in hit["matches"]:  # type: ignore[attr-defined]
            assert lines[line][1:][start:end].lower().startswith("upload")


def test_the_line_of_a_hit_is_the_line_of_its_match(cli: Cli) -> None:
    (hit,) = cli.hits("--added", '"hashlib.md5"')
    source = cli.repo.git("show", f"{hit['commit']}:{hit['path']}").split("\n")
    assert "hashlib.md5" in source[int(str(hit["line"])) - 1]


def test_json_is_one_object_on_one_line(cli: Cli) -> None:
    said = cli.answer("-k", "1", '"urllib2"')
    assert cli.out.count("\n") == 1
    assert (said["schema"], said["mode"], said["class"]) == (1, "auto", "literal")
    assert len(said["hits"]) == 1  # type: ignore[arg-type]
    assert said["literal"] == {
        "first": cli.repo.sha["root"],
        "last": cli.repo.sha["drop-python2"],
        "by_year": said["literal"]["by_year"],  # type: ignore[index]
        "scope": "history",
        "introduced": cli.repo.sha["root"],
        "gone": cli.repo.sha["drop-python2"],
        "head": {"commit": cli.repo.tip, "lines": 0, "files": 0, "exact": True},
    }
    assert cli.err == ""


def test_pages_follow_each_other_by_cursor(cli: Cli) -> None:
    everything = [hit["hunk"] for hit in cli.hits("-k", "0", '"upload"')]
    seen: list[object] = []
    after: tuple[str, ...] = ()
    for _ in range(len(everything)):
        said = cli.answer("-k", "4", *after, '"upload"')
        seen += [hit["hunk"] for hit in said["hits"]]  # type: ignore[attr-defined]
        if said["next"] is None:
            break
        after = ("--after", str(said["next"]))
    assert seen == everything
    first = cli.answer("-k", "4", '"upload"')
    cli("find", "--after", str(first["next"]), '"retry"')
    assert cli.code == 2
    assert "the cursor belongs to another query" in cli.err


@pytest.mark.parametrize("form", ["text", "--json", "--jsonl"])
@pytest.mark.parametrize("tokens", [40, 200, 400, 1000])
def test_a_budget_is_kept_by_leaving_out_whole_hits(form: str, tokens: int, cli: Cli) -> None:
    options = () if form == "text" else (form,)
    whole = cli("find", *options, "-k", "10", '"upload"')
    cut = cli("find", *options, "-k", "10", "--budget", str(tokens), '"upload"')
    if form == "--json":
        kept = json.loads(cut)["hits"]
        assert [hit for hit in json.loads(whole)["hits"] if hit in kept] == kept
        bare = len(json.dumps(json.loads(cut) | {"hits": []}, separators=(",", ":")))
        assert not kept or counted(cut) <= tokens
        assert len(cut) <= max(tokens * 3, bare + 1)
    else:
        assert counted(cut) <= tokens
        blocks = cut.split("\n\n") if form == "text" else cut.splitlines()
        assert all(block.rstrip("\n") in whole for block in blocks)
    if tokens == 1000:
        assert len(cut) > len(whole) / 6


def test_hits_that_do_not_fit_into_the_budget_are_counted(cli: Cli) -> None:
    assert cli("find", "-k", "3", "--budget", "1", '"upload"') == ""
    assert (cli.code, cli.err) == (0, "3 of 3 hits did not fit into the budget\n")
    assert cli("find", "-k", "3", "--budget", "100000", "--jsonl", '"upload"').count("\n") == 3
    assert cli.err == ""


# -- a terminal ------------------------------------------------------------------------------------


def in_terminal(repo: Repo, home: Path, *arguments: str, columns: int = 80, **environ: str) -> str:
    """Run ohara on a terminal of its own and return all that it shows there."""
    env = {name: text for name, text in os.environ.items() if name != "NO_COLOR"}
    env |= {
        "PYTHONPATH": str(ROOT),
        "OHARA_HOME": str(home),
        "COLUMNS": str(columns),
        "TERM": "xterm",
        "GIT_PAGER": "cat",
        **environ,
    }
    command = [sys.executable, "-m", "ohara", "find", "--repo", str(repo.path), *arguments]
    return on_a_terminal(command, env, stdin=False, stderr=False).decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_terminal_gets_colour_and_no_line_wider_than_itself(
    columns: int, shared_project: Repo, home: Path
) -> None:
    shown = in_terminal(shared_project, home, "-k", "0", r"/upload|上传|\x1b|alert/", columns=columns)
    assert "\x1b[32m" in shown
    assert "\x1b[32;1;4mupload\x1b[0m" in shown
    for line in ESCAPES.sub("", shown).split("\n"):
        assert line == sanitize(line)
        assert width_of(line) <= columns


def test_no_color_and_color_options(shared_project: Repo, home: Path, cli: Cli) -> None:
    assert "\x1b" not in in_terminal(shared_project, home, '"urllib2"', NO_COLOR="1")
    assert "\x1b" not in in_terminal(shared_project, home, "--color", "never", '"urllib2"')
    assert "\x1b[33m" in cli("find", "--color", "always", '"urllib2"')


def test_a_long_search_tells_a_terminal_how_far_it_is(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("ohara.cli.search._PROGRESS_AFTER_S", -1.0)
    monkeypatch.setattr("ohara.retrieve.lanes.literal._TURN_S", 0.0)
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    cli("find", "--explain", r"/\?\?/")
    shown = terminal.getvalue()
    assert re.search(r"^\r\x1b\[2Kreading [\d,]+ of [\d,]+ changes, \d+ match", shown)
    assert "1 hit in 74 commits · read as regex · literal 1 in " in shown
    assert "(no trigram to look up: everything was read)" in shown
    monkeypatch.setattr("sys.stderr", silent := Terminal())
    cli("find", "-q", r"/\?\?/")
    cli("find", "--json", r"/\?\?/")
    assert silent.getvalue() == ""


def test_hostile_text_never_reaches_a_terminal_or_a_pipe(cli: Cli) -> None:
    for query in ('"DROP TABLE"', r"/\x1b/", r"/[\x{202a}-\x{202e}]/", '"alert"'):
        shown = cli("find", "-k", "0", "-C", "9", "--explain", "--color", "always", query)
        assert shown
        for line in ESCAPES.sub("", shown).split("\n"):
            assert line == sanitize(line)
        lines = cli("find", "-k", "0", "--jsonl", query)
        assert lines.replace("\n", "").isascii()
        assert lines.replace("\n", "").isprintable()


def test_a_closed_pipe_is_success(shared_project: Repo, home: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "ohara", "find", "--repo", str(shared_project.path), "-k0", "--jsonl", "/./"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT), "OHARA_HOME": str(home)},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert (process.wait(60), said) == (0, b"")


# -- wrong questions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "there is nothing to search for"),
        (
            ("/a(b/",),
            "the regular expression /a(b/ cannot be read: a parenthesis is not closed at character 2",
        ),
        (("auther:bob",), "there is no filter auther:"),
        (("--lang", "pyton", "x"), "'pyton' is not a language that ohara knows"),
        (("--since", "soon", "x"), "'soon' is not a date"),
        (("--added", "--removed", "x"), "--added and --removed exclude each other"),
        (("--json", "--jsonl", "x"), "--json and --jsonl exclude each other"),
        (("-k", "0", "some words"), "-k 0 lists all of a list, and this query, read as prose, ranks"),
        (("--after", "zzz", '"upload"'), "'zzz' is not a cursor"),
        (("--after", "2020-05", "x"), "--after takes the cursor of an answer, and '2020-05' is a date"),
        (("-lang:pyton", "x"), "'pyton' is not a language that ohara knows"),
        (("sinse:2020", "x"), "there is no filter sinse:"),
        (("-author:", "x"), "author: has an empty value"),
        (("-x", "y"), "no such option '-x'"),
        (("--ref", "nowhere", "x"), "there is no branch, tag or commit named nowhere"),
        (("--batch", "x"), "--batch takes its queries from stdin"),
        (("--batch", "-q"), "--batch and -q exclude each other"),
        (("--batch", "--budget", "9"), "--batch and --budget exclude each other"),
        (
            ("-k", "99999999999999999999", "x"),
            "invalid value for '-k': 99999999999999999999 is not in the range 0<=x<=100000",
        ),
        (("--jsno", "x"), "no such option '--jsno'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_wrong_question_is_one_line_and_a_hint(arguments: tuple[str, ...], said: str, cli: Cli) -> None:
    assert cli("find", *arguments) == ""
    assert cli.code == 2
    first, hint = cli.err.splitlines()
    assert first.startswith(f"ohara: {said}")
    assert hint.startswith("  hint: ")


def test_outside_a_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", "--repo", str(tmp_path), "x"]) == 2
    assert "ohara: " in capsys.readouterr().err


# -- from stdin ------------------------------------------------------------------------------------


def test_a_dash_reads_the_query_from_stdin(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('"hashlib.md5"\n'))
    assert cli.keys("-k", "0", "-") == ["sha256", "checksum"]


def test_a_batch_answers_every_line_in_order(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        '{"id": 1, "query": "\\"hashlib.md5\\"", "k": 0}',
        "",
        '{"id": "two", "query": "retry backoff", "k": 2, "mode": "text"}',
        '{"id": 3, "query": "/a(/"}',
        "not json",
        "[1]",
        '{"id": 6}',
        '{"id": 7, "query": "x", "limit": 3}',
        '{"id": 8, "query": "x", "mode": "psychic"}',
        '{"id": 9, "query": "x", "k": -1}',
        '{"query": "\\"urllib2\\""}',
        '{"id": NaN, "query": "x"}',
        "[" * 100_000,
        '{"id": 13, "query": "x", "mode": ["text"]}',
        '{"id": 14, "query": "x", "k": 99999999999999999999}',
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
    answers = [json.loads(line) for line in cli("find", "--batch", "--no-rerank", "-k", "1").splitlines()]
    assert cli.code == 0
    assert [answer.get("id") for answer in answers] == [
        *(1, "two", 3, None, None, 6, 7, 8, 9, None),
        *(None, None, 13, 14),
    ]
    assert [cli.repo.key_of(hit["commit"]) for hit in answers[0]["hits"]] == ["sha256", "checksum"]
    assert (answers[1]["mode"], len(answers[1]["hits"])) == ("text", 2)
    for failed in (*answers[2:9], *answers[10:]):
        assert "internal fault" not in failed["error"]["message"]
        assert set(failed) == {"id", "error"}
        assert set(failed["error"]) == {"message", "hint"}
    assert "is not closed" in answers[2]["error"]["message"]
    assert "'limit'" in answers[6]["error"]["message"]
    assert "id" not in answers[9]
    assert len(answers[9]["hits"]) == 1


# -- show ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", ["sha", "prefix", "main", "HEAD~1"])
def test_show_prints_every_changed_line_of_a_commit(revision: str, cli: Cli) -> None:
    sha = {"sha": cli.repo.sha["retry"], "prefix": cli.repo.sha["retry"][:8]}.get(revision, revision)
    full = cli.repo.git("rev-parse", sha).strip()
    shown = cli("show", sha)
    assert cli.code == 0
    assert shown.splitlines()[0].startswith(f"commit {full}")
    subject = cli.repo.git("show", "-s", "--format=%s", full).strip()
    assert f"    {subject}" in shown.splitlines()
    diff = cli.repo.git("show", "--format=", "--binary", "-M", full)
    assert diff
    assert shown.endswith(f"\n\n{diff}")


def test_show_as_json_is_the_object_of_find(cli: Cli) -> None:
    said = json.loads(cli("show", "--json", cli.repo.sha["retry"]))
    assert said["class"] == "sha"
    assert {hit["commit"] for hit in said["hits"]} == {cli.repo.sha["retry"]}
    paths = set(cli.repo.git("show", "--format=", "--name-only", cli.repo.sha["retry"]).split())
    assert {hit["path"] for hit in said["hits"]} == paths


def test_show_what_is_not_there(cli: Cli) -> None:
    assert cli("show", "nowhere") == ""
    assert cli.code == 2
    assert "there is no branch, tag or commit named nowhere" in cli.err


# -- before the first index ------------------------------------------------------------------------


def test_without_an_index_it_reads_first_and_says_so(three_commits: Repo, ohara_home: Path) -> None:
    done = ohara("find", "--no-rerank", '"hello, world"', cwd=three_commits.path)
    assert done.returncode == 0, done.stderr
    assert three_commits.sha["two"][:10] in done.stdout
    assert done.stderr.startswith("no index yet: reading the newest commits for up to 5 s\n")
    assert not list(ohara_home.rglob("background.log"))
    again = ohara("find", "--no-rerank", '"hello, world"', cwd=three_commits.path)
    assert (again.stdout, again.stderr) == (done.stdout, "")


def test_an_index_without_a_commit_is_begun_again(
    three_commits: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(three_commits, IndexOptions(limits=Limits(since=2**40)))
    monkeypatch.setattr("ohara.cli.freshness.CATCH_UP_COMMITS", 2)
    assert Engine.open(three_commits.path).status().indexed == 0
    assert main(["find", "--repo", str(three_commits.path), '"hello, world"']) == 0


def test_new_commits_are_read_before_the_answer(three_commits: Repo) -> None:
    engine = index(three_commits, IndexOptions(passes=frozenset({Pass.TEXT, Pass.LITERAL})))
    (three_commits.path / "late.txt").write_text("a brand new line\n")
    three_commits.git("add", "late.txt")
    three_commits.git("commit", "-q", "-m", "Late")
    assert engine.pending() == 1
    done = ohara("find", "--json", '"brand new"', cwd=three_commits.path)
    said = json.loads(done.stdout)
    assert [hit["commit"] for hit in said["hits"]] == [three_commits.git("rev-parse", "HEAD").strip()]
    assert said["index"] == {"commits": 4, "indexed": 4, "behind": 0, "shared": None}
    three_commits.git("reset", "-q", "--hard", "HEAD~1")
    assert engine.pending() == 0
    assert ohara("find", "-q", '"brand new"', cwd=three_commits.path).returncode == 1
    assert engine.pending() is None


def test_an_index_that_cannot_be_written_is_searched_as_it_is(
    three_commits: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = index(three_commits, IndexOptions(passes=frozenset({Pass.TEXT, Pass.LITERAL})))
    three_commits.git("commit", "-q", "--allow-empty", "-m", "Late")

    def full(*_: object) -> None:
        raise StoreError("the disk is full", hint="free some space")

    monkeypatch.setattr("ohara.index.run.run", full)
    assert main(["find", "--repo", str(three_commits.path), "--no-rerank", '"hello, world"']) == 0
    said = capsys.readouterr()
    assert three_commits.sha["two"][:10] in said.out
    assert said.err.splitlines() == [
        "searched 3 of 4 commits",
        "what became of lines is not known yet: 0 of 3 commits are followed",
        "new commits could not be read: the disk is full",
    ]
    assert engine.pending() == 1


@pytest.mark.skipif(
    os.getuid() == 0 and not shutil.which("setpriv"), reason="root writes everywhere unless it gives that up"
)
def test_a_home_that_cannot_be_written_is_searched_and_left_as_it_is(
    three_commits: Repo, ohara_home: Path
) -> None:
    folder = index(three_commits, IndexOptions(passes=frozenset({Pass.TEXT, Pass.LITERAL}))).location.folder
    three_commits.git("commit", "-q", "--allow-empty", "-m", "Late")
    before = sorted(file.name for file in folder.iterdir())
    for place in (ohara_home, *ohara_home.rglob("*")):
        place.chmod(place.stat().st_mode & ~0o222)
    humbled = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.getuid() == 0 else []
    command = [*humbled, sys.executable, "-m", "ohara", "find", "--no-rerank", '"hello, world"']
    run = subprocess.run(
        command, cwd=three_commits.path, capture_output=True, encoding="utf-8", check=False, timeout=60
    )
    for place in (ohara_home, *ohara_home.rglob("*")):
        place.chmod(place.stat().st_mode | 0o200)
    assert run.returncode == 0
    assert three_commits.sha["two"][:10] in run.stdout
    assert run.stderr.splitlines() == [
        "searched 3 of 4 commits",
        "what became of lines is not known yet: 0 of 3 commits are followed",
        f"new commits could not be read: cannot write in {folder}: Permission denied",
    ]
    assert sorted(file.name for file in folder.iterdir()) == before


def test_while_another_process_indexes_what_is_there_is_searched(three_commits: Repo) -> None:
    engine = index(three_commits, IndexOptions(passes=frozenset({Pass.TEXT, Pass.LITERAL})))
    three_commits.git("commit", "-q", "--allow-empty", "-m", "Late")
    with writer_lock(engine.location.lock, wait_s=0):
        done = ohara("find", '"hello, world"', cwd=three_commits.path)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "searched 3 of 4 commits",
        "what became of lines is not known yet: 0 of 3 commits are followed",
        "another process is reading the rest (ohara status)",
    ]


def test_a_repository_without_commits_has_nothing_to_find(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    done = ohara("find", "anything", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing relevant was found" in done.stderr


def test_a_history_too_long_for_the_first_seconds_is_finished_in_the_background(
    shared_project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = shared_project.copy_to(tmp_path / "parcel")
    monkeypatch.setattr("ohara.cli.freshness.FIRST_RUN_S", 0.0)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    code = main(["find", "--repo", str(repo.path), "--no-rerank", '"urllib2"'])
    said = capsys.readouterr()
    assert code in {0, 2}  # what was not read yet may hold it: that is no "no"
    assert re.search(r"^searched \d+ of 74 commits$", said.err, flags=re.MULTILINE)
    assert "the rest is being read in the background (ohara status)\n" in said.err
    engine = Engine.open(repo.path)
    deadline = time.monotonic() + 60
    while engine.pending() is not None and time.monotonic() < deadline:
        time.sleep(0.1)
    assert engine.pending() is None
    assert main(["find", "--repo", str(repo.path), "-q", '"urllib2"']) == 0
    while engine.indexing_since() is not None and time.monotonic() < deadline:
        time.sleep(0.1)

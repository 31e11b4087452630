"""What people bring along from git, ripgrep and gh: exclusions, forms of output, dates, counts, a pager."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest

from fixtures.git import Repo, init
from fixtures.script import History
from ohara.cli.main import main
from ohara.cli.pager import pager_command
from ohara.model import Sha
from ohara.present.columns import width_of
from tests.daemon import service
from tests.indexing import WITHOUT_VECTORS, index
from tests.process import ROOT, ohara

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = "sleep(2)  # \x1b]0;owned\x07 \u202egnp.exe\n"

FIRST = {"src/client.py": "def send():\n    retry(3)\n    Retry = 1\n", "docs/notes.md": "retry later\n"}
SECOND = {"src/client.py": "def send():\n    retries(5)\n    Retry = 1\n"}
LONG = "".join(f"line {number}\n" for number in range(60))


def commit(repo: Repo, files: Mapping[str, str | None], author: str, message: str, day: int) -> Sha:
    """Commit files (None deletes one) as an author on a day of May 2024, and return the sha."""
    for path, text in files.items():
        place = repo.path / path
        if text is None:
            place.unlink()
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode("utf-8", "surrogateescape"))
    repo.git("add", "-A")
    when = f"2024-05-{day:02}T10:00:00+0200"
    env = os.environ | {
        "GIT_AUTHOR_NAME": author,
        "GIT_AUTHOR_EMAIL": f"{author.partition(' ')[0].lower()}@example.com",
        "GIT_AUTHOR_DATE": when,
        "GIT_COMMITTER_NAME": "C",
        "GIT_COMMITTER_EMAIL": "c@example.com",
        "GIT_COMMITTER_DATE": when,
    }
    subprocess.run(
        ["git", "-C", str(repo.path), "commit", "-q", "--allow-empty", "-m", message], env=env, check=True
    )
    return Sha(repo.git("rev-parse", "HEAD").strip())


@pytest.fixture(scope="module")
def parcel(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Five commits of two people, on a forge, with a release."""
    repo = init(tmp_path_factory.mktemp("habits") / "parcel")
    sha = {"first": commit(repo, FIRST, "Ada Lovelace", "Retry thrice\n\nBecause it fails.", 1)}
    sha["second"] = commit(repo, SECOND, "Bob Smith", "Retry more", 2)
    repo.git("tag", "v1.0")
    sha["delete"] = commit(repo, {"docs/notes.md": None}, "Ada Lovelace", "Drop the notes", 3)
    sha["long"] = commit(repo, {"long.txt": LONG}, "Bob Smith", "Many lines", 4)
    sha["hostile"] = commit(
        repo, {"src/odd\udcff name.py": HOSTILE, "bin.dat": "\x00\x01retry"}, "Eve \x1b[31m", "Sleep", 5
    )
    repo.git("remote", "add", "origin", "git@github.com:acme/parcel.git")
    return Repo(repo.path, sha)


@pytest.fixture(scope="module")
def home(parcel: Repo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(place))
        index(parcel, WITHOUT_VECTORS)
    return place


class Cli:
    """Runs ohara in this process over one repository, and keeps what it printed."""

    def __init__(self, repo: Repo, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
        self.repo = repo
        self._captured = capfdbinary
        self.raw = b""
        self.err = ""
        self.code = -1

    def __call__(self, name: str, *arguments: str) -> str:
        self.code = main([name, "--repo", str(self.repo.path), *arguments])
        self.raw, err = self._captured.readouterr()
        self.err = err.decode()
        return self.raw.decode("utf-8", "replace")

    def keys(self, *arguments: str) -> list[str]:
        """The commits found, each with its place, in order."""
        found = [json.loads(line) for line in self("find", "--jsonl", "-k", "50", *arguments).splitlines()]
        return [f"{self.repo.key_of(hit['commit'])} {hit['path']}" for hit in found]


@pytest.fixture
def cli(
    parcel: Repo, home: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Cli:
    monkeypatch.setenv("OHARA_HOME", str(home))
    return Cli(parcel, capfdbinary)


def in_terminal(
    repo: Repo,
    home: Path,
    *arguments: str,
    columns: int = 80,
    environ: Mapping[str, str] = MappingProxyType({}),
) -> tuple[int, str]:
    """Run ohara with a terminal for stdout and stderr; the exit code and all that it shows."""
    outside, inside = pty.openpty()
    env = {name: text for name, text in os.environ.items() if name != "NO_COLOR"}
    env |= {
        "PYTHONPATH": str(ROOT),
        "OHARA_HOME": str(home),
        "COLUMNS": str(columns),
        "TERM": "xterm",
        **environ,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "ohara", *arguments],
        cwd=repo.path, stdin=subprocess.DEVNULL, stdout=inside, stderr=inside, env=env,
    )  # fmt: skip
    os.close(inside)
    shown = b""
    while True:
        try:
            piece = os.read(outside, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(outside)
    return process.wait(30), shown.decode().replace("\r\n", "\n")


# -- exclusions ------------------------------------------------------------------------------------

EVERYTHING = [
    "hostile bin.dat", "hostile src/odd\xff name.py", "long long.txt",
    "delete docs/notes.md", "second src/client.py", "first docs/notes.md", "first src/client.py",
]  # fmt: skip


@pytest.mark.parametrize(
    ("exclusion", "kept"),
    [
        ("-author:ada", {"second src/client.py"}),
        ("-author:bob", {"first docs/notes.md", "first src/client.py", "delete docs/notes.md"}),
        ("-lang:python", {"first docs/notes.md", "delete docs/notes.md"}),
        ("-language:markdown", {"first src/client.py", "second src/client.py"}),
        ("-ext:md", {"first src/client.py", "second src/client.py"}),
        ("-kind:deleted", {"first docs/notes.md", "first src/client.py", "second src/client.py"}),
        ("-message:thrice", {"second src/client.py", "delete docs/notes.md"}),
        ("-ref:v1.0", {"delete docs/notes.md"}),
        ("-commit:v1.0", {"first docs/notes.md", "first src/client.py", "delete docs/notes.md"}),
        ("-symbol:send", {"first docs/notes.md", "delete docs/notes.md"}),
        ("-since:2024-05-02", {"first docs/notes.md", "first src/client.py"}),
        ("-until:2024-05-02", {"delete docs/notes.md"}),
        ('-"retries"', {"first docs/notes.md", "first src/client.py", "delete docs/notes.md"}),
        ("-/retry .ater/", {"first src/client.py", "second src/client.py"}),
        ("-removed:retry", {"first docs/notes.md", "first src/client.py"}),
        ("-path:docs/", {"first src/client.py", "second src/client.py"}),
        ("-is:gone", None),
    ],
)
def test_every_filter_can_be_excluded_in_every_lane(exclusion: str, kept: set[str] | None, cli: Cli) -> None:
    holding = {place for place in EVERYTHING if place.split()[0] in {"first", "second", "delete"}}
    exact = set(cli.keys("--all-hunks", "/retr/", exclusion))
    assert exact < holding if kept is None else exact == kept  # docs/fate.md has what became of which lines
    for mode in ("text", "symbol"):
        ranked = cli.keys("--all-hunks", "--no-rerank", "--mode", mode, exclusion, "retry retries send")
        assert set(ranked) & holding <= exact
    assert exact <= set(cli.keys("--all-hunks", exclusion)) < set(EVERYTHING)


@pytest.mark.parametrize(
    ("flags", "inline"),
    [
        (("--not-author", "ada"), "-author:ada"),
        (("--not-lang", "python"), "-lang:python"),
        (("--not-ext", "md"), "-ext:md"),
        (("--not-kind", "deleted"), "-kind:deleted"),
        (("--not-ref", "v1.0"), "-ref:v1.0"),
        (("--not-commit", "HEAD~3"), "-commit:HEAD~3"),
        (("--not-message", "thrice"), "-message:thrice"),
        (("--not-symbol", "send"), "-symbol:send"),
        (("--is-not", "gone"), "-is:gone"),
    ],
)
def test_exclusions_are_options_too(flags: tuple[str, str], inline: str, cli: Cli) -> None:
    assert cli.keys("/retr/", *flags) == cli.keys("/retr/", inline) == cli.keys("--", f"/retr/ {inline}")


def test_a_value_with_blanks_is_excluded_however_the_shell_leaves_it(cli: Cli) -> None:
    kept = cli.keys("/retr/", "-author:Bob Smith")
    assert kept == cli.keys("/retr/", '-author:"Bob Smith"') == cli.keys('/retr/ -author:"Bob Smith"')
    assert "second src/client.py" not in kept
    assert "long long.txt" not in cli.keys("-since:2024-05-04", '-"no such text"')


@pytest.mark.parametrize(
    "query",
    [
        '-author:ada "retr"',
        '-path:docs "no such text"',
        "-path:docs retry later",
        '-message:thrice "retr" -path:docs',
        '-ref:v1.0 "retry"',
        '-lang:python "retry"',
        '-is:gone "retr"',
        "-ext:md /retr/",
        '-kind:deleted "retry" author:ada',
        '-commit:v1.0 "retry"',
        '-symbol:send "retry"',
        '-since:2024-05-02 "retry"',
        '-"later" "retry"',
        '-/lat.r/ "retry"',
        '-author:"Bob Smith" "retr"',
        '-repo:elsewhere "retry"',
        '-lang:pyton "retry"',
        '-author:"Bob',
    ],
)
def test_what_is_excluded_first_means_the_same_however_the_query_is_handed_over(
    query: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*arguments: str) -> tuple[set[str], int, str]:
        return set(cli.keys("--all-hunks", "--no-rerank", *arguments)), cli.code, cli.err.partition("\n")[0]

    meant = asked("--", query)
    assert asked(query) == meant
    if cli.code != 2:
        assert asked(*shlex.split(query.replace('"', '\\"').replace("Bob Smith", "Bob\\ Smith"))) == meant
    monkeypatch.setattr("sys.stdin", io.StringIO(query))
    assert asked("-") == meant
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"query": query, "k": 50})))
    told = json.loads(cli("find", "--all-hunks", "--no-rerank", "--batch"))
    assert {f"{cli.repo.key_of(hit['commit'])} {hit['path']}" for hit in told.get("hits", ())} == meant[0]


def test_filters_keep_their_values_together_beside_one_that_is_excluded(cli: Cli) -> None:
    inline = cli.keys("--", '-author:"Eve x" -path:docs author:"Bob Smith"')
    assert inline
    assert cli.keys("-author:Eve x", "-path:docs", "author:Bob Smith") == inline
    assert cli.keys("-path:docs", "author:Bob Smith") == inline


def test_binary_files_that_filters_let_through_are_told(cli: Cli) -> None:
    told = "that the filters let through is not searched (binary): ohara explain bin.dat lists it"
    for query in ("path:bin.dat", "ext:dat since:2024-05-05", "retry path:bin.dat", '"retry" path:bin.*'):
        assert cli.keys(query) == []
        cli("find", query)
        assert (cli.code, "nothing passes" in cli.err) == (1, False)
        assert f"1 change of 1 file {told}" in cli.err, query
    assert cli.keys("path:bin.dat path:src/") == cli.keys("path:src/")
    cli("find", "path:bin.dat path:src/", "--count")
    assert told in cli.err
    for query in (
        "path:src/",
        "retry path:bin.dat path:src/",
        '"nowhere" path:bin.dat path:src/',
        "author:eve",
    ):
        cli("find", query)
        assert "binary" not in cli.err, query
    cli("find", "path:bin.dat author:nobody")
    assert "nothing passes author:nobody" in cli.err
    assert "binary" not in cli.err


def test_an_excluded_text_that_could_not_be_searched_for_is_an_error(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OHARA_FIND_LANE_TIMEOUT_S", "0.05")
    monkeypatch.setattr("ohara.retrieve.exact.PATIENCE", 0.0)
    cli("find", "retry", "-/./")
    assert cli.code == 2
    assert cli.err.startswith("ohara: what holds /./ could not be left out: the search ran out of time\n")


# -- case and words --------------------------------------------------------------------------------


def test_case_can_be_ignored(cli: Cli) -> None:
    assert cli.keys('"RETRY"') == []
    assert cli.keys("-i", '"RETRY"') == cli.keys("/retry/i")
    assert cli.keys("-i", "/RETR[IY]/") == cli.keys("/retr[iy]/i")
    assert cli.keys("--ignore-case", "--mode", "literal", "RETRY(") == cli.keys('"retry("')


def test_whole_words_can_be_asked_for(cli: Cli) -> None:
    assert "second src/client.py" in cli.keys('"retr"', "--all-hunks")
    assert cli.keys("-w", '"retr"') == []
    assert "first src/client.py" in cli.keys("-w", "--all-hunks", '"retry"')
    assert cli.keys("-w", '"retry("') == []  # a letter goes on behind the sign, as for grep
    assert cli.keys("-w", '"retry(3)"', "--all-hunks") == cli.keys('"retry(3)"', "--all-hunks")
    assert cli.keys("-w", "/retr[iy]/", "--all-hunks") == cli.keys("/retry/", "--all-hunks")
    cli("find", "-i", "--mode", "structural", "foo($X)")
    assert (cli.code, "-i and -w" in cli.err) == (2, True)


# -- counts ----------------------------------------------------------------------------------------


def test_a_list_is_counted(cli: Cli) -> None:
    assert (cli("find", "--count", "/retr/"), cli.code, cli.err) == ("3\n", 0, "")
    assert cli("find", "--count", "--all-hunks", "/retr/") == "4\n"
    assert cli("find", "--count", "author:ada") == "2\n"
    assert (cli("find", "--count", '"nothing so"'), cli.code) == ("0\n", 1)
    assert json.loads(cli("find", "--json", "-k", "1", "/retr/"))["total"] == 3
    assert json.loads(cli("find", "--json", "--no-rerank", "retry"))["total"] is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("retry", "more"), "--count counts a list, and this query, read as prose, ranks"),
        (("-k", "3", '"x"'), "--count counts all hits"),
        (("--first", '"x"'), "--count counts all hits"),
        (("--json", '"x"'), "--json and --count exclude each other"),
    ],
)
def test_what_cannot_be_counted_is_refused(arguments: tuple[str, ...], said: str, cli: Cli) -> None:
    assert cli("find", "--count", "--no-rerank", *arguments) == ""
    assert (cli.code, cli.err.splitlines()[0]) == (2, f"ohara: {said}")


def test_what_cannot_be_counted_is_said_as_it_could_be(cli: Cli) -> None:
    cli("find", "--count", "--no-rerank", "-i", "-w", "retry more")
    assert cli.err.splitlines()[1] == "  hint: quote a text to count what holds it: --count '\"retry more\"'"


@pytest.mark.parametrize(
    "query",
    ["author:ada", "src/client.py", "path:src/ author:ada", "client.py", '"retry"', "--order newest retry"],
)
def test_all_of_what_is_counted_is_listed(query: str, cli: Cli) -> None:
    counted = int(cli("find", "--count", "--no-rerank", *query.split()))
    assert counted
    assert len(cli("find", "-k", "0", "--oneline", "--no-rerank", *query.split()).splitlines()) == counted
    assert cli.code == 0


@pytest.mark.parametrize(
    ("query", "read_as", "hint"),
    [
        ("retry more", "prose", "quote a text to list what holds it: -k 0 '\"retry more\"'"),
        ("no_such/file.py", "path", "quote a text to list what holds it: -k 0 '\"no_such/file.py\"'"),
        (
            "retry_upload",
            "symbol",
            (
                "what touches the symbol: -k 0 symbol:retry_upload; "
                "quote a text to list what holds it: -k 0 '\"retry_upload\"'"
            ),
        ),
    ],
)
def test_of_what_ranks_there_is_no_whole_list(query: str, read_as: str, hint: str, cli: Cli) -> None:
    for form in ("--oneline", "-q", "--json"):
        assert cli("find", "-k", "0", "--no-rerank", form, query) == ""
        assert (cli.code, cli.err.splitlines()) == (
            2,
            [f"ohara: -k 0 lists all of a list, and this query, read as {read_as}, ranks", f"  hint: {hint}"],
        )


def test_the_changes_of_a_symbol_are_counted_by_its_filter(cli: Cli) -> None:
    assert cli("find", "--count", "--no-rerank", "retry_upload") == ""
    assert "--count symbol:retry_upload" in cli.err


def test_a_file_of_a_commit_is_left_to_git(cli: Cli) -> None:
    assert cli("show", "HEAD:src/client.py") == ""
    assert cli.code == 2
    assert cli.err.splitlines() == [
        "ohara: HEAD:src/client.py names a file of a commit, not a commit",
        "  hint: to see that file: git show HEAD:src/client.py",
    ]


# -- lines of one's own ----------------------------------------------------------------------------


def test_one_line_a_hit(cli: Cli) -> None:
    first, second = (cli.repo.sha[key][:10] for key in ("first", "second"))
    assert cli("find", "--oneline", '"    retr"').splitlines() == [
        f"{second} src/client.py:2 Retry more",
        f"{first} src/client.py:2 Retry thrice",
    ]
    linked = cli("find", "--oneline", "--url", '"retries"')
    sha = cli.repo.sha["second"]
    assert linked == (
        f"{second} src/client.py:2 Retry more https://github.com/acme/parcel/blob/{sha}/src/client.py#L2\n"
    )
    assert cli("find", "--oneline", '"nothing so"') == ""
    assert cli.err.startswith("nothing found\n")


def test_a_format_of_ones_own(cli: Cli) -> None:
    sha, parent = cli.repo.sha["second"], cli.repo.sha["first"]
    asked = (
        "%H %h %P %p %an <%ae> %al%n%s|%f|%b|%B%x09%%"
        "%(rank) %(place) %(path) %(line) %(old_line) %(kind) %(symbol)"
    )
    assert cli("find", "--format", asked, '"retries"') == (
        f"{sha} {sha[:10]} {parent} {parent[:10]} Bob Smith <bob@example.com> bob\n"
        "Retry more|Retry-more||Retry more\t%1 src/client.py:2 src/client.py 2 3 modified send\n"
    )
    dates = "%ad|%as|%aI|%ai|%at|%aD|%cs"
    said = cli.repo.git("show", "-s", f"--format={dates}", "--date=short", sha)
    assert cli("find", f"--format=format:{dates}", "--date=short", '"retries"') == said
    assert cli("find", "--format", "%(tag) %(url)", '"retries"').startswith("v1.0 https://github.com/acme/")
    assert cli("find", "--format=%C(red)%h%Creset", '"retries"') == f"{sha[:10]}\n"
    coloured = cli("find", "--color=always", "--format=%C(bold red)%h%Creset", '"retries"')
    assert coloured == f"\x1b[1;31m{sha[:10]}\x1b[0m\n"
    assert cli("find", "--format=%(excerpt)", "-C0", '"retries"') == "+    retries(5)\n"


@pytest.mark.parametrize(
    "message",
    [
        "Retry until the\nserver answers\n\n  Because it\nfails.\n\nTwice.",
        "Retry\n \nBecause",
        "\n\nRetry\nuntil it answers",
    ],
)
@pytest.mark.usefixtures("ohara_home")
def test_subject_and_body_are_parted_as_git_parts_them(
    message: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    with History(tmp_path / "wrapped") as history:
        history.commit(message, {"a.txt": "retry\n"})
    index(history.repo, WITHOUT_VECTORS)
    said = history.repo.git("show", "-s", "--format=%s|%f|%b", "HEAD").rstrip("\n")
    assert Cli(history.repo, capfdbinary)("find", "--format=%s|%f|%b", '"retry"') == f"{said}\n"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("%zz", "--format: %zz is not a placeholder that ohara knows"),
        ("%cn", "--format: %cn is not a placeholder that ohara knows"),
        ("%d| %h", "--format: %d is not a placeholder that ohara knows"),
        ("%(nothing)", "--format: %(nothing) is not a placeholder that ohara knows"),
        ("100%", "--format: % is not a placeholder that ohara knows"),
        ("%C(mauve)x", "--format: %C(mauve) names no colour"),
        ("plain", "--format 'plain' has no placeholder"),
        ("", "--format '' has no placeholder"),
    ],
)
def test_an_unknown_placeholder_is_refused_with_the_list(asked: str, said: str, cli: Cli) -> None:
    assert cli("find", f"--format={asked}", '"retries"') == ""
    first, hint = cli.err.splitlines()
    assert (cli.code, first) == (2, f"ohara: {said}")
    assert "%H" in hint or "red" in hint


def test_a_format_is_harmless_whatever_a_repository_holds(cli: Cli) -> None:
    shown = cli("find", "--format=%an %s %(path) %(excerpt) %B", '"sleep(2)"')
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "Eve ␛[31m Sleep" in shown
    shown = cli("find", "--oneline", "--color=always", '"sleep(2)"')
    assert ESCAPES.sub("", shown) == ESCAPES.sub("", shown).replace("\x1b", "")


def test_dates_are_written_as_asked(cli: Cli) -> None:
    for style in ("iso", "short", "rfc", "unix", "raw", "default", "iso-strict", "format:%d/%m"):
        ours = cli("find", f"--date={style}", '"retries"').splitlines()[0].split(" · ")[1]
        git = cli.repo.git("show", "-s", "--format=%cd", f"--date={style}", cli.repo.sha["second"]).strip()
        assert ours == git, style
    told = cli("explain", "--date=short", "--url", "--no-daemon", "src/client.py").splitlines()
    assert told[0].split(" · ")[1] == "2024-05-02"
    assert any(line.strip().startswith("https://github.com/acme/parcel/blob/") for line in told)
    cli("find", "--date=yesterday", "x")
    assert (cli.code, cli.err.splitlines()[0]) == (2, "ohara: there is no style of dates called 'yesterday'")
    cli("find", "--date=ios", "x")
    assert "did you mean iso?" in cli.err


def test_a_hit_names_its_page_and_its_release(cli: Cli) -> None:
    sha = cli.repo.sha["first"]
    shown = cli("find", "--url", "--tags", '"retry(3)"', "--added").splitlines()
    assert f"   https://github.com/acme/parcel/blob/{sha}/src/client.py#L2" in shown
    assert shown[-2:][0].startswith("   1 more") or "first in v1.0" in cli("find", "--tags", '"retry(3)"')
    (hit,) = json.loads(cli("find", "--json", "--tags", '"retries"'))["hits"]
    assert (hit["tag"], hit["above"], hit["below"]) == ("v1.0", 0, 0)
    gone = json.loads(cli("find", "--json", "kind:deleted"))["hits"][0]
    assert gone["url"] == f"https://github.com/acme/parcel/commit/{cli.repo.sha['delete']}"
    assert (gone["tag"], json.loads(cli("find", "--json", '"retries"'))["hits"][0]["tag"]) == (None, None)


def test_an_excerpt_says_that_it_goes_on(cli: Cli) -> None:
    lines = [line.strip() for line in cli("find", "-C1", '"line 30"').splitlines()]
    assert lines[4:9] == ["…", "+ line 29", "+ line 30", "+ line 31", "…"]
    (hit,) = json.loads(cli("find", "--json", "-C1", '"line 30"'))["hits"]
    assert (hit["above"], hit["below"]) == (29, 28)
    assert not any(line.strip().startswith("+") and "more" in line for line in lines)


# -- a terminal ------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [20, 80])
def test_one_line_a_hit_is_one_line_of_a_terminal(columns: int, parcel: Repo, home: Path) -> None:
    code, shown = in_terminal(parcel, home, "find", "--oneline", "/e/", "--no-pager", columns=columns)
    lines = ESCAPES.sub("", shown).splitlines()
    assert code == 0
    assert len(lines) == 5
    assert all(0 < width_of(line) <= columns for line in lines)
    assert "\x1b[33m" in shown
    assert (
        "\x1b"
        not in in_terminal(parcel, home, "find", "--oneline", "/e/", "--no-pager", environ={"NO_COLOR": "1"})[
            1
        ]
    )


def test_lane_timings_are_told_only_when_asked_for(parcel: Repo, home: Path) -> None:
    _, shown = in_terminal(parcel, home, "find", "--no-pager", '"retries"', environ={"NO_COLOR": "1"})
    assert re.search(r"^1 hit in 5 commits · read as literal · \d+ ms$", shown, re.MULTILINE)
    _, shown = in_terminal(
        parcel, home, "find", "--no-pager", "--explain", '"retries"', environ={"NO_COLOR": "1"}
    )
    assert re.search(r"read as literal · literal 1 in \d+ ms · \d+ ms$", shown, re.MULTILINE)


def pager(folder: Path, name: str) -> Path:
    """A pager that says its name and what it was given."""
    script = folder / name
    script.write_text(f'#!/bin/sh\necho "[{name} LESS=$LESS]"\nsed "s/^/{name}> /"\n')
    script.chmod(0o755)
    return script


@pytest.fixture
def pagers(parcel: Repo, tmp_path: Path) -> Iterator[dict[str, str]]:
    """Pagers that tell their names, one of them named by the repository's own configuration."""
    named = {name: str(pager(tmp_path, name)) for name in ("mine", "theirs", "machine", "plain")}
    for who, file in (("mine", "gitconfig"), ("machine", "etc")):
        (tmp_path / file).write_text(f"[core]\n\tpager = {named[who]}\n")
    (tmp_path / "early").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "early").chmod(0o755)
    parcel.git("config", "core.pager", named["theirs"])
    yield named | {
        "user": str(tmp_path / "gitconfig"),
        "etc": str(tmp_path / "etc"),
        "early": str(tmp_path / "early"),
    }
    parcel.git("config", "--unset", "core.pager")


def test_the_pager_is_chosen_as_git_chooses_it(
    parcel: Repo, pagers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(parcel.path)
    for name in ("PAGER", "GIT_PAGER", "TERM"):
        monkeypatch.delenv(name, raising=False)
    base = dict(os.environ)
    user = base | {"GIT_CONFIG_GLOBAL": pagers["user"]}
    for environment, chosen in (
        (base | {"PAGER": pagers["plain"]}, pagers["plain"]),
        (user | {"PAGER": pagers["plain"]}, pagers["mine"]),
        (base | {"GIT_CONFIG_SYSTEM": pagers["etc"], "GIT_CONFIG_NOSYSTEM": "0"}, pagers["machine"]),
        (
            user | {"GIT_PAGER": "delta --dark | cat -A"},
            "delta --dark | cat -A" if shutil.which("delta") else None,
        ),
        (user | {"GIT_PAGER": f"X=1 {pagers['mine']}"}, f"X=1 {pagers['mine']}"),
        (user | {"GIT_PAGER": "cat"}, None),
        (user | {"GIT_PAGER": ""}, None),
        (base | {"PAGER": ""}, None),
        (user | {"TERM": "dumb"}, None),
        (base | {"PATH": str(parcel.path)}, None),  # neither less nor git is there
    ):
        assert pager_command(environment) == chosen


def test_answers_on_a_terminal_go_through_the_pager(parcel: Repo, home: Path, pagers: dict[str, str]) -> None:
    user = {"GIT_CONFIG_GLOBAL": pagers["user"], "NO_COLOR": "1"}
    code, shown = in_terminal(parcel, home, "find", "--oneline", '"retries"', environ=user)
    assert (code, shown.splitlines()[0]) == (0, "[mine LESS=FRX]")
    assert "mine> " + parcel.sha["second"][:10] in shown
    code, shown = in_terminal(parcel, home, "show", "v1.0", environ=user | {"LESS": "S"})
    assert (code, shown.splitlines()[0]) == (0, "[mine LESS=S]")
    assert "mine> +    retries(5)" in shown
    assert "LESS" not in in_terminal(parcel, home, "show", "v1.0", "--no-pager", environ=user)[1]
    assert (
        "LESS"
        not in ohara("find", '"retries"', cwd=parcel.path, env={"OHARA_HOME": str(home), **user}).stdout
    )
    code, shown = in_terminal(parcel, home, "find", '"retries"', environ={"GIT_PAGER": "nosuch"})
    assert (code, shown.splitlines()[0]) == (0, "the pager nosuch is not to be found")
    assert "Retry more" in shown
    assert in_terminal(parcel, home, "show", "HEAD", environ={"GIT_PAGER": pagers["early"]})[0] == 0
    assert in_terminal(parcel, home, "find", "-q", '"no such"', environ={"GIT_PAGER": pagers["mine"]}) == (
        1,
        "",
    )


@pytest.mark.skipif(not os.access("/usr/bin/less", os.X_OK), reason="needs less")
def test_less_prints_what_fits_the_screen_and_ends(parcel: Repo, home: Path) -> None:
    code, shown = in_terminal(
        parcel, home, "find", "--oneline", '"retries"', environ={"GIT_PAGER": "less", "LINES": "40"}
    )
    assert code == 0
    assert "Retry more" in shown


def test_the_service_answers_a_terminal_through_the_pager_too(
    parcel: Repo, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = str(pager(tmp_path, "mine"))
    quiet = {"NO_COLOR": "1", "GIT_PAGER": mine, "OHARA_HOME": str(home)}
    command = ("find", "-i", "--date=iso", "--url", '"RETRIES"', "-author:ada", '-"nothing so"')
    alone = in_terminal(parcel, home, *command, environ=quiet)
    monkeypatch.setenv("OHARA_HOME", str(home))
    with service(home, monkeypatch):
        assert re.sub(r"\d+ ms", "", in_terminal(parcel, home, *command, environ=quiet)[1]) == re.sub(
            r"\d+ ms", "", alone[1]
        )
        assert "mine>" not in in_terminal(parcel, home, *command, "--no-pager", environ=quiet)[1]


# -- show ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["first", "second", "delete", "long", "hostile"])
def test_what_show_prints_into_a_pipe_can_be_applied(key: str, cli: Cli, tmp_path: Path) -> None:
    sha = cli.repo.sha[key]
    cli("show", sha)
    assert cli.code == 0
    copy = tmp_path / "copy"
    subprocess.run(["git", "clone", "-q", "--no-checkout", str(cli.repo.path), str(copy)], check=True)
    before = f"{sha}^" if key != "first" else "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    subprocess.run(["git", "-C", str(copy), "read-tree", before], check=True)
    subprocess.run(["git", "-C", str(copy), "apply", "--cached", "-"], input=cli.raw, check=True)
    tree = subprocess.run(["git", "-C", str(copy), "write-tree"], capture_output=True, text=True, check=True)
    assert tree.stdout.strip() == cli.repo.git("rev-parse", f"{sha}^{{tree}}").strip()


def test_a_message_that_is_a_patch_is_not_applied(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    repo = init(tmp_path / "evil")
    evil = "diff --git a/pwned b/pwned\nnew file mode 100644\n--- /dev/null\n+++ b/pwned\n@@ -0,0 +1 @@\n+x"
    commit(repo, {"a": "1\n"}, "Ada", "one", 1)
    commit(repo, {"a": "2\n"}, "Ada", f"Subject\n\n{evil}", 2)
    cli = Cli(repo, capfdbinary)
    cli("show")
    repo.git("reset", "-q", "--hard", "HEAD^")
    subprocess.run(["git", "-C", str(repo.path), "apply", "-"], input=cli.raw, check=True)
    assert repo.git("status", "--porcelain") == " M a\n"


def test_show_takes_whatever_git_knows_indexed_or_not(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    sha = cli.repo.sha["second"]
    for rev in ("v1.0", "HEAD~3", ":/Retry more", "HEAD^{/more}", sha[:7], f"{sha[:12]}^0", "main~3", "@~3"):
        assert cli("show", rev).startswith(f"commit {sha} (v1.0)\n"), rev
    for url in (
        f"https://github.com/acme/parcel/commit/{sha}",
        f"https://gitlab.example.com/acme/parcel/-/commit/{sha[:8]}",
        f"https://bitbucket.org/acme/parcel/commits/{sha}",
    ):
        assert cli("show", url).startswith(f"commit {sha}"), url
    cli("show", "https://github.com/acme/parcel/pull/3")
    assert (cli.code, "ohara find" in cli.err) == (2, True)
    cli("show", "--", "-n")
    assert cli.code == 0
    assert cli("show", "no such rev") == ""
    assert cli.code == 2
    dangling = cli.repo.git("commit-tree", "HEAD^{tree}", "-p", "v1.0", "-m", "Nobody leads here").strip()
    assert "    Nobody leads here" in cli("show", dangling).splitlines()
    assert cli.code == 0
    monkeypatch.setenv("OHARA_HOME", str(cli.repo.path / "nowhere"))
    assert cli("show", "v1.0").startswith(f"commit {sha}")
    assert not (cli.repo.path / "nowhere").exists()


def test_show_is_bound_by_paths_as_git_is(cli: Cli) -> None:
    first = cli.repo.sha["first"]
    whole = cli("show", first)
    assert "diff --git a/docs/notes.md" in whole
    for arguments in (("src",), ("--", "src"), ("--", "*.py"), ("--", ":!docs")):
        bound = cli("show", first, *arguments)
        assert "diff --git a/src/client.py" in bound, arguments
        assert "docs/notes.md b/" not in bound, arguments
    said = json.loads(cli("show", "--json", first, "--", "src"))
    assert {hit["path"] for hit in said["hits"]} == {"src/client.py"}
    assert "@@ -2 +2 @@" in cli("show", "-U0", cli.repo.sha["second"])
    assert cli("show", "--", "docs").startswith(f"commit {cli.repo.sha['hostile']}")


def test_show_is_harmless_on_a_terminal_and_exact_in_a_pipe(parcel: Repo, home: Path, cli: Cli) -> None:
    cli("show", "HEAD")
    assert HOSTILE.encode() in cli.raw
    assert "First in: v1.0" in cli("show", "v1.0")
    _, shown = in_terminal(parcel, home, "show", "HEAD", environ={"GIT_PAGER": "cat"})
    plain = ESCAPES.sub("", shown)
    assert "\x1b" not in plain
    assert "\u202e" not in plain
    assert "+sleep(2)  # ␛]0;owned␇" in plain
    assert "\x1b[32m+sleep(2)" in shown
    _, shown = in_terminal(parcel, home, "show", "HEAD", "--color=never", "--no-pager", columns=20)
    assert "\x1b" not in shown


@pytest.mark.parametrize("command", [("show", "HEAD~1"), ("find", "-k0", "--format=%h%(excerpt)", "/./")])
def test_a_pipe_that_is_closed_early_is_success(command: tuple[str, ...], parcel: Repo, home: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "ohara", *command],
        cwd=parcel.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT), "OHARA_HOME": str(home)},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(1)
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert (process.wait(60), said) == (0, b"")


def test_a_repository_without_commits(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    shown = ohara("show", cwd=tmp_path)
    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr.startswith("ohara: this repository has no commits yet\n")
    for form in ("--oneline", "--format=%h", "--url"):
        done = ohara("find", form, '"x"', cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, ""), form
    assert ohara("find", "--count", '"x"', cwd=tmp_path).stdout == "0\n"

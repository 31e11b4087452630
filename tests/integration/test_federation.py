"""Several repositories searched as one: fair, complete page by page, and whole without those that fail."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.script import History
from ohara import client, config
from ohara.cli.main import main
from ohara.engine import Engine
from ohara.errors import ConfigError, OharaError, QueryError, RepositoryError, UsageError
from ohara.federation.scope import choose
from ohara.federation.searcher import Federation
from ohara.model import Filters, Order, SearchOptions
from ohara.retrieve import judging, rank, rerank
from tests.daemon import service
from tests.indexing import index
from tests.process import ROOT, ohara

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ohara.model import Results
    from ohara.retrieve.judging import Verdict
    from ohara.store.sqlite.reader import Reader

NAMES = ("birds", "fish", "stones")
EVERYTHING = 1_000
NOW = 1_800_000_000


def make(place: Path, name: str, count: int, *, word: str) -> Path:
    """A history of so many commits, each adding a function about one thing of its own and one of all."""
    with History(place / name) as history:
        text = ""
        for number in range(count):
            text += f"def {word}_{number}(value):\n    shared = value + {number}\n    return shared\n\n\n"
            subject = (
                f"Add {word} number {number}" if number % 3 else f"Retry the {word} with backoff {number}"
            )
            history.commit(subject, {f"src/{word}.py": text, f"src/part_{number}.txt": f"{word}\n"})
    return place / name


def groups_in(place: Path) -> str:
    return f'[groups]\nwet = ["{place}/fish"]\nboth = ["{place}/birds", "{place}/fish"]\n'


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Three indexed repositories and what ohara keeps of them."""
    place = tmp_path_factory.mktemp("several")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(place / "home"))
        (place / "home" / "config").mkdir(parents=True)
        groups = groups_in(place)
        (place / "home" / "config" / "config.toml").write_text(
            f"[find]\nlane_timeout_s = 60\n{groups}", encoding="utf-8"
        )
        for number, name in enumerate(NAMES):
            index(make(place, name, 12 + 7 * number, word=name.removesuffix("s")))
        yield place


@pytest.fixture
def repos(place: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("OHARA_HOME", str(place / "home"))
    return [str(place / name) for name in NAMES]


def federation(named: Sequence[str], filters: Filters = Filters()) -> Federation:  # noqa: B008 - frozen
    return Federation(choose(named, filters, folder=Path("/")))


def walked(searcher: Federation, query: str, k: int, **options: object) -> list[Results]:
    pages = [searcher.find_pattern(query, SearchOptions(k=k, now=NOW, **options))]  # type: ignore[arg-type]
    while pages[-1].next_cursor is not None:
        assert len(pages) < EVERYTHING
        after = SearchOptions(k=k, after=pages[-1].next_cursor, **options)  # type: ignore[arg-type]
        pages.append(searcher.find_pattern(query, after))
    return pages


def identity(hit: object) -> tuple[str, int]:
    return hit.repository, hit.hunk  # type: ignore[attr-defined]


# -- pages ---------------------------------------------------------------------------------------

QUERIES = ("retry with backoff", '"return shared"', "/def \\w+_1\\d/", "path:src/", "shared value added")


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("order", [Order.RANK, Order.OLDEST, Order.NEWEST])
def test_pages_of_several_make_up_the_whole(repos: list[str], query: str, order: Order) -> None:
    searcher = federation(repos)
    options = {"rerank": False, "order": order}
    whole = searcher.find_pattern(query, SearchOptions(k=EVERYTHING, now=NOW, **options))  # type: ignore[arg-type]
    assert whole.next_cursor is None
    assert len({identity(hit) for hit in whole.hits}) == len(whole.hits) > 10
    assert {hit.repository for hit in whole.hits} == set(repos)
    assert [hit.rank for hit in whole.hits] == list(range(1, len(whole.hits) + 1))
    pages = walked(searcher, query, 7, **options)
    hits = [hit for page in pages for hit in page.hits]
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert list(map(identity, hits)) == list(map(identity, whole.hits))
    alone = [
        identity(hit)
        for repo in repos
        for hit in Engine.open(repo)
        .find_pattern(query, SearchOptions(k=EVERYTHING, now=NOW, **options))  # type: ignore[arg-type]
        .hits
    ]
    assert sorted(alone) == sorted(map(identity, hits))
    if order is not Order.RANK:
        times = [hit.commit.committer_time for hit in hits]
        assert times == sorted(times, reverse=order is Order.NEWEST)


@settings(max_examples=12)
@given(
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=6),
    query=st.sampled_from(QUERIES),
    chosen=st.sets(st.sampled_from(NAMES), min_size=1),
    all_hunks=st.booleans(),
)
def test_no_hit_is_lost_or_shown_twice_however_pages_are_cut(
    place: Path,
    sizes: list[int],
    query: str,
    chosen: set[str],
    all_hunks: bool,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(place / "home"))
        searcher = federation([str(place / name) for name in sorted(chosen)])
        chosen_options = {"rerank": False, "all_hunks": all_hunks}
        whole = searcher.find_pattern(query, SearchOptions(k=EVERYTHING, now=NOW, **chosen_options))  # type: ignore[arg-type]
        seen: list[tuple[str, int]] = []
        after, turn = None, 0
        while True:
            size = sizes[turn % len(sizes)]
            now = None if after else NOW
            options = SearchOptions(k=size, after=after, now=now, **chosen_options)  # type: ignore[arg-type]
            page = searcher.find_pattern(query, options)
            seen += map(identity, page.hits)
            assert len(page.hits) == size or page.next_cursor is None
            after, turn = page.next_cursor, turn + 1
            if after is None:
                break
        assert seen == list(map(identity, whole.hits))


@pytest.mark.parametrize("query", ["retry the fish with backoff", "add bird number"])
def test_an_index_that_has_no_hit_among_the_first_is_not_looked_at_further(
    repos: list[str], query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[str] = []
    judge = judging.judge

    def listen(reader: Reader, **given: object) -> Verdict:
        judged.append(reader.database.parent.name)
        return judge(reader, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(rank, "judge", listen)
    names = {Engine.open(repo).location.folder.name: repo for repo in repos}
    monkeypatch.setattr(rerank, "DEPTH", 8)  # few enough that nothing of some is read
    searcher = federation(repos)
    whole = searcher.find_pattern(query, SearchOptions(k=EVERYTHING, now=NOW, rerank=False))
    assert sorted(names[each] for each in judged) == sorted(repos)
    judged.clear()
    first = searcher.find_pattern(query, SearchOptions(k=2, now=NOW, rerank=False))
    assert list(map(identity, first.hits)) == list(map(identity, whole.hits[:2]))
    assert {hit.repository for hit in first.hits} <= {names[each] for each in judged} < set(repos)
    assert [part.index.repository for part in first.parts] == repos
    pages = walked(searcher, query, 2, rerank=False)
    hits = [hit for page in pages for hit in page.hits]
    assert list(map(identity, hits)) == list(map(identity, whole.hits))


def test_a_word_that_another_repository_knows_is_no_slip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OHARA_HOME", str(tmp_path / "home"))
    stoves, stones = (make(tmp_path, f"{word}s", 3, word=word) for word in ("stove", "stone"))
    index(stoves)
    index(stones)
    options = SearchOptions(k=EVERYTHING, now=NOW, rerank=False)
    alone = federation([str(stoves)]).find_pattern("retry the stone with backoff", options)
    assert any("did you mean 'retry the stove with backoff'" in note for note in alone.notes)
    both = federation([str(stoves), str(stones)])
    known = both.find_pattern("retry the stone with backoff", options)
    assert {hit.repository for hit in known.hits} == {str(stoves), str(stones)}
    assert not any("did you mean" in note for note in known.notes), known.notes
    slip = both.find_pattern("retry the stome with backoff", options)
    assert any("did you mean 'retry the stove with backoff'" in note for note in slip.notes)


def test_the_service_and_the_shell_page_alike(
    repos: list[str], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = [part for repo in repos for part in ("--repo", repo)]
    with service(place / "home", monkeypatch, settings=groups_in(place)), client.connect() as there:
        remote = client.RemoteSearcher(there, repos[0], also=tuple(repos[1:]))
        whole = [identity(hit) for hit in remote.find_pattern('"return shared"', SearchOptions(k=40)).hits]
        for way in ((), ("--no-daemon",)):
            seen, after = [], None
            for _ in range(2):
                more = ("--after", after) if after else ()
                said = ohara("find", *named, "--json", "-k", "20", *way, *more, '"return shared"')
                page = json.loads(said.stdout)
                seen += [(hit["repository"], hit["hunk"]) for hit in page["hits"]]
                after = page["next"]
            assert seen == whole


def test_a_cursor_is_refused_by_other_repositories_and_other_questions(repos: list[str]) -> None:
    page = federation(repos).find_pattern('"return shared"', SearchOptions(k=5))
    assert page.next_cursor is not None
    for searcher, query in (
        (federation(repos[:2]), '"return shared"'),
        (federation(repos), '"shared = value"'),
    ):
        with pytest.raises(QueryError, match="another query"):
            searcher.find_pattern(query, SearchOptions(k=5, after=page.next_cursor))
    with pytest.raises(QueryError, match="another query"):
        Engine.open(repos[0]).find_pattern('"return shared"', SearchOptions(k=5, after=page.next_cursor))


# -- who is searched -----------------------------------------------------------------------------


class Shell:
    """The command line in this process, in some folder."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def find(self, *arguments: str, cwd: Path) -> tuple[int, str, str]:
        self._monkeypatch.chdir(cwd)
        code = main(["find", "--no-daemon", "--no-rerank", *arguments])
        said = self._capsys.readouterr()
        return code, said.out, said.err

    def found_in(self, *arguments: str, cwd: Path) -> set[str]:
        """The names of the repositories that hits are of."""
        code, out, err = self.find("--json", "-k", "60", *arguments, cwd=cwd)
        assert not code, err
        answer = json.loads(out)
        found = {hit["repository"] for hit in answer["hits"]}
        assert found == {each["repository"] for each in answer["repositories"] if each["hits"]}
        return {Path(path).name for path in found}


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(capsys, monkeypatch)


def test_repositories_are_named_one_by_one_by_group_and_all_at_once(
    repos: list[str], place: Path, shell: Shell
) -> None:
    here = place / "stones"
    literal = '"return shared"'
    assert shell.found_in(literal, cwd=here) == {"stones"}
    assert shell.found_in("--repo", repos[0], "--repo", "../fish", literal, cwd=here) == {"birds", "fish"}
    assert shell.found_in("--repo", "@wet", literal, cwd=here) == {"fish"}
    assert shell.found_in("--repo", "@both", "--repo", ".", literal, cwd=here) == set(NAMES)
    assert shell.found_in("--everywhere", literal, cwd=place) == set(NAMES)


def test_filters_choose_among_repositories(repos: list[str], place: Path, shell: Shell) -> None:
    literal = '"return shared"'
    assert shell.found_in(literal, "repo:birds", cwd=place / "fish") == {"birds"}
    assert shell.found_in(literal, "repo:*s*", "-repo:fish", cwd=place / "fish") == {"birds", "stones"}
    assert shell.found_in(literal, "-repo:fish", cwd=place) == {"birds", "stones"}
    assert shell.found_in(literal, f"repo:{place}/b*", cwd=place) == {"birds"}
    assert shell.found_in(literal, f"repo:{place.name}/{{fish,birds}}", cwd=place) == {"fish", "birds"}
    assert shell.found_in(literal, "--not-repo", "fish", "--repo", "@both", cwd=place) == {"birds"}
    with pytest.raises(QueryError, match="no repository is let through by repo:mice"):
        federation([], Filters(repos=("mice",)))
    with pytest.raises(QueryError, match="not let through"):
        Engine.open(repos[0]).find_pattern("repo:fish shared")


def test_bad_choices_are_one_line_and_code_2(repos: list[str], place: Path, shell: Shell) -> None:
    for arguments, message in (
        (("--repo", "@wett", "x"), "there is no group 'wett' of repositories"),
        (("--everywhere", "--repo", repos[0], "x"), "--everywhere and --repo exclude each other"),
        (("repo:mice", "x"), "no repository is let through by repo:mice"),
    ):
        code, _, err = shell.find(*arguments, cwd=place)
        assert code == 2
        assert message in err
        assert len(err.splitlines()) <= 2


def test_groups_are_lists_of_whole_paths(ohara_home: Path) -> None:
    file = ohara_home / "config" / "config.toml"
    file.parent.mkdir(parents=True)
    for text, message in (
        ('groups = "x"\n', "groups is a section"),
        ('[groups]\nwork = "x"\n', "groups.work must be a list of texts"),
        ('[groups]\nwork = ["src/a"]\n', "src/a is no whole path"),
        ("[groups]\nwork = []\n", "groups.work must be"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError, match=message):
            config.load()
    file.write_text('[groups]\nwork = ["~/a", "/b"]\n', encoding="utf-8")
    assert config.load().groups == {"work": ("~/a", "/b")}


def test_one_index_by_two_paths_is_asked_once(repos: list[str]) -> None:
    inside = str(Path(repos[0]) / "src")
    hits = federation([repos[0], inside]).find_pattern('"return shared"', SearchOptions(k=100)).hits
    assert len({identity(hit) for hit in hits}) == len(hits) == 12


# -- what is said of several ----------------------------------------------------------------------


def test_each_repository_says_what_it_covers_and_when_a_text_came(repos: list[str]) -> None:
    results = federation(repos).find_pattern('"return shared"', SearchOptions(k=3))
    assert [part.index.repository for part in results.parts] == repos
    assert [part.index.indexed for part in results.parts] == [12, 19, 26]
    assert results.index.indexed == 57
    assert sum(part.hits for part in results.parts) == 3
    assert all(part.literal is not None and part.literal.introduced for part in results.parts)
    assert all(hit.fate is not None for hit in results.hits)


def test_text_names_the_repository_of_each_hit(repos: list[str], shell: Shell, place: Path) -> None:
    code, out, _ = shell.find("--everywhere", "retry with backoff", "-k", "30", cwd=place)
    assert not code
    for repo in repos:
        assert out.count(f"   {repo}\n") >= 1


def test_one_line_a_hit_names_its_repository_where_several_are_searched(
    repos: list[str], shell: Shell, place: Path
) -> None:
    code, out, _ = shell.find("--everywhere", "retry with backoff", "-k", "30", "--oneline", cwd=place)
    assert not code
    for repo in repos:
        assert [line for line in out.splitlines() if line.split(" ")[1] == repo]
    code, alone, _ = shell.find("--repo", repos[0], "retry with backoff", "--oneline", cwd=place)
    assert not code
    assert repos[0] not in alone


def test_first_and_last_are_those_of_all(repos: list[str], shell: Shell, place: Path) -> None:
    times = sorted(
        hit.commit.committer_time
        for repo in repos
        for hit in Engine.open(repo).find_pattern('"return shared"', SearchOptions(k=100)).hits
    )
    for option, moment in (("--first", times[0]), ("--last", times[-1])):
        _, out, _ = shell.find("--json", "--everywhere", option, '"return shared"', cwd=place)
        (hit,) = json.loads(out)["hits"]
        assert datetime.fromisoformat(hit["date"]).timestamp() == moment


def test_a_commit_is_found_in_the_repository_that_has_it(repos: list[str]) -> None:
    sha = Engine.open(repos[1]).repository.commit_named("HEAD")
    searcher = federation(repos)
    results = searcher.find_pattern(sha[:12], SearchOptions(k=20))
    assert {hit.repository for hit in results.hits} == {repos[1]}
    assert {hit.commit.sha for hit in results.hits} == {sha}
    assert {hit.commit.sha for hit in searcher.show(sha)} == {sha}
    with pytest.raises(RepositoryError, match="is in 3 repositories"):
        searcher.show("HEAD")
    assert {hit.repository for hit in searcher.explain("src/fish.py:1").hits} == {repos[1]}
    assert [status.repository for status in searcher.statuses()] == repos


# -- those that do not answer ---------------------------------------------------------------------


def test_a_repository_that_fails_is_named_and_the_others_answer(
    repos: list[str], tmp_path: Path, shell: Shell
) -> None:
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    broken = make(tmp_path, "broken", 3, word="glass")
    engine = index(broken)
    engine.location.database.write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)
    results = federation([*repos, str(nowhere), str(broken)]).find_pattern('"return shared"')
    assert len(results.hits) == 5
    assert {each.repository for each in results.unanswered} == {str(nowhere), str(broken)}
    named = ("--repo", repos[0], "--repo", str(nowhere))
    code, _, err = shell.find(*named, "retry backoff", cwd=tmp_path)
    assert not code
    assert f"{nowhere} did not answer: {nowhere} is not inside a git repository" in err
    code, _, _ = shell.find(*named, '"not to be found"', cwd=tmp_path)
    assert code == 2  # nothing found, but not everything was searched
    with pytest.raises(OharaError, match="is not inside a git repository"):
        federation([str(nowhere)]).find_pattern("x")


def test_a_page_that_cannot_follow_is_refused(repos: list[str], tmp_path: Path) -> None:
    glass = make(tmp_path, "glass", 9, word="glass")
    engine = index(glass)
    searcher = federation([repos[0], str(glass)])
    page = searcher.find_pattern('"return shared"', SearchOptions(k=4))
    engine.forget()
    with pytest.raises(QueryError, match="did not answer, so this page would not follow"):
        federation([repos[0], str(glass)]).find_pattern(
            '"return shared"', SearchOptions(k=4, after=page.next_cursor)
        )


HOLD = """
import sys, time, apsw
connection = apsw.Connection(sys.argv[1])
connection.pragma("locking_mode", "exclusive")
connection.execute("BEGIN EXCLUSIVE")
connection.execute("UPDATE meta SET value = value")
print("held", flush=True)
time.sleep(600)
"""


def test_a_repository_that_hangs_does_not_hold_up_the_rest(
    repos: list[str], tmp_path: Path, ohara_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del ohara_home
    stuck = make(tmp_path, "stuck", 3, word="glass")
    engine = index(stuck)
    monkeypatch.setenv("OHARA_FIND_LANE_TIMEOUT_S", "1")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(engine.location.database)],
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": str(ROOT)},
    ) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            results = federation([*repos, str(stuck)]).find_pattern(
                "retry with backoff", SearchOptions(rerank=False)
            )
        finally:
            holder.kill()
    assert len(results.hits) == 5
    assert [each.repository for each in results.unanswered] == [str(stuck)]


def test_a_first_search_begins_the_indexes_that_are_missing(
    repos: list[str], tmp_path: Path, shell: Shell
) -> None:
    new = make(tmp_path, "new", 4, word="glass")
    found = shell.found_in("--repo", repos[0], "--repo", str(new), '"return shared"', cwd=tmp_path)
    assert found == {"birds", "new"}
    Engine.open(new).forget()


def test_options_are_checked_once(repos: list[str]) -> None:
    with pytest.raises(UsageError, match="cannot be shown"):
        federation(repos).find_pattern("x", SearchOptions(k=-1))

"""The benchmark's queries, its blind index and its peers, on a real history whose answers are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ohara.model import Mode
from ohara.store.sqlite.writer import Writer
from ohara.words import WORDS_VERSION
from tests.bench.changelog import draw_queries, excluded_pathspecs
from tests.bench.githistory import borrow, files_added, git, paths_touched, read_files
from tests.bench.indexing import pack_bytes
from tests.bench.literals import draw_patterns, git_commits
from tests.bench.peers import GitGrep, GitPickaxe, count_words, rarest
from tests.bench.rehearsal import CHANGES, FRAGMENTS, write_rehearsal
from tests.bench.reworded import without_messages
from tests.bench.systems import Ohara, Way
from tests.bench.workspace import Subject, at_home, with_messages

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return write_rehearsal(tmp_path_factory.mktemp("rehearsal") / "repo.git")


def test_every_fragment_is_a_query_answered_by_the_commit_that_added_it(repo: Repo) -> None:
    drawn = draw_queries(repo.path)
    answers = {query.text: query.answers for query in drawn.queries}
    assert (drawn.available, drawn.commits_with_fragments) == (len(CHANGES), len(CHANGES))
    assert answers["Uploads are now retried with an exponential backoff."] == (repo.sha["0"],)
    assert answers["Passwords are compared in constant time."] == (repo.sha["2"],)
    assert answers["Fixed routes with a trailing slash that were never matched by matchRoute."] == (
        repo.sha["3"],
    )
    assert set(answers.values()) == {(repo.sha[str(number)],) for number in range(len(CHANGES))}


def test_patterns_choose_and_the_limit_binds(repo: Repo) -> None:
    assert draw_queries(repo.path, patterns=["docs/*"]).queries == ()
    some = draw_queries(repo.path, patterns=[FRAGMENTS], limit=5)
    assert len(some.queries) == 5
    assert some.queries == draw_queries(repo.path, limit=5).queries


def test_a_commit_with_two_fragments_or_without_code_asks_nothing(tmp_path: Path) -> None:
    from fixtures.script import History

    words = "some five words or six"
    with History(tmp_path / "r") as history:
        history.commit("a", {"news/1.rst": f"{words} one", "news/2.rst": f"{words} two", "a.py": "1"})
        history.commit("b", {"news/3.rst": f"{words} three", "docs/b.rst": "1"})
        history.commit("c", {"news/4.rst": f"{words} four", "c.py": "1"}, key="c")
        history.commit("d", {"news/5.rst": f"{words} four", "news/4.rst": None, "d.py": "1"})
    drawn = draw_queries(history.repo.path)
    assert [(query.text, query.answers) for query in drawn.queries] == [
        (f"{words} four", (history.repo.sha["c"],))
    ]


def test_git_is_read_as_it_is(repo: Repo) -> None:
    added = {each.commit: each.paths for each in files_added(repo.path, [FRAGMENTS])}
    assert added[repo.sha["0"]] == ("newsfragments/0.bugfix.rst",)
    touched = paths_touched(repo.path, [repo.sha["start"], repo.sha["0"]])
    assert touched == {
        repo.sha["start"]: ("README.md",),
        repo.sha["0"]: ("app/upload.py", "newsfragments/0.bugfix.rst"),
    }
    assert read_files(repo.path, [f"{repo.sha['start']}:README.md", "HEAD:none", "HEAD:README.md"]) == [
        "An application.\n", "", "An application.\n",
    ]  # fmt: skip
    with pytest.raises(RuntimeError, match="git rev-parse"):
        git(repo.path, "rev-parse", "--verify", "no-such-ref")


def test_without_messages_nothing_knows_a_word_of_them(repo: Repo, tmp_path: Path) -> None:
    subject = Subject("rehearsal", repo.path)
    known_index, blind_index = with_messages(subject, tmp_path), without_messages(subject, tmp_path)
    with at_home(known_index.home):
        known = Ohara(known_index, Way("text", Mode.TEXT))
    with at_home(blind_index.home):
        blind = Ohara(blind_index, Way("text", Mode.TEXT))

    def messages(system: Ohara) -> set[str]:
        with Writer(system.database, passes=frozenset()) as writer:
            return {row[0] for row in writer.connection.execute("SELECT message FROM commits")}

    def subjects(system: Ohara) -> int:
        with Writer(system.database, passes=frozenset()) as writer:
            counted: int = writer.connection.execute("SELECT count(subject) FROM vec_commit").get
            return counted

    with at_home(known_index.home):
        assert repo.sha["0"] in known.ask("Retry uploads with backoff").commits
        assert "wip" in {message.strip() for message in messages(known)}
        status = known.status()
    with at_home(blind_index.home):
        assert repo.sha["4"] not in blind.ask("wip").commits
        assert blind.ask("backoff_seconds").commits[0] == repo.sha["0"]
        assert messages(blind) == {""}
        assert subjects(blind) == 0 < subjects(known)
        assert blind.status().passes == status.passes
    made = blind.database.stat().st_ino
    assert without_messages(subject, tmp_path) == blind_index
    assert blind.database.stat().st_ino == made


def test_a_copy_of_an_index_that_was_made_with_something_else_is_made_anew(
    repo: Repo, tmp_path: Path
) -> None:
    subject = Subject("rehearsal", repo.path)
    blind = without_messages(subject, tmp_path)
    with at_home(blind.home):
        left = Ohara(blind, Way("ohara")).database.with_name("left")
    left.touch()
    without_messages(subject, tmp_path)
    assert left.exists()
    mark = blind.home / "rehearsal.made-of"
    said = mark.read_text(encoding="utf-8")
    mark.write_text(said.replace(f"words={WORDS_VERSION}", "words=0"), encoding="utf-8")
    without_messages(subject, tmp_path)
    assert not left.exists()
    assert mark.read_text(encoding="utf-8") == said


def test_borrowed_objects_are_not_copied(repo: Repo, tmp_path: Path) -> None:
    borrow(tmp_path / "thin.git", [repo.path])
    assert git(tmp_path / "thin.git", "cat-file", "-t", repo.sha["0"]) == b"commit\n"
    assert pack_bytes(tmp_path / "thin.git") == 0
    assert pack_bytes(repo.path) > 0


def test_the_rarest_word_is_counted_where_git_will_look(repo: Repo) -> None:
    texts = ["Retry uploads: the delay of an upload", "steps retry_upload step"]
    counts = count_words(repo.path, texts)
    assert counts.changed["retry_upload"] == 1
    assert counts.changed["delay"] == 1
    assert counts.messages["Retry"] == 1
    assert counts.messages["step"] == 4 * len(CHANGES)
    assert counts.changed["Retry"] == 0
    assert rarest(texts[1], counts.messages, 2) == ["step"]


def test_git_answers_with_the_rarest_word(repo: Repo) -> None:
    text = "the delimiter of sniff_delimiter"
    counts = count_words(repo.path, [text, "Evict cached thumbnails by last use"])
    for option in ("-S", "-G"):
        found = GitPickaxe(repo.path, counts, option).ask(text)
        assert found.commits[0] == repo.sha["7"]
        assert found.elapsed_ms > 0
    assert GitGrep(repo.path, counts).ask("Evict cached thumbnails by last use").commits == (repo.sha["1"],)
    assert GitPickaxe(repo.path, counts, "-S").ask("nothing of this").fault


def test_git_does_not_find_the_question_itself(repo: Repo) -> None:
    text = "Newsletters understand"
    unseen = excluded_pathspecs()
    assert count_words(repo.path, [text]).changed["Newsletters"] == 2  # the fragment, and the release
    assert count_words(repo.path, [text], unseen).changed["Newsletters"] == 0
    counts = count_words(repo.path, [text])
    assert GitPickaxe(repo.path, counts, "-S", unseen).ask(text).commits == ()
    assert repo.sha["9"] in GitPickaxe(repo.path, counts, "-S").ask(text).commits


def test_patterns_of_a_history_match_in_it(repo: Repo) -> None:
    patterns = draw_patterns(repo.path, 21)
    assert len({pattern.expression for pattern in patterns}) == 21
    assert patterns == draw_patterns(repo.path, 21)
    assert len({pattern.kind for pattern in patterns}) == 7
    for pattern in patterns:
        assert git_commits(repo.path, pattern), pattern

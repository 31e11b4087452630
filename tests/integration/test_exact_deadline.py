"""An exact search that cannot end in time: it says how far it came, is never taken for a "no", and stops."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from ohara import client, wire
from ohara.model import LaneStatus
from tests.daemon import raw_connection, receive, service, wait_until
from tests.indexing import index
from tests.process import ohara, python

if TYPE_CHECKING:
    from fixtures.git import Repo

# A hundred microseconds for each letter of these lines, so that a search of them all takes minutes.
SLOW = "/a.{0,999}h.{0,999}[9]/"
LETTERS = 6_000_000
BRIEF = "[find]\nlane_timeout_s = 0.05\n"


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A history whose oldest change takes long to search by some expressions; the newest does not."""
    chance = random.Random(5)  # noqa: S311 - a repeatable draw
    lines = ("".join(chance.choices("abcdefgh", k=1_000)) for _ in range(LETTERS // 1_000))
    with History(tmp_path_factory.mktemp("letters") / "letters.git", bare=True) as history:
        history.commit("Write letters", {"letters.txt": "\n".join(lines) + "\n"}, key="letters")
        history.commit("Write words", {"words.txt": "a short h line with a 9\nand words\n"}, key="words")
    return history.repo


@pytest.fixture(scope="module")
def home(letters: Repo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("home")
    (place / "config").mkdir()
    (place / "config" / "config.toml").write_text(BRIEF)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(place))
        index(letters)
    return place


def test_a_search_that_was_cut_short_is_no_no(letters: Repo, home: Path) -> None:
    def find(*arguments: str) -> tuple[int, str, str]:
        there = {"OHARA_HOME": str(home)}
        done = ohara("find", "--no-daemon", "--repo", str(letters.path), *arguments, env=there)
        return done.returncode, done.stdout, done.stderr

    older = f"{SLOW} path:letters.txt"
    code, out, err = find("-q", older)
    assert (code, out) == (2, "")
    assert err.startswith(
        "ohara: nothing was found, but not everything was searched: the literal lane searched "
    )
    assert "candidates before the deadline\n  hint: narrow it" in err
    assert len(err.splitlines()) == 2

    code, out, err = find("--json", older)
    told = json.loads(out)
    assert (code, told["lanes"][0]["status"]) == (2, "timeout")
    assert told["notes"][0].startswith("the exact search ran out of time: it searched ")
    assert "nothing was found, but not everything was searched" in err

    assert find("-q", SLOW)[0] == 0  # what was found before the deadline is found
    assert find("-q", "/nowhere to be found/")[0] == 1
    code, _, err = find(SLOW)
    assert code == 0
    assert "the exact search ran out of time: it searched " in err


def test_a_batch_says_which_of_its_answers_were_cut_short(letters: Repo, home: Path) -> None:
    asked = "\n".join(json.dumps({"id": query, "query": query}) for query in (SLOW, '"words"'))
    program = (
        "import io, sys; from ohara.cli.main import main\n"
        "sys.stdin = io.StringIO(sys.argv.pop(1)); sys.exit(main())"
    )
    done = python(
        "-c", program, asked, "find", "--batch", "--repo", str(letters.path), env={"OHARA_HOME": str(home)}
    )
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["lanes"][0]["status"] == "timeout"
    assert "ran out of time" in first["notes"][0]
    assert second["lanes"][0]["status"] == "ok"
    assert second["notes"] == []


def test_the_service_answers_by_the_deadline_and_stops_searching_for_who_left(
    letters: Repo, ohara_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(letters)
    if not Path("/proc/self/stat").exists():
        pytest.skip("asks /proc what a process takes")
    with service(ohara_home, monkeypatch) as pid:
        with client.connect() as there:
            found = there.send(
                wire.Find(repo=str(letters.path), query=SLOW, deadline_ms=round(4.0 * 1000))
            ).results
            assert [hit.commit.subject for hit in found.hits] == ["Write words"]
            assert found.lanes[0].status is LaneStatus.TIMEOUT
            assert found.lanes[0].detail.startswith("searched ")
        with raw_connection() as connection:
            for number in range(2, 6):
                sought = wire.Find(id=number, repo=str(letters.path), query=SLOW, deadline_ms=600_000)
                connection.sendall(wire.frame(sought))
            before = processor_s(pid)
            assert wait_until(lambda: processor_s(pid) > before + 0.3)
            with client.connect() as there:  # four endless searches do not keep a short one waiting for ever
                assert there.send(wire.Find(repo=str(letters.path), query='"and words"')).results.hits
            connection.sendall(wire.frame(wire.Cancel(id=9, target=2)))
            assert receive(connection) is not None
        assert wait_until(lambda: is_at_rest(pid))


def is_at_rest(pid: int, *, for_s: float = 1.0) -> bool:
    """True when a process takes next to no processor time for a while."""
    before = processor_s(pid)
    wait_until(lambda: False, at_most_s=for_s)
    return processor_s(pid) - before < 0.03


def processor_s(pid: int) -> float:
    """What processor time a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

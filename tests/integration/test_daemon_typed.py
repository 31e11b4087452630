"""A search that goes straight to the service prints, to the byte, what it would print without that."""

from __future__ import annotations

import io
import os
import re
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ohara import client, paths, wire
from ohara.cli import entry
from ohara.cli.main import main
from ohara.client import fastpath
from tests.daemon import raw_connection, receive, service
from tests.indexing import index
from tests.process import ohara, python

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fixtures.git import Repo

SAME = [
    ("retry",),
    ("retry", "with", "backoff", "-k", "3"),
    ("--json", "retry"),
    ("--jsonl", "retry", "-k2"),
    ("-q", "retry"),
    ("-q", "zzznothingzzz"),
    ("zzznothingzzz",),
    ("zzznothingzzz", "--author", "nobody", "--json"),
    ('"import"', "-k", "0"),
    ("/def +\\w+/", "-k", "4", "--all-hunks", "-C", "0"),
    ("--author", "ada", "parser", "--explain"),
    ("path:src/ fix", "--order", "date"),
    ("-path:docs/", "fix"),
    ('-path:docs/ "import"', "--count"),
    ("-author:Ada Moreau", "-path:docs/", "-q"),
    ("--not-path", "docs/", "--lang", "python", "fix"),
    ("--since", "2001-01-01", "--until", "yesterday", "fix"),
    ("--kind", "added", "--added", "import"),
    ("--color", "always", '"def "'),
    ("--budget", "60", "retry"),
    ("--budget", "200", "--json", "retry"),
    ("HEAD",),
    ("--", "--no-such-thing"),
    (),
    ("retry", "before:2030", "ext:py", "commit:HEAD~1", "--json"),
    ('retry "max',),
    # What is wrong with a question is said in the same words, with the same exit code.
    ("auther:bob", "x"),
    ("--lang", "klingon", "x"),
    ("--since", "tomorrow-ish", "x"),
    ("/(/",),
    ("-k", "many", "x"),
    ("-k", "0", "words", "only"),
    ("--mode", "psychic", "x"),
    ("--json", "--jsonl", "x"),
    ("--added", "--removed", "x"),
    ("--no-such-option", "x"),
    ("--after", "no cursor", "x"),
    ("--context",),
    ("--after", "2020", "x"),
    ("--repo", ".", "--repo", "..", "x"),
    ("-before:2020", "x"),
    ("-q", 'retry "max'),
]
CLOCK = re.compile(r'"(?:took_ms|ms)":[0-9.]+|"next":"[^"]+"|(?<=\.[0-9]{3})[0-9]+')


@pytest.fixture(scope="module")
def home(shared_project: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the shared project is indexed and a service runs."""
    place = tmp_path_factory.mktemp("typed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(place))
        index(shared_project)
        with service(place, patch):
            yield place


@pytest.fixture
def project(home: Path, shared_project: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("OHARA_HOME", str(home))
    monkeypatch.chdir(shared_project.path)
    return shared_project


def straight(*arguments: str, **environ: str) -> tuple[int, str, str] | None:
    return fastpath.printed(
        arguments, environ=os.environ | environ, stdout=io.StringIO(), stderr=io.StringIO()
    )


def timeless(said: tuple[int, str, str] | None) -> tuple[int, str, str] | None:
    """What was printed without durations and the last digits of ages."""
    return said and (said[0], CLOCK.sub("", said[1]), said[2])


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("arguments", SAME, ids=" ".join)
def test_straight_and_ordinary_print_the_same(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    said = straight(*arguments)
    code = main(["find", "--no-daemon", *arguments])
    printed = capsys.readouterr()
    assert timeless(said) == timeless((code, printed.out, printed.err))


def test_from_any_folder_and_of_any_repository(
    project: Repo, three_commits: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = straight("retry")
    assert here is not None
    assert here[0] == 0
    (project.path / "sub").mkdir(exist_ok=True)
    monkeypatch.chdir(project.path / "sub")
    assert straight("retry") == here
    assert straight("retry", "--repo", "..") == here
    monkeypatch.chdir(tmp_path)
    assert straight("retry", "--repo", str(project.path)) == here
    nowhere = straight("retry")
    assert nowhere is not None
    assert (nowhere[0], nowhere[1]) == (2, "")
    assert "is not inside a git repository" in nowhere[2]
    # A first search begins an index and shows how: that is for the process itself.
    assert straight("retry", "--repo", str(three_commits.path)) is None


@pytest.mark.usefixtures("project")
def test_what_only_the_process_itself_can_do_is_left_to_it() -> None:
    for arguments in (["--help"], ["-h"], ["-qh", "x"], ["-"], ["--batch"], ["--no-daemon", "x"], ["\udcff"]):
        assert straight(*arguments) is None, arguments
    for variable in ("OHARA_FIND_K", "OHARA_DEBUG", "_OHARA_COMPLETE"):
        assert straight("retry", **{variable: "1"}) is None, variable
    assert straight("retry", TZ="Asia/Tokyo") is None
    assert straight("retry", OHARA_HOME="/no/such/folder") is None
    with raw_connection() as connection:
        for number, arguments in enumerate((["-h"], ["-"], ["--batch"], ["x", "--no-daemon"]), start=2):
            asked = wire.Typed(id=number, arguments=tuple(arguments), folder="/", environment={"TZ": "UTC"})
            connection.sendall(wire.frame(asked))
            reply = receive(connection)
            assert isinstance(reply, wire.Fault), reply
            assert reply.kind == "DaemonError"


def test_a_terminal_is_written_for_as_it_is(project: Repo) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    environ = {name: text for name, text in os.environ.items() if name != "NO_COLOR"}
    wide, narrow = (
        fastpath.printed(
            ["retry", "--repo", str(project.path)],
            environ=environ | {"COLUMNS": columns, "TERM": "xterm"},
            stdout=Screen(),
            stderr=Screen(),
        )
        for columns in ("200", "40")
    )
    assert wide is not None
    assert narrow is not None
    assert "\x1b[33m" in wide[1]
    assert "read as prose" in wide[2]
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in narrow[1].splitlines()]
    assert max(map(len, plain)) <= 40 < max(len(line) for line in wide[1].splitlines())


def test_the_place_and_the_protocol_are_those_of_the_ordinary_client(
    project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert project.path.is_dir()
    assert fastpath._PROTOCOL == wire.PROTOCOL
    assert fastpath._MAX_FRAME_BYTES == wire.MAX_FRAME_BYTES
    assert fastpath.socket_file(os.environ) == str(client.socket_path())
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for place in ("home", "./home", "~/home", str(tmp_path / "home")):
        monkeypatch.setenv("OHARA_HOME", place)
        paths.runtime_dir()
        there = client.socket_path()
        quickly = fastpath.socket_file(os.environ)
        assert quickly is not None
        assert os.path.normpath(quickly) == str(there)
    monkeypatch.delenv("OHARA_HOME")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    paths.runtime_dir()
    there = client.socket_path()
    assert fastpath.socket_file(os.environ) == str(there)
    there.parent.chmod(0o755)  # others could have put a socket there
    assert fastpath.socket_file(os.environ) is None


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\x00\x00\x00\x05hello",
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x02[]",
        wire.frame(wire.Welcome(id=1, protocol=1, version="0.0.1", pid=1)),
        wire.frame(wire.Fault(id=1, kind="DaemonError", message="no")),
    ],
    ids=range(6),
)
def test_whatever_answers_in_its_place_the_ordinary_way_is_taken(ohara_home: Path, answer: bytes) -> None:
    assert client.socket_path().parent == paths.runtime_dir() == ohara_home / "run"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(client.socket_path()))
        listener.listen()
        listener.settimeout(30)
        impostor = threading.Thread(target=_say, args=(listener, answer))
        impostor.start()
        assert straight("retry") is None
        impostor.join()


def _say(listener: socket.socket, answer: bytes) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(100_000)
        connection.sendall(answer)


@pytest.mark.usefixtures("project")
def test_as_a_process_it_prints_the_answer_and_loads_next_to_nothing() -> None:
    script = "import sys; from ohara.cli.entry import main; main(['find', 'retry']); print(*sys.modules)"
    whole = python("-c", script)
    *_, modules = whole.stdout.splitlines()
    loaded = set(modules.split())
    assert {name for name in loaded if name.startswith("ohara")} == {
        "ohara", "ohara.cli", "ohara.cli.entry", "ohara.client", "ohara.client.fastpath",
    }  # fmt: skip
    assert loaded & {"click", "msgspec", "dataclasses", "pathlib", "typing", "inspect", "asyncio"} == set()
    ordinary = ohara("find", "retry", env={"OHARA_DEBUG": "0"})
    assert whole.stdout.removesuffix(f"{modules}\n") == ordinary.stdout
    assert whole.stderr == ordinary.stderr == ""


@pytest.mark.usefixtures("project")
def test_a_reader_that_leaves_and_a_full_disk_end_it_as_ever() -> None:
    with Path("/dev/full").open("wb") as full:
        done = ohara("find", "retry", stdout=full.fileno())
    assert (done.returncode, done.stderr) == (
        2,
        "ohara: No space left on device\n  hint: OHARA_DEBUG=1 shows the traceback\n",
    )
    ours, theirs = os.pipe()
    os.close(ours)
    done = ohara("find", "retry", "--json", stdout=theirs)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.usefixtures("project")
def test_characters_that_a_terminal_lacks_show_as_escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    narrow = ohara("find", "retry")
    ordinary = ohara("find", "retry", env={"OHARA_DEBUG": "0"})
    assert "\\xb7" in narrow.stdout
    assert (narrow.returncode, narrow.stdout, narrow.stderr) == (0, ordinary.stdout, ordinary.stderr)


def test_other_commands_go_the_ordinary_way(capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("ohara ")

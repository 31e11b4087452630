"""Nothing that a stranger wrote reaches a terminal as anything but text, whichever way it is asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import StringIO
from typing import TYPE_CHECKING

import pytest

from ohara.cli.main import COMPLETE_VARIABLE, main
from tests.hostile import SAMPLES, TOGETHER, assert_inert, hostile_history, in_bytes, typed
from tests.indexing import index
from tests.process import ohara

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

ASKED = [
    ("find", "needle", "-k", "100", "--no-rerank"),
    ("find", "needle", "-k", "100", "--no-rerank", "--explain", "--color", "always"),
    ("find", '"needle"', "-k", "0", "-C", "200", "--all-hunks"),
    ("find", "/needle.*x/", "-k", "0", "--color", "always"),
    ("find", "path:dir*/", "-k", "100"),
    ("find", "def f_title", "-k", "5", "--no-rerank", "--budget", "300"),
    ("find", "--json", '"needle"', "-k", "0"),
    ("find", "--jsonl", "needle", "-k", "100", "--no-rerank"),
    ("status",),
    ("status", "--json"),
    ("repos",),
    ("repos", "--json"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repo, Path]:
    place = tmp_path_factory.mktemp("hostile")
    repo = hostile_history(place / "evil\x1b[31m\u202e.git")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(place / "home"))
        index(repo)
    return repo, place / "home"


@pytest.fixture
def evil(place: tuple[Repo, Path], monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("OHARA_HOME", str(place[1]))
    return place[0]


@pytest.mark.parametrize("arguments", ASKED, ids=" ".join)
def test_what_a_history_holds(
    arguments: tuple[str, ...], evil: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *rest = arguments
    where = ("--repo", str(evil.path)) if name != "repos" else ()
    assert main([name, *where, *rest]) == 0
    out, err = capsys.readouterr()
    assert_inert(out, coloured="--color" in rest)
    assert_inert(err)
    if {"--json", "--jsonl"} & set(rest):
        assert out.isascii()


def test_every_commit_shown(evil: Repo, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    for name in (*SAMPLES, "long", "nul", "gone"):
        for form in ((), ("--color", "always", "-C", "0")) if name in {"title", "long"} else ((),):
            main(["show", "--repo", str(evil.path), evil.sha[name], *form])
            out, err = capsysbinary.readouterr()
            assert out
            if form:  # a diff keeps its tabs; git ends a path with a blank in it by one
                assert_inert(out.decode().replace("\t", " "), coloured=True)
            else:  # into a pipe the diff goes as git has it, for git apply
                assert_inert(out.partition(b"\n\ndiff ")[0].decode())
            assert_inert(err.decode())


def test_whatever_is_typed(evil: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    refused = 0
    for sample in (TOGETHER, SAMPLES["title"], SAMPLES["zalgo"]):
        for name, *rest in typed(sample):
            where = ("--repo", str(evil.path)) if rest else ()
            code = main([name, *where, *rest])
            out, err = capsys.readouterr()
            assert code in {0, 1, 2}, (name, rest)
            assert "internal fault" not in err, (name, rest, err)
            assert_inert(out)
            assert_inert(err)
            refused += code == 2
    assert refused > 30


def test_a_batch_of_them(evil: Repo, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    samples = (TOGETHER, SAMPLES["clipboard"])
    lines = [json.dumps({"id": each, "query": asked[-1]}) for each in samples for asked in typed(each)]
    lines += [f"{{{sample}" for sample in SAMPLES.values() if "\n" not in sample]
    questions = tmp_path / "questions"
    questions.write_bytes(in_bytes("\n".join(lines)))
    with (
        questions.open(encoding="utf-8", errors="surrogateescape", newline="\n") as stream,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(sys, "stdin", stream)
        assert main(["find", "--repo", str(evil.path), "--batch", "--no-rerank"]) == 0
    out, err = capsys.readouterr()
    assert out.isascii()
    assert_inert(out)
    assert_inert(err)
    assert len(out.splitlines()) == len(lines)


def test_two_hundred_lines_are_answered_in_their_order(
    evil: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds: list[tuple[str, bool]] = [
        ('{"id": %d, "query": "needle", "k": 2}', True),
        ('{"id": %d, "query": "\\"needle\\" author:x", "mode": "text"}', True),
        ('{"id": %d, "query": "\\ud800 \\u202e needle", "k": 1}', True),
        ('{"id": %d, "query": "/(/"}', False),
        ('{"id": %d, "query": "needle", "k": -1}', False),
        ('{"id": %d, "k": 3}', False),
        ("[%d]", False),
        ("not JSON, number %d", False),
    ]
    asked = [(number, *kinds[number % len(kinds)]) for number in range(200)]
    lines = "".join(f"{form % number}\n" for number, form, _ in asked)
    monkeypatch.setattr(sys, "stdin", StringIO(lines))
    assert main(["find", "--repo", str(evil.path), "--batch", "--no-rerank", "--mode", "text"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told = [(answer.get("id"), "error" not in answer) for answer in answers]
    assert told == [(number if form[0] == "{" else None, good) for number, form, good in asked]


def test_completion_of_what_is_typed(evil: Repo) -> None:
    del evil
    words = {"COMP_WORDS": f"ohara find --{TOGETHER}", "COMP_CWORD": "2"}
    run = ohara(env={COMPLETE_VARIABLE: "bash_complete", **words})
    assert_inert(run.stdout)
    assert_inert(run.stderr)


def test_a_closed_pipe_of_a_batch_is_success(evil: Repo) -> None:
    command = [sys.executable, "-m", "ohara", "find", "--repo", str(evil.path), "--batch", "--mode", "text"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*command, "--no-rerank"], env=os.environ, **pipes) as run:  # type: ignore[call-overload]
        run.stdin.write(b'{"query": "needle"}\n')
        run.stdin.flush()
        assert run.stdout.readline()
        run.stdout.close()
        run.stdin.write(b'{"query": "needle"}\n' * 3)
        run.stdin.flush()
        run.stdin.close()
        assert run.stderr.read() == b""
        assert run.wait(timeout=60) == 0

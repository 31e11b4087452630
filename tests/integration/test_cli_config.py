"""`ohara config set`, `unset` and `edit`, `ohara man`, and what shells complete, as a person meets them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest
from click.shell_completion import ShellComplete

from fixtures.script import History
from ohara import config
from ohara.cli.main import COMMANDS, cli, main
from tests.indexing import index
from tests.process import ROOT, Terminal, ohara

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo


class Told:
    """Runs a command in this process: exit code, stdout and stderr."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        code = main(list(arguments))
        out, err = self._capsys.readouterr()
        return code, out, err


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    monkeypatch.chdir(tmp_path)
    return Told(capsys)


# -- settings --------------------------------------------------------------------------------------


def test_a_setting_is_set_and_unset_and_the_rest_of_the_file_stays(told: Told, ohara_home: Path) -> None:
    file = ohara_home / "config" / "config.toml"
    assert told("config", "set", "find.k", "9") == (0, f"find.k = 9  # {file}\n", "")
    assert told("config", "set", "index.ignore", "vendor/, dist/")[:2] == (
        0,
        f'index.ignore = ["vendor/", "dist/"]  # {file}\n',
    )
    assert told("config", "set", "tui.keys", "quit=x")[0] == 0
    assert told("config", "set", "find.rerank", "off")[0] == 0
    file.write_text(file.read_text().replace("k = 9", "k = 9  # mine"))
    assert told("config", "set", "find.k", "12")[0] == 0
    assert "k = 12  # mine\n" in file.read_text()
    values = config.load().values
    assert (values["find.k"], values["index.ignore"], values["find.rerank"]) == (
        12,
        ("vendor/", "dist/"),
        False,
    )
    assert dict(values["tui.keys"]) == {"quit": "x"}  # type: ignore[arg-type]
    assert told("config", "unset", "find.k") == (0, "find.k = 5  # default\n", "")
    assert told("config", "unset", "index.ignore")[0] == 0
    assert "mine" not in file.read_text()
    assert told("config", "unset", "find.k") == (1, "", f"find.k is not set in {file}\n")
    assert config.load().values["find.rerank"] is False


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("set", "find.kk", "9"), "there is no setting find.kk\n  hint: did you mean find.k?"),
        (("set", "k", "9"), "there is no setting k\n  hint: did you mean find.k?"),
        (
            ("set", "nothing at all", "9"),
            "there is no setting nothing at all\n  hint: ohara config lists them",
        ),
        (("set", "find.k", "many"), "find.k must be a whole number from 1 to 1000, not 'many'"),
        (("set", "find.k", "0"), "find.k must be a whole number from 1 to 1000, not 0"),
        (("set", "tui.theme", "\x1b[31m"), "tui.theme must be "),
        (("unset", "find.kk"), "there is no setting find.kk"),
    ],
)
def test_what_is_no_setting_or_no_value_is_refused(
    arguments: tuple[str, ...], said: str, told: Told, ohara_home: Path
) -> None:
    code, out, err = told("config", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"ohara: {said}")
    assert not list(ohara_home.rglob("config.toml"))


def test_a_file_that_cannot_be_changed_safely_is_left_alone(told: Told, ohara_home: Path) -> None:
    file = ohara_home / "config" / "config.toml"
    file.parent.mkdir()
    odd = "find = { k = 3 }\nindex = { ignore = [\n 'a' ] }\n"
    file.write_text(odd)
    code, _, err = told("config", "set", "find.k", "9")
    assert (code, file.read_text()) == (2, odd)
    assert "write there by hand, in [find]: k = 9" in err
    code, _, err = told("config", "unset", "index.ignore")
    assert (code, file.read_text()) == (2, odd)
    assert "take out there by hand, in [index]: ignore" in err


def test_what_wins_over_a_setting_is_told(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OHARA_FIND_K", "3")
    code, _, err = told("config", "set", "find.k", "9")
    assert (code, err) == (0, "OHARA_FIND_K sets find.k here, and wins\n")
    assert told("config", "unset", "find.k")[0] == 0


def test_the_file_is_edited_and_checked(
    told: Told, ohara_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = ohara_home / "editor"
    editor.write_text('#!/bin/sh\nprintf "%s" "$TEXT" > "$2"\ntest "$1" = --wait\n')
    editor.chmod(0o755)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"'{editor}' --wait")
    monkeypatch.setenv("TEXT", "[find]\nk = 7\n")
    assert told("config", "edit") == (0, "", "")
    assert config.load().values["find.k"] == 7
    monkeypatch.setenv("TEXT", "[find]\nk = 'many'\n")
    code, _, err = told("config", "edit")
    assert (code, "find.k must be a whole number" in err) == (2, True)
    for wrong in ("'", str(ohara_home / "no such"), "false"):
        monkeypatch.setenv("EDITOR", wrong)
        code, _, err = told("config", "edit")
        assert (code, len(err.splitlines())) == (2, 2), wrong


# -- the manual page -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page() -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ohara", "man"],
        capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    return done.stdout


def every_option() -> set[str]:
    commands = [entry.load() for entry in COMMANDS.values()]
    commands += [
        sub for group in commands if isinstance(group, click.Group) for sub in group.commands.values()
    ]
    params = [param for command in commands for param in command.params if isinstance(param, click.Option)]
    return {name for param in params for name in param.opts}


def test_the_manual_page_has_every_command_and_option(page: str) -> None:
    plain = page.replace("\\-", "-")
    for name in COMMANDS:
        assert f'.SS "ohara {name}' in plain
    assert {name for name in every_option() if f"{name}" not in plain} == set()
    for line in page.splitlines():  # a request that roff knows, or text
        assert not line.startswith((".", "'")) or re.match(r"\.(TH|SH|SS|TP|PP|B|BR|nf|fi)\b", line), line


@pytest.mark.skipif(not shutil.which("groff"), reason="needs groff to try the page")
def test_the_manual_page_is_rendered_without_a_complaint(page: str) -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-P-c"], input=page.encode(), capture_output=True, check=True
    )
    assert done.stderr == b""
    text = re.sub(rb".\x08", b"", done.stdout).decode()
    assert text.startswith("OHARA(1)")
    for words in (
        "--ignore-case",
        "git diff | ohara find -",
        "EXIT STATUS",
        "OHARA_HOME",
        "ohara config set",
    ):
        assert words in text
    assert page.isascii()


# -- completion ------------------------------------------------------------------------------------


def offered(repo: Path, *words: str) -> list[str]:
    """What ohara offers for the last of some words, in a folder."""
    complete = ShellComplete(cli, {}, "ohara", "_OHARA_COMPLETE")
    before = os.getcwd()  # noqa: PTH109
    os.chdir(repo)
    try:
        return [item.value for item in complete.get_completions(list(words[:-1]), words[-1])]
    finally:
        os.chdir(before)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("find", "au"), ["author:"]),
        (("find", "retry", "si"), ["since:"]),
        (("find", "kind:"), ["kind:added", "kind:modified", "kind:deleted", "kind:renamed"]),
        (("find", "lang:pyt"), ["lang:python"]),
        (("find", "is:g"), ["is:gone"]),
        (("find", "ref:ma"), ["ref:main"]),
        (("find", "-ref:ma"), ["-ref:main"]),
        (("find", "--ref", "ma"), ["main"]),
        (("find", "--not-ref", "ma"), ["main"]),
        (("find", "branch:ma"), ["branch:main"]),
        (("find", "path:hel"), ["path:hello.py"]),
        (("find", "--path", "hel"), ["hello.py"]),
        (("find", "ext:p"), ["ext:py"]),
        (("find", "nothing:"), []),
        (("show", "ma"), ["main"]),
        (("explain", "hel"), ["hello.py"]),
        (("config", "set", "find.k"), ["find.k"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_names_and_values_are_completed(
    words: tuple[str, ...], expected: list[str], three_commits: Repo
) -> None:
    assert offered(three_commits.path, *words) == expected


def test_authors_are_completed_by_the_words_of_their_names(three_commits: Repo) -> None:
    name = three_commits.git("show", "-s", "--format=%an").strip()
    for word in name.split():
        assert f"author:{word}" in offered(three_commits.path, "find", f"author:{word[:2].lower()}")
    assert offered(three_commits.path, "find", "--author", name.split()[0][:2])


def test_nothing_is_offered_where_git_knows_nothing(tmp_path: Path, three_commits: Repo) -> None:
    for words in (("find", "ref:"), ("find", "path:x"), ("show", "")):
        assert offered(tmp_path, *words) in ([], ["ref:HEAD"], ["HEAD"])
    three_commits.git("branch", "evil;$(touch${IFS}pwned)")
    assert offered(three_commits.path, "find", "ref:ev") == []


def launcher(folder: Path) -> dict[str, str]:
    """An environment in which shells find this ohara."""
    program = folder / "ohara"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m ohara "$@"\n')
    program.chmod(0o755)
    return os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "TERM": "dumb"}


def test_values_come_from_the_index_where_there_is_one(tmp_path: Path) -> None:
    with History(tmp_path / "net") as history:
        history.commit("Start", {"net.py": "def greet(name):\n    return name\n", "old.py": "x = 1\n"})
        history.commit("Drop what is old", {"old.py": None})
    repo = history.repo
    assert offered(repo.path, "find", "symbol:gr") == []
    index(repo)
    assert offered(repo.path, "find", "symbol:gr") == ["symbol:greet"]
    assert offered(repo.path, "find", "--symbol", "REET") == ["greet"]
    assert offered(repo.path, "find", "lang:") == ["lang:python"]  # no other is there
    assert offered(repo.path, "find", "path:") == ["path:net.py", "path:old.py"]  # all that ever was
    assert offered(repo.path, "find", "ref:ma") == ["ref:main"]


@pytest.mark.skipif(not shutil.which("fish"), reason="needs the shell whose completion it tries")
def test_fish_completes(three_commits: Repo, tmp_path: Path) -> None:
    asked = ("ohara find ref:ma", "ohara find au", "ohara find --ref ma", "ohara sho")
    script = "ohara completion fish | source\n" + "".join(f'complete -C "{each}"\n' for each in asked)
    done = subprocess.run(
        ["fish", "--no-config", "-c", script],
        cwd=three_commits.path,
        env=launcher(tmp_path),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    told = [line.partition("\t")[0] for line in done.stdout.splitlines()]
    assert (done.stderr, told) == ("", ["ref:main", "author:", "main", "show"])


@pytest.mark.skipif(not shutil.which("zsh"), reason="needs the shell whose completion it tries")
def test_zsh_completes_and_keeps_what_was_typed(three_commits: Repo, tmp_path: Path) -> None:
    three_commits.git("branch", "Mast")  # differs from main in case alone, as far as `ma`
    (tmp_path / ".zshrc").write_text(
        f"autoload -U compinit; compinit -u -d {tmp_path}/dump\n"
        'eval "$(ohara completion zsh)"\nPS1="> "; unsetopt prompt_cr prompt_sp\n'
    )
    keys = ["ohara find ref:mai\t", "ohara find ref:ma\t", "ohara find au\t", "ohara find retry kind:ren\t"]
    with Terminal(
        ["zsh", "-i"], three_commits.path, launcher(tmp_path) | {"ZDOTDIR": str(tmp_path)}
    ) as shell:
        shell.wait_for("> ")
        shell.send(keys[0])
        shell.wait_for("ref:main")
        shell.send(f"\x15{keys[1]}")
        shell.wait_for("ref:Mast")  # both are listed, and what was typed stays
        assert "ref:ma" in shell.seen
        shell.send(f"\x15{keys[2]}")
        shell.wait_for("thor:")
        shell.send(f"\x15{keys[3]}")
        shell.wait_for("kind:renamed")


@pytest.mark.skipif(not shutil.which("man"), reason="needs the program that shows the page")
def test_man_shows_the_page_without_a_warning(tmp_path: Path) -> None:
    page = tmp_path / "ohara.1"
    page.write_bytes(ohara("man").stdout.encode())
    done = subprocess.run(
        ["man", "--warnings", "-l", str(page)],
        env=os.environ | {"MANWIDTH": "80", "MANPAGER": "cat", "PAGER": "cat"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "OHARA(1)" in done.stdout
    assert "ohara find [OPTIONS] QUERY..." in done.stdout.replace("\b", "")
    assert all(len(line) <= 84 for line in done.stdout.splitlines())


@pytest.mark.skipif(not shutil.which("bash"), reason="needs the shell whose completion it tries")
def test_bash_completes_a_value_behind_a_colon(three_commits: Repo, tmp_path: Path) -> None:
    script = (
        'eval "$(ohara completion bash)"\n'
        'try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()\n'
        '_ohara_completion ohara; printf "[%s]" "${COMPREPLY[@]}"; echo; }\n'
        "try ohara find ref : ma\ntry ohara find retry kind : \ntry ohara find au\n"
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=three_commits.path,
        env=launcher(tmp_path),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.stderr, done.stdout.splitlines()) == (
        "",
        ["[main]", "[added][modified][deleted][renamed]", "[author:]"],
    )


@pytest.mark.parametrize(
    ("shell", "words", "expected"),
    [
        ("zsh", "ohara find ref:ma", "plain\nref:main\n_\n"),
        ("fish", "ohara find ref:ma", "plain,ref:main\n"),
    ],
)
def test_zsh_and_fish_get_values_with_their_filter(
    shell: str, words: str, expected: str, three_commits: Repo
) -> None:
    incomplete = {"zsh": "2", "fish": "ref:ma"}[shell]
    done = subprocess.run(
        [sys.executable, "-m", "ohara"],
        cwd=three_commits.path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "_OHARA_COMPLETE": f"{shell}_complete"}
        | {"COMP_WORDS": words, "COMP_CWORD": incomplete},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.stdout == expected

"""The command line as a person and a shell meet it, run as a real process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest

from ohara import __version__
from ohara.cli.main import COMMANDS, cli
from ohara.settings import SETTINGS
from tests.process import ROOT, ohara

if TYPE_CHECKING:
    from pathlib import Path


def test_version_and_help() -> None:
    assert ohara("--version").stdout == f"ohara {__version__}\n"
    help_text = ohara("-h").stdout
    assert help_text == ohara("--help").stdout
    assert help_text.startswith("Usage: ohara [OPTIONS] [COMMAND] [ARGS]...\n")
    for name in COMMANDS:
        assert f"\n  {name} " in help_text


def test_bare_ohara_off_a_terminal_prints_the_help(tmp_path: Path) -> None:
    done = ohara(cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ohara("-h").stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_what_the_table_says(name: str) -> None:
    command = COMMANDS[name].load()
    assert isinstance(command, click.Command)
    assert command.name == name
    assert (command.help or "").partition("\n")[0] == COMMANDS[name].summary
    assert ohara(name, "-h").stdout.startswith(f"Usage: ohara {name} ")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_group_lists_its_commands_by_whole_sentences(name: str) -> None:
    command = COMMANDS[name].load()
    if not isinstance(command, click.Group):
        return
    listed = " ".join(ohara(name, "-h").stdout.partition("\nCommands:\n")[2].split())
    for each, part in command.commands.items():
        assert f"{each} {part.get_short_help_str(1_000)}" in listed
        assert "..." not in listed


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["confg"], "ohara: no such command: confg\n  hint: did you mean ohara config?\n"),
        (["cofnig"], "ohara: no such command: cofnig\n  hint: did you mean ohara config?\n"),
        (
            ["banana"],
            (
                "ohara: no such command: banana\n"
                "  hint: to search for it: ohara find banana; ohara -h lists the commands\n"
            ),
        ),
        (
            ["retry loop", "-k", "3"],
            (
                "ohara: no such command: retry loop\n"
                "  hint: to search for it: ohara find 'retry loop' -k 3; ohara -h lists the commands\n"
            ),
        ),
        (
            ["x" * 200],
            (
                f"ohara: no such command: {'x' * 200}\n"
                "  hint: to search for it: ohara find …; ohara -h lists the commands\n"
            ),
        ),
        (
            ["find", "--zap"],
            (
                "ohara: no such option '--zap'\n"
                "  hint: ohara find -h; to search for what begins with a dash: ohara find -- --zap\n"
            ),
        ),
        (
            ["tui", "-x"],
            (
                "ohara: no such option '-x'\n"
                "  hint: ohara tui -h; to search for what begins with a dash: ohara tui -- …\n"
            ),
        ),
        (["--nope"], "ohara: no such option '--nope'\n  hint: ohara -h\n"),
        (
            ["config", "--jsno"],
            "ohara: no such option '--jsno'. Did you mean '--json'?\n  hint: ohara config -h\n",
        ),
        (["hook"], "ohara: hook needs a command: install, remove, run, snippet\n  hint: ohara hook -h\n"),
        (
            ["\x1b[31mred"],
            (
                "ohara: no such command: ␛[31mred\n"
                "  hint: to search for it: ohara find '␛[31mred'; ohara -h lists the commands\n"
            ),
        ),
    ],
)
def test_a_wrong_command_line_is_one_line_and_a_hint(arguments: list[str], said: str) -> None:
    done = ohara(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


# -- config --------------------------------------------------------------------------------------


def test_config_shows_each_value_and_where_it_came_from(ohara_home: Path, tmp_path: Path) -> None:
    (ohara_home / "config").mkdir()
    (ohara_home / "config" / "config.toml").write_text("[find]\nk = 9\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".ohara.toml").write_text('[index]\nignore = ["vendor/"]\n')
    (tmp_path / "deep").mkdir()
    done = ohara("config", cwd=tmp_path / "deep", env={"OHARA_TUI_THEME": "light"})
    shown = {key: rest for key, _, rest in (line.partition(" = ") for line in done.stdout.splitlines())}
    assert list(shown) == [item.key for item in SETTINGS]
    assert shown["find.k"].split(None, 1) == ["9", f"# {ohara_home}/config/config.toml"]
    assert shown["index.ignore"].split(None, 1) == ['["vendor/"]', f"# {tmp_path}/.ohara.toml"]
    assert shown["tui.theme"].split(None, 1) == ['"light"', "# OHARA_TUI_THEME"]
    assert shown["find.rerank"].split(None, 1) == ["true", "# default"]


def test_config_as_json_is_complete_and_typed(tmp_path: Path) -> None:
    done = ohara("config", "--json", "--repo", str(tmp_path), env={"OHARA_TUI_KEYS": "quit=x"})
    document = json.loads(done.stdout)
    by_key = {entry["key"]: entry for entry in document["settings"]}
    assert document["schema"] == 1
    assert list(by_key) == [item.key for item in SETTINGS]
    assert by_key["tui.keys"]["value"] == {"quit": "x"}
    assert (by_key["tui.keys"]["source"], by_key["tui.keys"]["where"]) == ("environment", "OHARA_TUI_KEYS")
    assert by_key["find.k"]["value"] == by_key["find.k"]["default"] == 5
    assert by_key["index.refs"] == {
        "key": "index.refs",
        "value": [],
        "default": [],
        "source": "default",
        "where": "",
        "env": "OHARA_INDEX_REFS",
        "repo_safe": True,
        "expects": "a list of texts",
        "doc": "Refs whose history is indexed; empty means HEAD and the remote's default branch.",
    }


def test_config_path_is_the_file_that_is_read(ohara_home: Path) -> None:
    assert ohara("config", "path").stdout == f"{ohara_home}/config/config.toml\n"


def test_a_refused_repository_file_ends_the_command_with_a_message(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".ohara.toml").write_text('[models]\nembedder = "theirs"\n')
    done = ohara("config", cwd=tmp_path)
    assert done.returncode == 2
    assert "a repository may not set models.embedder" in done.stderr
    assert len(done.stderr.splitlines()) == 2


# -- completion ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_each_shell(shell: str) -> None:
    done = ohara("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_OHARA_COMPLETE={shell}_complete" in done.stdout


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ohara", "conf"], ["config"]),
        (["ohara", ""], list(COMMANDS)),
        (["ohara", "--ver"], ["--version"]),
        (["ohara", "config", "--js"], ["--json"]),
        (["ohara", "config", "pa"], ["path"]),
        (["ohara", "completion", ""], ["bash", "zsh", "fish"]),
    ],
    ids=" ".join,
)
@pytest.mark.skipif(not shutil.which("bash"), reason="needs the shell whose completion it tries")
def test_bash_completes(words: list[str], offered: list[str], tmp_path: Path) -> None:
    launcher = tmp_path / "ohara"
    launcher.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m ohara "$@"\n')
    launcher.chmod(0o755)
    script = (
        'eval "$(ohara completion bash)"\n'
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()\n'
        '_ohara_completion ohara\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", *words],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.split() == offered


def test_names_are_completed_from_the_table_with_their_help() -> None:
    context = click.Context(cli, info_name="ohara")
    offered = {item.value: item.help for item in cli.shell_complete(context, "")}
    assert offered == {name: entry.summary for name, entry in COMMANDS.items()}

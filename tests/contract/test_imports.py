"""The boundaries hold: in what is written (import-linter) and in what really gets loaded (sys.modules)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
import tomllib
from pathlib import Path

import pytest

from tests.process import ROOT, python

HEAVY = {
    "apsw", "fastembed", "numpy", "onnxruntime", "platformdirs", "pygit2", "rich", "sqlite_vec", "textual",
    "tokenizers", "tomllib", "tree_sitter", "tree_sitter_language_pack", "watchfiles", "zstandard",
}  # fmt: skip

# Runs a command line inside an interpreter that afterwards tells what it has loaded.
TELLTALE = """
import contextlib, io, json, sys
from ohara.cli.main import main
with contextlib.redirect_stdout(io.StringIO()) as out:
    code = main(json.loads(sys.argv[1]))
print(json.dumps({"code": code, "out": out.getvalue(), "modules": sorted(sys.modules)}))
"""


def roots(modules: list[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


# -- what gets loaded ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["--version"], "ohara "),
        (["-h"], "Usage: ohara "),
        (["--help"], "Commands:"),
        ([], "Usage: ohara "),
    ],
    ids=["--version", "-h", "--help", "bare"],
)
@pytest.mark.parametrize("place", ["inside", "outside"])
def test_what_answers_at_once_loads_nothing_heavy(
    arguments: list[str], shown: str, place: str, tmp_path: Path
) -> None:
    if place == "inside":
        subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    done = python("-c", TELLTALE, json.dumps(arguments), cwd=tmp_path)
    told = json.loads(done.stdout)
    assert (told["code"], done.stderr) == (0, "")
    assert shown in told["out"]
    assert roots(told["modules"]) & HEAVY == set()
    assert [name for name in told["modules"] if name.startswith("ohara.cli.commands.")] == []


def test_a_command_loads_no_other_command() -> None:
    told = json.loads(python("-c", TELLTALE, '["completion", "zsh"]').stdout)
    loaded = [name for name in told["modules"] if name.startswith("ohara.cli.commands.")]
    assert loaded == ["ohara.cli.commands.completion"]
    assert roots(told["modules"]) & HEAVY == set()


def test_reading_settings_loads_toml_only_for_a_file(ohara_home: Path) -> None:
    script = "import sys; from ohara import config; config.load(); print('tomllib' in sys.modules)"
    assert python("-c", script).stdout == "False\n"
    (ohara_home / "config").mkdir()
    (ohara_home / "config" / "config.toml").write_text("[find]\nk = 3\n")
    assert python("-c", script).stdout == "True\n"


def test_what_the_terminal_ui_sees_of_ohara_loads_nothing_heavy() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (sees,) = [contract for contract in contracts if contract["id"] == "tui-sees"]
    visible = [line.removeprefix("tui.** -> ").removesuffix(".**") for line in sees["ignore_imports"]]
    script = (
        "import importlib.util, json, sys\n"
        f"names = [name for name in {visible!r} if importlib.util.find_spec(name)]\n"
        "for name in names: importlib.import_module(name)\n"
        "print(json.dumps([names, sorted(sys.modules)]))\n"
    )
    done = python("-c", script)
    assert done.stderr == ""
    names, modules = json.loads(done.stdout)
    assert {"ohara.model", "ohara.config", "ohara.sanitize"} <= set(names)
    assert roots(modules) & (HEAVY - {"tomllib", "platformdirs"}) == set()


def test_the_terminal_ui_loads_nothing_heavy_and_the_client_only_when_it_connects() -> None:
    script = "import json, sys, tui.__main__, tui.app; print(json.dumps(sorted(sys.modules)))"
    done = python("-c", script)
    assert done.stderr == ""
    modules = json.loads(done.stdout)
    assert roots(modules) & (HEAVY - {"rich", "textual", "tomllib", "platformdirs"}) == set()
    assert "ohara.client.aio" not in modules  # the first paint does not wait for it
    later = [
        f"tui.screens.{name}" for name in ("commit", "history", "repositories", "help", "filters", "why")
    ]
    assert [name for name in later if name in modules] == []


# -- what is written -----------------------------------------------------------------------------


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the source tree whose boundaries may be broken."""
    for package in ("ohara", "tui"):
        shutil.copytree(
            ROOT / package,
            tmp_path / package,
            ignore=lambda folder, names: [
                name for name in names if Path(folder, name).is_file() and not name.endswith(".py")
            ],
        )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint(tree: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sysconfig.get_path("scripts"), "lint-imports"), "--no-cache", "--no-logo"],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree), "COLUMNS": "200"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def add(tree: Path, module: str, line: str) -> None:
    """Append a line to a module, which is created if it is missing, with its packages."""
    file = tree / module
    file.parent.mkdir(parents=True, exist_ok=True)
    for folder in file.relative_to(tree).parents[:-1]:
        (tree / folder / "__init__.py").touch()
    with file.open("a") as source:
        source.write(f"\n{line}\n")


def test_the_contracts_are_kept(copy: Path) -> None:
    done = lint(copy)
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("ohara/config.py", "import ohara.cli.main", "A layer imports only layers below it"),
        ("ohara/model/history.py", "import ohara.errors", "A layer imports only layers below it"),
        ("ohara/unplaced.py", "", "A layer imports only layers below it"),
        ("ohara/cli/report.py", "import tui", "ohara never imports its terminal UI"),
        ("ohara/cli/report.py", "from textual.app import App", "ohara never imports its terminal UI"),
        (
            "ohara/config.py",
            "def late():\n    import pygit2",
            "Each foreign library has one importing package",
        ),
        (
            "ohara/cli/report.py",
            "from apsw import Connection",
            "Each foreign library has one importing package",
        ),
        (
            "ohara/index/run.py",
            "def late():\n    from ohara.store.sqlite.writer import Writer",
            "Only the chooser of engines knows the engine",
        ),
        ("ohara/store/index.py", "import ohara.store.sqlite.schema", "Only the chooser of engines knows the"),
        ("tui/app.py", "import ohara.cli.report", "The terminal UI sees the client and what is pure"),
        ("tui/app.py", "from numpy import mean", "The terminal UI loads no model"),
    ],
)
def test_breaking_a_boundary_breaks_its_contract(copy: Path, module: str, line: str, contract: str) -> None:
    add(copy, module, line)
    assert_broken(copy, contract)


def test_a_lane_that_uses_another_breaks_its_contract(copy: Path) -> None:
    add(copy, "ohara/retrieve/lanes/text.py", "")
    add(copy, "ohara/retrieve/lanes/symbol.py", "from ohara.retrieve.lanes import text")
    assert_broken(copy, "Lanes never import each other")


def assert_broken(tree: Path, contract: str) -> None:
    done = lint(tree)
    assert done.returncode == 1
    broken = [said for said in done.stdout.splitlines() if " BROKEN" in said]
    assert any(said.startswith(contract) for said in broken), done.stdout

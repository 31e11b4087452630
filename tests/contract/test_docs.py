"""Documents say what the code does: every command, option, setting and layer, and no dead link."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import click
import pytest

from ohara.cli.main import COMMANDS
from ohara.cli.report import ExitCode
from ohara.settings import SETTINGS, Setting
from ohara.values import written
from tests.bench.summary import summary
from tests.process import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CLI = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
CONFIG = (ROOT / "docs" / "config.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def sections(text: str) -> dict[str, str]:
    """What stands under each heading, up to the next heading of any depth."""
    parts = re.split(r"^#+ +(.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def every_command() -> Iterator[tuple[str, click.Command]]:
    """Each command and subcommand by the words that call it."""
    pending = [(f"ohara {name}", entry.load()) for name, entry in COMMANDS.items()]
    while pending:
        path, command = pending.pop(0)
        yield path, command
        if isinstance(command, click.Group):
            pending.extend((f"{path} {name}", inner) for name, inner in command.commands.items())


@pytest.mark.parametrize(("path", "command"), every_command(), ids=[path for path, _ in every_command()])
def test_every_command_and_option_is_documented(path: str, command: click.Command) -> None:
    assert path in sections(CLI), f"docs/cli.md has no section for {path}"
    said = sections(CLI)[path]
    for option in (param for param in command.params if isinstance(param, click.Option)):
        assert any(f"`{name}" in said for name in option.opts), f"docs/cli.md: {path} lacks {option.opts}"


@pytest.mark.parametrize(("path", "command"), every_command(), ids=[path for path, _ in every_command()])
def test_what_an_option_takes_is_called_the_same_in_its_help(path: str, command: click.Command) -> None:
    context = click.Context(command)
    for option in (param for param in command.params if isinstance(param, click.Option)):
        if not option.is_flag and not isinstance(option.type, click.Choice):
            taken = f"`{option.opts[0]} {option.make_metavar(context).partition('|')[0]}`"
            assert taken in sections(CLI)[path], f"docs/cli.md: {path} has no {taken}"


def test_no_command_is_documented_that_does_not_exist() -> None:
    documented = {heading for heading in sections(CLI) if heading.startswith("ohara ")}
    assert documented == {path for path, _ in every_command()}


@pytest.mark.parametrize("code", ExitCode)
def test_every_exit_code_is_documented(code: ExitCode) -> None:
    assert f"\n| {code} | " in sections(CLI)["Exit codes"]


def row(item: Setting) -> str:
    return f"| `{item.key}` | {item.expects} | `{written(item.default)}` | {item.rule.doc} |"


@pytest.mark.parametrize("item", SETTINGS, ids=lambda item: item.key)
def test_every_setting_is_documented_as_it_is_declared(item: Setting) -> None:
    assert row(item) in sections(CONFIG)["All settings"].splitlines(), f"docs/config.md lacks:\n{row(item)}"


def test_no_setting_is_documented_that_does_not_exist() -> None:
    documented = re.findall(r"^\| `([^`]+)` \|", sections(CONFIG)["All settings"], flags=re.MULTILINE)
    assert documented == [item.key for item in SETTINGS]


def test_what_a_repository_may_set_is_documented() -> None:
    said = sections(CONFIG)["What a repository may set"]
    named = re.search(r"which part of itself is searched\s+\((.+?)\)", said)
    assert named
    assert re.findall(r"`([^`]+)`", named[1]) == [item.key for item in SETTINGS if item.rule.repo_safe]


def test_the_layers_drawn_are_the_layers_enforced() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["id"] == "layers"]
    (drawn,) = re.findall(r"```layers\n(.+?)```", ARCHITECTURE, flags=re.DOTALL)
    assert drawn.splitlines() == [layer.replace("(", "").replace(")", "") for layer in layers]


@pytest.mark.parametrize(
    "module", sorted(file.stem for file in (ROOT / "ohara").iterdir() if file.stem[0] != "_")
)
def test_every_room_is_on_the_map(module: str) -> None:
    assert f"`{module}`" in sections(ARCHITECTURE)["The rooms"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text(encoding="utf-8"))
    dead = [link for link in links if "://" not in link and not (document.parent / link).exists()]
    assert dead == []


def test_the_summary_of_answers_is_what_the_pages_say() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert summary() in page, "python -m tests.bench docs"


def test_every_figure_of_the_first_page_stands_in_a_page_behind_it() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    behind = "\n".join(
        file.read_text(encoding="utf-8") for file in (ROOT / "docs" / "benchmarks").glob("*.md")
    )
    figures = set(re.findall(r"(?<![\w.,])[\d.,]*\d (?:ms|s|MB)\b|(?<![\w.])\.\d{3}\b", page))
    assert len(figures) > 20
    assert sorted(figure for figure in figures if figure not in behind) == []

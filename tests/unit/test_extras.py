"""What an extra brings is installed by its own packages: in registries the name is another project's."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest

from ohara import extras
from tests.process import ROOT

if TYPE_CHECKING:
    from pathlib import Path

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
DOCUMENTS = sorted(
    file.relative_to(ROOT)
    for file in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md"))
)


@pytest.mark.parametrize("extra", sorted(set(EXTRAS) - {"dev"}))
def test_the_command_names_the_packages_of_an_extra_and_this_environment(extra: str) -> None:
    command = extras.install_command(extra)
    assert command.startswith(f"{shlex.quote(sys.executable)} -m pip install ")
    for package in EXTRAS[extra]:
        assert re.split("[<>=]", package)[0] in command


def test_an_environment_without_pip_is_given_to_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    python = shlex.quote(sys.executable)
    assert extras.install_command("web").startswith(f"uv pip install --python {python} 'textual-serve")


@pytest.mark.parametrize("file", DOCUMENTS, ids=str)
def test_no_document_installs_what_a_registry_calls_ohara(file: Path) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert not re.search(r"(pip|pipx|uv tool|uv pip) install ['\"]?ohara", text)

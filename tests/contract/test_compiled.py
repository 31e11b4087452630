"""What was compiled of other sources than the ones it lies beside is not used."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import hatch_build
from ohara import speedups
from ohara.setup import doctor
from tests.process import ROOT

if TYPE_CHECKING:
    from pathlib import Path

ASKS = "from ohara import speedups; print(speedups.compiled is not None, speedups.is_outdated)"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that was just installed for editing: as much of it as compiling takes."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler here")
    package = tmp_path / "ohara"
    shutil.copytree(
        ROOT / "ohara" / "speedups",
        package / "speedups",
        ignore=shutil.ignore_patterns("*.so", "__pycache__"),
    )
    shutil.copy(ROOT / "ohara" / "__init__.py", package)
    assert hatch_build.compile_speedups(package / "speedups", tmp_path / hatch_build.COMPILED) == ""
    return tmp_path


def asked(checkout: Path) -> str:
    """Whether what is compiled is used, and whether it is outdated."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", ASKS],
        env={name: text for name, text in os.environ.items() if name != speedups.VARIABLE}
        | {"PYTHONPATH": str(checkout)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout.strip()


def test_python_names_the_sources_that_it_goes_with() -> None:
    assert hatch_build.sources_digest(ROOT / "ohara" / "speedups") == speedups.SOURCES


def test_line_ends_of_a_checkout_make_no_other_sources(checkout: Path) -> None:
    for file in (checkout / "ohara" / "speedups").glob("*.[ch]"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert hatch_build.sources_digest(checkout / "ohara" / "speedups") == speedups.SOURCES


def test_what_was_compiled_before_a_pull_is_not_used(checkout: Path) -> None:
    assert asked(checkout) == "True False"
    module = checkout / "ohara" / "speedups" / "__init__.py"
    module.write_text(module.read_text().replace(speedups.SOURCES, "0123456789abcdef"))
    assert asked(checkout) == "False True"


def test_what_names_no_sources_is_not_used(checkout: Path) -> None:
    source = checkout / "ohara" / "speedups" / "module.c"
    line = 'PyModule_AddStringConstant(module, "SOURCES", SOURCES)'
    assert line in source.read_text()
    source.write_text(source.read_text().replace(line, "0"))
    assert hatch_build.compile_speedups(source.parent, checkout / hatch_build.COMPILED) == ""
    assert asked(checkout) == "False True"


def test_the_doctor_says_how_to_compile_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speedups, "is_outdated", True)
    (found,) = [finding for finding in doctor.examine() if finding.name == "speedups"]
    assert not found.well
    assert "not used" in found.said
    assert found.fix == f"pip install -e {ROOT}"

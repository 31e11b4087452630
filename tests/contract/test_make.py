"""`make find` hands over what was typed, installs once, and says plainly what it lacks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.process import ROOT

if TYPE_CHECKING:
    from pathlib import Path

# Stands in for an interpreter: it makes a "virtual environment" that holds itself and an `ohara` which tells
# its arguments, and it notes each call of pip. What make decides is real; nothing is downloaded.
FAKE_PYTHON = f"""#!{sys.executable}
import json, os, pathlib, shutil, sys
here = pathlib.Path(__file__)
match sys.argv[1:]:
    case ["-m", "venv", place]:
        bin = pathlib.Path(place, "bin")
        bin.mkdir(parents=True)
        shutil.copy(here, bin / "python")
        (bin / "ohara").write_text({f"#!{sys.executable}"!r} + '''
import json, os, sys
print(json.dumps(sys.argv[1:]))
sys.exit(int(os.environ.get("ENDS_WITH", "0")))
''')
        (bin / "ohara").chmod(0o755)
    case ["-m", "pip", "install", *options]:
        with open(os.environ["PIP_LOG"], "a") as log:
            log.write(json.dumps(options) + "\\n")
"""


class Checkout:
    """A folder with the real Makefile and an interpreter that installs nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "a checkout"
        self.folder.mkdir()
        shutil.copytree(ROOT / "ohara" / "speedups", self.folder / "ohara" / "speedups")
        for name in ("Makefile", "pyproject.toml", "constraints.txt", "hatch_build.py"):
            shutil.copy(ROOT / name, self.folder / name)
        self.python = folder / "fake-python"
        self.python.write_text(FAKE_PYTHON)
        self.python.chmod(0o755)
        self.pip_log = folder / "pip.log"

    def make(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run make as from a fresh shell: not as a child of the make that may run these tests."""
        inherited = {
            name: text for name, text in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
        }
        return subprocess.run(
            ["make", *arguments],
            cwd=self.folder,
            env=inherited | {"PYTHON": str(self.python), "PIP_LOG": str(self.pip_log)} | environ,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    def pip_calls(self) -> list[list[str]]:
        """What was installed so far, without the flags."""
        if not self.pip_log.exists():
            return []
        calls = [json.loads(line) for line in self.pip_log.read_text().splitlines()]
        return [[word for word in call if not word.startswith("--")] for call in calls]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout in which `make find` ran before."""
    checkout = Checkout(tmp_path_factory.mktemp("installed"))
    assert checkout.make("find", "q=x").returncode == 0
    return checkout


@pytest.mark.parametrize(
    "query",
    [
        "retry with backoff",
        r"/re\.compile\(/",
        """it's "quoted" and 'quoted' again""",
        "$HOME $(HOME) ${HOME} $$ $q $@",
        "$(shell touch pwned) `touch pwned` $(touch pwned)",
        "; touch pwned # && touch pwned | touch pwned > pwned",
        "fix #123: 100% of *.py ~ ? [a-z] {x,y} !",
        "ends with a backslash \\",
        "-path:vendor",
        "--help",
        "two\nlines\tand a tab",
        "naïve 漢字",
        "q=x repo=y := =",
    ],
)
def test_the_query_arrives_as_it_was_typed(installed: Checkout, query: str) -> None:
    done = installed.make("find", f"q={query}", "repo=/some where/$else")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["find", "--repo", "/some where/$else", "--", query]
    assert not (installed.folder / "pwned").exists()


def test_the_repository_is_where_make_runs_unless_named(installed: Checkout) -> None:
    assert json.loads(installed.make("find", "q=x").stdout)[2] == str(installed.folder)


def test_a_soak_takes_the_repository_that_was_named_and_no_other(checkout: Checkout) -> None:
    named = checkout.make("-n", "soak", "kills=5", "repo=/some where").stdout
    assert named.split("tests.soak")[-1].split() == ["--kills", '"5"', "--repo", '"$OHARA_MAKE_REPO"']
    assert "--repo" not in checkout.make("-n", "soak", "kills=5").stdout


def test_the_second_run_installs_nothing(checkout: Checkout) -> None:
    assert checkout.make("find", "q=x").returncode == 0
    assert checkout.pip_calls() == [["-e", "."]]
    again = checkout.make("find", "q=x")
    assert (again.returncode, again.stderr) == (0, "")
    assert checkout.pip_calls() == [["-e", "."]]


def test_a_changed_project_file_or_a_lost_interpreter_installs_again(checkout: Checkout) -> None:
    checkout.make("find", "q=x")
    stamp = (checkout.folder / ".venv" / ".stamp-run").stat().st_mtime
    os.utime(checkout.folder / "pyproject.toml", (stamp + 5, stamp + 5))
    checkout.make("find", "q=x")
    assert len(checkout.pip_calls()) == 2
    os.utime(checkout.folder / "pyproject.toml", (stamp - 5, stamp - 5))
    (checkout.folder / ".venv" / "bin" / "python").unlink()
    assert checkout.make("find", "q=x").returncode == 0
    assert len(checkout.pip_calls()) == 3


def test_the_development_install_serves_find_too(checkout: Checkout) -> None:
    assert checkout.make("./.venv/.stamp-dev").returncode == 0
    assert checkout.make("find", "q=x").returncode == 0
    assert checkout.pip_calls() == [["-c", "./constraints.txt", "-e", ".[dev]"]]


def test_the_newest_versions_are_installed_when_asked_for(checkout: Checkout) -> None:
    assert checkout.make("./.venv/.stamp-dev", "CONSTRAINTS=").returncode == 0
    assert checkout.pip_calls() == [["-e", ".[dev]"]]


def test_nothing_found_is_not_a_failure_but_an_error_is(installed: Checkout) -> None:
    nothing = installed.make("find", "q=x", ENDS_WITH="1")
    assert nothing.returncode == 0
    assert "***" not in nothing.stderr
    assert installed.make("find", "q=x", ENDS_WITH="2").returncode == 2


def test_no_query_is_said_in_one_line_and_installs_nothing(checkout: Checkout) -> None:
    done = checkout.make("find")
    assert done.returncode == 2
    assert done.stderr.startswith('usage: make find q="what you look for" [repo=PATH]\n')
    assert not (checkout.folder / ".venv").exists()


def test_no_fitting_interpreter_is_said_in_one_line(checkout: Checkout) -> None:
    done = checkout.make("find", "q=x", PYTHON="no-such-python")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "ohara needs Python 3.11 or newer with its venv module, and found none of: no-such"
    )
    assert not (checkout.folder / ".venv").exists()


def test_make_alone_lists_every_target(checkout: Checkout) -> None:
    listed = {line.split()[1] for line in checkout.make().stdout.splitlines()}
    (phony,) = [line for line in (ROOT / "Makefile").read_text().splitlines() if line.startswith(".PHONY:")]
    assert {"find", "test", "check"} <= listed
    assert listed == set(phony.split()[1:]) - {"help", "FORCE"}

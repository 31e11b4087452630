"""The wheel holds all that ohara needs and works where the source tree is out of sight."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from ohara import __version__
from tests.process import ROOT

SUBJECT = "Retry requests with backoff"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without reaching for the network."""
    work = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(work), str(ROOT))
    (built,) = work.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `ohara` of a new venv that holds only the wheel and borrows this one's other packages."""
    place = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(place, with_pip=False, symlinks=True)
    python = place / "bin" / "python"
    run(
        sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check",
        "install", "--quiet", "--no-deps", "--no-index", str(wheel),
    )  # fmt: skip
    (site_packages,) = place.glob("lib/python*/site-packages")
    # A path in a .pth file comes last, and .pth files found there do not count: the editable install of
    # this source tree stays out of sight.
    (site_packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return place / "bin" / "ohara"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit to find."""
    folder = tmp_path_factory.mktemp("repository")
    (folder / "client.py").write_text("for attempt in range(5):\n    sleep(2**attempt)\n")
    who = {"NAME": "A Person", "EMAIL": "person@example.invalid", "DATE": "2024-01-02T03:04:05+00:00"}
    environ = {f"GIT_{role}_{key}": text for role in ("AUTHOR", "COMMITTER") for key, text in who.items()}
    for command in (["init", "-q"], ["add", "client.py"], ["commit", "-q", "-m", SUBJECT]):
        run("git", *command, cwd=folder, env=os.environ | environ)
    return folder


def run(*command: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Run to success and return what was printed."""
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def outside() -> dict[str, str]:
    """An environment in which this source tree cannot be found."""
    return {name: text for name, text in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}


def shipped(package: str) -> set[str]:
    """The files of a package's source, code and data, but for the scripts that make models."""
    files = (file.relative_to(ROOT) for file in (ROOT / package).rglob("*") if file.is_file())
    return {str(file) for file in files if not {"make", "__pycache__"} & set(file.parts)}


def test_nothing_is_left_beside_the_wheel(wheel: Path) -> None:
    assert list(wheel.parent.iterdir()) == [wheel]


@pytest.mark.parametrize("package", ["ohara", "tui"])
def test_every_module_and_data_file_is_in_the_wheel(wheel: Path, package: str) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert shipped(package) - names == set()


def test_only_the_packages_are_in_the_wheel(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {"ohara", "tui", f"ohara-{__version__}.dist-info"}
    assert f"ohara-{__version__}.dist-info/licenses/LICENSE" in names
    assert [name for name in names if "/make/" in name or "__pycache__" in name] == []


def test_what_is_compiled_is_in_the_wheel_and_used(wheel: Path, installed: Path, tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler here")
    assert wheel.name.startswith(f"ohara-{__version__}-cp311-abi3-")
    says = "from ohara.speedups import compiled; print(compiled.__file__)"
    found = run(str(installed.with_name("python")), "-c", says, cwd=tmp_path, env=outside())
    assert Path(found.strip()).is_relative_to(installed.parents[1])


def test_a_wheel_is_built_without_a_compiler_and_serves_every_machine(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(tmp_path),
        str(ROOT),
    ]
    without = os.environ | {"CC": "no-such-compiler"}
    done = subprocess.run(command, env=without, capture_output=True, encoding="utf-8", check=True)
    assert "installed without its compiled part: no-such-compiler" in done.stdout + done.stderr
    (built,) = tmp_path.glob("*.whl")
    assert built.name == f"ohara-{__version__}-py3-none-any.whl"
    assert [name for name in zipfile.ZipFile(built).namelist() if name.endswith(".so")] == []


def test_the_installed_ohara_is_the_wheel_s(installed: Path, tmp_path: Path) -> None:
    where = run(
        str(installed.with_name("python")), "-c", "import ohara, tui; print(ohara.__file__, tui.__file__)",
        cwd=tmp_path, env=outside(),
    )  # fmt: skip
    assert [Path(file).is_relative_to(installed.parents[1]) for file in where.split()] == [True, True]


def test_the_installed_ohara_says_its_version(installed: Path, tmp_path: Path) -> None:
    assert run(str(installed), "--version", cwd=tmp_path, env=outside()) == f"ohara {__version__}\n"


def test_the_installed_ohara_answers(installed: Path, repository: Path, tmp_path: Path) -> None:
    shown = run(
        str(installed), "find", "--repo", str(repository), "retry backoff", cwd=tmp_path, env=outside()
    )
    assert SUBJECT in shown
    assert "client.py" in shown

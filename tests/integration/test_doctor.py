"""The doctor finds what is wrong, says what mends it, and mends what it may."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from ohara.setup import doctor
from ohara.store.sqlite.writer import Writer
from tests.daemon import service
from tests.indexing import index
from tests.process import ohara

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.setup.doctor import Finding


def found(name: str) -> Finding:
    (one,) = [finding for finding in doctor.examine() if finding.name == name]
    return one


@pytest.fixture(autouse=True)
def _without_reranker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OHARA_MODELS_RERANKER", "none")


def test_a_sound_installation_is_one_tick_a_line(three_commits: Repo) -> None:
    index(three_commits)
    done = ohara("doctor")
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in lines if not line.startswith("✓ ")] == []
    names = [line.removeprefix("✓ ").partition(": ")[0] for line in lines]
    assert names == [
        "settings", "database", "speedups", "embedder", "reranker", "disk space", "permissions", "watcher",
        "daemon", "schedule", f"index of {three_commits.git_dir}",
    ]  # fmt: skip
    assert "with full text, sqlite-vec v" in done.stdout


def test_an_installation_without_its_compiled_part_says_what_that_costs() -> None:
    done = ohara("doctor", env={"OHARA_SPEEDUPS": "off"})
    assert "✓ speedups: not there: installed without a C compiler" in done.stdout


def test_a_damaged_index_is_found_and_mended(three_commits: Repo) -> None:
    engine = index(three_commits)
    for log in engine.location.folder.glob("index.db-*"):
        log.unlink()
    whole = engine.location.database.read_bytes()
    engine.location.database.write_bytes(whole[:8192] + b"\xa5" * (len(whole) - 8192))
    done = ohara("doctor")
    assert done.returncode == 1
    assert f"✗ index of {three_commits.git_dir}: " in done.stdout
    assert f"  fix: ohara index --scheduled --repo {three_commits.git_dir} --rebuild\n" in done.stdout
    mended = ohara("doctor", "--fix", env={"OHARA_MODELS_EMBEDDER": "none"})
    assert (mended.returncode, mended.stdout.splitlines()[-1]) == (0, "  mended"), mended.stdout
    assert engine.status().indexed == 3
    assert len(list(engine.location.folder.glob("aside-*.db"))) == 1


def test_an_index_whose_repository_is_gone_is_forgotten_only_when_asked(three_commits: Repo) -> None:
    engine = index(three_commits)
    shutil.rmtree(three_commits.path)
    assert ohara("doctor").returncode == 1
    assert engine.location.database.exists()
    mended = ohara("doctor", "--fix")
    assert mended.stdout.endswith("its repository is gone\n  mended\n")
    assert not engine.location.folder.exists()


def test_an_index_of_another_version_is_told(three_commits: Repo) -> None:
    engine = index(three_commits)
    with Writer(engine.location.database, passes=frozenset()) as writer:
        writer.set_meta("fingerprint", {"words": -1, "parser": -1, "embedder": "other"})
        writer.commit()
    finding = found(f"index of {three_commits.git_dir}")
    assert not finding.well
    assert finding.said == "made by another version: lines, symbol, text, vector"
    assert finding.repair == ("index", "--scheduled", "--repo", str(three_commits.git_dir))


def test_an_index_that_others_can_read_is_told(three_commits: Repo) -> None:
    engine = index(three_commits)
    engine.location.folder.chmod(0o755)
    finding = found("permissions")
    assert (finding.well, finding.fix) == (False, f"chmod 700 {engine.location.folder}")


def test_a_bad_setting_and_a_missing_model_are_findings_not_faults(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OHARA_MODELS_EMBEDDER", "no-such-model")
    finding = found("embedder")
    assert not finding.well
    assert finding.fix
    (ohara_home / "config").mkdir()
    (ohara_home / "config" / "config.toml").write_text("[find]\nk = 'many'\n")
    finding = found("settings")
    assert (finding.well, finding.fix) == (False, "ohara config -h")
    assert "find.k must be" in finding.said


def test_broken_settings_are_told_once_and_everything_else_is_still_checked(
    three_commits: Repo, ohara_home: Path
) -> None:
    index(three_commits)
    (ohara_home / "config").mkdir()
    (ohara_home / "config" / "config.toml").write_text("[find\n")
    run = ohara("doctor")
    assert run.returncode == 1
    assert run.stdout.count("not valid TOML") == 1
    assert run.stdout.startswith(f"✗ settings: {ohara_home}/config/config.toml: not valid TOML")
    assert f"✓ index of {three_commits.path}/.git: whole" in run.stdout
    assert run.stdout.count("✗") == 1


def test_the_daemon_is_described(ohara_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("daemon").said == "not running (ohara daemon start keeps indexes fresh)"
    with service(ohara_home, monkeypatch) as pid:
        assert found("daemon").said.startswith(f"process {pid}, version ")

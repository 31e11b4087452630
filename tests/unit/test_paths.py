"""Everything ohara writes has one home, and the runtime folder is nobody else's."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ohara import paths
from ohara.errors import OharaError


def test_ohara_home_holds_everything(ohara_home: Path) -> None:
    assert paths.config_file() == ohara_home / "config" / "config.toml"
    assert paths.data_dir() == ohara_home / "data"
    assert paths.indexes_dir() == ohara_home / "data" / "indexes"
    assert paths.models_dir() == ohara_home / "data" / "models"
    assert paths.state_dir() == ohara_home / "state"
    assert paths.log_file() == ohara_home / "state" / "ohara.log"
    assert paths.runtime_dir() == ohara_home / "run"


def test_a_relative_or_tilde_home_becomes_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OHARA_HOME", "here")
    assert paths.data_dir() == tmp_path / "here" / "data"
    monkeypatch.setenv("OHARA_HOME", "~/there")
    assert paths.data_dir() == Path.home() / "there" / "data"


def test_without_ohara_home_the_xdg_folders_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OHARA_HOME")
    if os.uname().sysname == "Darwin":
        assert "Application Support" in str(paths.data_dir())
        return
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "d"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "c"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "s"))
    assert paths.indexes_dir() == tmp_path / "d" / "ohara" / "indexes"
    assert paths.config_file() == tmp_path / "c" / "ohara" / "config.toml"
    assert paths.log_file() == tmp_path / "s" / "ohara" / "ohara.log"


def test_computing_a_path_creates_nothing(ohara_home: Path) -> None:
    paths.config_file(), paths.indexes_dir(), paths.log_file(), paths.models_dir()
    assert list(ohara_home.iterdir()) == []


def test_runtime_folder_follows_the_session_and_else_the_state(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("OHARA_HOME")
    session = tmp_path / "session"
    session.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(session))
    assert paths.runtime_dir() == session / "ohara"
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "gone"))
    assert paths.runtime_dir() == paths.state_dir() / "run"


def test_runtime_folder_is_private_even_if_it_was_not(ohara_home: Path) -> None:
    (ohara_home / "run").mkdir(mode=0o755)
    (ohara_home / "run").chmod(0o755)
    assert stat.S_IMODE(paths.runtime_dir().stat().st_mode) == 0o700


def test_a_runtime_folder_that_is_only_looked_for_is_not_made(ohara_home: Path) -> None:
    assert paths.runtime_dir(create=False) == ohara_home / "run"
    assert list(ohara_home.iterdir()) == []


def test_a_link_or_a_file_in_the_runtime_folder_s_place_is_refused(ohara_home: Path, tmp_path: Path) -> None:
    (ohara_home / "run").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(OharaError, match="not a folder of your own"):
        paths.runtime_dir()
    (ohara_home / "run").unlink()
    (ohara_home / "run").write_text("in the way")
    with pytest.raises(OharaError, match="cannot be used") as caught:
        paths.runtime_dir()
    assert "OHARA_HOME" in caught.value.hint

"""`ohara mcp install` writes the right entry for each program, shows it first, and takes it out again."""

from __future__ import annotations

import json
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest

from ohara.setup import jsonc
from tests.process import ohara

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

FILES = {
    "claude-code": (".mcp.json", ".claude.json", "mcpServers"),
    "cursor": (".cursor/mcp.json", ".cursor/mcp.json", "mcpServers"),
    "vscode": (".vscode/mcp.json", ".config/Code/User/mcp.json", "servers"),
    "codex": (".codex/config.toml", ".codex/config.toml", "mcp_servers"),
    "zed": (".zed/settings.json", ".config/zed/settings.json", "context_servers"),
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "person"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


def entry(file: Path, servers: str) -> dict[str, object]:
    text = file.read_text(encoding="utf-8")
    whole = tomllib.loads(text) if file.suffix == ".toml" else jsonc.read(text)
    assert isinstance(whole, dict)
    found = whole[servers]
    assert isinstance(found, dict)
    mine = found["ohara"]
    assert isinstance(mine, dict)
    return dict(mine)


@pytest.mark.skipif(sys.platform == "darwin", reason="the paths are those of Linux")
@pytest.mark.parametrize("client", FILES)
def test_each_program_is_told_and_untold(client: str, three_commits: Repo, home: Path) -> None:
    project, user, servers = FILES[client]
    for scope, file in (("--project", three_commits.path / project), ("--user", home / user)):
        done = ohara("mcp", "install", client, scope, cwd=three_commits.path)
        assert done.returncode == 0, done.stderr
        assert "+" in done.stdout
        assert f"written: {file}\n" in done.stdout
        written = entry(file, servers)
        arguments = written["args"]
        assert isinstance(arguments, list)
        if scope == "--project":
            assert (written["command"], arguments[:3]) == ("ohara", ["mcp", "--client", client])
        else:
            assert (written["command"], arguments[:6]) == (
                sys.executable,
                ["-P", "-m", "ohara", "mcp", "--client", client],
            )
        assert ("type" in written) == (client in {"claude-code", "vscode"})
        before = file.read_bytes()
        again = ohara("mcp", "install", client, scope, cwd=three_commits.path)
        assert (again.returncode, again.stdout) == (0, f"already there: {file}\n")
        assert file.read_bytes() == before
        status = ohara("mcp", "status", cwd=three_commits.path)
        assert f"{client} ({scope[2:]}): installed: {file}\n" in status.stdout
        assert status.returncode == 0
        gone = ohara("mcp", "uninstall", client, scope, cwd=three_commits.path)
        assert gone.returncode == 0, gone.stderr
        assert not file.exists() or "ohara" not in file.read_text()
        assert ohara("mcp", "uninstall", client, scope, cwd=three_commits.path).returncode == 1
    assert ohara("mcp", "status", cwd=three_commits.path).returncode == 1


def test_what_else_is_in_the_file_stays_as_it_is(three_commits: Repo) -> None:
    file = three_commits.path / ".zed" / "settings.json"
    file.parent.mkdir()
    text = (
        '{\n  // mine\n  "theme": "x",\n  "context_servers": {\n    "a": {"command": "b"}, // keep\n  },\n}\n'
    )
    file.write_text(text)
    file.chmod(0o600)
    shown = ohara("mcp", "install", "zed", "--dry-run", cwd=three_commits.path)
    assert '+    "ohara": {' in shown.stdout
    assert file.read_text() == text
    ohara("mcp", "install", "zed", cwd=three_commits.path)
    assert text.splitlines() == [line for line in file.read_text().splitlines() if line in text.splitlines()]
    assert file.stat().st_mode & 0o777 == 0o600
    ohara("mcp", "uninstall", "zed", cwd=three_commits.path)
    assert file.read_text() == text


def test_what_a_person_wrote_is_not_overwritten(three_commits: Repo) -> None:
    file = three_commits.path / ".mcp.json"
    own = {"mcpServers": {"ohara": {"command": "my-ohara"}}}
    file.write_text(json.dumps(own))
    done = ohara("mcp", "install", "claude-code", cwd=three_commits.path)
    assert done.returncode == 2
    assert "has an entry called ohara that somebody else wrote" in done.stderr
    assert ohara("mcp", "uninstall", "claude-code", cwd=three_commits.path).returncode == 1
    assert json.loads(file.read_text()) == own
    assert "somebody else wrote" in ohara("mcp", "status", cwd=three_commits.path).stdout


def test_what_a_person_added_to_the_entry_stays(three_commits: Repo) -> None:
    file = three_commits.path / ".mcp.json"
    ohara("mcp", "install", "claude-code", cwd=three_commits.path)
    whole = json.loads(file.read_text())
    whole["mcpServers"]["ohara"]["env"] = {"A": "b"}
    whole["mcpServers"]["ohara"]["args"] += ["--allow", "/src"]
    file.write_text(json.dumps(whole))
    assert "already there" in ohara("mcp", "install", "claude-code", cwd=three_commits.path).stdout
    assert json.loads(file.read_text()) == whole


def test_a_link_in_a_project_is_not_written_through(three_commits: Repo, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("{}")
    (three_commits.path / ".mcp.json").symlink_to(precious)
    (three_commits.path / ".cursor").symlink_to(tmp_path)
    for client in ("claude-code", "cursor"):
        done = ohara("mcp", "install", client, cwd=three_commits.path)
        assert done.returncode == 2
        assert "not a regular file" in done.stderr
    assert precious.read_text() == "{}"


def test_nowhere_and_nonsense_are_told_in_one_line(tmp_path: Path) -> None:
    outside = ohara("mcp", "install", "cursor", cwd=tmp_path)
    assert (outside.returncode, "is in no work tree" in outside.stderr) == (2, True)
    unknown = ohara("mcp", "install", "emacs", cwd=tmp_path)
    assert (unknown.returncode, "'claude-code', 'cursor', 'vscode', 'codex', 'zed'" in unknown.stderr) == (
        2,
        True,
    )

"""Work begun in git from a commit: shown, confirmed, done; and nothing of it unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from tests.indexing import index
from tests.tui.driving import running, text_of, until
from tests.tui.test_browse_screens import said
from tui.shell_commands import commands_for

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.anyio
@pytest.mark.usefixtures("parcel")
async def test_a_branch_is_begun_at_a_hit_once_it_is_confirmed(tmp_path: Path) -> None:
    with History(tmp_path / "work") as history:
        history.commit("Add retry with backoff", {"net.py": "retry = 1\n"}, key="retry")
        history.commit("Tidy", {"net.py": "retry = 2\n"})
    repo = history.repo
    index(repo)
    marker = tmp_path / "ran"
    hook = repo.path / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
    hook.chmod(0o755)
    repo.git("reset", "--hard", "-q")
    async with running(repo.path, "Add retry with backoff", asked=True) as (app, pilot):
        sha = repo.sha["retry"]
        assert app.search.selected is not None
        assert app.search.selected.commit.sha == sha
        await pilot.press("X")
        assert f"git branch from-{sha[:10]}" in text_of(app)
        await pilot.press("b", "n")
        assert repo.git("branch", "--list", "from-*") == ""
        await pilot.press("X", "b", "y")
        await until(pilot, lambda: "git branch" in said(app))
        assert repo.git("rev-parse", f"from-{sha[:10]}").strip() == sha
        await pilot.press("X", "c", "y")
        await until(pilot, lambda: repo.git("rev-parse", "HEAD").strip() == sha)
        await until(pilot, lambda: "git checkout" in said(app))
    assert not marker.exists()  # nothing that the repository brings is run


def test_only_a_name_of_a_commit_becomes_a_command() -> None:
    with pytest.raises(ValueError, match="not a commit's name"):
        commands_for("--exec=rm")

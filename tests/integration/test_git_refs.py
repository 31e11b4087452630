"""Refs that cannot be read are told as such, whoever asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ohara.errors import RepositoryError
from ohara.git.repo import Repository

if TYPE_CHECKING:
    from fixtures.git import Repo


def test_a_damaged_list_of_refs_is_an_error_with_a_hint(three_commits: Repo) -> None:
    (three_commits.git_dir / "packed-refs").write_text("no list of refs")
    with pytest.raises(RepositoryError, match="cannot be listed") as told:
        Repository.open(three_commits.path).all_refs()
    assert told.value.hint == "run: git fsck"

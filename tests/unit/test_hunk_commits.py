"""Which commit a hunk belongs to, told from where runs of hunks begin."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ohara.fate.hunk_commits import HunkCommits

if TYPE_CHECKING:
    from ohara.store.lines import LineHistory


class _Runs:
    """A history that knows its runs alone: whoever asks for single hunks fails."""

    def hunk_runs(self) -> list[tuple[int, int]]:
        """A commit (7) that was written in two parts, with the hunks of another (9) between them."""
        return [(2, 5), (4, 7), (6, 9), (7, 7), (40, 11)]


def test_every_hunk_of_a_run_has_its_commit_and_a_commit_may_have_several_runs() -> None:
    commits = HunkCommits(cast("LineHistory", _Runs()))
    commits.read_all()
    assert commits.of({2, 3, 4, 5, 6, 7, 8, 40, 41}) == {
        2: 5, 3: 5, 4: 7, 5: 7, 6: 9, 7: 7, 8: 7, 40: 11, 41: 11,
    }  # fmt: skip


def test_single_hunks_are_looked_up_once_where_not_all_were_read() -> None:
    asked: list[list[int]] = []

    class _Single:
        def commits_of(self, hunks: list[int]) -> dict[int, int]:
            asked.append(hunks)
            return {hunk: hunk * 10 for hunk in hunks if hunk != 3}

    commits = HunkCommits(cast("LineHistory", _Single()))
    assert commits.of([1, 2, 3]) == {1: 10, 2: 20}
    assert commits.of([2]) == {2: 20}
    assert asked == [[1, 2, 3]]

"""How the changes of files are put together for parsing: a path's in one task, as its versions follow."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohara.index.symbol_pass import into_tasks
from ohara.store.derived import ChangedFile

_BLOBS = st.sampled_from(["", "a", "b", "c", "d"])


def changed(commit: int, path: int, old: str, new: str) -> ChangedFile:
    """A change of one hunk."""
    return ChangedFile(commit, path, old, new, (commit * 100 + path,))


@given(st.lists(st.tuples(st.integers(1, 3), _BLOBS, _BLOBS), max_size=600))
def test_every_change_is_in_one_task_and_paths_are_not_mixed(drawn: list[tuple[int, str, str]]) -> None:
    files = [changed(commit, *each) for commit, each in enumerate(drawn)]
    told = [file for task in into_tasks(files) for file in task]
    assert sorted(told) == sorted(files)
    paths = [file.path_id for file in told]
    assert len([at for at, path in enumerate(paths) if not at or paths[at - 1] != path]) == len(set(paths))


def test_a_version_is_followed_by_the_change_that_made_what_it_was_made_from() -> None:
    # Two branches, newest first, as their commits alternate in time.
    left = [changed(number, 1, f"left {number - 2}", f"left {number}") for number in (9, 7, 5)]
    right = [changed(number, 1, f"right {number - 2}", f"right {number}") for number in (8, 6, 4)]
    mixed = [file for pair in zip(left, right, strict=True) for file in pair]
    (task,) = into_tasks(mixed)
    assert list(task) == [*left, *right]


def test_a_path_that_changes_very_often_is_shared_among_workers() -> None:
    files = [changed(number, 1, str(number), str(number + 1)) for number in range(1_000)]
    assert len(list(into_tasks(files))) == 3

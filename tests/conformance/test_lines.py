"""What became of lines: rows written by hand, and the look-ups that answer from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import Pass
from ohara.store.lines import DerivedLines, HeadLines, HeadVersion, How, LineEnd, MergedFile
from tests.conformance.histories import NEW_BLOB, commit_id, fill, open_writer, sha

if TYPE_CHECKING:
    from ohara.store.index import Index

OTHER_BLOB = "0d" * 20


def _hunk(index: Index, letter: str) -> int:
    with open_writer(index) as writer:
        number = commit_id(writer, letter)
    return index.stored_commits().hunks(number)[0].hunk_id


def _commit(index: Index, letter: str) -> int:
    with open_writer(index) as writer:
        return commit_id(writer, letter)


def _ended(index: Index) -> tuple[LineEnd, ...]:
    """Two runs of a's hunk: one removed, one moved to b's."""
    hunk, later = _hunk(index, "a"), _hunk(index, "b")
    by = _commit(index, "b")
    ends = (
        LineEnd(hunk, 0, 2, 1, by, How.REMOVED),
        LineEnd(hunk, 2, 3, 3, by, How.MOVED, later, 1),
    )
    with open_writer(index) as writer:
        merged = (MergedFile("merged.py", OTHER_BLOB),)
        writer.lines.write((DerivedLines(by, ends, ((hunk, 4), (later, 5)), merged),))
        writer.passes.mark(Pass.LINES, (by,))
        writer.commit()
    return ends


def test_how_lines_ended_is_told_by_hunk_and_by_commit(index: Index) -> None:
    fill(index)
    ends = _ended(index)
    by = _commit(index, "b")
    with index.line_history() as history:
        assert history.ends_by(by) == list(ends)
        assert history.ends_by(_commit(index, "a")) == []
        assert history.ends_of((_hunk(index, "a"),)) == list(ends)
        assert history.ends_of((_hunk(index, "b"),)) == []
        assert history.all_ends((by,)) == list(ends)
        assert history.all_ends(()) == []
        assert history.line_counts((_commit(index, "a"), by)) == {_hunk(index, "a"): 4, _hunk(index, "b"): 5}
        assert history.line_counts((by,)) == {_hunk(index, "b"): 5}
        assert history.hunks_handed_on() == {_hunk(index, "a")}
        assert history.hunks_at_head() == set()
        (maker,) = history.makers("merged.py", OTHER_BLOB)
        assert (maker.commit, maker.sha, maker.file) == (by, sha("b"), None)


def test_saying_it_twice_does_no_harm(index: Index) -> None:
    fill(index)
    ends = _ended(index)
    assert _ended(index) == ends
    with index.line_history() as history:
        assert history.ends_by(_commit(index, "b")) == list(ends)


def test_head_is_kept_by_path_and_content(index: Index) -> None:
    fill(index)
    hunk = _hunk(index, "a")
    version = HeadVersion("somewhere.py", NEW_BLOB, 0, [(2, 0, 0), (3, hunk, 1)], frozenset({3}))
    with open_writer(index) as writer:
        writer.lines.replace_head([version], [])
        writer.commit()
    with index.line_history() as history:
        assert history.at_head((hunk,)) == [HeadLines(hunk, 1, 3, 2, "somewhere.py", 3)]
        assert history.all_at_head() == history.at_head((hunk,))
        assert history.hunks_at_head() == {hunk}
        assert history.head_versions() == {("somewhere.py", NEW_BLOB)}
        assert history.doubtful_head_versions() == {}
        origins = history.head_origins("somewhere.py", NEW_BLOB)
        assert origins is not None
        assert origins[:2] == [(2, 0, 0), (3, hunk, 1)]
        assert history.head_origins("somewhere.py", OTHER_BLOB) is None
    with open_writer(index) as writer:
        writer.lines.replace_head([], [("somewhere.py", NEW_BLOB)])
        writer.commit()
    with index.line_history() as history:
        assert history.head_versions() == {("somewhere.py", NEW_BLOB)}
    with open_writer(index) as writer:
        writer.lines.replace_head([], [])
        writer.commit()
    with index.line_history() as history:
        assert history.all_at_head() == []


def test_what_is_kept_of_a_content_that_another_commit_made_is_not_believed(index: Index) -> None:
    fill(index)
    version = HeadVersion(
        "merged.py", OTHER_BLOB, _commit(index, "a"), [(1, _hunk(index, "a"), 0)], frozenset()
    )
    with open_writer(index) as writer:
        writer.lines.replace_head([version], [])
        writer.commit()
    _ended(index)  # b made this content
    with index.line_history() as history:
        assert history.head_versions() == set()
        assert history.head_origins("merged.py", OTHER_BLOB) is None
        assert history.doubtful_head_versions() == {("merged.py", OTHER_BLOB): _commit(index, "a")}


def test_a_commit_that_goes_takes_what_is_known_of_its_lines_along(index: Index) -> None:
    fill(index)
    _ended(index)
    hunk = _hunk(index, "a")
    with open_writer(index) as writer:
        writer.show(live=[], dead=[sha("b")])
        writer.commit()
    with index.line_history() as history:
        assert history.ends_of((hunk,)) == []
    with open_writer(index) as writer:
        writer.upkeep.collect()
    with index.line_history() as history:
        assert history.ends_of((hunk,)) == []
        assert history.makers("merged.py", OTHER_BLOB) == []


def test_the_pass_begins_again_when_it_is_told_to(index: Index) -> None:
    fill(index)
    _ended(index)
    with open_writer(index) as writer:
        before = writer.passes.count_pending(Pass.LINES)
        writer.upkeep.begin_again(Pass.LINES)
        assert writer.passes.count_pending(Pass.LINES) == before + 1
        writer.commit()
    with index.line_history() as history:
        assert history.all_ends((_commit(index, "b"),)) == []


def test_versions_of_files_and_their_hunks_are_told_as_they_were_added(index: Index) -> None:
    fill(index)
    number = _commit(index, "a")
    with index.line_history() as history:
        versions = history.changed_files(number)
        hunks = history.changed_hunks(number)
        assert [each.path for each in versions] == sorted(
            {each.path for each in versions}, key=[each.path for each in versions].index
        )
        assert {each.file for each in hunks} <= {each.file for each in versions}
        assert history.changed_hunks(number, hunks[0].file) == [
            each for each in hunks if each.file == hunks[0].file
        ]
        assert history.commits_of([each.hunk for each in hunks]) == dict.fromkeys(
            [each.hunk for each in hunks], number
        )
        by_run = dict(history.hunk_runs())
        assert by_run[min(each.hunk for each in hunks)] == number
        assert len(by_run) == len(set(by_run.values()))  # one run a commit
        assert history.paths_changed((number,)) == sorted(each.path for each in versions)
        assert history.added_lines((hunks[0].hunk,)) == {hunks[0].hunk: hunks[0].body}
        assert {link.sha for link in history.links()} >= {sha("a"), sha("b")}

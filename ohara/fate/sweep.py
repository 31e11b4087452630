"""Goes through history from the oldest commit on and finds which lines each commit ended.

A version's lines follow from the version before it, so that each file change is looked at once, and what is
held at a time is the files of the commits that still have children to come: memory does not grow with
history. Where the beginning was done before, what a commit needs is looked up (`ohara.fate.origins`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ohara.fate.file_tree import FileTree, Version
from ohara.fate.hunk_commits import HunkCommits
from ohara.fate.hunk_lines import HunkLines, count_solid, take_apart
from ohara.fate.merge_step import MergeStep
from ohara.fate.moves import MOST_LINES, AddedLines
from ohara.fate.origins import Origins, Wanted, is_binary
from ohara.fate.reverts import is_inverse, said_to_revert
from ohara.fate.segments import UNKNOWN, apply
from ohara.fate.sides import Sides, in_order
from ohara.store.lines import CommitLink, DerivedLines, How, LineEnd

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator, Sequence

    from ohara.fate.moves import Move
    from ohara.git.repo import Repository
    from ohara.model import Sha
    from ohara.store.lines import ChangedHunk, FileOfCommit, LineHistory, Segment


class Removed(NamedTuple):
    """The lines that a commit took from a file: their text, and their origins in the same order."""

    texts: list[str]
    segments: list[Segment]
    added: frozenset[int] = frozenset()  # the hunks that change the same file


class OutOfTime(Exception):
    """There is no time left to look up what the commit at hand needs."""


def _never() -> bool:
    return False


class Sweep:
    """Follows lines through commits; a version that cannot be read has unknown lines from then on."""

    def __init__(self, repository: Repository, history: LineHistory) -> None:
        self._history = history
        self.links: dict[Sha, CommitLink] = {link.sha: link for link in history.links()}
        self._order = in_order(self.links)
        positions = {link.sha: at for at, link in enumerate(self._order)}
        self._sides = Sides(self.links, self._order, positions)
        self._repository = repository
        self.origins = Origins(repository, history, self.links)
        self._commits = HunkCommits(history)
        self._merges = MergeStep(repository, history, self.links, self._sides, self._commits)
        self._said = {
            commit: said_to_revert(message) for commit, message in history.revert_messages().items()
        }
        self._trees: dict[Sha, FileTree] = {}
        self._tips: dict[Sha, FileTree] = {}
        self._ends_of_run: dict[int, tuple[LineEnd, ...]] = {}
        self._is_late: Callable[[], bool] = _never

    def is_stale(self, pending: Collection[int]) -> bool:
        """True when a pending commit is a parent of one that is done: what is known above it is not true."""
        todo = set(pending)
        if not todo or len(todo) == len(self._order):
            return False
        return any(
            parent in self.links and self.links[parent].commit in todo
            for link in self._order
            if link.commit not in todo
            for parent in link.parents
        )

    def run(
        self, pending: Collection[int], is_late: Callable[[], bool] = _never
    ) -> Generator[DerivedLines, None, None]:
        """Yields what each pending commit ended, parents before children; OutOfTime within one when late."""
        self._is_late = is_late
        try:
            yield from self._run(pending)
        finally:
            self._is_late = _never

    def _run(self, pending: Collection[int]) -> Iterator[DerivedLines]:
        todo = set(pending)
        from_start = len(todo) == len(self._order)
        if from_start:
            self._commits.read_all()
        turns = self._order if from_start else [link for link in self._order if link.commit in todo]
        children: dict[Sha, int] = {}
        for link in turns:
            for parent in link.parents:
                children[parent] = children.get(parent, 0) + 1
        named = {commit for said in self._said.values() for name in said for commit in self._named(name)}
        for link in turns:
            trees = [self._taken(parent, children) for parent in link.parents]
            tree, derived = self._step(link, trees)
            if children.get(link.sha):
                self._trees[link.sha] = tree
                self._sides.add(link)
            else:
                self._tips[link.sha] = tree
            for parent in link.parents:
                if not children[parent]:
                    self._sides.forget(parent)
            if link.commit in named:
                self._ends_of_run[link.commit] = derived.ends
            yield derived

    def _taken(self, sha: Sha, children: dict[Sha, int]) -> FileTree:
        """A parent's files, for a child to change; the last child gets them as they are."""
        children[sha] -= 1
        tree = self._trees.get(sha)
        if tree is None:
            tree = self.tree_of(sha)
            if children[sha]:
                self._trees[sha] = tree
        if children[sha]:
            return tree.copy()
        self._trees.pop(sha, None)
        return tree

    def tree_at(self, sha: Sha) -> FileTree:
        """The files of a commit, as the run left them if it ended with that commit."""
        return self._tips.get(sha) or self.tree_of(sha)

    def tree_of(self, sha: Sha) -> FileTree:
        """The files of a commit that was done before, or is not indexed; each is looked up when needed."""
        if sha not in self.links:
            return FileTree()

        def below(path: str) -> Version | None:
            if self._is_late():
                raise OutOfTime
            blob = self._repository.blob_at(sha, path)
            if blob is None:
                return None
            wanted = Wanted(path, blob, sha)
            return Version.of(blob, self.origins.of(wanted), self.origins.made_by(wanted))

        return FileTree(below)

    def _step(self, link: CommitLink, trees: list[FileTree]) -> tuple[FileTree, DerivedLines]:
        if len(trees) > 1:
            merged = self._merges.merge(link, trees)
            return merged.tree, DerivedLines(link.commit, merged.ends, merged.counts, merged.files)
        tree = trees[0] if trees else FileTree()
        hunks: dict[int, list[ChangedHunk]] = {}
        for hunk in self._history.changed_hunks(link.commit):
            hunks.setdefault(hunk.file, []).append(hunk)
        removed: list[Removed] = []
        added: list[HunkLines] = []
        after: list[tuple[str, Version]] = []
        for file in self._history.changed_files(link.commit):
            apart = take_apart(hunks.get(file.file, ()))
            added += apart
            old_path = file.old_path or file.path
            segments, formerly = _before(tree.get(old_path), file)
            new, lost = self._changed(segments, apart, file)
            removed.append(lost)
            if file.new_blob is not None:
                if old_path != file.path:
                    formerly = (*formerly, old_path)
                after.append((file.path, Version.of(file.new_blob, new, link.commit, formerly)))
            if file.new_blob is None or old_path != file.path:
                tree.remove(old_path)
        for path, version in after:
            tree.put(path, version)
        ends = [*self._ended(link.commit, removed, added), *self._restored(link.commit, added)]
        counts = tuple((each.hunk, each.solid) for each in added if each.solid)
        return tree, DerivedLines(link.commit, tuple(ends), counts, ())

    def _changed(
        self, segments: Sequence[Segment], apart: Sequence[HunkLines], file: FileOfCommit
    ) -> tuple[Sequence[Segment], Removed]:
        """The origins after a change, and the lines that went."""
        if apart:
            new, cuts = apply(segments, [change for each in apart for change in each.changes])
            texts = [line for each in apart for line in each.removed]
            hunks = frozenset(each.hunk for each in apart)
            return new, Removed(texts, [segment for cut in cuts for segment in cut.lines], hunks)
        if file.old_blob == file.new_blob:
            return segments, Removed([], [])
        if file.new_blob is None or is_binary(self._repository, file.new_blob):
            return UNKNOWN, self._all_of(segments)
        return UNKNOWN, Removed([], [])  # too large to be read: they may stand there

    def _all_of(self, segments: Sequence[Segment]) -> Removed:
        """All lines of a file that are known, their texts read from the hunks that added them."""
        known = [segment for segment in segments if segment[1]]
        bodies = self._history.added_lines({hunk for _, hunk, _ in known})
        added = {
            hunk: [line[1:] for line in body.split("\n") if line[:1] == "+"] for hunk, body in bodies.items()
        }
        texts = [line for count, hunk, first in known for line in added.get(hunk, ())[first : first + count]]
        return Removed(texts, known) if len(texts) == sum(each[0] for each in known) else Removed([], [])

    # -- how lines ended -------------------------------------------------------------------------

    def _ended(
        self, commit: int, removed: Sequence[Removed], added: Sequence[HunkLines]
    ) -> Iterator[LineEnd]:
        shared = _shared(removed, added)
        texts = AddedLines(((each.hunk, each.added) for each in added), shared) if shared else None
        origins = {hunk for lines in removed for _, hunk, _ in lines.segments if hunk}
        taken_back = self._taken_back(commit, origins)
        for lines in removed:
            moves = texts.moves(lines.texts) if texts else []
            at = 0
            for count, hunk, first in lines.segments:
                if hunk:
                    how = How.REVERTED if hunk in taken_back else How.REMOVED
                    for start, stop, move in _parts(at, at + count, moves):
                        solid = count_solid(lines.texts[start:stop])
                        run = (hunk, first + start - at, stop - start, solid, commit)
                        if move is None:
                            yield LineEnd(*run, how)
                        else:
                            to_first = move.offset + start - move.start
                            moved = How.SHIFTED if move.hunk in lines.added else How.MOVED
                            yield LineEnd(*run, moved, move.hunk, to_first)
                at += count

    def _taken_back(self, commit: int, hunks: set[int]) -> frozenset[int]:
        """Those of the hunks whose commit this one takes back."""
        if not hunks:
            return frozenset()
        said = {other for name in self._said.get(commit, ()) for other in self._named(name)}
        commits = self._commits.of(hunks)
        if not said:
            made = set(commits.values())
            if len(made) > 1:
                return frozenset()
            said = {other for other in made if is_inverse(self._history, commit, other)}
        return frozenset(hunk for hunk, made_by in commits.items() if made_by in said)

    def _restored(self, commit: int, added: Sequence[HunkLines]) -> Iterator[LineEnd]:
        """Lines that a commit brings back by reverting the commit that ended them."""
        for name in self._said.get(commit, ()):
            for reverted in self._named(name):
                ends = self._ends_of_run.get(reverted)
                ended = self._history.ends_by(reverted) if ends is None else ends
                yield from self._brought_back(commit, ended, added)

    def _brought_back(
        self, commit: int, ended: Sequence[LineEnd], added: Sequence[HunkLines]
    ) -> Iterator[LineEnd]:
        ended = [end for end in ended if end.how in {How.REMOVED, How.REVERTED}]
        bodies = self._history.added_lines({end.hunk for end in ended})
        wanted = {line for each in added for line in each.added}
        texts = AddedLines(((each.hunk, each.added) for each in added), wanted)
        for end in ended:
            lines = [line[1:] for line in bodies.get(end.hunk, "").split("\n") if line[:1] == "+"]
            for move in texts.moves(lines[end.first : end.end], least=end.lines):
                moved = lines[end.first + move.start : end.first + move.start + move.lines]
                solid = count_solid(moved)
                yield LineEnd(
                    end.hunk, end.first + move.start, move.lines, solid, commit, How.RESTORED,
                    move.hunk, move.offset,
                )  # fmt: skip

    def _named(self, prefix: str) -> list[int]:
        """The commit that the beginning of a name stands for, if it is indexed."""
        if len(prefix) == 40:
            link = self.links.get(prefix)  # type: ignore[call-overload]
            return [link.commit] if link else []
        found = [link.commit for sha, link in self.links.items() if sha.startswith(prefix)]
        return found if len(found) == 1 else []


def _before(version: Version | None, file: FileOfCommit) -> tuple[Sequence[Segment], tuple[str, ...]]:
    """The origins of a file's lines before a change, and its former names."""
    if file.old_blob is None:
        return (), ()
    if version is None or version.blob != file.old_blob:
        return UNKNOWN, ()
    return version.segments, version.formerly


def _shared(removed: Sequence[Removed], added: Sequence[HunkLines]) -> set[str]:
    """The texts that are both removed and added; none where there are too many lines."""
    gone = {line for lines in removed for line in lines.texts}
    if not gone or len(gone) + sum(len(each.added) for each in added) > MOST_LINES:
        return set()
    shared: set[str] = set()
    for each in added:
        shared |= gone.intersection(each.added)
    return {line for line in shared if line.strip()}


def _parts(start: int, stop: int, moves: Sequence[Move]) -> Iterator[tuple[int, int, Move | None]]:
    """A run of lines cut where moves begin and end, with the move of each part."""
    at = start
    for move in moves:
        if move.start + move.lines <= at:
            continue
        if move.start >= stop:
            break
        if move.start > at:
            yield at, move.start, None
            at = move.start
        until = min(stop, move.start + move.lines)
        yield at, until, move
        at = until
    if at < stop:
        yield at, stop, None

"""Tells the fates of hunks as seen from one commit: a page of them, or all that are in a state."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ohara.fate.fates import (
    FARTHEST,
    Judge,
    Known,
    added_up,
    judge,
    of_lines,
    of_runs,
    removed_lines,
    solid_lines,
    verdict,
)
from ohara.fate.moves import AddedLines
from ohara.fate.open_runs import open_runs
from ohara.fate.tip import MadeLines, TookTooLong
from ohara.model import Fate, FateFilter, FateState, Returned, Sha
from ohara.records import dataclass, replace
from ohara.store.lines import How
from ohara.store.log_order import LogOrder

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from ohara.fate.tip import MadeBy, Tip
    from ohara.model import HunkId
    from ohara.store.lines import CommitLink, HeadLines
    from ohara.store.log_order import LogPlace
    from ohara.store.reading import Reader

_ADMITS = {
    FateState.ALIVE: frozenset({FateFilter.ALIVE}),
    FateState.CHANGED: frozenset({FateFilter.ALIVE}),
    FateState.MOVED: frozenset({FateFilter.ALIVE, FateFilter.MOVED}),
    FateState.GONE: frozenset({FateFilter.GONE}),
    FateState.REVERTED: frozenset({FateFilter.GONE, FateFilter.REVERTED}),
}
_BY_ENDS = (
    "is: goes by what the commits up to {} removed, not by the files there: where a merge kept or replaced"
    " lines by itself, it may err"
)
_NOT_SHOWN = (Sha(""), -(1 << 62))  # a commit before all others
_ENDED = frozenset({How.REMOVED, How.DROPPED})  # without going on elsewhere, and without being taken back


@dataclass(frozen=True, slots=True)
class Asked:
    """A hunk whose fate is asked for: its commit, its path, and its lines."""

    hunk: HunkId
    commit: int
    path: str
    body: str


class _LaterLines(Sequence[str]):
    """The lines of a file; of those that no later commit added, nothing."""

    def __init__(self, lines: Sequence[str], made: MadeBy, is_later: Callable[[int], bool]) -> None:
        self._lines = lines
        self._made = made
        self._is_later = is_later

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, at: int) -> str:  # type: ignore[override]  # nobody asks for several at once
        commit = self.commit_of(at + 1)
        return self._lines[at] if commit is not None and self._is_later(commit) else ""

    def commit_of(self, line: int) -> int | None:
        """The commit that made a line, from 1."""
        return self._made.commit_of(line)


class States(NamedTuple):
    """What `is:` may say of each hunk, and how that was decided, if not by the files themselves."""

    admits: Mapping[int, frozenset[FateFilter]]
    note: str = ""


class FateView:
    """Fates as seen from a tip; for one thread, while the index stays as it is."""

    def __init__(self, reader: Reader, tip: Tip, until: float) -> None:
        self._reader = reader
        self._tip = tip
        self._until = until
        self._below = reader.ancestors({tip.sha}) or frozenset()
        self._order = LogOrder(reader)
        self._links: dict[int, CommitLink | None] = reader.remembered("links that fates asked for", dict)
        self._names: dict[str, list[str]] = reader.remembered("names that fates asked for", dict)

    def fates(self, hunks: Sequence[Asked]) -> dict[HunkId, Fate]:
        """The fate of each hunk that has changed lines."""
        asked = [each for each in hunks if each.body]
        known = self._gather({each.hunk for each in asked if each.commit in self._below})
        judging = Judge(known, self._below, self._newest)
        found: dict[HunkId, Fate] = {}
        for each in asked:
            solid, removed = solid_lines(each.body), removed_lines(each.body)
            if each.commit not in self._below:
                found[each.hunk] = Fate(FateState.UNMERGED, 0, len(solid))
                continue
            fate = self._named(*judge(judging, each.hunk, solid, self._newest))
            if not solid:
                fate = Fate(FateState.REMOVAL, 0, 0)
            if any(line.strip() for line in removed):
                fate = replace(fate, returned=self._returned(each, fate, removed))
            found[each.hunk] = fate
        return found

    def of_commits(self, commits: Collection[int]) -> dict[int, Fate]:
        """The fate of all lines that each commit added, its hunks taken together."""
        counts = self._reader.line_counts(commits)
        hunks: dict[int, list[int]] = {commit: [] for commit in commits}
        for hunk, commit in sorted(self._reader.commits_of(counts).items()):
            hunks[commit].append(hunk)
        within = [hunk for commit in commits if commit in self._below for hunk in hunks[commit]]
        known = self._gather(within)
        judging = Judge(known, self._below, self._newest)
        outcomes = {hunk: of_runs(known, self._below, hunk, counts[hunk]) for hunk in within}
        untold = [hunk for hunk, outcome in outcomes.items() if outcome is None]
        for hunk, body in self._reader.added_lines(untold).items():
            self._in_time()
            outcomes[hunk] = of_lines(judging, hunk, solid_lines(body))
        found: dict[int, Fate] = {}
        for commit, own in hunks.items():
            total = added_up(outcome for hunk in own if (outcome := outcomes.get(hunk)))
            if not own:
                found[commit] = Fate(FateState.REMOVAL, 0, 0)
            elif commit in self._below:
                found[commit] = self._named(*verdict(total, self._newest))
            else:
                found[commit] = Fate(FateState.UNMERGED, 0, sum(counts[hunk] for hunk in own))
        return found

    def _in_time(self) -> None:
        self._reader.check()
        if time.monotonic() > self._until:
            raise TookTooLong

    def _named(self, fate: Fate, by: int | None) -> Fate:
        link = self._link(by) if by is not None else None
        return replace(fate, by=link.sha, by_time=link.time) if link else fate

    def _gather(self, hunks: Collection[int]) -> Known:
        known = Known()
        waiting, seen = set(hunks), set(hunks)
        for _ in range(FARTHEST):
            if not waiting:
                break
            heads = self._tip.lines_of(self._reader, waiting, self._until)
            further = known.add(self._reader.ends_of(waiting), heads)
            waiting = further - seen
            seen |= waiting
        return known

    def _link(self, commit: int) -> CommitLink | None:
        """A commit, looked up once: an answer asks for some dozens of them, whatever the history's length."""
        if commit not in self._links:
            self._links[commit] = self._reader.link(commit)
        return self._links[commit]

    def _newest(self, commit: int) -> LogPlace:
        """The place of a commit in the log, the newest first; one that is not shown is the oldest."""
        link = self._link(commit)
        return self._order.place(link.sha, link.time) if link else self._order.place(*_NOT_SHOWN)

    # -- removed lines ---------------------------------------------------------------------------

    def _returned(self, hunk: Asked, fate: Fate, removed: Sequence[str]) -> Returned:
        """Whether lines that a hunk removed stand in its file again, added by a later commit."""
        total = sum(1 for line in removed if line.strip())
        wanted = {line for line in removed if line.strip()}
        names = [*filter(None, (fate.path,)), hunk.path, *self._later_names(hunk)]
        for path in dict.fromkeys(names):
            places = self._tip.file(path).places(wanted)
            if not places:
                continue
            later = self._later(path, hunk.commit)
            added = {text: [at for at in of_text if later[at]] for text, of_text in places.items()}
            moves = AddedLines.of_file(later, added).moves(removed, least=len(removed))
            back = [
                (move.offset + step + 1)
                for move in moves
                for step in range(move.lines)
                if removed[move.start + step].strip()
            ]
            if back:
                commit = later.commit_of(back[0])
                link = self._link(commit) if commit is not None else None
                by, when = (link.sha, link.time) if link else (None, None)
                return Returned(len(back), total, path, back[0], by, when)
        return Returned(0, total)

    def _later_names(self, hunk: Asked) -> list[str]:
        """The paths that a hunk's was renamed to since, looked up once: hits are of the same few files."""
        if hunk.path not in self._names:
            self._names[hunk.path] = self._reader.paths_reached([hunk.hunk])
        return self._names[hunk.path]

    def _later(self, path: str, commit: int) -> _LaterLines:
        """The lines of a file that commits after one added."""
        place = self._newest(commit)
        is_later = cache(lambda other: self._newest(other) < place)
        return _LaterLines(self._tip.file(path).lines, self._tip.made(path, self._runs), is_later)

    def _runs(self, path: str) -> list[MadeLines]:
        """The runs of a file's lines with the commits that made them."""
        segments = self._tip.segments(self._reader, path)
        commits = self._reader.commits_of({hunk for _, hunk, _ in segments if hunk})
        starts = accumulate((count for count, _, _ in segments), initial=1)
        return [
            MadeLines(start, count, commits[hunk])
            for start, (count, hunk, _) in zip(starts, segments, strict=False)
            if hunk in commits
        ]

    # -- all hunks in a state --------------------------------------------------------------------

    def states(self) -> States:
        """What `is:` may say of each hunk that adds lines, of the commits that lead to the tip."""
        counts = self._reader.line_counts(self._below)
        self._links.update((link.commit, link) for link in self._reader.links())
        if self._tip.is_kept(self._reader):
            return States(self._at_head(counts))
        known = Known()
        known.add(self._reader.all_ends(self._below), ())
        heads, unsure, note = self._standing(counts, known)
        known.add((), heads)
        standing: dict[int, int] = {}
        for head in heads:
            standing[head.hunk] = standing.get(head.hunk, 0) + head.solid
        found: dict[int, frozenset[FateFilter]] = {}
        looked_at: list[int] = []
        for hunk in counts:
            if standing.get(hunk):
                found[hunk] = _ADMITS[FateState.ALIVE]
            elif hunk not in unsure and all(end.how in _ENDED for end in known.ends.get(hunk, ())):
                found[hunk] = _ADMITS[FateState.GONE]
            else:
                looked_at.append(hunk)
        found.update(self._judged(looked_at, known))
        return States(found, note)

    def _at_head(self, counts: Mapping[int, int]) -> dict[int, frozenset[FateFilter]]:
        """The same where the files are kept: most hunks are told by whether any line of them stands."""
        standing, handed_on = self._reader.hunks_at_head(), self._reader.hunks_handed_on()
        alive, gone = _ADMITS[FateState.ALIVE], _ADMITS[FateState.GONE]
        found = {hunk: alive if hunk in standing else gone for hunk in counts}
        looked_at = [hunk for hunk in handed_on if hunk in counts and hunk not in standing]
        found.update(self._judged(looked_at, self._gather(looked_at)))
        return found

    def _judged(self, hunks: Sequence[int], known: Known) -> Iterator[tuple[int, frozenset[FateFilter]]]:
        """What `is:` may say of hunks whose lines went on elsewhere, line by line."""
        judging = Judge(known, self._below, self._newest)
        for hunk, body in self._reader.added_lines(hunks).items():
            fate, _ = judge(judging, hunk, solid_lines(body), self._newest)
            yield hunk, _ADMITS[fate.state]

    def _standing(
        self, counts: Mapping[int, int], known: Known
    ) -> tuple[list[HeadLines], Collection[int], str]:
        """Where lines stand; of a tip whose files would take too long, which of them nothing ended."""
        if not self._tip.is_far(self._reader):
            with suppress(TookTooLong):
                return self._tip.all_lines(self._reader, self._until), (), ""
        opened = open_runs(counts, known.ends, self._below)
        return opened.runs, opened.unsure, _BY_ENDS.format(self._tip.sha[:10])

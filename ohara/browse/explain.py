"""Explains a place: the commits that made its lines what they are, each with its hunk cut to them.

Everything here blocks; the caller holds a reader and the repository. What is not known (history that is not
indexed, versions that cannot be read) is said in a note.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from ohara.browse.arrivals import NONE, Tag, arrivals, pull_request
from ohara.browse.enclosing import Enclosing
from ohara.browse.history_hits import (
    Lines,
    changed_text,
    cut_hit,
    marked,
    marked_hit,
    meant_lines,
    whole_hunks,
)
from ohara.browse.ignored import ignored_revisions
from ohara.browse.lineage import Trail
from ohara.browse.subject import Places, nearest_indexed
from ohara.git.walk import read_commit
from ohara.model import (
    Arrival,
    ChangeKind,
    Explained,
    Filters,
    History,
    Hit,
    HunkId,
    Mode,
    Query,
    Results,
    Role,
    Sha,
)
from ohara.query.place import read_place
from ohara.retrieve import cursor
from ohara.retrieve.cursor import Page
from ohara.retrieve.together import annotate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ohara.browse.arrivals import Arrivals
    from ohara.browse.lineage import Step
    from ohara.browse.span import Spans
    from ohara.browse.subject import Subject
    from ohara.git.repo import Repository
    from ohara.model import ExplainOptions, IndexStatus
    from ohara.store.answers import HunkBody, StoredHunk
    from ohara.store.reading import Reader

CONTEXT_LINES = 3  # as in git diff
NEWEST_FIRST = "newest first"
OLDEST_FIRST = "oldest first"

_STATE_DIGITS = 8


class Explainer:
    """Explains places of one repository with one reader; for one question."""

    def __init__(self, repository: Repository, reader: Reader, options: ExplainOptions) -> None:
        self._repository = repository
        self._reader = reader
        self._options = options
        self._trail = Trail(repository, reader, moves=options.moves)
        self._enclosing = Enclosing(repository)
        self._left_out = 0

    def explain(self, place: str, status: IndexStatus) -> Results:
        """The answer for a place: one hit a commit, or with `all_hunks` one a hunk."""
        started = time.perf_counter()
        options = self._options
        target = read_place(place)
        subject = Places(self._repository, self._reader, options, target).find()
        ignored = ignored_revisions(self._repository, options.ignore, files=not options.all_revs)
        query = Query(
            source=place,
            words=place,
            patterns=(),
            filters=Filters(since=options.since),
            mode=Mode.AUTO,
            query_class=subject.query_class,
        )
        name = cursor.asked(
            query, options.story, options.ref, ignored, options.all_hunks, options.moves, options.folder
        )
        state = f"{self._reader.state()}.{_digest(subject)}"
        page = Page(start=0, depth=options.k, now=options.now or int(time.time()))
        if options.after is not None:
            page = cursor.read(options.after, name, state)
        steps = self._page(subject, ignored, page)
        shown, more = (steps[: options.k], len(steps) > options.k) if options.k else (steps, False)
        hits = annotate(self._reader, self._hits(shown, first_rank=page.start + 1))
        beyond = replace(page, start=page.start + len(shown))
        return Results(
            query=query,
            hits=hits,
            lanes=(),
            took_ms=(time.perf_counter() - started) * 1_000,
            fusion=OLDEST_FIRST if options.story else NEWEST_FIRST,
            index=status,
            next_cursor=cursor.write(beyond, name, state) if more else None,
            notes=(*subject.notes, *self._said()),
        )

    def history(self, subject: Subject, limit: int) -> History:
        """Every hunk in the history of what was found, whole and with its lines marked; at least `limit`."""
        ignored = ignored_revisions(self._repository, (), files=True)
        steps: list[Step] = []
        hits = 0
        note = ""
        for step in self._steps(subject, ignored):
            if hits >= limit:
                note = f"only the newest {hits} are shown"
                break
            steps.append(step)
            hits += max(1, len(self._touching(step)))
        paths = dict.fromkeys([*(start.path for start in subject.starts), *(step.at.path for step in steps)])
        said = note or "; ".join((*subject.notes, *self._said()))
        return History(self._hits(steps, first_rank=1), tuple(paths), said)

    def explained(self, hits: Iterable[Hit]) -> list[Hit]:
        """Hits that were found otherwise, with what brought their commits in."""
        came = self._arrivals()
        role = {ChangeKind.ADDED: Role.BEGAN, ChangeKind.DELETED: Role.REMOVED}
        return [
            replace(
                hit,
                repository=str(self._repository.path),
                explained=Explained(
                    self._unless_cut_off(role.get(hit.kind, Role.CHANGED), hit.commit.sha),
                    arrival=self._arrival(came, hit.commit.sha),
                ),
            )
            for hit in hits
        ]

    def _said(self) -> Iterator[str]:
        """What to say of commits that are left out, and of lines whose beginning was not found."""
        if self._left_out:
            them = "commit is" if self._left_out == 1 else "commits are"
            yield f"{self._left_out:,} {them} left out, as in git blame (--all-revs shows them)"
        yield from self._trail.lost

    # -- which commits ---------------------------------------------------------------------------

    def _page(self, subject: Subject, ignored: Collection[Sha], page: Page) -> list[Step]:
        """The commits of a page, and one more where there is one."""
        end = page.start + self._options.k + 1 if self._options.k else None
        steps = self._steps(subject, ignored)
        if not self._options.story:
            return list(islice(steps, page.start, end))
        return list(reversed(list(steps)))[page.start : end]

    def _steps(self, subject: Subject, ignored: Collection[Sha]) -> Iterator[Step]:
        """Every commit of the history once, newest first, without what is ignored or too old."""
        since = self._options.since
        graph = self._reader.commit_graph()
        seen: set[Sha] = set()
        for step in self._followed(subject):
            if step.sha in seen:
                continue
            seen.add(step.sha)
            if since is not None and graph.times[graph.position[bytes.fromhex(step.sha)]] < since:
                continue
            if step.sha in ignored:
                self._left_out += 1
                continue
            yield step

    def _followed(self, subject: Subject) -> Iterator[Step]:
        yield from subject.endings
        if len(subject.starts) == 1:
            yield from self._trail.follow(subject.starts[0])
            return
        graph = self._reader.commit_graph()
        found = [step for start in subject.starts for step in self._trail.follow(start)]
        yield from sorted(found, key=lambda step: -graph.position[bytes.fromhex(step.sha)])

    # -- hits ------------------------------------------------------------------------------------

    def _hits(self, steps: Sequence[Step], *, first_rank: int) -> tuple[Hit, ...]:
        came = self._arrivals() if steps else None
        hits: list[Hit] = []
        for step in steps:
            arrival = self._arrival(came, step.sha) if came else Arrival()
            hits += self._of_step(step, arrival, first_rank + len(hits))
        repository = str(self._repository.path)
        return annotate(self._reader, [replace(hit, repository=repository) for hit in hits])

    def _touching(self, step: Step) -> list[HunkBody]:
        """The hunks of a commit that belong to the place; for one hit a commit, with their pieces joined."""
        pieces = self._reader.bodies_of_file(step.change.commit_id, step.change.file_id)
        hunks = pieces if self._options.all_hunks else whole_hunks(pieces)
        meant = _meant(step)
        return [hunk for hunk in hunks if marked(hunk, meant)]

    def _of_step(self, step: Step, arrival: Arrival, rank: int) -> list[Hit]:
        meant = _meant(step)
        touching = self._touching(step)
        explained = self._explained(step, touching, meant, arrival)
        rows = self._reader.hydrate([hunk.hunk for hunk in touching])
        touching = [hunk for hunk in touching if hunk.hunk in rows]
        if not touching:
            return [replace(self._lineless(step, rank), explained=explained)]
        if self._options.all_hunks:
            return [
                replace(
                    marked_hit(rows[hunk.hunk], hunk, meant, rank + at),
                    symbol=self._symbol(step, rows[hunk.hunk], hunk, meant),
                    explained=explained,
                )
                for at, hunk in enumerate(touching)
            ]
        best = max(touching, key=lambda hunk: len(marked(hunk, meant)))
        context = CONTEXT_LINES if self._options.context is None else self._options.context
        hit, omitted = cut_hit(rows[best.hunk], best, meant, rank, context=context)
        hit = replace(hit, symbol=self._symbol(step, rows[best.hunk], best, meant))
        explained = replace(explained, omitted=omitted)
        return [replace(hit, more_in_commit=len(touching) - 1, explained=explained)]

    def _symbol(self, step: Step, row: StoredHunk, hunk: HunkBody, meant: Lines) -> str | None:
        """The symbol that a hunk touches; of several, the one that the lines in question stand in."""
        is_sure = len(row.symbols) < 2 and len(row.body) == len(hunk.body)  # of one piece
        if is_sure or meant.new is None or meant.old is None:
            return row.symbols[0] if row.symbols else None
        change = step.change
        sign, lines = meant_lines(hunk, meant)
        if sign == "+":
            return self._enclosing.around(lines, change.path, change.new_blob or "")
        return self._enclosing.around(lines, change.old_path or change.path, change.old_blob or "")

    def _lineless(self, step: Step, rank: int) -> Hit:
        """A commit that changed the file without lines that are known: a rename, a mode, a binary file."""
        change = step.change
        return Hit(
            rank=rank,
            score=0.0,
            hunk=HunkId(0),
            commit=read_commit(self._repository, step.sha),
            path=change.path,
            old_path=change.old_path,
            kind=change.kind,
            line=0,
            old_line=0,
            header="",
            symbol=None,
            excerpt="",
            matches=(),
        )

    def _explained(
        self, step: Step, touching: Sequence[HunkBody], meant: Lines, arrival: Arrival
    ) -> Explained:
        first, last = _hull(step.at.spans)
        old_first, old_last = _hull(step.before.spans if step.before else ())
        moved = step.moved
        return Explained(
            role=self._unless_cut_off(_role(step, touching, meant), step.sha),
            first=first,
            last=last,
            old_first=old_first,
            old_last=old_last,
            moved_from=f"{moved.change.old_path or moved.change.path}:{moved.span.first}" if moved else None,
            arrival=arrival,
        )

    def _unless_cut_off(self, role: Role, sha: Sha) -> Role:
        """The role of a commit; what seems to begin where a shallow clone ends did not begin there."""
        return Role.CUT_OFF if role is Role.BEGAN and self._repository.is_cut_off(sha) else role

    # -- how they came in ------------------------------------------------------------------------

    def arrivals_of(self, shas: Iterable[Sha]) -> dict[Sha, Arrival]:
        """How commits came in, for those that are indexed."""
        came = self._arrivals()
        known = self._reader.commit_graph().position
        return {sha: self._arrival(came, sha) for sha in shas if bytes.fromhex(sha) in known}

    def _arrivals(self) -> Arrivals:
        """What brought in every commit; kept while neither the index nor the refs change."""
        head = self._repository.resolve_existing(("HEAD",)).get("HEAD")
        tags = sorted(self._repository.tags().items())
        key = hashlib.sha256(repr((head, tags)).encode("utf-8", "surrogatepass")).hexdigest()
        return self._reader.remembered(f"arrivals {key}", lambda: self._all_arrivals(head, tags))

    def _all_arrivals(self, head: Sha | None, tags: Sequence[tuple[str, Sha]]) -> Arrivals:
        graph = self._reader.commit_graph()
        newest = nearest_indexed(self._repository, graph, head)[0] if head else None
        at = graph.position[bytes.fromhex(newest)] if newest else None
        dated = [
            Tag(name, bytes.fromhex(sha), read_commit(self._repository, sha).committer_time)
            for name, sha in tags
        ]
        return arrivals(graph, at, dated, lambda sha: self._repository.links(Sha(sha.hex())).parents)

    def _arrival(self, came: Arrivals, sha: Sha) -> Arrival:
        graph = self._reader.commit_graph()
        at = graph.position[bytes.fromhex(sha)]
        pull = pull_request(read_commit(self._repository, sha).message)
        merge, subject = None, ""
        outer = came.merges[at]
        if outer != NONE:
            merge = Sha(graph.shas[outer].hex())
            subject = read_commit(self._repository, merge).subject
        while pull is None and outer != NONE:
            pull = pull_request(read_commit(self._repository, Sha(graph.shas[outer].hex())).message)
            outer = came.merges[outer]
        return Arrival(merge, subject, pull, came.tags[at])


def _meant(step: Step) -> Lines:
    """The lines of a commit's change that belong to the history."""
    if step.at.spans is None:
        return Lines(None, None)
    if step.before is None:
        return Lines(step.at.spans, ())
    if not step.at.spans and step.before.spans is None:
        return Lines((), None)
    return Lines(step.at.spans, step.before.spans or ())


def _role(step: Step, touching: Sequence[HunkBody], meant: Lines) -> Role:
    if step.at.spans == ():
        return Role.RENAMED if step.change.kind is ChangeKind.RENAMED else Role.REMOVED
    if step.moved is not None:
        return Role.MOVED
    if step.before is None or step.before.spans == ():
        return Role.BEGAN
    if not touching and step.change.kind is ChangeKind.RENAMED:
        return Role.RENAMED
    removed, added = changed_text(touching, meant)
    return Role.REFORMATTED if removed and removed == added else Role.CHANGED


def _hull(spans: Spans | None) -> tuple[int, int]:
    return (spans[0].first, spans[-1].last) if spans else (0, 0)


def _digest(subject: Subject) -> str:
    """A short name for where following begins: pages of one history begin at one place."""
    return hashlib.sha256(repr(subject.starts).encode("utf-8", "surrogatepass")).hexdigest()[:_STATE_DIGITS]

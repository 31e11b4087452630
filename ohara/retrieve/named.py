"""What a name stands for: a commit, what speaks of an issue, the changes of a file or of its lines.

Such an answer is a list and not a ranking. Each function says what it found, in the order in which it is
shown, or nothing where there is no such thing: the name's words are searched then.
"""

from __future__ import annotations

import re
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from ohara.errors import QueryError
from ohara.model import ChangeKind, Mode, QueryClass
from ohara.query.names import CommitName, IssueName, LinesName, PathName, read_name, settled
from ohara.records import dataclass, replace
from ohara.retrieve.order_by_age import newest_first
from ohara.retrieve.priors import Priors
from ohara.retrieve.ranking import Candidate
from ohara.store.answers import WordQuery

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ohara.model import HunkId, Query
    from ohara.query.names import Name
    from ohara.retrieve.request import Sources, TracedHunk
    from ohara.store.answers import PathChange, PlacedHunk
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

_MOST_MENTIONS = 2_000  # in changed lines: a number that stands on more is no name


@dataclass(frozen=True, slots=True)
class Listed:
    """The hunks that a name stands for, in order, and the class of query that it turned out to be.

    `found` is None where there is no such thing; `instead` is then the query whose words are searched.
    `traced` tells which lines of each hunk were meant, where lines were.
    """

    query_class: QueryClass
    found: list[Candidate] | None
    notes: tuple[str, ...] = ()
    all_hunks: bool = False
    instead: Query | None = None
    traced: Mapping[HunkId, TracedHunk] = MappingProxyType({})


async def look_up(sources: Sources, query: Query, allowed: Allowed) -> Listed | None:
    """What the words of a query name; None when they are no name, or are to be ranked whatever they are."""
    if query.mode is not Mode.AUTO or query.patterns:
        return None
    name = read_name(query.words)
    if name is None and query.query_class is QueryClass.SHA:
        name = CommitName(query.words)
    if name is None and query.query_class is QueryClass.PATH:
        name = PathName(query.words)

    def work(reader: Reader, name: Name) -> Listed | None:
        match named := _in_history(reader, settled(name, partial(_commit_of_ref, sources, reader))):
            case CommitName():
                return _commit(sources, reader, query, named, allowed)
            case IssueName():
                return _mentions(reader, query, named, allowed)
            case LinesName():
                return _lines(sources, reader, query, named, allowed)
            case PathName():
                return _file(reader, query, named.path, allowed)

    return await sources.pool.read(lambda reader: work(reader, name)) if name else None


def _in_history(reader: Reader, name: Name) -> Name:
    """An address of a branch that is not here (any more), with the longest end of it that is a known path."""
    if not isinstance(name, PathName | LinesName) or not name.address:
        return name
    parts = name.address.split("/")
    ends = ("/".join(parts[cut:]) for cut in range(1, len(parts)))
    known = next((end for end in ends if reader.paths_meant(end)), None)
    return name if known is None else replace(name, path=known, address="")


def _commit_of_ref(sources: Sources, reader: Reader, ref: str) -> str | None:
    """The commit that a branch or tag leads to; "" when it is not indexed, None when there is none."""
    try:
        named = sources.named(reader, (ref,))
    except QueryError:
        return None
    return "" if named.note or not named.commits else named.commits[0]


# -- commits -------------------------------------------------------------------------------------

_DIGITS = re.compile("[0-9a-f]{4,40}", re.IGNORECASE)


def _commit(
    sources: Sources, reader: Reader, query: Query, name: CommitName, allowed: Allowed
) -> Listed | None:
    prefix = name.revision
    notes: tuple[str, ...] = ()
    if not _DIGITS.fullmatch(prefix):
        try:
            named = sources.named(reader, (prefix,))
        except QueryError:
            return _no_commit(query, prefix, f"git knows no commit {prefix}")
        prefix, notes = named.commits[0], (named.note,) if named.note else ()
    hunks = reader.of_commit(prefix, allowed)
    if not name.sure and len({at.commit for at in hunks}) != 1:
        return None  # a word, or the beginning of too many
    if not hunks:
        return _no_commit(query, prefix, *(notes or (f"no indexed commit begins with {prefix}",)))
    found = [Candidate(at.hunk, 0.0, at.time, at.sha) for at in hunks]
    return Listed(QueryClass.SHA, found, notes, all_hunks=True)


def _no_commit(query: Query, name: str, why: str) -> Listed:
    # By its words alone: what a name of no commit is near to in meaning is no mention of it.
    instead = replace(query, words=name, query_class=QueryClass.PROSE, mode=Mode.TEXT)
    return Listed(QueryClass.SHA, None, (f"{why}; its mentions are searched instead",), instead=instead)


# -- issues --------------------------------------------------------------------------------------


def _mentions(reader: Reader, query: Query, name: IssueName, allowed: Allowed) -> Listed:
    """What closed an issue or brought a pull request in, what else speaks of it, and where lines do."""
    spoken = re.compile("|".join(map(_SPOKEN.format, name.numbers)), re.IGNORECASE)
    brought = re.compile("|".join(map(_BROUGHT.format, name.numbers)), re.IGNORECASE | re.MULTILINE)
    messages = {
        commit: message
        for commit, message in reader.messages_with(_spelt(name), allowed).items()
        if spoken.search(message)
    }
    first = [commit for commit, message in messages.items() if brought.search(message)]
    others = [commit for commit in messages if commit not in set(first)]
    found = [
        *_changes_first(newest_first(reader, reader.hunks_of_commits(first, allowed))),
        *_changes_first(newest_first(reader, reader.hunks_of_commits(others, allowed))),
        *_in_changes(reader, name, allowed),
    ]
    if not found:
        numbers = " or ".join(f"#{number}" for number in name.numbers)
        words = " ".join(f"#{number}" for number in name.numbers)
        instead = replace(query, words=words, query_class=QueryClass.ISSUE)
        return Listed(QueryClass.ISSUE, None, (f"no indexed commit mentions {numbers}",), instead=instead)
    candidates = [Candidate(at.hunk, 0.0, at.time, at.sha) for at in found]
    return Listed(QueryClass.ISSUE, list(dict.fromkeys(candidates)))


# As messages and lines write it: #12, GH-12, issue 12, owner/repo#12, an address that ends so.
_SPOKEN = (
    r"(?:#|!|\bGH-|\b(?:issues?|pulls?|merge_requests|pull-requests)/"
    r"|\b(?:issue|bug|ticket|pull request|PR|MR)[ #-]{{1,2}}){}(?![0-9])"
)
_BROUGHT = (
    r"\A[^\n]*\(#{0}\)[ .]*$|\AMerge pull request #{0}\b"
    r"|^See merge request .*!{0}$|\AMerged? (?:PR|MR) [#!]?{0}\b"
)


def _spelt(name: IssueName) -> WordQuery:
    """The index words of every way to write it: a number that stands alone would be any number."""
    before = ("gh", "issu", "bug", "ticket", "pull", "request", "pr", "mr", "merge_requests")
    phrases = (
        phrase
        for number in name.numbers
        for phrase in (f"#{number}", *(f"{word} {number}" for word in before))
    )
    return WordQuery(tuple(phrases), columns=("message",))


def _in_changes(reader: Reader, name: IssueName, allowed: Allowed) -> list[PlacedHunk]:
    signed = tuple(f"{sign}{number}" for number in name.numbers for sign in ("#", "gh "))
    lines = reader.changes_with(WordQuery(signed, columns=("added", "removed")), allowed, _MOST_MENTIONS)
    numbered = re.compile("|".join(rf"(?:^|/)\+?{number}\.\w" for number in name.numbers))
    numbers = WordQuery(tuple(map(str, name.numbers)), columns=("path",))
    files = reader.changes_with(numbers, allowed, _MOST_MENTIONS)
    fragments = [at for at in files if numbered.search(at.path)]
    return newest_first(reader, sorted({*lines, *fragments}, key=lambda at: (-at.time, at.sha, at.hunk)))


def _changes_first(hunks: Iterable[PlacedHunk]) -> list[PlacedHunk]:
    """The hunks of each commit with the change itself before its tests and docs; commits keep their order."""
    by_commit: dict[bytes, list[PlacedHunk]] = {}
    for at in hunks:
        by_commit.setdefault(at.sha, []).append(at)
    priors = Priors()
    return [
        at
        for each in by_commit.values()
        for at in sorted(each, key=lambda at: (-priors.path(at.path) if at.path else 0.0, at.hunk))
    ]


# -- files and their lines -----------------------------------------------------------------------


def _file(
    reader: Reader, query: Query, path: str, allowed: Allowed, notes: tuple[str, ...] = ()
) -> Listed | None:
    """The changes of a file, newest first and its end above all; files that only end so follow."""
    changes = newest_first(reader, reader.changes_at(path, allowed))
    if not changes:
        instead = replace(query, words=path, query_class=QueryClass.PATH)
        return Listed(QueryClass.PATH, None, notes, instead=instead)
    exactly = path.strip("/").casefold()
    own = [at for at in changes if exactly in {at.path.casefold(), (at.old_path or "").casefold()}]
    others = [at for at in changes if at not in set(own)]
    found = [Candidate(at.hunk, 0.0, at.time, at.sha) for at in (*_end_first(own, exactly), *others)]
    return Listed(QueryClass.PATH, found, notes)


def _end_first(changes: Sequence[PathChange], path: str) -> list[PathChange]:
    """Changes of one file, newest first, but what took it away above them when it never came back.

    Commits of two branches stand by their time, and the last change of a file may be made after its end.
    """
    ends = [at for at in changes if _ends(at, path)]
    later = changes[: changes.index(ends[0])] if ends else ()
    if not ends or any(at.sha != ends[0].sha and _begins(at, path) for at in later):
        return list(changes)
    last = [at for at in changes if at.sha == ends[0].sha]
    return [*last, *(at for at in changes if at.sha != ends[0].sha)]


def _ends(at: PathChange, path: str) -> bool:
    renamed_away = at.kind is ChangeKind.RENAMED and at.path.casefold() != path
    return at.kind is ChangeKind.DELETED or renamed_away


def _begins(at: PathChange, path: str) -> bool:
    return at.kind in {ChangeKind.ADDED, ChangeKind.RENAMED} and at.path.casefold() == path


def _lines(
    sources: Sources, reader: Reader, query: Query, name: LinesName, allowed: Allowed
) -> Listed | None:
    """What touched the lines, newest first; of a file that is not there, what touched the file."""
    meant = sorted(reader.paths_meant(name.path), key=lambda path: (path.count("/"), path))
    if not meant:
        note = f"the history knows no file {name.path}; its words are searched instead"
        return _file(reader, query, name.path, allowed, (note,))
    traced = sources.trace(reader, name, meant)
    if not traced.hunks:
        return _file(reader, query, name.path, allowed, traced.notes)
    found = [Candidate(at.hunk, 0.0, at.time, at.sha) for at in reader.occurrences(traced.hunks)]
    order = {hunk: place for place, hunk in enumerate(traced.hunks)}
    found.sort(key=lambda one: order[one.hunk])
    return Listed(QueryClass.LINES, found, traced.notes, traced=traced.hunks)

"""What changes together with a file, a symbol, some lines or a commit, by the history that is indexed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.errors import UsageError
from ohara.history.cochange import Change, cochanges, is_sweep
from ohara.model import Companion, Related
from ohara.query.names import LinesName, read_name
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Mapping, Sequence

    from ohara.history.cochange import Cochange
    from ohara.model import HunkId, Sha
    from ohara.retrieve.request import Traced
    from ohara.store.answers import CommitAt, FileLife
    from ohara.store.reading import Reader

    Lives = Mapping[str, FileLife]

_MOST_CHANGES = 500  # of the subject, the newest: older ones count next to nothing
_EVIDENCE = 5
_SPARE = 40  # candidates beyond those asked for: some are gone, or turn out to be one file
_MOST_OF_COMMIT = 30


@dataclass(frozen=True, slots=True)
class Ways:
    """How names are found that the index does not know: a commit's sha, None for no commit; lines' hunks.

    `files` are the paths of a commit, `merged` those that a merge brought into its first parent.
    """

    commit: Callable[[str], Sha | None]
    files: Callable[[Sha], Collection[str]]
    merged: Callable[[Sha], Sequence[str]]
    trace: Callable[[Reader, LinesName, Sequence[str]], Traced]


@dataclass(frozen=True, slots=True)
class _Subject:
    """What was asked about: commits that changed it, its own names, and whether symbols are told."""

    name: str
    kind: str
    commits: Sequence[CommitAt]
    own: frozenset[Hashable]
    by_symbol: bool = False
    notes: tuple[str, ...] = ()


def related(reader: Reader, ways: Ways, place: str, limit: int) -> Related:
    """What changes together with a path, `path:line`, `path:symbol`, a symbol or a commit."""
    text = place.strip().removeprefix("./")
    if not text:
        raise UsageError("nothing was named", hint="ohara related PATH, SYMBOL, path:LINE or a commit")
    lives = _lives(reader, ways)
    if ":" in place or text != place:
        path = place.removeprefix("./")
        if path in lives and (subject := _file(reader, lives, path)):
            return _answer(reader, lives, subject, limit)
    if subject := _lines(reader, ways, text) or _file(reader, lives, text) or _of_file(reader, lives, text):
        return _answer(reader, lives, subject, limit)
    if (sha := ways.commit(text)) is not None:
        return _of_commit(reader, lives, ways, sha, limit=limit)
    if subject := _symbol(reader, text):
        return _answer(reader, lives, subject, limit)
    raise UsageError(
        f"no file, symbol or commit is called {text!r}",
        hint="give a path, a symbol, path:LINE or a commit; ohara find looks for words",
    )


def _lives(reader: Reader, ways: Ways) -> Lives:
    """Of every path what it is called now and whether it is gone: by HEAD's files, where there is a HEAD."""
    lives, head = reader.file_lives(), ways.commit("HEAD")
    if head is None:
        return lives

    def at_head() -> Lives:
        there = frozenset(ways.files(head))
        now = {path: path if path in there else life.now for path, life in lives.items()}
        return {
            path: life._replace(now=now[path], gone=now[path] not in there) for path, life in lives.items()
        }

    return reader.remembered(f"file lives at {head}", at_head)


# -- what was asked about ------------------------------------------------------------------------


def _lines(reader: Reader, ways: Ways, text: str) -> _Subject | None:
    name = read_name(text)
    if not isinstance(name, LinesName):
        return None
    meant = sorted(reader.paths_meant(name.path), key=lambda path: (path.count("/"), path))
    if not meant:
        raise UsageError(f"the history knows no file {name.path}", hint="ohara find looks for words")
    traced = ways.trace(reader, name, meant)
    if not traced.hunks:
        raise UsageError(
            traced.notes[0] if traced.notes else f"nothing touched {text}", hint="ohara show HEAD"
        )
    shown = f"{name.path}:{name.first}" + (f"-{name.last}" if name.last != name.first else "")
    own = {other for path in meant for other in reader.names_of_file(path)}
    return _Subject(
        shown,
        "lines",
        reader.commits_of_hunks(traced.hunks),
        frozenset(own),
        by_symbol=True,
        notes=traced.notes,
    )


def _file(reader: Reader, lives: Lives, text: str) -> _Subject | None:
    path = text.strip("/")
    if path not in lives:
        meant = [each for each in reader.paths_meant(path) if each.endswith(f"/{path}")]
        present = [each for each in meant if not lives[each].gone] or meant if meant else []
        if len(present) != 1:
            if present:
                several = ", ".join(sorted(present)[:4])
                raise UsageError(
                    f"{path} names {len(present)} files: {several}", hint="give more of the path"
                )
            return None
        path = present[0]
    names = reader.names_of_file(path)
    return _Subject(path, "path", reader.commits_changing(names, _MOST_CHANGES), frozenset(names))


def _of_file(reader: Reader, lives: Lives, text: str) -> _Subject | None:
    """A symbol of one file: `path:symbol`."""
    path, sign, symbol = text.rpartition(":")
    if not sign or not path or "::" in text[len(path) - 1 :]:
        return None
    file = _file(reader, lives, path)
    return _touching(reader, symbol, reader.names_of_file(file.name), file.name) if file else None


def _symbol(reader: Reader, text: str) -> _Subject | None:
    return _touching(reader, text, (), "")


def _touching(reader: Reader, symbol: str, paths: Sequence[str], path: str) -> _Subject | None:
    names = reader.qualified_names(symbol)
    hunks: list[HunkId] = [
        hunk for name in names for hunk in reader.hunks_touching(name, paths, _MOST_CHANGES)
    ]
    if not hunks:
        return None
    shown = f"{path}:{symbol}" if path else symbol
    return _Subject(shown, "symbol", reader.commits_of_hunks(hunks), frozenset(names), by_symbol=True)


# -- what changes with it ------------------------------------------------------------------------


def _answer(reader: Reader, lives: Lives, subject: _Subject, limit: int) -> Related:
    commits = subject.commits[:_MOST_CHANGES]
    paths = reader.paths_of_commits(at.commit for at in commits)
    sizes = {at.commit: len(set(paths.get(at.commit, ()))) for at in commits}
    swept = sum(is_sweep(size) for size in sizes.values())
    touched = reader.symbols_of_commits(at.commit for at in commits) if subject.by_symbol else {}
    holding = {path for each in touched.values() for path, name in each if name in subject.own}
    files = _files(reader, lives, replace(subject, own=subject.own | holding), commits, paths, limit=limit)
    symbols = (
        _symbols(reader, lives, subject, commits, sizes, touched=touched, limit=limit)
        if subject.by_symbol
        else ()
    )
    return Related(subject.name, subject.kind, len(commits), swept, files, symbols, subject.notes)


def _files(
    reader: Reader,
    lives: Lives,
    subject: _Subject,
    commits: Sequence[CommitAt],
    paths: Mapping[int, Sequence[str]],
    *,
    limit: int,
) -> tuple[Companion, ...]:
    """The files, by the names that they have now; those that are gone are left out."""
    every = max(1, reader.counts().commits)

    def now(path: str) -> str:
        return lives[path].now if path in lives else path

    changed: dict[str, int] = {}
    for life in lives.values():
        changed[life.now] = changed.get(life.now, 0) + life.changes
    own = {now(str(name)) for name in subject.own}
    changes = [
        Change(at.commit, at.time, len(set(of)), frozenset(map(now, of)))
        for at in commits
        if (of := paths.get(at.commit, ()))
    ]
    found = cochanges(changes, own, lambda path: changed.get(str(path), 0) / every, limit=limit + _SPARE)
    there = [each for each in found if not _is_gone(str(each.thing), lives)][:limit]
    return _companions(reader, there, commits, beside=subject.name, split=lambda thing: (str(thing), None))


def _is_gone(path: str, lives: Lives) -> bool:
    return path in lives and lives[path].gone


def _symbols(
    reader: Reader,
    lives: Lives,
    subject: _Subject,
    commits: Sequence[CommitAt],
    sizes: Mapping[int, int],
    *,
    touched: Mapping[int, Sequence[tuple[str, str]]],
    limit: int,
) -> tuple[Companion, ...]:
    every = max(1, reader.counts().commits)
    changes = [
        Change(
            at.commit,
            at.time,
            sizes[at.commit],
            frozenset((lives[path].now, name) for path, name in touched.get(at.commit, ()) if path in lives),
        )
        for at in commits
    ]
    own = {thing for change in changes for thing in change.things if _is_own(thing, subject)}
    found = cochanges(changes, own, lambda _: 0.0, limit=limit + _SPARE)
    there = [each for each in found if not _is_gone(_pair(each.thing)[0], lives)][:limit]
    times = reader.times_touched([_pair(each.thing)[1] for each in there])
    lifted = [
        each._replace(lift=each.confidence / (count / every))
        if (count := times.get(_pair(each.thing)[1], 0))
        else each
        for each in there
    ]
    return _companions(reader, lifted, commits, beside=subject.name, split=_pair)


def _is_own(thing: Hashable, subject: _Subject) -> bool:
    """The symbol itself, what holds it, and what it holds: they change together because they are one."""
    name = _pair(thing)[1]
    return any(
        name == own or name.startswith(f"{own}.") or str(own).startswith(f"{name}.") for own in subject.own
    )


def _pair(thing: Hashable) -> tuple[str, str]:
    path, name = thing if isinstance(thing, tuple) else (str(thing), "")
    return str(path), str(name)


def _companions(
    reader: Reader,
    found: Sequence[Cochange],
    commits: Sequence[CommitAt],
    *,
    beside: str,
    split: Callable[[Hashable], tuple[str, str | None]],
) -> tuple[Companion, ...]:
    shas = {at.commit: at.sha for at in commits}
    wanted = [shas[commit] for each in found for commit in each.commits[:_EVIDENCE]]
    kin = {each.sha: each for each in reader.kin(dict.fromkeys(wanted))}
    return tuple(
        Companion(
            path=split(each.thing)[0],
            symbol=split(each.thing)[1],
            beside=beside,
            together=each.together,
            of=each.of,
            confidence=each.confidence,
            lift=each.lift,
            score=each.score,
            commits=tuple(kin[shas[commit]] for commit in each.commits[:_EVIDENCE]),
        )
        for each in found
    )


def _of_commit(reader: Reader, lives: Lives, ways: Ways, sha: Sha, *, limit: int) -> Related:
    """What usually changes with the files of a commit, or that a merge brought in, and did not in it."""
    number = reader.indexed((sha,)).get(sha)
    if number is None:
        raise UsageError(f"{sha[:10]} is not indexed", hint="ohara index")
    paths = list(dict.fromkeys(reader.paths_of_commits((number,)).get(number, ())))
    notes: tuple[str, ...] = ()
    if not paths and (paths := list(ways.merged(sha))):
        notes = (
            f"{sha[:10]} is a merge without changes of its own: by what it brought into its first parent",
        )
    own = {lives[path].now for path in paths if path in lives}
    best: dict[str, Companion] = {}
    swept = 0
    for path in paths[:_MOST_OF_COMMIT]:
        names = reader.names_of_file(path)
        commits = [at for at in reader.commits_changing(names, _MOST_CHANGES) if at.commit != number]
        part = _answer(reader, lives, _Subject(path, "path", commits, frozenset(names)), limit + len(own))
        swept += part.swept
        for each in part.files:
            if each.path not in own and (each.path not in best or best[each.path].score < each.score):
                best[each.path] = each
    files = sorted(best.values(), key=lambda each: (-each.score, each.path))[:limit]
    return Related(sha, "commit", len(paths), swept, tuple(files), notes=(*notes, *_cut(len(paths))))


def _cut(paths: int) -> tuple[str, ...]:
    if paths <= _MOST_OF_COMMIT:
        return ()
    return (f"the commit changes {paths:,} files; the first {_MOST_OF_COMMIT} are looked at",)

"""Finds commits by the names people use: refs, tags, HEAD, abbreviated ids.

Broken refs and tags of trees or blobs are common in old repositories: listing passes them over (and can
say so), asking for one by name is an error with a hint. A ref and an id lead to any commit that git reads; in
an expression such as `HEAD~3`, libgit2 is stricter about the form of the commits that it passes.
"""

from __future__ import annotations

import re
import shlex
import sys
from typing import TYPE_CHECKING, Final

import pygit2
from pygit2.enums import ObjectType, ReferenceType

from ohara.errors import RepositoryError
from ohara.model import Sha
from ohara.records import dataclass
from ohara.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

HEAD: Final = "HEAD"
_ORIGIN: Final = "origin"
_LISTED: Final = ("refs/heads/", "refs/remotes/", "refs/tags/")
_HEX = re.compile(r"[0-9a-fA-F]{4,40}")
_MOST_ASKED: Final = 2_000  # refs: each takes some 20 microseconds to look up
_LONGEST_CHAIN: Final = 32  # of tags of tags
_TAGGED = re.compile(rb"object ([0-9a-f]{40})\n")
_FAULTS: Final = (KeyError, ValueError, OSError, pygit2.GitError)


@dataclass(frozen=True, slots=True)
class Survey:
    """All branches, remote branches and tags: those that lead to a commit, and why others do not."""

    usable: tuple[str, ...]
    unusable: tuple[tuple[str, str], ...]


def defaults(handle: pygit2.Repository, work_trees: Iterable[str] = ()) -> tuple[str, ...]:
    """HEAD, and the remote's default branch and HEADs of linked work trees where those are other commits."""
    found = {HEAD: _peeled(handle, HEAD)}
    remote = _remote_default(handle)
    others = [remote] if remote is not None else []
    others += [(name, sha) for name in work_trees if (sha := _peeled(handle, name)) is not None]
    for name, target in others:
        if target not in found.values():
            found[name] = target
    return tuple(found)


def survey(handle: pygit2.Repository) -> Survey:
    """Looks at every branch, remote branch and tag."""
    usable: list[str] = []
    unusable: list[tuple[str, str]] = []
    for raw in sorted(_listed(handle)):
        name = raw.decode("utf-8", "replace")
        if not name.startswith(_LISTED) or (name.startswith("refs/remotes/") and name.endswith("/HEAD")):
            continue
        try:
            raw.decode()
            _commit_of(handle, name)
        except UnicodeDecodeError:
            unusable.append((name, "its name is not UTF-8"))
        except _FAULTS as error:
            unusable.append((name, str(error).strip("'\"")))
        else:
            usable.append(name)
    return Survey(tuple(usable), tuple(unusable))


def pointing_at(handle: pygit2.Repository, sha: Sha) -> tuple[str, ...]:
    """The short names of the branches and tags that lead to a commit; none where too many would be asked."""
    names = [raw.decode("utf-8", "replace") for raw in _listed(handle)]
    if len(names) > _MOST_ASKED:
        return ()
    return tuple(
        _short(name)
        for name in sorted(names)
        if name.startswith(_LISTED) and not name.endswith("/HEAD") and _peeled(handle, name) == sha
    )


def recent(handle: pygit2.Repository) -> tuple[str, ...]:
    """The short names of branches and tags, the most recent commit first; very many only by their names."""
    names = [raw.decode("utf-8", "replace") for raw in sorted(_listed(handle))]
    listed = [name for name in names if name.startswith(_LISTED) and not name.endswith("/HEAD")]
    if len(listed) > _MOST_ASKED:
        return tuple(map(_short, listed))
    times = {name: _time_of(handle, name) for name in listed}
    return tuple(_short(name) for name in sorted(listed, key=lambda name: -times[name]))


def _time_of(handle: pygit2.Repository, name: str) -> int:
    """When the commit of a ref was made; 0 where it leads to none that libgit2 reads."""
    sha = _peeled(handle, name)
    try:
        return handle[sha].peel(pygit2.Commit).commit_time if sha else 0
    except _FAULTS:
        return 0


def tags(handle: pygit2.Repository) -> dict[str, Sha]:
    """The commit that each tag leads to, by the tag's short name; one that leads elsewhere is left out."""
    names = [raw.decode("utf-8", "replace") for raw in _listed(handle) if raw.startswith(b"refs/tags/")]
    return {_short(name): sha for name in names if (sha := _peeled(handle, name)) is not None}


def resolve(handle: pygit2.Repository, names: Iterable[str]) -> dict[str, Sha]:
    """Finds the commit that each name leads to; a HEAD without commits yet leads nowhere."""
    found: dict[str, Sha] = {}
    for name in names:
        if name == HEAD and _is_unborn(handle):
            continue
        try:
            found[name] = _commit_of(handle, name)
        except _FAULTS as error:
            raise _unresolved(handle, name, str(error)) from error
    return found


def resolve_existing(handle: pygit2.Repository, names: Iterable[str]) -> dict[str, Sha]:
    """Finds the commits that names lead to, without those that lead nowhere."""
    return {name: sha for name in names if (sha := _peeled(handle, name)) is not None}


def find_commit(handle: pygit2.Repository, prefix: str) -> Sha | None:
    """Finds the one commit whose id starts with a hexadecimal prefix."""
    if not _HEX.fullmatch(prefix):
        return None
    try:
        return _commit_of(handle, prefix.lower())
    except ValueError as error:
        if "ambiguous" in str(error):
            raise RepositoryError(f"{prefix} begins more than one id", hint="type more of it") from error
        return None
    except _FAULTS:
        return None


def _listed(handle: pygit2.Repository) -> list[bytes]:
    """Every ref by its full name."""
    try:
        return handle.raw_listall_references()
    except _FAULTS as error:
        raise RepositoryError(f"the refs cannot be listed ({error})", hint="run: git fsck") from error


def _commit_of(handle: pygit2.Repository, name: str) -> Sha:
    """The commit that a name leads to; one that libgit2 would not read is found by a ref or an id alone."""
    oid = _named(handle, name)
    if oid is None:
        return Sha(str(handle.revparse_single(name).peel(pygit2.Commit).id))
    odb = handle.odb
    for _ in range(_LONGEST_CHAIN):
        try:
            kind, data = odb.read(oid)
        except _FAULTS as error:
            raise ValueError(f"{oid} is missing or damaged") from error
        if kind == ObjectType.COMMIT:
            return Sha(str(oid))
        tagged = _TAGGED.match(data) if kind == ObjectType.TAG else None
        if tagged is None:
            raise ValueError(f"it is a {ObjectType(kind).name.lower()}, not a commit")
        oid = pygit2.Oid(hex=tagged[1].decode())
    raise ValueError("it is a tag of tags without end")


def _named(handle: pygit2.Repository, name: str) -> pygit2.Oid | None:
    """What a ref or an id stands for by itself; None for an expression."""
    try:
        target = handle.lookup_reference_dwim(sys.intern(name)).resolve().target  # pygit2 never lets go of it
        return target if isinstance(target, pygit2.Oid) else None
    except _FAULTS:
        pass  # no ref, or one that leads nowhere: libgit2 finds the words for it
    if not _HEX.fullmatch(name):
        return None
    try:
        return handle.expand_id(name.lower())
    except _FAULTS:
        return None


def _peeled(handle: pygit2.Repository, name: str) -> Sha | None:
    try:
        return _commit_of(handle, name)
    except _FAULTS:
        return None


def _is_unborn(handle: pygit2.Repository) -> bool:
    try:
        return bool(handle.head_is_unborn)
    except _FAULTS:
        return False


def _remote_default(handle: pygit2.Repository) -> tuple[str, Sha] | None:
    """What `origin`'s HEAD, or else the only remote's, points to.

    Asked before every search: remotes are few, refs may be thousands and are not listed.
    """
    heads = {name: f"refs/remotes/{name}/HEAD" for name in (_ORIGIN, *handle.remotes.names())}
    found = [name for name, head in heads.items() if _peeled(handle, head)]
    if not found or (found[0] != _ORIGIN and len(found) > 1):
        return None
    head = heads[found[0]]
    reference = handle.references[sys.intern(head)]
    target = reference.target if reference.type == ReferenceType.SYMBOLIC else head
    commit = _peeled(handle, head)
    return (str(target), commit) if commit else None


def _unresolved(handle: pygit2.Repository, name: str, reason: str) -> RepositoryError:
    known = survey(handle)
    why = dict(known.unusable).get(name)
    if why is None and name != HEAD:
        why = next((each for ref, each in known.unusable if _short(ref) == name), None)
    if name == HEAD or why is not None:
        return RepositoryError(f"{name} does not lead to a commit ({why or reason})", hint="run: git fsck")
    if ":" in name:  # no ref may have one
        said = f"{name} names a file of a commit, not a commit"
        return RepositoryError(said, hint=f"to see that file: git show {shlex.quote(name)}")
    slips = max(min(2, len(name) // 2), len(name) // 3)  # at least half of a name must be right to tell it
    guess = nearest(name, [HEAD, *(_short(ref) for ref in known.usable)], within=slips)
    return RepositoryError(
        f"there is no branch, tag or commit named {name or repr(name)}",
        hint=f"did you mean {guess}?" if guess else "list them with: git branch --all; git tag",
    )


def _short(ref: str) -> str:
    return next((ref.removeprefix(prefix) for prefix in _LISTED if ref.startswith(prefix)), ref)

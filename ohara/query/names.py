"""Reads what people paste or type to name one thing: a commit, an issue or pull request, lines of a file.

Pure: the shape decides what it may name, whoever answers finds out whether there is such a thing. Addresses
of GitHub, GitLab, Gitea and Bitbucket are read by their paths, whatever the host: a server of one's own has
the same.
"""

from __future__ import annotations

import re
from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote

from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class CommitName:
    """A commit, by something that git resolves; `sure` says that it can hardly be anything else."""

    revision: str
    sure: bool = True


@dataclass(frozen=True, slots=True)
class IssueName:
    """Issues or pull requests, by their numbers."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PathName:
    """A file or folder; of an address, without its branch, which may be longer (see `settled`)."""

    path: str
    address: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class LinesName:
    """Lines of a file, numbered as they are in `revision`; of an address, see `settled`."""

    path: str
    first: int
    last: int
    revision: str = "HEAD"
    address: str = field(default="", compare=False)


Name: TypeAlias = CommitName | IssueName | PathName | LinesName

# Four digits are the least that git itself takes. Only with a letter and a digit, or six of them, can they
# be meant: "dead" is a word and 2024 a year.
_SHORT_SHA = re.compile(r"(?=.*[0-9])(?=.*[a-f])[0-9a-f]{4,6}|[0-9]{6,39}", re.IGNORECASE)
_REVISION = re.compile(r"(?:(?:[\w.-]+/)*[\w.-]+|@)(?:[~^][0-9]*)+|(?:ORIG|FETCH|MERGE)_HEAD")

_ISSUE = re.compile(
    r"(?:[\w.-]+/[\w.-]+)?#([0-9]{1,9})|(?:GH|PR|MR)-?#?([0-9]{1,9})|!([0-9]{1,9})", re.IGNORECASE
)
_SPELT_ISSUE = re.compile(
    r"(?:issues?|pull(?: ?request)?s?|pr|mr|merge request|ticket|bug|gh) (?:no\.? ?)?#?([0-9]{1,9})",
    re.IGNORECASE,
)

_LINES = re.compile(r"(?P<path>[^\s:#]*[^\s:#/]):(?P<first>[0-9]{1,7})(?:-(?P<last>[0-9]{1,7})|:[0-9]+)?:?")
_FRAGMENT = re.compile(
    r"(?P<path>[^\s#]+)#L(?P<first>[0-9]{1,7})(?:C[0-9]+)?(?:-L?(?P<last>[0-9]{1,7})(?:C[0-9]+)?)?"
)

ADDRESS = re.compile(r"<?(?:https?|ssh|git)://(?P<host>[^/\s]+)(?P<path>/[^\s>]*)>?", re.IGNORECASE)
WITHOUT_SCHEME = re.compile(r"(?P<host>(?:[\w-]+\.)+[a-z]{2,})(?P<path>/[^\s>]+)", re.IGNORECASE)
_OF_COMMIT = re.compile(
    r"/commits?/(?P<sha>[0-9a-f]{7,40})(?:[/.?#].*)?$|/commit/\?(?:.*&)?id=(?P<id>[0-9a-f]{7,40})",
    re.IGNORECASE,
)
_OF_TAG = re.compile(r"/(?:releases/tag|-/tags|tree)/(?P<revision>[^/?#]+)/?(?:[?#].*)?$")
_OF_LOG = re.compile(r"/commits/(?:branch/)?(?P<revision>[^/?#]+)/(?P<path>[^?#]+)")
_OF_ISSUE = re.compile(
    r"/(?:pull|pulls|issues|merge_requests|pull-requests|work_items)/(?P<number>[0-9]{1,9})(?:[/.?#].*)?$"
)
_OF_FILE = re.compile(
    r"/(?:-/)?(?:blob|blame|tree|raw|src)/(?:branch/|commit/|tag/)?(?P<revision>[^/?#]+)/(?P<path>[^?#]+)"
)
_NO_REVISION = frozenset({"commit", "commits", "pull", "pulls", "issues", "merge_requests", "-"})  # in src/…
OBJECT_NAME = re.compile(r"[0-9a-f]{7,40}", re.IGNORECASE)


def read_name(words: str) -> Name | None:
    """What a query's words name, if they are one name and nothing else."""
    text = words.strip()
    if spelt := _SPELT_ISSUE.fullmatch(text):
        return IssueName((int(spelt[1]),))
    parts = text.split()
    numbers = [_issue(part) for part in parts]
    if numbers and all(numbers):
        return IssueName(tuple(dict.fromkeys(number for number in numbers if number)))
    if len(parts) != 1:
        return None
    if address := ADDRESS.fullmatch(text):
        return _of_address(address["path"])
    if (address := WITHOUT_SCHEME.fullmatch(text)) and isinstance(
        named := _of_address(address["path"]), CommitName | IssueName | LinesName
    ):
        return named  # anything else that looks so may as well be a path
    if _REVISION.fullmatch(text):
        return CommitName(text)
    if _SHORT_SHA.fullmatch(text):
        return CommitName(text.lower(), sure=False)
    return _lines(text)


def _issue(word: str) -> int:
    found = _ISSUE.fullmatch(word)
    return int(next(filter(None, found.groups()))) if found else 0


def _of_address(path: str) -> Name | None:
    file = _OF_FILE.search(path)
    if file is None or file["revision"] in _NO_REVISION:
        return _of_history(path)
    written = unquote(file["path"]).rstrip("/")
    is_object = OBJECT_NAME.fullmatch(file["revision"])
    revision = file["revision"] if is_object else "HEAD"
    address = "" if is_object else f"{unquote(file['revision'])}/{written}"
    fragment = _FRAGMENT.fullmatch(f"file{_fragment_of(path)}")
    if fragment is None:
        return PathName(written, address)
    lines = _spanned(written, fragment, revision)
    return replace(lines, address=address) if lines else None


def _of_history(path: str) -> Name | None:
    """What the address of no file names: a commit, an issue, a tag, or the history of a file."""
    if commit := _OF_COMMIT.search(path):
        return CommitName((commit["sha"] or commit["id"]).lower())
    if issue := _OF_ISSUE.search(path):
        return IssueName((int(issue["number"]),))
    if tag := _OF_TAG.search(path):
        return CommitName(unquote(tag["revision"]))
    log = _OF_LOG.search(path)
    if log is None:
        return None
    written = unquote(log["path"]).rstrip("/")
    return PathName(written, f"{unquote(log['revision'])}/{written}")


def settled(name: Name, known: Callable[[str], str | None]) -> Name:
    """A name with its branch and its path told apart, which an address alone does not: both may have slashes.

    `known` gives the commit that a branch or tag leads to, "" where it leads to one that is not indexed, and
    None where there is no such name. A branch of somebody else's is known by its remote's name before it.
    """
    if not isinstance(name, PathName | LinesName) or not name.address:
        return name
    parts = name.address.split("/")
    for length in range(1, len(parts) + 1):
        ref, path = "/".join(parts[:length]), "/".join(parts[length:])
        found = next((sha for each in (ref, f"origin/{ref}") if (sha := known(each)) is not None), None)
        if found is None:
            continue
        if not path:
            return CommitName(found or ref)
        if isinstance(name, LinesName):
            return replace(name, path=path, revision=found or name.revision, address="")
        return PathName(path)
    return name


def _fragment_of(path: str) -> str:
    """The lines of an address, as GitHub writes them; Bitbucket writes #lines-10:20."""
    _, sign, fragment = path.partition("#")
    return f"{sign}{_BITBUCKET_LINES.sub(_as_github, fragment)}"


_BITBUCKET_LINES = re.compile(r"lines-(\d+)(?::(\d+))?")


def _as_github(found: re.Match[str]) -> str:
    return f"L{found[1]}-L{found[2] or found[1]}"


def _lines(text: str) -> LinesName | None:
    found = _numbered(text)
    if found is None or "://" in found["path"]:
        return None
    return _spanned(found["path"].removeprefix("./").strip("/"), found, "HEAD")


def _numbered(text: str) -> re.Match[str] | None:
    """A file and numbers of lines, whatever these are."""
    found = _FRAGMENT.fullmatch(text) or _LINES.fullmatch(text)
    path = found["path"].removeprefix("./").strip("/") if found else ""
    # What is numbered is a file: it has an ending, a folder, or a name that only files have.
    return found if "/" in path or "." in path.strip(".") or path in _PLAIN_FILES else None


def note_on_lines(words: str) -> str:
    """What to say of lines that no file has: what they are taken for instead."""
    text = words.strip()
    found = _numbered(text)
    if found is None:
        return ""
    first, last = int(found["first"]), int(found["last"] or found["first"])
    if not (first and last):
        return f"lines are numbered from 1: {text} is searched by its words"
    return f"lines {first} to {last} are none: lines {last} to {first} are taken" if last < first else ""


_PLAIN_FILES = frozenset({"Makefile", "Dockerfile", "Justfile", "Gemfile", "Rakefile", "LICENSE", "README"})


def _spanned(path: str, found: re.Match[str], revision: str) -> LinesName | None:
    first = int(found["first"])
    last = int(found["last"] or first)
    return LinesName(path, min(first, last), max(first, last), revision) if first and last else None

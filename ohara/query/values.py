"""Reads the value of one filter, for inline filters and command-line flags alike.

Each function returns the value in its one normal form, or raises a QueryError that says what would be
understood. A value is never guessed at and never widened.
"""

from __future__ import annotations

import re

from ohara.errors import QueryError
from ohara.languages import canonical_language, language_meant
from ohara.model import ChangeKind, FateFilter, Polarity
from ohara.query.globs import path_pattern

POLARITIES = {"added": Polarity.ADDED, "removed": Polarity.REMOVED}

FILTER_NAMES = (
    "author",
    "path",
    "lang",
    "ext",
    "since",
    "until",
    "kind",
    "added",
    "removed",
    "ref",
    "commit",
    "message",
    "symbol",
    "is",
    "repo",
)
"""Every filter by its own name, in the order in which help lists them."""

SYNONYMS = {
    "before": "until",
    "after": "since",
    "file": "path",
    "filename": "path",
    "language": "lang",
    "extension": "ext",
    "tag": "ref",
    "branch": "ref",
}
"""What other tools call a filter, and its name here."""

ALL_NAMES = (*FILTER_NAMES, *SYNONYMS)
"""Every name that may stand before a colon."""

GUESSED_NAMES = tuple(name for name in ALL_NAMES if name not in {"ext", "tag", "is"})
"""What a misspelt name is compared with: ext:, tag: and is: are a letter away from many words (text:)."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NOT_A_REF = re.compile(r"\s|\.\.|^-")
_CALL = re.compile(r"[\s()]+$")
_ENDING = re.compile(r"[^\s/\\*?{}\[\],.]+(?:\.[^\s/\\*?{}\[\],.]+)*")
_WINDOWS = re.compile(r"^[A-Za-z]:|\\(?![*?{}\[\]\\])")


def parse_author(value: str) -> str:
    """A stretch of an author's name or address."""
    return _text("author", value)


def parse_message(value: str) -> str:
    """A stretch of a commit's message."""
    return _text("message", value)


def parse_symbol(value: str) -> str:
    """The name of a symbol, qualified or not, without the parentheses of a call."""
    return _text("symbol", _CALL.sub("", value))


def parse_ref(value: str) -> str:
    """A branch, tag or commit; whether it exists is for git to say."""
    ref = _text("ref", value)
    if _NOT_A_REF.search(ref):
        raise QueryError(
            f"{ref!r} is not the name of a branch, tag or commit",
            hint="name one, as in ref:main; repeat ref: for several",
        )
    return ref


def parse_commit(value: str) -> str:
    """One commit, by anything that git can name it; whether it exists is for git to say."""
    commit = _text("commit", value)
    if _NOT_A_REF.search(commit):
        raise QueryError(
            f"{commit!r} does not name a commit",
            hint="name one, as in commit:4f2a91c or commit:HEAD~3; repeat commit: for several",
        )
    return commit


def parse_ext(value: str) -> str:
    """The ending of file names, without its dot."""
    ending = _text("ext", value).removeprefix("*").removeprefix(".")
    if not _ENDING.fullmatch(ending):
        raise QueryError(
            f"{value!r} is not the ending of a file name",
            hint="write one, as in ext:py; repeat ext: for several, or use path: for globs",
        )
    return ending


def parse_repo(value: str) -> str:
    """A repository's name or path, or a glob for them; a home folder may be written `~`."""
    glob = _text("repo", value)
    if not glob.strip("/"):
        raise QueryError(
            f"{value!r} names no repository", hint="write a name or a path, as in repo:kit or repo:~/src/**"
        )
    path_pattern(glob)
    return glob


def parse_kind(value: str) -> ChangeKind:
    """What happened to a file."""
    kind = _text("kind", value).lower()
    try:
        return ChangeKind(kind)
    except ValueError:
        raise QueryError(
            f"{kind!r} is not a kind of change", hint=f"write one of {', '.join(ChangeKind)}"
        ) from None


def parse_fate(value: str) -> FateFilter:
    """What became of a change."""
    state = _text("is", value).lower()
    try:
        return FateFilter(state)
    except ValueError:
        raise QueryError(
            f"{state!r} is not something that becomes of a change",
            hint=f"write one of {', '.join(FateFilter)}",
        ) from None


def parse_lang(value: str) -> str:
    """A language by any of its names, as the one name that the index uses."""
    named = _text("lang", value)
    if known := canonical_language(named):
        return known
    guess = language_meant(named)
    raise QueryError(
        f"{named!r} is not a language that ohara knows",
        hint=f"did you mean lang:{guess}?" if guess else "filter by ending instead, as in ext:xyz",
    )


def parse_path_glob(value: str) -> str:
    """A path or glob in normal form: no leading `./`, no doubled slashes."""
    glob = _text("path", value)
    if _WINDOWS.search(glob):
        raise QueryError(
            f"{glob!r} is not a path inside a repository",
            hint="count from the repository's root and write / between folders",
        )
    glob = re.sub("/{2,}", "/", glob)
    while glob.startswith("./"):
        glob = glob[2:]
    names = glob.strip("/").split("/")
    if ".." in names or "." in names or not glob.strip("/"):
        raise QueryError(
            f"{value!r} names no path inside the repository",
            hint="count from the repository's root, as in path:src/ or path:*.py",
        )
    path_pattern(glob)
    return glob


def _text(name: str, value: str) -> str:
    text = value.strip()
    if not text:
        raise QueryError(f"{name}: has an empty value", hint=f"leave {name}: out, or give it a value")
    if _CONTROL.search(text):
        raise QueryError(
            f"the value {text!r} of {name}: holds a control character",
            hint="type it on one line, without tabs",
        )
    return text

"""Completes what a shell asks for: filters and their values, from the index, or else from git and the tables.

Nothing is indexed for it: whoever presses Tab waits. What cannot be told within a moment is not offered.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from ohara.gitcommand import git_command, git_environment
from ohara.languages import LANGUAGES
from ohara.model import ChangeKind, FateFilter, NameKind
from ohara.query.values import ALL_NAMES, SYNONYMS
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import click

_AT_MOST_S = 2.0
_COMMITS_ASKED = 5_000  # the newest, for authors
_MOST_OFFERED = 100
_MOST_ASKED = 500  # of the index: more than are offered, as some cannot be
_DATES = ("today", "yesterday", "1w", "1mo", "6mo", "1y")

_ABOUT = {
    "author": "commits by this author",
    "path": "changes of these files",
    "lang": "files in this language",
    "ext": "files whose name ends so",
    "since": "commits from this day on",
    "until": "commits up to the end of this day",
    "kind": "files that were added, modified, deleted or renamed",
    "added": "hunks with the term on an added line",
    "removed": "hunks with the term on a removed line",
    "ref": "commits that a branch, tag or commit reaches",
    "commit": "this commit alone",
    "message": "commits whose message contains the text",
    "symbol": "hunks that touch this symbol",
    "is": "what became of the added lines",
    "repo": "repositories of this name or path",
}


def complete_query(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of filters, the values of one that is begun, and paths."""
    del param
    name, colon, value = incomplete.partition(":")
    sign = "-" if name.startswith("-") else ""
    bare = name.removeprefix("-")
    if colon:
        known = SYNONYMS.get(bare, bare)
        return [CompletionItem(f"{name}:{each}") for each in _values(_repository(ctx), known, value)]
    filters = [
        CompletionItem(f"{sign}{each}:", help=_ABOUT[SYNONYMS.get(each, each)])
        for each in ALL_NAMES
        if each.startswith(bare) and (each in _ABOUT or bare)
    ]
    paths = _paths(_repository(ctx), incomplete) if incomplete and not sign else []
    return filters + [CompletionItem(path) for path in paths]


def complete_value(
    ctx: click.Context, param: click.Parameter, incomplete: str, name: str
) -> list[CompletionItem]:
    """The values of one filter."""
    del param
    return [CompletionItem(each) for each in _values(_repository(ctx), name, incomplete)]


def _repository(ctx: click.Context) -> Path:
    """The repository that the command line names, or where the shell stands."""
    given = ctx.params.get("repo") or ctx.params.get("repos")
    if isinstance(given, tuple | list):
        given = given[0] if given else None
    return Path(str(given)) if given and not str(given).startswith("@") else Path()


def _values(repository: Path, name: str, begun: str) -> list[str]:
    kind = "ref" if name == "commit" else name
    if kind in list(NameKind):
        return _names(repository, NameKind(kind), begun)
    match name:
        case "kind":
            return _beginning(ChangeKind, begun)
        case "is":
            return _beginning(FateFilter, begun)
        case "since" | "until":
            return _beginning(_DATES, begun)
    return []


def _names(repository: Path, kind: NameKind, begun: str) -> list[str]:
    """The names of a kind, from the index where there is one, and from git where there is none."""
    from ohara.cli.indexed_names import indexed_names

    known = indexed_names(repository, kind, begun, _MOST_ASKED)
    match kind:
        case NameKind.AUTHOR:
            return _beginning([*_words(known or ()), *_authors(repository)], begun)
        case NameKind.REF:
            return _beginning(_refs(repository) if known is None else known, begun)
        case NameKind.EXT:
            return _beginning(_endings(repository) if known is None else known, begun)
        case NameKind.LANG:
            return _beginning(LANGUAGES if known is None else known, begun)
        case NameKind.PATH:
            return _paths(repository, begun) if known is None else _plain(known)
        case NameKind.SYMBOL:
            return _plain(known or ())


def _words(names: Iterable[str]) -> list[str]:
    """The words of names: to a shell, a value has no spaces."""
    return [word for name in names for word in name.split()]


def _plain(names: Iterable[str]) -> list[str]:
    """The names as they came, as far as a shell may be given them."""
    return [name for name in names if _is_plain(name)][:_MOST_OFFERED]


def _beginning(names: Iterable[str], begun: str) -> list[str]:
    """The names that begin so, in any case, as far as a shell may be given them."""
    wanted = begun.casefold()
    fitting = (name for name in names if name.casefold().startswith(wanted) and _is_plain(name))
    return [name for name, _ in zip(dict.fromkeys(fitting), range(_MOST_OFFERED), strict=False)]


def _is_plain(name: str) -> bool:
    """False for what a shell would take apart or a terminal would obey."""
    return bool(name) and sanitize(name) == name and not any(mark in name for mark in " \t\"'`$\\;&|<>()*?!#")


def _authors(repository: Path) -> list[str]:
    """The words of names and the addresses, the most frequent first."""
    told = _lines(repository, "log", f"--max-count={_COMMITS_ASKED}", "--format=%an%n%ae", "HEAD")
    counted: Counter[str] = Counter()
    for line, many in Counter(told).items():
        for word in [line] if "@" in line else line.split():
            counted[word] += many
    return [name for name, _ in counted.most_common()]


def _refs(repository: Path) -> list[str]:
    kinds = ("refs/heads", "refs/tags", "refs/remotes")
    return ["HEAD", *_lines(repository, "for-each-ref", "--format=%(refname:short)", *kinds)]


def _paths(repository: Path, begun: str) -> list[str]:
    """The files and folders that begin so, one folder deep."""
    folder, slash, _ = begun.rpartition("/")
    listed = _lines(repository, "ls-tree", "--full-tree", "HEAD", f"{folder}{slash}" if slash else ".")
    found = []
    for line in listed:
        kind, _, path = line.partition("\t")
        found.append(f"{path}/" if kind.split()[1:2] == ["tree"] else path)
    return _beginning(found, begun)


def _endings(repository: Path) -> list[str]:
    names = _lines(repository, "ls-tree", "-r", "--full-tree", "--name-only", "HEAD")
    endings = (Path(name).suffix.removeprefix(".") for name in names)
    return [ending for ending, _ in Counter(filter(None, endings)).most_common()]


def _lines(repository: Path, *arguments: str) -> Sequence[str]:
    """What git prints, by lines; nothing when it fails or takes too long."""
    try:
        done = subprocess.run(
            git_command(repository, *arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=git_environment(os.environ),
            check=False,
            timeout=_AT_MOST_S,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ()
    return done.stdout.decode("utf-8", "replace").splitlines() if done.returncode == 0 else ()

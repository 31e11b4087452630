"""Which commits a repository wants left out of explanations: those that only reformat.

As `git blame` knows them: `.git-blame-ignore-revs` at the root of the work tree (or of HEAD, without one),
and the files that the setting `blame.ignoreRevsFile` names. These are files that a repository chooses:
bounded, and nothing of them is shown.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from ohara.errors import RepositoryError
from ohara.model import Sha
from ohara.safe_read import IrregularFile, read_regular

if TYPE_CHECKING:
    from ohara.git.repo import Repository

IGNORE_FILE = ".git-blame-ignore-revs"

_SETTING = "blame.ignorerevsfile"
_MOST_BYTES = 1 << 20
_SHA = re.compile(rb"^\s*([0-9a-fA-F]{40})\s*(?:#.*)?$", re.MULTILINE)


def ignored_revisions(repository: Repository, named: tuple[str, ...], *, files: bool) -> frozenset[Sha]:
    """The commits to leave out: those named, and, if `files`, those that the repository lists."""
    found = {repository.commit_named(name) for name in named}
    if files:
        for content in _contents(repository):
            found |= {Sha(sha.decode().lower()) for sha in _SHA.findall(content)}
    return frozenset(found)


def _contents(repository: Repository) -> list[bytes]:
    work_dir = repository.work_dir
    found: list[bytes | None] = []
    if work_dir is not None:
        found.append(_read(work_dir / IGNORE_FILE, follow=False))
    else:
        head = repository.resolve_existing(("HEAD",)).get("HEAD")
        found.append(repository.file_at(head, IGNORE_FILE, cap=_MOST_BYTES) if head else None)
    root = work_dir or repository.common_dir
    files = [root / Path(written).expanduser() for written in repository.setting(_SETTING) if written]
    found += [_read(file, follow=True) for file in files]
    return [content for content in found if content]


def _read(file: Path, *, follow: bool) -> bytes | None:
    try:
        return read_regular(file, _MOST_BYTES, follow=follow)
    except (IrregularFile, OSError) as error:
        raise RepositoryError(
            f"the list of commits to ignore cannot be read: {error}", hint="--all-revs does without it"
        ) from error

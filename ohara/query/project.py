"""Tells whether a name is of another project on a forge than the one that a repository is a clone of. Pure.

Only what can be compared counts: an address on another host than the remote's may as well be of a mirror.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from ohara.forge import forge_of
from ohara.query.names import ADDRESS, OBJECT_NAME, WITHOUT_SCHEME, CommitName, read_name

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHORT = re.compile(r"(?P<path>[\w.-]+/[\w.-]+)#[0-9]{1,9}")
_UNLIKE_ITS_REMOTES = re.compile(r"/(?:projects|users)/[^/]+/repos/")  # Bitbucket's server


def of_another_project(words: str, remotes: Sequence[str]) -> str:
    """A note when words name something of none of the remotes; the first of these is the repository's own.

    A commit of another project that is here too is the same one, so its name needs no note.
    """
    name = read_name(words)
    own = forge_of(remotes[0]) if remotes else None
    if name is None or own is None or (isinstance(name, CommitName) and OBJECT_NAME.fullmatch(name.revision)):
        return ""
    pages = [forge.url for remote in remotes if (forge := forge_of(remote))]
    others = [word for word in words.split() if not any(_may_hold(page, word) for page in pages)]
    verb = "names" if len(others) == 1 else "name"
    this = unquote(urlsplit(own.url).path).strip("/")
    return f"this is {this}; {' and '.join(others)} {verb} another repository" if others else ""


def _may_hold(page: str, word: str) -> bool:
    """True unless a name says that it is of another project than the one with this page."""
    own = urlsplit(page)
    project = f"{unquote(own.path)}/".casefold()
    if short := _SHORT.fullmatch(word):
        named = f"/{short['path']}/".casefold()
        return named in project or project in named
    address = ADDRESS.fullmatch(word) or WITHOUT_SCHEME.fullmatch(word)
    if address is None or _host(address["host"]) != _host(own.netloc):
        return True
    path = unquote(address["path"]).replace(".git/", "/").casefold()
    return project in path or _UNLIKE_ITS_REMOTES.match(path) is not None


def _host(written: str) -> str:
    return written.rpartition("@")[2].partition(":")[0].lower().removeprefix("www.")

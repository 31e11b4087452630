"""The web pages of commits and files, computed from the address of the remote. Pure.

Addresses come in the forms that git takes (https, ssh, git, `user@host:path`). Names and passwords in them
never get into a link. What is not on a host (a path, a file URL) has no page.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from ohara.model import ChangeKind
from ohara.records import dataclass

if TYPE_CHECKING:
    from ohara.model import Hit

_SCP = re.compile(r"(?:[^@/\s]+@)?(?P<host>\[[0-9a-fA-F:]+\]|[^:/\s]+):(?P<path>(?!//)[^\s].*)")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?")
_SHA = re.compile(r"[0-9a-fA-F]{4,64}")
_WEB = {"https", "http"}
_SCHEMES = _WEB | {"ssh", "git", "git+ssh", "ssh+git"}


class Kind(StrEnum):
    """Forges that write their addresses differently."""

    GITHUB = "GitHub"
    GITLAB = "GitLab"
    GITEA = "Gitea"
    BITBUCKET = "Bitbucket"


_BY_NAME = (
    ("github", Kind.GITHUB),
    ("gitlab", Kind.GITLAB),
    ("bitbucket", Kind.BITBUCKET),
    ("gitea", Kind.GITEA),
    ("forgejo", Kind.GITEA),
    ("codeberg", Kind.GITEA),
)
# Forges that do not say so in their names.
_BY_HOST = {
    "invent.kde.org": Kind.GITLAB,
    "salsa.debian.org": Kind.GITLAB,
    "framagit.org": Kind.GITLAB,
    "gitlab.gnome.org": Kind.GITLAB,
    "gitlab.freedesktop.org": Kind.GITLAB,
}

_COMMIT = {
    Kind.GITHUB: "commit/{sha}",
    Kind.GITLAB: "-/commit/{sha}",
    Kind.GITEA: "commit/{sha}",
    Kind.BITBUCKET: "commits/{sha}",
}
_FILE = {
    Kind.GITHUB: "blob/{sha}/{path}#L{line}",
    Kind.GITLAB: "-/blob/{sha}/{path}#L{line}",
    Kind.GITEA: "src/commit/{sha}/{path}#L{line}",
    Kind.BITBUCKET: "src/{sha}/{path}#lines-{line}",
}


@dataclass(frozen=True, slots=True)
class Forge:
    """A repository's page on the web; an unknown host is taken for one that does as GitHub does."""

    kind: Kind
    url: str

    def commit(self, sha: str) -> str:
        """The page of a commit."""
        return f"{self.url}/{_COMMIT[self.kind].format(sha=_checked(sha))}"

    def file(self, sha: str, path: str, line: int = 1) -> str:
        """A line of a file as it is in a commit."""
        place = quote(path.encode("utf-8", "replace"), safe="/")
        return f"{self.url}/{_FILE[self.kind].format(sha=_checked(sha), path=place, line=max(1, line))}"


def forge_of(remote: str | None) -> Forge | None:
    """The page that belongs to a remote; None when there is none."""
    remote = (remote or "").strip()
    if not remote or not remote.isprintable():
        return None
    host, path, scheme = _web(remote) if "://" in remote else _scp(remote)
    path = path.strip("/").removesuffix(".git").rstrip("/")
    if not path or not _HOST.fullmatch(host):
        return None
    return Forge(_kind(host), f"{scheme}://{host.lower()}/{quote(unquote(path), safe='/~+.-_')}")


def hit_page(forge: Forge, hit: Hit) -> str:
    """The page of a hit: its line in the commit's version of the file, or the commit where that has none."""
    if not hit.path or hit.kind is ChangeKind.DELETED:
        return forge.commit(hit.commit.sha)
    return forge.file(hit.commit.sha, hit.path, hit.line)


def _web(remote: str) -> tuple[str, str, str]:
    try:
        parts = urlsplit(remote)
        port = parts.port
    except ValueError:
        return "", "", ""
    if parts.scheme.lower() not in _SCHEMES:
        return "", "", ""
    host = parts.hostname or ""
    is_web = parts.scheme.lower() in _WEB
    if is_web and port is not None:  # a port of ssh says nothing about the web
        host = f"{host}:{port}"
    return host, parts.path, "http" if parts.scheme.lower() == "http" else "https"


def _scp(remote: str) -> tuple[str, str, str]:
    found = _SCP.fullmatch(remote)
    if not found or len(found["host"]) < 2 or "\\" in remote:  # one letter: a drive of Windows
        return "", "", ""
    return found["host"], found["path"], "https"


def _kind(host: str) -> Kind:
    name = host.partition(":")[0].lower()
    if name in _BY_HOST:
        return _BY_HOST[name]
    return next((kind for part, kind in _BY_NAME if part in name), Kind.GITHUB)


def _checked(sha: str) -> str:
    if not _SHA.fullmatch(sha):
        raise ValueError(f"not a commit's name: {sha!r}")
    return sha

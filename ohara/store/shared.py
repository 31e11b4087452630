"""A server that keeps the indexes of a team: what is asked of it as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from ohara.store.index import Index
    from ohara.store.locate import IndexLocation


class SharedIndex(NamedTuple):
    """What a server says of one of its indexes; `readers` is empty for who may not know them."""

    name: str
    commits: int
    hunks: int
    size_bytes: int
    written: float
    readers: tuple[str, ...]


class SharedServer(Protocol):
    """One server, by the name that its users gave it; making this object opens nothing."""

    @property
    def name(self) -> str:
        """What it is called here."""
        ...

    def initialise(self) -> str:
        """Set it up, or bring it up to date; what it is, for people."""
        ...

    def index(self, location: IndexLocation, name: str) -> Index:
        """The index of a repository by the name that the server knows it by, whether or not it exists."""
        ...

    def indexes(self) -> list[SharedIndex]:
        """The indexes that this role may read, by name."""
        ...

    def grant(self, role: str, name: str) -> None:
        """Let a role read an index."""
        ...

    def revoke(self, role: str, name: str) -> None:
        """Let it read that index no more."""
        ...

    def drop(self, name: str) -> int:
        """Delete an index; how many bytes that freed."""
        ...

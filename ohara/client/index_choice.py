"""Which index requests ask: the one that was named, else the default of their repository, else one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from ohara import wire
from ohara.config import default_server

if TYPE_CHECKING:
    from ohara.wire import Reply, Request

R = TypeVar("R", bound="Reply")

_SEVERAL = "@"  # begins the name of a group of repositories, whose own indexes are asked


def with_index(request: Request[R], named: str = "") -> Request[R]:
    """The request, about the index that a server keeps if that is the one to ask."""
    if not isinstance(request, wire.Searching) or request.index or request.repo.startswith(_SEVERAL):
        return request
    name = named or default_server(request.repo)
    return msgspec.structs.replace(request, index=name) if name else request

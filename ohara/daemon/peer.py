"""Checks which user is at the other end of a Unix socket."""

from __future__ import annotations

import os
import socket
import struct
import sys

_LOCAL_PEERCRED = 1  # macOS and the BSDs: struct xucred, whose second word is the user
_XUCRED_BYTES = 76


def is_same_user(connection: socket.socket) -> bool:
    """True when the other end is a process of this user."""
    try:
        return _peer_uid(connection) == os.getuid()
    except OSError:
        return False


def _peer_uid(connection: socket.socket) -> int:
    if sys.platform == "linux":
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        _pid, uid, _gid = struct.unpack("3i", credentials)
    else:
        credentials = connection.getsockopt(0, _LOCAL_PEERCRED, _XUCRED_BYTES)
        _version, uid = struct.unpack_from("II", credentials)
    return int(uid)

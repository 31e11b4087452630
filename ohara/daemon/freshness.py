"""Indexes a few new commits before a search, so that the service answers as `ohara find` does in process."""

from __future__ import annotations

import logging

from ohara.daemon.repositories import open_registered
from ohara.engine import CATCH_UP_COMMITS
from ohara.errors import OharaError

_log = logging.getLogger("ohara.daemon")

_AT_MOST_S = 5.0


def catch_up(path: str) -> bool:
    """Index new commits if they are few; True when there are many, which the answer itself reports."""
    engine = open_registered(path)
    try:
        unread = engine.catch_up(jobs=1, at_most_s=_AT_MOST_S)
    except OharaError as error:  # another indexer is running, or the disk is full: search what is indexed
        _log.info("could not catch up with %s: %s", path, error.message)
    except Exception:  # noqa: BLE001 - as above; the next index job reports what is wrong
        _log.exception("could not catch up with %s", path)
    else:
        return (unread or 0) > CATCH_UP_COMMITS
    return False

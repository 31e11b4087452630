"""Reads the few commits that came since the last look, so that an answer is what it would be in process."""

from __future__ import annotations

import logging

from ohara.daemon.repositories import open_registered
from ohara.errors import OharaError
from ohara.index.run import IndexOptions
from ohara.model import Pass

_log = logging.getLogger("ohara.daemon")

CATCH_UP_COMMITS = 200  # as `ohara find` does: a day's pull, read in well under a second
_AT_MOST_S = 5.0
_EXACT_PASSES = frozenset({Pass.TEXT, Pass.LITERAL})


def catch_up(path: str) -> bool:
    """Index what is new if that is little; True when it is much, which the answer itself says."""
    engine = open_registered(path)
    try:
        pending = engine.pending()
        if pending is None or pending > CATCH_UP_COMMITS:
            return pending is not None
        for _ in engine.index(IndexOptions(passes=_EXACT_PASSES, jobs=1, at_most_s=_AT_MOST_S)):
            pass
    except OharaError as error:  # another indexer is at it, or the disk is full: what is there still answers
        _log.info("could not catch up with %s: %s", path, error.message)
    except Exception:  # noqa: BLE001 - as above; the next index job says what is wrong
        _log.exception("could not catch up with %s", path)
    return False

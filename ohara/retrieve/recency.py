"""Lets newer changes gain a little over older ones. Pure: the present is an argument."""

from __future__ import annotations

import math

# After a quarter of a year the gain is down to 37 %: what a team is working on now, not what it ever did.
DECAY_DAYS = 90.0

_DAY_S = 86_400.0


def recency_factor(committer_time: int, *, now: int, weight: float) -> float:
    """What a score is multiplied by: 1 + weight for a change of this moment, toward 1 as it ages.

    A commit from the future counts as one of this moment.
    """
    age_days = max(0.0, (now - committer_time) / _DAY_S)
    return 1.0 + weight * math.exp(-age_days / DECAY_DAYS)

"""Finds the index of a repository that was moved.

An index is known by the path of its repository. One whose repository is gone from there, and whose first
commits are all here, is that of this repository or of a clone of it: it is taken over, and the next run
hides what is not here. An index whose repository is still there is never touched: clones share first commits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.errors import OharaError
from ohara.store.engines import index_at, roots_of
from ohara.store.locate import adopt, known_indexes

if TYPE_CHECKING:
    from ohara.git.repo import Repository
    from ohara.store.index import Index


# A run that goes on when its repository is moved notices it after the commit that it reads.
_WAIT_S = 5.0


def adopt_index(repository: Repository, index: Index) -> bool:
    """Take over the index of the same history whose repository is gone; False when there is none."""
    left = [index_at(location) for location in known_indexes() if not location.common_dir.exists()]
    for other in sorted(left, key=lambda each: each.last_written(), reverse=True):
        try:
            if not other.exists:
                continue
            with other.locked(wait_s=_WAIT_S):
                if _is_of(other, repository):
                    return adopt(other.location, index.location)
        except OharaError:  # damaged, or somebody writes it: it is of no use now
            continue
    return False


def _is_of(index: Index, repository: Repository) -> bool:
    roots = roots_of(index.location)
    return bool(roots) and all(repository.has_object(root) for root in roots)

"""The answer of history_status: what is indexed of a repository, how fresh, what is missing. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.mcp.diffs import SHORT_SHA, clipped
from ohara.mcp.frame import coverage, framed
from ohara.present.times import ago

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import IndexStatus
    from ohara.wire import Registered

_MOST = 10


def status_text(
    status: IndexStatus,
    *,
    indexing: bool,
    others: Sequence[Registered],
    now: float,
    remarks: Sequence[str] = (),
) -> str:
    """How the index of one repository stands, and which others can be asked about."""
    head = [f"history of {clipped(status.repository, 300)}", coverage(status, now=now), *remarks]
    head.append(
        f"{status.hunks:,} hunks, {status.symbols:,} symbols; "
        + ("being indexed now" if indexing else _last_run(status, now))
    )
    head += [f"pass {part.stage}: {part.done:,} of {part.total:,} commits" for part in status.passes]
    if status.left_out:
        counted = ", ".join(f"{count:,} {reason}" for reason, count in status.left_out)
        head.append(f"files that only exact search reads, or none: {counted}")
    data = [f"# {clipped(name, 100)} {sha[:SHORT_SHA]}" for name, sha in status.refs[:_MOST]]
    if len(status.refs) > _MOST:
        data.append(f"[{len(status.refs) - _MOST} more refs]")
    data += [
        f"# not read: {failure.sha[:SHORT_SHA]}: {clipped(failure.reason, 120)}"
        for failure in status.failures[:_MOST]
    ]
    return framed(
        head, data, indexed_lines([each for each in others if each.repository != status.repository])
    )


def indexed_lines(indexed: Sequence[Registered]) -> list[str]:
    """The repositories that can be asked about by their path."""
    if not indexed:
        return []
    shown = [f"  {clipped(each.repository, 200)}" for each in indexed[:_MOST]]
    more = [f"  [{len(indexed) - _MOST} more: ohara repos lists them]"] if len(indexed) > _MOST else []
    return ["also indexed (repo=PATH):", *shown, *more]


def _last_run(status: IndexStatus, now: float) -> str:
    if status.last_run is None:
        return "never indexed completely"
    return f"last index run {ago(status.last_run.started, now=now)}: {clipped(status.last_run.outcome, 100)}"

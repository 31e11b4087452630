"""What became of a hunk, in one short line for people. Pure; paths are made safe by who shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import Fate, FateState

if TYPE_CHECKING:
    from collections.abc import Callable

    from ohara.model import Returned, Sha

_SHORT_SHA = 10

MARKS = {
    FateState.ALIVE: "●",
    FateState.CHANGED: "◐",
    FateState.MOVED: "→",
    FateState.GONE: "○",
    FateState.REVERTED: "↩",
    FateState.UNMERGED: "⑂",
    FateState.REMOVAL: " ",
}
"""One character for each state, for lists."""


def fate_phrase(fate: Fate, ago: Callable[[int], str]) -> str:
    """The line; `ago` says how long ago a moment was. "" when there is nothing to say."""
    return "; ".join(filter(None, (_added(fate, ago), _removed(fate.returned, ago))))


def commit_fate_phrase(fate: Fate) -> str:
    """What became of all lines of a commit, in a few words; "" when it added none."""
    since = f" since {fate.by[:_SHORT_SHA]}" if fate.by else ""
    match fate.state:
        case FateState.ALIVE:
            return f"still there{' again' if fate.by else ''}{since}"
        case FateState.CHANGED:
            return f"{fate.kept:,} of {_all(fate.of)} still there"
        case FateState.MOVED:
            return f"{fate.kept:,} of {_all(fate.of)} moved to {fate.path}"
        case FateState.REVERTED:
            return f"reverted by {fate.by[:_SHORT_SHA]}" if fate.by else "reverted"
        case FateState.GONE:
            return f"gone{since}"
        case FateState.UNMERGED:
            return "not part of this history"
        case FateState.REMOVAL:
            return ""


def _added(fate: Fate, ago: Callable[[int], str]) -> str:
    by = _commit(fate.by, fate.by_time, ago)
    lines = f"{fate.kept:,} of {_all(fate.of)}"
    match fate.state:
        case FateState.ALIVE:
            again = f" again since {by}" if by else ""
            return f"still there{again}: {_all(fate.of)}, now {_place(fate)}"
        case FateState.CHANGED:
            return f"still there: {lines}, now {_place(fate)}"
        case FateState.MOVED:
            return f"moved{f' by {by}' if by else ''}: {lines}, now {_place(fate)}"
        case FateState.REVERTED:
            return f"reverted by {by}" if by else "reverted"
        case FateState.GONE:
            return f"gone since {by}" if by else "gone"
        case FateState.UNMERGED:
            return "not part of this history"
        case FateState.REMOVAL:
            return ""


def _removed(returned: Returned | None, ago: Callable[[int], str]) -> str:
    if returned is None or not returned.lines:
        return ""
    by = _commit(returned.by, returned.by_time, ago)
    since = f" since {by}" if by else ""
    place = f", now {returned.path}:{returned.line}" if returned.path else ""
    stand = "stands" if returned.lines == 1 else "stand"
    return f"{returned.lines:,} of {_all(returned.of)} that it removed {stand} again{since}{place}"


def _all(count: int) -> str:
    return "1 line" if count == 1 else f"{count:,} lines"


def _place(fate: Fate) -> str:
    return f"{fate.path}:{fate.line}"


def _commit(sha: Sha | None, time: int | None, ago: Callable[[int], str]) -> str:
    if sha is None:
        return ""
    return f"{sha[:_SHORT_SHA]}, {ago(time)}" if time is not None else sha[:_SHORT_SHA]

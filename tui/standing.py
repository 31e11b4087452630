"""The status line's words: hits, time by lane, how much was searched, what goes on. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.advice import progress_line
from tui.link import LinkState
from tui.phrases import count, milliseconds
from tui.widgets.lines import Said

if TYPE_CHECKING:
    from tui.actions import Keys
    from tui.state import Searching

_ANSWERED = frozenset({"ok", "empty"})  # values of `LaneStatus`, which is loaded with the first answer


def facts(state: Searching, position: int = 0) -> list[Said]:
    """What is known about the answer, and the place of the selected hit in it."""
    said: list[Said] = []
    results = state.results
    if state.complaint:
        said.append(Said(f"✗ {state.complaint}", "$error"))
    if results is not None:
        more = "+" if state.cursor else ""
        place = f"{position + 1} of " if state.hits else ""
        noun = "hit" if len(state.hits) == 1 else "hits"
        said.append(Said(f"{place}{len(state.hits):,}{more} {noun}", "bold $foreground"))
        lanes = [f"{lane.name} {lane.elapsed_ms:.0f}" for lane in results.lanes if lane.status in _ANSWERED]
        by_lane = f" ({', '.join(lanes)})" if lanes else ""
        said.append(Said(milliseconds(results.took_ms) + by_lane))
        said.append(Said(str(results.query.query_class)))
    status = state.status
    if status is not None:
        part = f"{status.indexed:,} of " if status.commits > status.indexed else ""
        said.append(Said(part + count(max(status.commits, status.indexed), "commit")))
    said += [Said(f"⚠ {missing}", "$warning") for missing in state.missing[:2]]
    return said


def going_on(state: Searching, marks: int, keys: Keys) -> list[Said]:
    """What happens now, the most urgent last."""
    said: list[Said] = []
    if marks:
        said.append(Said(f"✓ {count(marks, 'mark')} ({keys.first_label('export')} exports)", "$accent"))
    if state.by_date:
        said.append(Said("newest first"))
    if state.arrived:
        again = keys.first_label("retry")
        said.append(Said(f"↓ {count(state.arrived, 'new commit')} ({again} asks again)", "$success"))
    if state.is_indexing:
        said.append(Said(f"◔ {progress_line(state)}", "$accent"))
    if state.loading:
        said.append(Said("◌ searching", "$accent"))
    if state.link is LinkState.GONE:
        said.append(Said("⇎ service gone, connecting again", "$warning"))
    elif state.link is LinkState.CONNECTING:
        said.append(Said("◌ connecting", "$muted"))
    return said

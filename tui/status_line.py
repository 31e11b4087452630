"""The text of the status line: hits, time by lane, how much was searched, current activity. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.advice import progress_line
from tui.formats import count, milliseconds
from tui.link import LinkState
from tui.widgets.footer import StatusPart

if TYPE_CHECKING:
    from ohara.model import Results
    from tui.actions import Keys
    from tui.search_state import SearchState

_ANSWERED = frozenset({"ok", "empty"})  # values of `LaneStatus`, which is loaded with the first answer
_STRUCTURAL = "structural"  # of `QueryClass`, likewise
_SHORT_SHA = 8


def facts(state: SearchState, position: int = 0) -> list[StatusPart]:
    """Facts about the results, and the rank of the selected hit."""
    parts: list[StatusPart] = []
    results = state.results
    if state.complaint:
        parts.append(StatusPart(f"✗ {state.complaint}", "$error"))
    if results is not None:
        more = "+" if state.cursor else ""
        rank = f"{position + 1} of " if state.hits else ""
        noun = "thread" if state.group == "thread" else "hit"
        noun += "" if len(state.hits) == 1 else "s"
        parts.append(StatusPart(f"{rank}{len(state.hits):,}{more} {noun}", "bold $foreground"))
        lanes = [f"{lane.name} {lane.elapsed_ms:.0f}" for lane in results.lanes if lane.status in _ANSWERED]
        by_lane = f" ({', '.join(lanes)})" if lanes else ""
        parts.append(StatusPart(milliseconds(results.took_ms) + by_lane))
        parts.append(StatusPart(str(results.query.query_class)))
        parts += [StatusPart(said) for said in _lifetime(results)]
    status = state.status
    if status is not None:
        part = f"{status.indexed:,} of " if status.commits > status.indexed else ""
        parts.append(StatusPart(part + count(max(status.commits, status.indexed), "commit")))
    parts += [StatusPart(f"⚠ {missing}", "$warning") for missing in state.missing[:2]]
    return parts


def _lifetime(results: Results) -> list[str]:
    """When code of a shape came, and how much of it there is at HEAD or since when there is none."""
    span = results.literal
    if span is None or results.query.query_class != _STRUCTURAL:
        return []
    said = [f"introduced in {span.introduced[:_SHORT_SHA]}"] if span.introduced else []
    if span.gone:
        said.append(f"gone since {span.gone[:_SHORT_SHA]}")
    elif span.head is not None:
        least = "" if span.head.exact else "at least "
        noun = "match" if span.head.lines == 1 else "matches"
        said.append(f"{least}{span.head.lines:,} {noun} at HEAD")
    return said


def activity(state: SearchState, marks: int, keys: Keys) -> list[StatusPart]:
    """What is going on now, the most urgent last."""
    parts: list[StatusPart] = []
    if marks:
        parts.append(
            StatusPart(f"✓ {count(marks, 'mark')} ({keys.first_label('export')} exports)", "$accent")
        )
    if state.order != "rank":
        parts.append(StatusPart(f"{state.order} first"))
    if state.arrived:
        again = keys.first_label("retry")
        parts.append(StatusPart(f"↓ {count(state.arrived, 'new commit')} ({again} asks again)", "$success"))
    if state.is_indexing:
        parts.append(StatusPart(f"◔ {progress_line(state)}", "$accent"))
    if state.loading:
        parts.append(StatusPart("◌ searching", "$accent"))
    if state.link is LinkState.GONE:
        parts.append(StatusPart("⇎ service gone, connecting again", "$warning"))
    elif state.link is LinkState.CONNECTING:
        parts.append(StatusPart("◌ connecting", "$muted"))
    return parts

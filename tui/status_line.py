"""The text of the status line: the place among the hits, what was searched, current activity. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.advice import progress_line
from tui.formats import count, ordinal, seconds
from tui.link import LinkState
from tui.widgets.footer import StatusPart

if TYPE_CHECKING:
    from ohara.model import IndexStatus, Query, Results
    from tui.actions import Keys
    from tui.search_state import SearchState

# What is said of a query's class and intent, by their values: the model is loaded with the first answer.
_CLASSES = {"prose": "words", "literal": "exact text", "regex": "an expression", "snippet": "code"}
_STRUCTURAL = "structural"
_SHORT_SHA = 8
_INTENTS = {"beginning": "when it began", "ending": "when it ended", "cause": "why"}


def facts(state: SearchState, keys: Keys, position: int = 0) -> list[StatusPart]:
    """Facts about the results, and the place of the selected hit among them."""
    parts: list[StatusPart] = []
    results = state.results
    if results is not None and state.hits:
        more = "+" if state.cursor else ""
        noun = " threads" if state.group == "thread" else ""
        place = f"{ordinal(position + 1)} of {len(state.hits):,}{more}{noun}"
        parts.append(StatusPart(place, "bold $foreground"))
    if results is not None:
        parts.append(StatusPart(_searched(results.index, results.took_ms)))
        parts.append(StatusPart(_read_as(results.query, keys)))
        parts += [StatusPart(said) for said in _lifetime(results)]
    elif state.status is not None:
        parts.append(StatusPart(_held(state.status)))
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


def _searched(index: IndexStatus, took_ms: float) -> str:
    """How much of the history was searched, and how long it took."""
    if index.commits > index.indexed:
        much = f"{index.indexed:,} of {count(index.commits, 'commit')}"
    else:
        much = f"{'all ' if index.indexed > 1 else ''}{count(index.indexed, 'commit')}"
    return f"searched {much}{_kept_by(index)} in {seconds(took_ms)}"


def _kept_by(index: IndexStatus) -> str:
    """Whose index that is, where it is not this machine's own."""
    return f" of the shared index {index.shared}" if index.shared else ""


def _held(status: IndexStatus) -> str:
    part = f"{status.indexed:,} of " if status.commits > status.indexed else ""
    return part + count(max(status.commits, status.indexed), "commit") + _kept_by(status)


def _read_as(query: Query, keys: Keys) -> str:
    """What the query was taken for, what it asks, and the key that says otherwise."""
    kind = _CLASSES.get(query.query_class, str(query.query_class))
    asks = _INTENTS.get(query.intent, "")
    return f"read as {kind}" + (f", asks {asks} ({keys.first_label('intent')} changes that)" if asks else "")


def activity(state: SearchState, marks: int, keys: Keys) -> list[StatusPart]:
    """What is going on now, the most urgent last."""
    parts: list[StatusPart] = []
    if marks:
        said = f"✓ {count(marks, 'mark')} ({keys.first_label('export')} exports)"
        parts.append(StatusPart(said, "$accent"))
    if state.order != "rank":
        parts.append(StatusPart(f"{state.order} first"))
    again = keys.first_label("retry")
    if state.is_rewritten:
        parts.append(StatusPart(f"↻ history was rewritten ({again} asks again)", "$warning"))
    elif state.arrived:
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

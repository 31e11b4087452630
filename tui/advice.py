"""Advice shown in place of hits: a title, a few lines, and choices. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.formats import count, duration
from tui.search_state import COMMITS_PER_S, Stage, name_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.wire import JobState
    from tui.actions import Keys
    from tui.search_state import SearchState

_RECENT = 5  # shown on the welcome page; the palette has the rest

# Each shows one feature of the query language; all of them find something in most histories.
EXAMPLES = (
    ("fix race condition", "words, by meaning and by text"),
    ("retry_with_backoff", "a name: who defined and changed it"),
    ('"TODO" added:', "exact text, only where it was added"),
    (r"/except\s*:/ lang:python", "a regular expression in one language"),
    ("timeout since:1y path:src/", "bounded by time and place"),
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice: a query to send, a filter to drop or an action to run; `key` does the same."""

    label: str
    note: str = ""
    query: str = ""
    drops: str = ""
    action: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Advice:
    """What is shown where hits would be."""

    glyph: str
    title: str
    lines: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    tone: str = ""


def advise(state: SearchState, recent: Sequence[str], keys: Keys) -> Advice:
    """The advice for a state without hits."""
    match state.stage:
        case Stage.STARTING:
            return Advice("◌", "Connecting", ("The background service is starting.",))
        case Stage.GONE:
            return _gone(state, keys)
        case Stage.NO_REPOSITORY:
            return _nowhere(state, keys)
        case Stage.NOT_INDEXED:
            return _not_indexed(state, keys)
        case Stage.ASKING:
            return Advice("◌", "Searching", (f"in {state.name}",))
        case Stage.NOTHING:
            return _nothing(state, keys)
        case Stage.ERROR:
            return _error(state, keys)
        case Stage.WELCOME | Stage.RESULTS:
            return _welcome(state, recent, keys)


def progress_line(state: SearchState) -> str:
    """The progress of indexing, and the time left."""
    job = state.job
    if job is None or not state.is_indexing:
        return ""
    if job.state == "queued":
        return _waiting(state.ahead)
    if job.progress is None:
        return "Indexing begins"
    progress = job.progress
    pace = progress.done / progress.elapsed_s if progress.elapsed_s > 0 else 0.0
    left = f", {duration((progress.total - progress.done) / pace)} left" if pace else ""
    things = (
        f"{count(progress.total, 'file')} of HEAD" if progress.of_head else count(progress.total, "commit")
    )
    return f"Indexing: {progress.stage} {progress.done:,} of {things}{left}"


def _waiting(ahead: JobState | None) -> str:
    """What an index that was asked for waits for."""
    if ahead is None:
        return "Waiting for its turn to be indexed"
    progress = ahead.progress
    done = f" ({progress.stage} {progress.done:,} of {progress.total:,})" if progress is not None else ""
    return f"Next in turn, after {name_of(ahead.repository)}{done}"


def _empty(state: SearchState, keys: Keys) -> Advice:
    return Advice(
        "∅",
        f"{state.name} has no commits yet",
        ("There is no history to search.", "Commit something; it is noticed by itself."),
        (Choice("Choose another repository", action="repositories", key=keys.first_label("repositories")),),
    )


def _welcome(state: SearchState, recent: Sequence[str], keys: Keys) -> Advice:
    if state.is_empty:
        return _empty(state, keys)
    status = state.status
    going = progress_line(state)
    is_told = status is not None and (status.indexed or not going)  # a run says at its end how many there are
    held = count(status.indexed, "commit") if status and is_told else ""
    held += f", {count(status.hunks, 'hunk')}" if held and status and status.hunks else ""
    lines = (held, f"{going}; searchable already." if going else "")
    choices = [Choice(source, "asked before", query=source) for source in recent[:_RECENT]]
    choices += [Choice(source, note, query=source) for source, note in EXAMPLES if source not in recent]
    title = f"Search the history of {state.name}"
    return Advice("⌕", title, tuple(filter(None, lines)), tuple(choices))


def _not_indexed(state: SearchState, keys: Keys) -> Advice:
    if state.is_indexing:
        return Advice(
            "◔",
            f"Indexing {state.name}",
            (f"{progress_line(state)}.", "Newest commits first: it can be searched in a moment."),
        )
    lines = ["ohara reads its history once; afterwards answers take milliseconds."]
    if state.commits == 0:
        lines = ["It has no commits yet. Once it is indexed, the first one is noticed by itself."]
    elif state.commits is not None:
        whole = duration(state.commits / COMMITS_PER_S)
        held = count(state.commits, "commit")
        lines.insert(0, f"{held}: about {whole} to read, searchable after a few seconds.")
    key = keys.first_label("index")
    return Advice(
        "◌",
        f"{state.name} is not indexed yet",
        tuple(lines),
        (
            Choice("Index it now", "in the background", action="index", key=key),
            Choice("Choose another repository", action="repositories", key=keys.first_label("repositories")),
        ),
    )


def _nowhere(state: SearchState, keys: Keys) -> Advice:
    message = state.error.message if state.error else ""
    return Advice(
        "∅",
        "No repository here",
        (message,),
        (Choice("Choose a repository", action="repositories", key=keys.first_label("repositories")),),
    )


def _nothing(state: SearchState, keys: Keys) -> Advice:
    if state.is_empty:
        return _empty(state, keys)
    choices = tuple(
        Choice(
            f"Drop {chip}",
            "then there are hits",
            drops=chip,
            key=keys.first_label("drop_filter") if at == 0 else "",
        )
        for at, chip in enumerate(state.without)
    )
    lines = [*state.missing]
    if state.results is not None and state.results.query.patterns:
        lines.append("Quoted text and /patterns/ must stand in a changed line exactly so.")
    if not choices and not lines:
        lines.append("Try fewer or other words, or a name from the code.")
    if state.is_indexing:
        lines.append(f"{progress_line(state)}. Older commits are still to come.")
    return Advice("∅", "Nothing found", tuple(lines), choices)


def _error(state: SearchState, keys: Keys) -> Advice:
    error = state.error
    lines = (error.message, f"hint: {error.hint}" if error.hint else "") if error else ()
    return Advice(
        "!",
        "That did not work",
        tuple(filter(None, lines)),
        (Choice("Ask again", action="retry", key=keys.first_label("retry")),),
        tone="error",
    )


def _gone(state: SearchState, keys: Keys) -> Advice:
    reason = state.link_error.message if state.link_error else ""
    hint = f"hint: {state.link_error.hint}" if state.link_error and state.link_error.hint else ""
    return Advice(
        "⇎",
        "The background service is gone",
        tuple(filter(None, (reason, hint, "Connecting again by itself."))),
        (Choice("Try now", action="retry", key=keys.first_label("retry")),),
        tone="warning",
    )

"""The lines about a thread above the diff of its best hunk: its commits in order, with their fate. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.fate_phrase import MARKS, commit_fate_phrase
from tui.cells import sanitize
from tui.formats import day

if TYPE_CHECKING:
    from ohara.model import Thread, ThreadCommit

_MOST_COMMITS = 12  # of a thread are listed: the first, the last, and those that matched
_MOST_AUTHORS = 3


def thread_head(thread: Thread) -> tuple[str, ...]:
    """The thread in lines; `>` marks the commits that the query found."""
    since, until = day(thread.since), day(thread.until)
    authors = [*thread.authors[:_MOST_AUTHORS], *(["…"] if len(thread.authors) > _MOST_AUTHORS else [])]
    likely = ", likely" if thread.likely else ""
    facts = (
        f"{len(thread.commits)} commits{likely}",
        since if since == until else f"{since} to {until}",
        ", ".join(authors),
    )
    shown = _shown(thread.commits)
    left = len(thread.commits) - len(shown)
    more = (f"  … and {left} more",) if left else ()
    return (
        f"≡ {sanitize(thread.title) or '(no title)'}",
        sanitize(" · ".join(facts)),
        *map(_line, shown),
        *more,
        "",
    )


def _shown(commits: tuple[ThreadCommit, ...]) -> list[ThreadCommit]:
    meant = [place for place, commit in enumerate(commits) if commit.matched]
    places = dict.fromkeys([*meant[:_MOST_COMMITS], *range(_MOST_COMMITS - 1), len(commits) - 1])
    return [commits[place] for place in sorted(list(places)[:_MOST_COMMITS]) if place < len(commits)]


def _line(commit: ThreadCommit) -> str:
    mark = MARKS[commit.fate.state] if commit.fate else " "
    fate = commit_fate_phrase(commit.fate) if commit.fate else ""
    said = f" · {sanitize(fate)}" if fate else ""
    subject = sanitize(commit.subject) or "(no message)"
    return f"{'>' if commit.matched else ' '} {mark} {commit.sha[:10]} {day(commit.time)} {subject}{said}"

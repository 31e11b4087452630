"""Threads as text for people: title, period, authors, and the commits in their order with their fate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.fate_phrase import commit_fate_phrase
from ohara.plural import counted
from ohara.present.style import Ink
from ohara.present.text import SHORT_SHA, wrapped
from ohara.present.times import day
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ohara.model import Sha, Thread, ThreadCommit
    from ohara.present.text import Page

_MOST_COMMITS = 12  # of a thread are listed: the first, the last, and those that matched
_MOST_AUTHORS = 4

_WHY = {
    "picked": "cherry-pick",
    "same-patch": "same patch",
    "same-change": "same change",
    "revert": "revert",
    "fix": "fix",
    "likely": "likely",
}


def grouped_head(thread: Thread, rank: int, page: Page) -> list[str]:
    """The head of a thread in a list of threads: its number and title, then the thread itself."""
    margin = " " * (len(str(rank)) + 2)
    number = page.style.ink(f"{rank}.".ljust(len(margin)), Ink.QUIET)
    title, *rest = wrapped(sanitize(thread.title) or "(no title)", page, margin)
    return [
        number + page.style.ink(title, Ink.SUBJECT),
        *(margin + page.style.ink(part, Ink.SUBJECT) for part in rest),
        *_body(thread, page, margin, here=None),
    ]


def thread_lines(thread: Thread, page: Page, *, here: Sha) -> list[str]:
    """The thread that a commit belongs to, the commit itself marked."""
    title = wrapped(f"thread: {sanitize(thread.title) or '(no title)'}", page, "")
    return [*(page.style.ink(part, Ink.QUIET) for part in title), *_body(thread, page, "", here=here)]


def _body(thread: Thread, page: Page, margin: str, *, here: Sha | None) -> Iterator[str]:
    authors = [sanitize(author) for author in thread.authors]
    more = [f"{len(authors) - _MOST_AUTHORS} others"] if len(authors) > _MOST_AUTHORS else []
    since, until = day(thread.since), day(thread.until)
    told = [
        counted(len(thread.commits), "commit"),
        since if since == until else f"{since} to {until}",
        ", ".join([*authors[:_MOST_AUTHORS], *more]),
    ]
    for part in wrapped(" · ".join(told), page, margin):
        yield margin + page.style.ink(part, Ink.QUIET)
    shown = _shown(thread.commits, here)
    last = -1
    for place in shown:
        if place != last + 1:
            yield margin + page.style.ink(f"  … {counted(place - last - 1, 'commit')}", Ink.QUIET)
        last = place
        yield from _commit(thread.commits[place], page, margin, here=here)
    if last + 1 < len(thread.commits):
        yield margin + page.style.ink(f"  … {counted(len(thread.commits) - last - 1, 'commit')}", Ink.QUIET)


def _shown(commits: tuple[ThreadCommit, ...], here: Sha | None) -> list[int]:
    """Which commits of a long thread are listed."""
    if len(commits) <= _MOST_COMMITS:
        return list(range(len(commits)))
    meant = [place for place, each in enumerate(commits) if each.matched or each.sha == here]
    others = [*range(_MOST_COMMITS - 1), len(commits) - 1]
    return sorted([*dict.fromkeys([*meant, *others])][:_MOST_COMMITS])


def _commit(commit: ThreadCommit, page: Page, margin: str, *, here: Sha | None) -> Iterator[str]:
    is_meant = commit.sha == here if here else commit.matched
    mark = "> " if is_meant else "  "
    why = f" ({_WHY[commit.why]})" if commit.why in _WHY else ""
    phrase = sanitize(commit_fate_phrase(commit.fate)) if commit.fate else ""
    fate = f" · {phrase}" if phrase else ""
    lead = f"{mark}{page.style.ink(commit.sha[:SHORT_SHA], Ink.COMMIT)} {day(commit.time)} "
    room = margin + " " * (2 + SHORT_SHA + 12)
    first, *rest = wrapped(f"{sanitize(commit.subject) or '(no message)'}{why}{fate}", page, room)
    yield f"{margin}{lead}{first}"
    yield from (f"{room}{part}" for part in rest)

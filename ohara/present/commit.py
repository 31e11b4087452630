"""A commit as text: git's own header with what the index knows besides, and its diff made harmless. Pure.

No line of the header begins as a patch does: git apply, which reads past what is no patch, takes the whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.fate_phrase import fate_phrase
from ohara.plural import counted
from ohara.present.explained import SHORT_SHA
from ohara.present.style import Ink
from ohara.present.text import wrapped
from ohara.present.times import ago, rfc3339, written_date
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ohara.model import Commit, Hit
    from ohara.present.text import Page

_INDENT = "    "
_MOST_FATES = 12  # hunks of a commit of which it is said what became of them
_FILE_HEADERS = ("diff --git ", "index ", "--- ", "+++ ", "diff --cc ", "diff --combined ")


def commit_lines(
    commit: Commit, page: Page, *, refs: Sequence[str] = (), tag: str | None = None
) -> list[str]:
    """A commit's name, author, date, first release and whole message; without a style, a date in two ways."""
    style = page.style
    moment, offset = commit.committer_time, commit.committer_offset
    when = (
        written_date(moment, offset, page.date, now=page.now)
        if page.date
        else f"{rfc3339(moment, offset)} ({ago(moment, now=page.now)})"
    )
    names = f" ({', '.join(map(sanitize, refs))})" if refs else ""
    lines = [style.ink(f"commit {commit.sha}", Ink.COMMIT) + names]
    if len(commit.parents) > 1:
        lines.append(f"Merge: {' '.join(parent[:SHORT_SHA] for parent in commit.parents)}")
    lines.append(f"Author: {sanitize(commit.author)} <{sanitize(commit.email)}>")
    lines.append(f"Date:   {when}")
    if tag:
        lines.append(f"First in: {sanitize(tag)}")
    message = commit.message.strip().split("\n") if commit.message.strip() else ["(no message)"]
    lines.append("")
    for number, line in enumerate(message):
        text = sanitize(line.rstrip(), keep="\t").replace("\t", _INDENT)
        inks = (Ink.SUBJECT,) if number == 0 else ()
        lines += [f"{_INDENT}{style.ink(part, *inks)}".rstrip() for part in wrapped(text, page, _INDENT)]
    return lines


def fate_lines(hits: Sequence[Hit], page: Page) -> list[str]:
    """What became of the hunks of a commit, a line for each of the first."""
    phrases = [
        (hit, fate_phrase(hit.fate, lambda moment: ago(moment, now=page.now))) for hit in hits if hit.fate
    ]
    told = [(hit, said) for hit, said in phrases if said]
    if not told:
        return []
    lines = [page.style.ink("what became of it:", Ink.QUIET)]
    for hit, said in told[:_MOST_FATES]:
        place = f"{sanitize(hit.path)}:{hit.line or hit.old_line}"
        first, *rest = wrapped(f"{place} · {sanitize(said)}", page, "  ")
        lines += [f"  {part}" for part in (first, *rest)]
    if len(told) > _MOST_FATES:
        lines.append(f"  … {counted(len(told) - _MOST_FATES, 'more hunk')}")
    return lines


def harmless_diff(lines: Iterable[bytes], page: Page) -> Iterator[str]:
    """The lines of git's diff for a terminal: sanitized and coloured."""
    for line in lines:
        text = sanitize(line.rstrip(b"\r\n").decode("utf-8", "replace"), keep="\t")
        yield page.style.ink(text, *_inks(text))


def _inks(line: str) -> tuple[Ink, ...]:
    if line.startswith(_FILE_HEADERS):
        return (Ink.SUBJECT,)
    match line[:1]:
        case "+":
            return (Ink.ADDED,)
        case "-":
            return (Ink.REMOVED,)
        case "@":
            return (Ink.SYMBOL,)
    return ()

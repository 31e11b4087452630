"""Exports hits: as Markdown to read, or as a patch that git applies. Pure except for `write`.

A patch holds what is shown of each hit. Part of a hunk is a valid hunk as long as its numbers are right. A
hunk with a line that was cut, or with text that was not UTF-8 and so differs from git's bytes, is left out
and reported.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from ohara.long_lines import is_cut
from ohara.model import ChangeKind
from ohara.sanitize import sanitize
from tui.diff.rows import hunk_range
from tui.formats import author_day

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from ohara.forge import Forge
    from ohara.model import Commit, Hit


def by_commit(hits: Iterable[Hit]) -> list[tuple[Commit, list[Hit]]]:
    """Hits under their commits, newest commit first, in the order of files and lines."""
    grouped: dict[str, list[Hit]] = {}
    for hit in hits:
        grouped.setdefault(hit.commit.sha, []).append(hit)
    commits = sorted(grouped.values(), key=lambda each: -each[0].commit.committer_time)
    return [
        (each[0].commit, sorted(each, key=lambda hit: (hit.path, hit.old_top, hit.top))) for each in commits
    ]


# -- Markdown ------------------------------------------------------------------------------------


def markdown(hits: Sequence[Hit], *, title: str, forge: Forge | None = None) -> str:
    """The hits as a document: each commit a section, each hunk a block."""
    lines = [f"# {_one_line(title)}", ""]
    for commit, found in by_commit(hits):
        name = f"`{commit.sha[:10]}`"
        link_changed = f"[{name}]({forge.commit(commit.sha)})" if forge else name
        lines += [
            f"## {_one_line(commit.subject) or '(no message)'}",
            "",
            f"{link_changed} · {author_day(commit)} · {_one_line(commit.author)}",
            "",
        ]
        for hit in found:
            lines += [*_block(hit, forge), ""]
    return "\n".join(lines).rstrip() + "\n"


def _block(hit: Hit, forge: Forge | None) -> Iterator[str]:
    if not hit.path:
        return
    where = f"`{_code(hit.path)}:{hit.line}`"
    if forge and hit.kind is not ChangeKind.DELETED:
        where = f"[{where}]({forge.file(hit.commit.sha, hit.path, hit.line)})"
    yield where + (f" in `{_code(hit.symbol)}`" if hit.symbol else "")
    if hit.excerpt:
        fence = _fence(hit.excerpt)
        yield ""
        yield f"{fence}diff"
        yield from (sanitize(line, keep="\t") for line in hit.excerpt.split("\n"))
        yield fence


def _one_line(text: str) -> str:
    """The text on one line, with Markdown's markup escaped."""
    return "".join(
        f"\\{each}" if each in "\\`*_[]<>#|" else each for each in sanitize(" ".join(text.split()))
    )


def _code(text: str) -> str:
    return sanitize(text).replace("`", "'")


def _fence(text: str) -> str:
    """A code fence longer than any in the text."""
    fence = "```"
    while fence in text:
        fence += "`"
    return fence


# -- patch ---------------------------------------------------------------------------------------


def patch(hits: Sequence[Hit], *, odd: Collection[tuple[str, int]] = frozenset()) -> str:
    """The hits as one patch for `git apply`, newest commit first, each commit named above its files.

    `odd` holds the hits, by sha and hunk, whose text differs from git's bytes.
    """
    lines: list[str] = []
    for commit, found in by_commit(hits):
        lines += [
            f"commit {commit.sha}",
            f"Author: {sanitize(commit.author)} <{sanitize(commit.email)}>",
            f"Date:   {author_day(commit)}",
            "",
            *(f"    {sanitize(line, keep=chr(9))}" for line in commit.message.rstrip().split("\n")),
            "",
        ]
        current = None
        for hit in found:
            if not hit.path or not hit.excerpt:
                continue
            missing = _missing(hit, odd)
            if missing:
                lines.append(f"# {sanitize(hit.path)}:{hit.line} is left out: {missing}")
                continue
            if hit.path != current:
                lines += _file_header(hit)
                current = hit.path
            lines += [hunk_range(hit), *hit.excerpt.split("\n")]
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _missing(hit: Hit, odd: Collection[tuple[str, int]]) -> str:
    """Why a hit cannot be part of a patch; empty when it can."""
    if any(map(is_cut, hit.excerpt.split("\n"))):
        return "a line of it is too long to be shown"
    return "its text or path is not UTF-8" if (hit.commit.sha, hit.hunk) in odd else ""


def _file_header(hit: Hit) -> list[str]:
    old, new = _quoted(f"a/{hit.old_path or hit.path}"), _quoted(f"b/{hit.path}")
    header = [f"diff --git {old} {new}"]
    if hit.kind is ChangeKind.ADDED:
        return [*header, "new file mode 100644", "--- /dev/null", f"+++ {new}"]
    if hit.kind is ChangeKind.DELETED:
        return [*header, "deleted file mode 100644", f"--- {old}", "+++ /dev/null"]
    return [*header, f"--- {old}", f"+++ {new}"]


def _quoted(path: str) -> str:
    """A path as git writes it: in quotes when it holds what would end a line or a name."""
    if path.isprintable() and path.isascii() and not {'"', "\\"} & set(path):
        return path
    written = "".join(
        chr(byte) if 0x20 <= byte < 0x7F and chr(byte) not in '"\\' else f"\\{byte:03o}"
        for byte in path.encode("utf-8", "replace")
    )
    return f'"{written}"'


# -- writing it down -----------------------------------------------------------------------------


def write(text: str, folder: Path, stem: str, suffix: str) -> Path:
    """Write a new file, with a number in its name when the name is taken; an OSError says why it failed."""
    for number in count(1):
        path = folder / f"{stem}{'' if number == 1 else f'-{number}'}{suffix}"
        try:
            with path.open("x", encoding="utf-8", errors="replace", newline="") as file:
                file.write(text)
        except FileExistsError:
            continue
        return path
    raise AssertionError("count never ends")

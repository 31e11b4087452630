"""What a path filter matches.

The rules are those of .gitignore, which people know from git and ripgrep: a name without a slash matches
at any depth, one with a slash counts from the repository's root, a folder stands for all that is in it,
`*` stays within a name and `**` does not. Two differences: square brackets are plain characters, because
routes called `[slug]` are searched for and character classes are not, and `{a,b}` means either. Matching
costs time in proportion to the path, whatever the pattern.
"""

from __future__ import annotations

import re
from functools import cache

from ohara.errors import QueryError

# Enough for any list of endings; the product of several lists may not grow without end.
_MOST_ALTERNATIVES = 64

_BRACES = re.compile(r"(?<!\\)\{([^{}]*,[^{}]*)\}")
_WILD = re.compile(r"\\.|[*]+|[?]|[^*?\\]+|\\")


@cache
def path_pattern(glob: str) -> re.Pattern[str]:
    """A regular expression whose `fullmatch` accepts exactly the paths that a path filter lets through."""
    return re.compile("|".join(map(_translate, _alternatives(glob))), re.DOTALL)


def _alternatives(glob: str) -> list[str]:
    globs = [glob]
    while any(_BRACES.search(each) for each in globs):
        globs = [expanded for each in globs for expanded in _expand(each)]
        if len(globs) > _MOST_ALTERNATIVES:
            raise QueryError(
                f"the path {glob!r} has more than {_MOST_ALTERNATIVES} alternatives",
                hint="use fewer {a,b} lists",
            )
    return globs


def _expand(glob: str) -> list[str]:
    if not (braces := _BRACES.search(glob)):
        return [glob]
    return [glob[: braces.start()] + choice + glob[braces.end() :] for choice in braces[1].split(",")]


def _translate(glob: str) -> str:
    from_root = "/" in glob.rstrip("/")
    segments = [segment for segment in glob.split("/") if segment]
    if not from_root:
        segments.insert(0, "**")
    inside = glob.endswith("/")
    if segments[-1] == "**":
        inside = True
        while segments and segments[-1] == "**":
            segments.pop()
    groups: list[list[str]] = [[]]
    for segment in segments:
        if segment == "**":
            groups.append([])
        else:
            groups[-1].append(_segment(segment))
    # Taking the earliest place for every group but the last leaves the most for those after it, so no other
    # place needs trying: hence the atomic groups.
    first, *later = ["".join(f"{segment}/" for segment in group) for group in groups]
    middle = "".join(f"(?>(?:[^/]*/)*?{group})" for group in later[:-1] if group)
    last = f"(?:[^/]*/)*?{later[-1]}" if later and later[-1] else ""
    whole = f"{first}{middle}{last}"
    if not whole:
        return ".+"
    return f"{whole}.+" if inside else f"{whole[:-1]}(?:/.*)?"


def _segment(segment: str) -> str:
    """One name's expression: each star but the last takes the earliest place where the text after it fits."""
    parts = [""]
    for piece in _WILD.findall(segment):
        if piece[0] == "*":
            parts.append("")
        elif piece == "?":
            parts[-1] += "[^/]"
        else:
            parts[-1] += re.escape(piece[1:] if piece[0] == "\\" and len(piece) > 1 else piece)
    first, *later = parts
    if not later:
        return first
    middle = "".join(f"(?>[^/]*?{part})" for part in later[:-1] if part)
    return f"{first}{middle}[^/]*{later[-1]}"

"""Translates git's path patterns into regular expressions that cannot blow up.

The patterns come from strangers, so every wildcard but the last takes the first stretch that fits and
never gives it back (an atomic group): for wildcards that is enough, and it keeps matching
linear where plain `.*` would try exponentially many ways.
"""

from __future__ import annotations

import re
import warnings
from typing import Final

_TOKEN = re.compile(r"\*+|\?|\\.|\[[!^]?\]?(?:\[:[a-z]+:\]|\\.|[^\]])*\]|.", re.DOTALL)
_WILD = re.compile(r"[*?\[\\]")
_HEADED = re.compile(r"([^*?\[\\]+)\*\*+")  # a name, and stars to its end
_FOLDERS = re.compile(r"\A\*{3,}\Z")  # more stars mean no more than two
_CLASS = re.compile(r"\[:([a-z]+):\]|\\(.)|(.)", re.DOTALL)
_CLASSES: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"!-/:-@\[-`{-~",
    "space": r" \t\n\r\f\v",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_NEVER: Final = "(?!)"
_ANY_FOLDERS: Final = "(?:[^/]+/)*"


def compiled(pattern: str, folder: str = "") -> re.Pattern[str]:
    """Makes an expression that matches whole paths, as a pattern in a folder's file means them.

    Without a slash a pattern names files at any depth; otherwise its place counts from the folder. One that
    ends in a slash names folders, and so no file; nor does any file have two slashes in its path.
    """
    if pattern.endswith("/") or "//" in pattern:
        return re.compile(_NEVER)
    place = re.escape(folder + "/") if folder else ""
    is_anchored = "/" in pattern
    segments = [_FOLDERS.sub("**", segment) for segment in pattern.removeprefix("/").split("/")]
    try:
        with warnings.catch_warnings():  # Python's, of a "--" in brackets that it may read otherwise one day
            warnings.simplefilter("ignore", FutureWarning)
            path = _anchored(segments) if is_anchored else _path(["**", *segments])
            return re.compile(place + path, re.DOTALL)
    except re.error:
        return re.compile(_NEVER)  # a reversed range, say: git does not match it either


def _anchored(segments: list[str]) -> str:
    """Translates a path from its beginning.

    git compares what stands before the first wildcard by itself, and then takes stars at the head of the rest
    for those of a path: `a**` names all that begins with an a, folders and what is in them as well.
    """
    first = next((at for at, segment in enumerate(segments) if _WILD.search(segment)), len(segments))
    headed = _HEADED.fullmatch(segments[first]) if first < len(segments) else None
    if headed is None:
        return _path(segments)
    start = re.escape("/".join((*segments[:first], headed[1])))
    rest = segments[first + 1 :]
    return f"{start}(?:[^/]*/)?{_path(['**', *rest])}" if rest else f"{start}.*"


def _path(segments: list[str]) -> str:
    """Translates a path; `**` between slashes stands for any number of folders."""
    blocks: list[list[str]] = [[]]
    for segment in segments:
        if segment == "**":
            if blocks[-1] or len(blocks) == 1:  # several in a row are one
                blocks.append([])
        else:
            blocks[-1].append(_segment(segment))
    texts = ["/".join(block) for block in blocks]
    if len(texts) == 1:
        return texts[0]
    first, *middle, last = texts
    start = f"{first}/" if first else ""
    between = "".join(f"(?>{_ANY_FOLDERS}?{block}/)" for block in middle)
    return start + between + (_ANY_FOLDERS + last if last else ".+")


def _segment(segment: str) -> str:
    """Translates what stands between two slashes."""
    parts = [""]
    for token in _TOKEN.findall(segment):
        if token.startswith("*"):
            parts.append("")
        else:
            parts[-1] += _single(token)
    first, *rest = parts
    if not rest:
        return first
    *middle, last = rest
    return first + "".join(f"(?>[^/]*?{part})" for part in middle) + "[^/]*" + last


def _single(piece: str) -> str:
    """Translates what stands for one character."""
    if piece == "?":
        return "[^/]"
    if piece == "[":
        return _NEVER  # never closed
    if piece.startswith("[") and len(piece) > 1:
        return _bracket(piece)
    return re.escape(piece[-1])


def _bracket(piece: str) -> str:
    inner = piece[1:-1]
    is_negated = inner.startswith(("!", "^"))
    members = []
    for name, escaped, plain in _CLASS.findall(inner[is_negated:]):
        if name:
            members.append(_CLASSES.get(name, ""))
        else:
            members.append(plain if plain == "-" else re.escape(escaped or plain))
    return f"(?!/)[{'^' if is_negated else ''}{''.join(members)}]"

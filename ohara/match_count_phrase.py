"""How many matches of a pattern of syntax a change added or took away, in one line for people.

Pure; what the pattern's names stand for is made safe by who shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ohara.model import MatchCount

_LONGEST_CAPTURE = 60


def match_count_phrase(count: MatchCount) -> str:
    """The line: by how many, from how many to how many, and what the names stand for."""
    risen = count.after - count.before
    noun = "match" if abs(risen) == 1 else "matches"
    held = ", ".join(f"${name} = {_one_line(text)}" for name, text in sorted(count.captures.items()))
    return f"{risen:+,d} {noun} ({count.before:,} → {count.after:,}){f' · {held}' if held else ''}"


def _one_line(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= _LONGEST_CAPTURE else f"{shown[: _LONGEST_CAPTURE - 1]}…"

"""Numbers of things in words: "1 commit", "1,200 commits". Pure."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """A number of things."""
    return f"{count:,} {plural(count, noun)}"


def plural(count: int, noun: str) -> str:
    """The noun for so many of them."""
    if count == 1:
        return noun
    if noun.endswith("ory"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("ch") else f"{noun}s"


def are(count: int) -> str:
    """The verb for so many of them."""
    return "is" if count == 1 else "are"

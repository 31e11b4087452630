"""Says what is wrong with a regular expression, and where, from what RE2 says about it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.errors import QueryError

if TYPE_CHECKING:
    from ohara.model import Pattern

_REASONS = {
    "missing )": "a parenthesis is not closed",
    "unexpected )": "a closing parenthesis has no opening one",
    "missing ]": "a bracket is not closed",
    "no argument for repetition operator": "there is nothing to repeat",
    "bad repetition operator": "a repeat is itself repeated",
    "invalid repetition size": "a repeat counts too far, or backwards",
    "invalid character class range": "there is no such class of characters",
    "invalid escape sequence": "there is no such escape",
    "invalid perl operator": "there is no such group",
    "invalid named capture group": "a group's name is malformed",
    "trailing \\": "it ends in a backslash",
    "pattern too large - compile failed": "it is too large: compiled, it takes more than 16 MiB",
}
_TOO_LARGE = "pattern too large - compile failed"
_LINEAR = "cannot be searched in linear time"
_HINTS = {
    "(?=": f"looking ahead {_LINEAR}; require a second /…/ term instead",
    "(?!": f"looking ahead {_LINEAR}; exclude by a class such as [^x]",
    "(?<=": f"looking behind {_LINEAR}; require a second /…/ term instead",
    "(?<!": f"looking behind {_LINEAR}; exclude by a class such as [^x]",
    "(?>": "atomic groups change nothing here; write (?:…)",
    "\\Z": "the end of a line is $",
} | {f"\\{digit}": f"references to groups {_LINEAR}; write out what repeats" for digit in range(1, 10)}
_SHORTER = "repeats such as {1,1000} multiply what they repeat: write * or +, or count less"
_LONGEST_SHOWN = 60
_SYNTAX = (
    "the syntax is RE2's (github.com/google/re2/wiki/Syntax); quote the text to search for it as it stands"
)


def regex_error(pattern: Pattern, said: str) -> QueryError:
    """The error for an expression that RE2 refused, saying this."""
    kind, _, fragment = said.partition(": ")
    at = _position(pattern.text, kind, fragment)
    where = f" at character {at + 1}" if at >= 0 else ""
    shown = f" ({_short(fragment)})" if fragment and fragment != pattern.text else ""
    hint = next((hint for start, hint in _HINTS.items() if fragment.startswith(start)), _SYNTAX)
    if kind == _TOO_LARGE:
        hint = _SHORTER
    reason = _REASONS.get(kind, said)
    return QueryError(
        f"the regular expression /{_short(pattern.text)}/ cannot be read: {reason}{where}{shown}", hint=hint
    )


def _short(text: str) -> str:
    """An expression as it is quoted: its beginning, where it is long."""
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _position(text: str, kind: str, fragment: str) -> int:
    """Where the fault is, as an index, or -1 when that cannot be told."""
    match kind:
        case "missing )" | "unexpected )":
            return _unbalanced(text)
        case "trailing \\":
            return len(text) - 1
    return text.find(fragment) if fragment else -1


def _unbalanced(text: str) -> int:
    """The first closing parenthesis too many, or else the last opening one that stays open."""
    opened: list[int] = []
    at = 0
    while at < len(text):
        match text[at]:
            case "\\":
                at += 1
            case "[":
                at = max(at, text.find("]", at + 2))
            case "(":
                opened.append(at)
            case ")":
                if not opened:
                    return at
                opened.pop()
        at += 1
    return opened[-1] if opened else -1

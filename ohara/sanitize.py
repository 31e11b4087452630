"""Makes text from a repository harmless to a terminal.

Messages, paths and diffs are not trusted: they may contain escape sequences that move the cursor or change
the title, overrides that show code in another order than it runs, and invisible characters. `sanitize`
replaces each such character by one visible character, so that columns counted in the original stay valid. It
does not strip markup or measure width.
"""

from __future__ import annotations

import functools
import re

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_HOSTILE = (
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL and C1 controls: escape sequences in seven and in eight bits
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # soft hyphen, joiners and fillers that show nothing
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional marks, embeddings, overrides, isolates
    "\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff"  # zero-width and deprecated format controls
    "\u2028\u2029"  # line and paragraph separators: a line break that is not "\n"
    "\ufe00-\ufe0d\U000e0100-\U000e01ef"  # variation selectors, which can hide text; emoji's two are kept
    "\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # annotation and layout
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"  # tags: invisible copies of ASCII
    "\ud800-\udfff"  # lone surrogates, which no output encoding accepts
    "]"
)

# Control pictures, which terminal users know: ESC as "␛", NUL as "␀", newline as "␊".
_PICTURES = {chr(code): chr(0x2400 + code) for code in range(0x20)} | {"\x7f": "\N{SYMBOL FOR DELETE}"}

_KEEPABLE = frozenset("\n\t")


def sanitize(text: str, *, keep: str = "") -> str:
    """The same text with every control, invisible and reordering character made visible, one for one.

    `keep` names those of newline and tab that may stay, for text that is shown in lines.
    """
    if not _KEEPABLE.issuperset(keep):
        raise ValueError(f"only newline and tab may be kept, not {keep!r}")

    if text.isascii() and text.isprintable():
        return text

    def shown(match: re.Match[str]) -> str:
        character = match.group()
        return character if character in keep else _PICTURES.get(character, REPLACEMENT)

    return _hostile().sub(shown, text)


@functools.cache
def _hostile() -> re.Pattern[str]:
    """The compiled pattern, made when first needed: most commands print only plain ASCII."""
    return re.compile(_HOSTILE)
